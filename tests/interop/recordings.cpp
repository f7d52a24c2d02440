// Makes recordings in the folder it is given, for Python and the tool: `closed`, of a recorder that
// was closed, and `killed`, of one whose process ended without a word. With a name, that alone, of
// three records and such a process; `kept` has a record of each amount that is kept, `nothing`
// none, `dtypes` a tensor of each floating dtype and its numbers as F64.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>

namespace ss = safestructures;

namespace {

struct Output {
  std::vector<float> hidden;
  std::string text;
};

void record_all(ss::ActivationRecorder& recorder) {
  for (std::int64_t step = 0; step < 4; ++step) {
    recorder.step(step);
    const auto scope = recorder.scope("decoder");
    const auto n = static_cast<float>(step);
    recorder.record("out", Output{{n, n + 1}, "step " + std::to_string(step)});
    recorder.record("bytes", std::vector<std::uint8_t>(static_cast<std::size_t>(step), 7));
    std::map<std::int64_t, std::vector<double>> doubles;  // GCC 14 warns of a list of such at -O1.
    doubles[step] = {0.5};
    recorder.record("doubles", doubles);
    recorder.record("sum", ss::Value(0.25 * static_cast<double>(step)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: recordings FOLDER [NAME]\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  if (argc == 3 && std::string(argv[2]) == "kept") {
    ss::ActivationRecorder recorder(
        folder / "kept",
        {.rules = {{.names = "part", .keep = ss::Keep::slice, .slices = ss::parse_slices("1:3")},
                   {.names = "brief", .keep = ss::Keep::statistics},
                   {}}});
    const std::vector<float> numbers = {0, 1, -2, 1e30F};
    recorder.record("whole", numbers);
    recorder.record("part", numbers);
    recorder.record("brief", std::map<std::string, std::vector<float>>{{"x", numbers}});
    recorder.close();
    return 0;
  }
  if (argc == 3 && std::string(argv[2]) == "dtypes") {
    ss::ActivationRecorder recorder(folder / "dtypes");
    std::vector<std::byte> codes(768);
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::byte>(i * 89 >> 3U);
    for (std::size_t i = 0; i < ss::dtype_count; ++i) {
      const auto dtype = static_cast<ss::DType>(i);
      if (!ss::is_floating(dtype)) continue;
      const ss::Shape shape = {codes.size() * 8 / ss::bit_width(dtype) / 4, 4};
      const ss::Tensor tensor = ss::Tensor::share(dtype, shape, codes, nullptr);
      recorder.record(ss::to_string(dtype), tensor);
      recorder.record("as F64", tensor.to(ss::DType::F64, ss::Overflow::allow));
    }
    recorder.close();
    return 0;
  }
  if (argc == 3 && std::string(argv[2]) == "nothing") {
    ss::ActivationRecorder recorder(folder / "nothing", {.rules = {{.names = "nothing"}}});
    recorder.record("x", 1);
    recorder.close();
    return 0;
  }
  if (argc == 3) {
    ss::ActivationRecorder recorder(folder / argv[2]);
    for (int i = 0; i < 3; ++i) recorder.record("layer", std::vector<float>{1, 2, 3});
    recorder.flush();
    ::_exit(0);
  }
  // The data of two or three records: several segments.
  const ss::RecorderOptions options{.rules = {{.names = "decoder.sum", .first = 3}, {}},
                                    .segment_bytes = 24};
  {
    ss::ActivationRecorder recorder(folder / "closed", options);
    record_all(recorder);
  }
  ss::ActivationRecorder recorder(folder / "killed", options);
  record_all(recorder);
  recorder.flush();
  ::_exit(0);
}
