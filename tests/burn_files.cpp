// Writes the golden records of a version of Burn anew, for the real Burn to read: burn_files FOLDER
// VERSION. Each is loaded from its most precise golden file, and recorded under the names of all
// but those that JSON cannot hold, which have to be refused.
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

#include <safestructures/burn/burn.hpp>
#include "support/burn_types.hpp"

namespace ss = safestructures;
namespace burn = ss::burn;
namespace fs = std::filesystem;

namespace {

struct Job {
  fs::path target;  // Without the recorder's extension.
  std::string extension;
  burn::RecorderOptions options;
};

void write_bytes(const fs::path& path, const std::vector<std::byte>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

/// The recorders put their extension in the place of what follows the last dot.
template <class Settings, class T>
void record(const T& object, const Job& job) {
  const fs::path path = job.target.string() + ".x";
  const auto to_file = [&](const auto& recorder) { recorder.record(object, path); };
  const auto in_memory = [&](const auto& recorder) {
    write_bytes(job.target.string() + "." + job.extension, recorder.record(object));
  };
  if (job.extension == "mpk") to_file(burn::NamedMpkFileRecorder<Settings>(job.options));
  else if (job.extension == "mpk.gz") to_file(burn::NamedMpkGzFileRecorder<Settings>(job.options));
  else if (job.extension == "bin") to_file(burn::BinFileRecorder<Settings>(job.options));
  else if (job.extension == "bin.gz") to_file(burn::BinGzFileRecorder<Settings>(job.options));
  else if (job.extension == "json") to_file(burn::PrettyJsonFileRecorder<Settings>(job.options));
  else if (job.extension == "json.gz") to_file(burn::JsonGzFileRecorder<Settings>(job.options));
  else if (job.extension == "mpkbytes")
    in_memory(burn::NamedMpkBytesRecorder<Settings>(job.options));
  else in_memory(burn::BinBytesRecorder<Settings>(job.options));
}

void write_like(const fs::path& golden, const fs::path& folder, const std::string& version) {
  const std::string name = golden.filename().string();
  const std::size_t first = name.find('.');
  const std::size_t second = name.find('.', first + 1);
  const std::string of_record = name.substr(0, first);
  const std::string precision = name.substr(first + 1, second - first - 1);
  // Burn goes from double to half through full precision, and rounds twice.
  fs::path source = golden.parent_path() / (of_record + ".double.bin");
  if (!fs::exists(source) || precision == "half")
    source = golden.parent_path() / (of_record + ".full.bin");
  // Floats beyond a precision become infinite there, as in Burn.
  const Job job{folder / (of_record + "." + precision),
                name.substr(second + 1),
                {.burn_version = version, .overflow = ss::Overflow::allow}};
  const auto minor = static_cast<unsigned>(std::stoul(version.substr(2)));
  const bool is_known = ss::test::with_record_type(of_record, minor, [&]<class T>() {
    const T object = ss::load_file<T>(source);
    if (precision == "double") record<burn::DoublePrecisionSettings>(object, job);
    else if (precision == "full") record<burn::FullPrecisionSettings>(object, job);
    else record<burn::HalfPrecisionSettings>(object, job);
  });
  if (!is_known) throw std::runtime_error("no C++ type is known for it");
}

/// Of infinities Burn makes null in JSON, which it cannot read either.
bool is_beyond_json(const fs::path& golden) {
  const std::string name = golden.filename().string();
  return name.starts_with("odd_floats.") && name.find(".json") != std::string::npos;
}

void expect_refusal(const fs::path& golden, const fs::path& folder, const std::string& version) {
  try {
    write_like(golden, folder, version);
  } catch (const ss::Error& error) {
    if (std::string_view(error.what()).find("JSON has no infinity") != std::string_view::npos)
      return;
    throw;
  }
  throw std::runtime_error("an infinity was written as JSON");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "burn_files FOLDER VERSION\n";
    return 2;
  }
  const fs::path folder = arguments[1];
  const std::string version = arguments[2];
  fs::create_directories(folder);
  int failed = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(SAFESTRUCTURES_TEST_DATA) / "golden/burn" / version)) {
    if (!entry.is_regular_file()) continue;
    try {
      if (entry.path().extension() == ".bpk")
        ss::convert_file(ss::open(entry.path()), folder / entry.path().filename());
      else if (is_beyond_json(entry.path())) expect_refusal(entry.path(), folder, version);
      else write_like(entry.path(), folder, version);
    } catch (const std::exception& error) {
      std::cerr << entry.path().filename().string() << ": " << error.what() << '\n';
      ++failed;
    }
  }
  return failed == 0 ? 0 : 1;
}
