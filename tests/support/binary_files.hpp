/// \file
/// The formats of trees and helpers that their tests share.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/codecs/values.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/cbor.hpp>
#include <safestructures/formats/json.hpp>
#include <safestructures/formats/messagepack.hpp>
#include <safestructures/tools/save.hpp>
#include "support/text.hpp"

namespace safestructures::test {

using FormatPointer = std::shared_ptr<const Format>;

inline std::vector<FormatPointer> binary_formats() {
  return {formats::messagepack(), formats::cbor()};
}
inline std::vector<FormatPointer> tree_formats() {
  return {formats::json(), formats::messagepack(), formats::cbor()};
}

inline std::string saved_as(const Value& value, const FormatPointer& format,
                            SaveOptions options = {}) {
  options.format = format;
  return text_of(save(value, options));
}

/// Returns the content as the format reads it: tensors in their stored dtype, with attributes.
inline Content read_as(std::string_view bytes, const FormatPointer& format,
                       const LoadOptions& options = {}) {
  return format->read(Source::of(view_of(bytes), nullptr), options);
}

inline std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace safestructures::test
