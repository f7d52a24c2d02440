/// \file
/// Conversions of whole vectors, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <safestructures/data/convert.hpp>

namespace safestructures::tests {

/// Raw elements.
using Bytes = std::vector<std::byte>;

/// Returns the size in bytes of packed elements.
inline std::size_t bytes_of(DType dtype, std::size_t count) {
  return (count * bit_width(dtype) + 7) / 8;
}

template <class T>
Bytes to_bytes(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<T> from_bytes(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Returns all codes of a type of up to 16 bits, in order.
inline Bytes all_codes(DType dtype) {
  const unsigned width = bit_width(dtype);
  Bytes bytes(bytes_of(dtype, std::size_t{1} << width));
  for (std::size_t code = 0; code < (std::size_t{1} << width); ++code) {
    for (unsigned bit = 0; bit < width; ++bit) {
      const std::size_t position = code * width + bit;
      bytes[position / 8] |= static_cast<std::byte>((code >> bit & 1U) << position % 8);
    }
  }
  return bytes;
}

/// The result of a conversion.
struct Result {
  Bytes bytes;
  ConversionReport report;
};

/// Converts elements into new bytes.
inline Result convert(DType from, const Bytes& source, DType to, std::size_t count,
                      Overflow overflow = Overflow::error, std::uint64_t first = 0) {
  Result result{.bytes = Bytes(bytes_of(to, count), std::byte{0xAA}), .report = {}};
  result.report =
      safestructures::convert_elements(from, source, to, result.bytes, count, overflow, first);
  return result;
}

}  // namespace safestructures::tests
