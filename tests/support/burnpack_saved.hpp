/// \file
/// Helpers for tests that save structures as burnpack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <safestructures/codecs/values.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/burnpack.hpp>
#include <safestructures/tools/save.hpp>
#include "support/burnpack_cases.hpp"

namespace safestructures::test {

inline std::string saved_burnpack(const Value& value, SaveOptions options = {}) {
  options.format = formats::burnpack();
  return text_of(save(value, options));
}

/// Returns the description of a saved file, as read by another CBOR reader.
inline nlohmann::json description_of(std::string_view file) {
  const auto size = static_cast<std::uint8_t>(file[6]) | static_cast<std::uint8_t>(file[7]) << 8;
  return nlohmann::json::from_cbor(file.substr(10, static_cast<std::size_t>(size)));
}

}  // namespace safestructures::test
