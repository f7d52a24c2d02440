/// \file
/// One malformed container and the error that it must give, and what such files are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/error.hpp>

namespace safestructures::malformed {

struct Case {
  std::string name;  ///< What is wrong.
  std::string bytes;
  ErrorCode code;
  std::string text;  ///< Of the error, without a file.
};

/// `length` as eight bytes, little endian, and what follows.
inline std::string with_length(std::uint64_t length, const std::string& rest = {}) {
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i) & 0xFFU);
  return bytes + rest;
}

/// A container of that header and as many bytes of data.
inline std::string container(const std::string& header, std::size_t data = 0) {
  return with_length(header.size(), header) + std::string(data, '\0');
}

inline std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  result.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace safestructures::malformed
