/// \file
/// Files of PyTorch made by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/source.hpp>
#include <safestructures/formats/pytorch.hpp>
#include <safestructures/tools/document.hpp>
#include "cli/numpy/zip_writer.hpp"
#include "platform/sink.hpp"
#include "support/errors.hpp"
#include "support/text.hpp"

namespace safestructures::test {

inline std::string little(std::uint64_t value, unsigned width) {
  std::string text;
  for (unsigned i = 0; i < width; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

/// Instructions of pickles, by their names in Python's `pickletools`.
namespace pickled {

inline std::string text(std::string_view value) {
  return "X" + little(value.size(), 4) + std::string(value);
}
inline std::string number(std::uint64_t value) { return "\x8a\x09" + little(value, 8) + '\0'; }
inline std::string tuple(std::string_view items) { return "(" + std::string(items) + "t"; }
inline std::string numbers(const std::vector<std::uint64_t>& values) {
  std::string items;
  for (const std::uint64_t value : values) items += number(value);
  return tuple(items);
}
inline std::string global(std::string_view module, std::string_view name) {
  return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}
inline std::string call(std::string_view function, std::string_view arguments) {
  return std::string(function) + tuple(arguments) + "R";
}
/// A storage of four numbers, as it is referred to.
inline std::string storage(std::string_view type = "FloatStorage", std::string_view key = "0",
                           std::uint64_t count = 4) {
  return tuple(text("storage") + global("torch", type) + text(key) + text("cpu") + number(count)) +
         "Q";
}
inline std::string tensor(const std::vector<std::uint64_t>& shape,
                          const std::vector<std::uint64_t>& strides, std::uint64_t offset = 0,
                          const std::string& stored = storage()) {
  return call(global("torch._utils", "_rebuild_tensor_v2"),
              stored + number(offset) + numbers(shape) + numbers(strides) + "\x89N");
}
/// A whole pickle.
inline std::string program(std::string_view value) { return "\x80\x02" + std::string(value) + "."; }

}  // namespace pickled

/// An archive of PyTorch: its parts by name.
struct PytorchFile {
  std::string pickle;
  std::map<std::string, std::string> parts = {{"byteorder", "little"},
                                              {"data/0", std::string(16, '\0')}};
  std::string folder = "archive/";

  [[nodiscard]] std::string text() const {
    std::vector<std::byte> bytes;
    platform::VectorSink sink(bytes);
    cli::ZipWriter writer(sink);
    writer.add(folder + "data.pkl", pickle, {});
    for (const auto& [name, content] : parts) writer.add(folder + name, content, {});
    writer.finish();
    return text_of(bytes);
  }
};

inline std::string pytorch_error(std::string_view file, const LoadOptions& options = {}) {
  return error_of(
      [&] { return formats::pytorch()->read(Source::of(view_of(file), nullptr), options); });
}

/// The error of an archive whose pickle is of that value.
inline std::string pickle_error(std::string_view value, const LoadOptions& options = {}) {
  return pytorch_error(PytorchFile{.pickle = pickled::program(value)}.text(), options);
}

/// What such an archive holds.
inline Value unpickled(std::string_view value) {
  const std::string file = PytorchFile{.pickle = pickled::program(value)}.text();
  return formats::pytorch()->read(Source::of(bytes_of(file)), {}).root;
}

}  // namespace safestructures::test
