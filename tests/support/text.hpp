/// \file
/// Bytes as text, and text as bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace safestructures::test {

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::span<const std::byte> view_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

inline std::vector<std::byte> bytes_of(std::string_view text) {
  return {view_of(text).begin(), view_of(text).end()};
}

}  // namespace safestructures::test
