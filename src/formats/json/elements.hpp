/// \file
/// Lossless conversion between the bits of tensor elements and JSON values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/error.hpp>
#include "formats/json/cursor.hpp"

namespace safestructures::inline v0::json {

/// Returns the bits of element `index` of packed elements.
[[nodiscard]] std::uint64_t element_bits(DType dtype, std::span<const std::byte> elements,
                                         std::size_t index) noexcept;

/// Appends the JSON value that stands for an element: `true`, digits, `"nan"`, `[1, 2]`.
///
/// Floating-point numbers have the fewest digits that identify them among the numbers of their
/// dtype. NaN is `"nan"` or `"-nan"`, or its bits, `"0x7fc00001"`, if they are not the usual ones.
/// A BOOL byte above 1 is written as its number.
void append_element(std::string& text, DType dtype, std::uint64_t bits);

/// Returns the words for a valid element in a message: `an int from 0 to 255`.
[[nodiscard]] std::string expected_element(DType dtype);

/// The element at the current token of a cursor, or its fault. C64 is read in two parts, each an
/// F32.
struct ParsedElement {
  std::uint64_t bits = 0;
  std::optional<ErrorCode> fault{};  ///< `type_mismatch` or `out_of_range`.
};
[[nodiscard]] ParsedElement parse_element(DType dtype, Cursor& cursor);

}  // namespace safestructures::inline v0::json
