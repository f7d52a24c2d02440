#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <safestructures/data/codec.hpp>
#include <safestructures/formats/checksums.hpp>
#include <safestructures/tools/document.hpp>
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/walk.hpp"
#include "data/printable.hpp"

namespace safestructures::cli {
namespace {

constexpr std::size_t block_bytes = std::size_t{4} << 20;

/// Reads every byte of every tensor, by reads and not through a mapping: a file that is cut short
/// meanwhile is then an Error and not the end of the process.
class TensorReader {
 public:
  TensorReader(const safetensors::File& file, Progress& progress)
      : file_(file), progress_(progress), block_(block_bytes) {}

  void read(std::size_t index) {
    const safetensors::TensorInfo info = file_.info(index);
    const std::uint64_t begin = file_.file_offset(index);
    const std::uint64_t end = begin + (info.end - info.begin);
    open(index);
    stream_.seekg(static_cast<std::streamoff>(begin));
    for (std::uint64_t at = begin; at < end;) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, end - at));
      stream_.read(block_.data(), static_cast<std::streamsize>(size));
      const auto count = static_cast<std::size_t>(stream_.gcount());
      if (count < size)
        fail(ErrorCode::truncated, "the file ends inside a tensor", index,
             std::to_string(size) + " bytes", std::to_string(count), at);
      if (info.dtype == DType::BOOL) check_bools(index, {block_.data(), size}, at);
      at += size;
      progress_.add(size);
    }
  }

 private:
  void open(std::size_t index) {
    if (stream_.is_open() && path_ == file_.path(index)) return;
    path_ = file_.path(index);
    stream_ = std::ifstream(path_, std::ios::binary);
    if (!stream_)
      fail(ErrorCode::cannot_open, "the file cannot be opened again", index, {}, {}, {});
  }

  void check_bools(std::size_t index, std::string_view bytes, std::uint64_t offset) const {
    const auto wrong =
        std::ranges::find_if(bytes, [](char c) { return static_cast<unsigned char>(c) > 1; });
    if (wrong == bytes.end()) return;
    fail(ErrorCode::out_of_range, "a bool is neither true nor false", index, "byte 0 or 1",
         "byte " + std::to_string(static_cast<unsigned char>(*wrong)),
         offset + static_cast<std::uint64_t>(wrong - bytes.begin()));
  }

  [[noreturn]] void fail(ErrorCode code, std::string problem, std::size_t index,
                         std::string expected, std::string found,
                         std::optional<std::uint64_t> offset) const {
    throw Error(code, std::move(problem),
                {.file = path_.string(),
                 .path = std::string(file_.name(index)),
                 .expected = std::move(expected),
                 .found = std::move(found),
                 .offset = offset});
  }

  const safetensors::File& file_;
  Progress& progress_;
  std::vector<char> block_;
  std::filesystem::path path_;
  std::ifstream stream_;
};

/// Tensors that are stored in another dtype than their own must be able to come back to it.
void check_original_dtypes(const Document& document, const safetensors::File& file) {
  std::set<std::pair<std::string, std::string>> checked;
  for_each_tensor(document.root(), [&](const Value& value) {
    const Value* original = value.attribute(dtype_attribute);
    if (value.kind() != Kind::tensor || original == nullptr) return;
    if (!checked.emplace(value.tensor_name(), describe(*original)).second) return;
    Value read = value;
    read.set_tensor(file.tensor(value.tensor_name()));
    try {
      static_cast<void>(restored_tensor(read));
    } catch (const Error& error) {
      throw error.with_path(value.tensor_name());
    }
  });
}

bool verify_checksums(const safetensors::File& file, const std::string& name) {
  try {
    return checksums::verify(file);
  } catch (const Error& error) {
    throw error.with_file(name);
  }
}

std::string verify(const std::string& name) {
  const auto file = safetensors::File::open(name, {.access = Access::read});
  const Document document = Document::open(name);
  Progress progress("verifying " + name, file.data_size(), true);
  TensorReader reader(file, progress);
  for (std::size_t i = 0; i < file.size(); ++i) reader.read(i);
  try {
    check_original_dtypes(document, file);
  } catch (const Error& error) {
    throw error.with_file(name);
  }
  const bool has_checksums = verify_checksums(file, name);
  return fmt::format("ok, {}, {}{}", counted(tensor_count(document), "tensor"),
                     human_size(file.data_size()), has_checksums ? ", checksums match" : "");
}

void verify_all(const std::vector<std::string>& names) {
  Output out(stdout, "the standard output");
  bool all_fine = true;
  for (const std::string& name : names) {
    try {
      const std::string result = verify(name);
      std::string printable;
      detail::append_printable(printable, name);
      out << printable << ": " << result << '\n';
      out.finish();
    } catch (const Error& error) {
      report(error.what());
      all_fine = false;
    }
  }
  if (!all_fine) throw Reported();
}

}  // namespace

void add_verify(CLI::App& app) {
  const auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      app.add_subcommand("verify", "Check everything in files: header, schema, every tensor");
  command->add_option("FILE", *files, "Safetensors files, or .index.json files")->required();
  command->footer(
      "A line for each file: what it holds, or on standard error what is wrong with it.\n"
      "The exit code is 0 when all files are fine, else 1.\n\n"
      "Examples:\n"
      "  safestructures verify model.safetensors\n"
      "  safestructures verify downloads/*.safetensors && echo all fine");
  command->callback([files] { verify_all(*files); });
}

}  // namespace safestructures::cli
