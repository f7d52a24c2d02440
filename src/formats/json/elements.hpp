/// \file
/// Elements of tensors as JSON values: from their bits to text and back, without loss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/error.hpp>
#include "formats/json/cursor.hpp"

namespace safestructures::inline v0::json {

/// The bits of element `index` of packed elements.
[[nodiscard]] std::uint64_t element_bits(DType dtype, std::span<const std::byte> elements,
                                         std::size_t index) noexcept;

/// Appends the JSON value that stands for an element: `true`, digits, `"nan"`, `[1, 2]`.
///
/// Floating-point numbers have the fewest digits that are nearest to no other number of their
/// dtype. NaN is `"nan"` or `"-nan"`; one with other bits than the usual is spelled by its bits,
/// `"0x7fc00001"`. A BOOL byte above 1 is its number.
void append_element(std::string& text, DType dtype, std::uint64_t bits);

/// What an element can be, in a message: `an int from 0 to 255`.
[[nodiscard]] std::string expected_element(DType dtype);

/// An element that the current token of a cursor spells, or what is wrong with it. C64 is read in
/// two parts, each an F32.
struct ParsedElement {
  std::uint64_t bits = 0;
  std::optional<ErrorCode> fault{};  ///< `type_mismatch` or `out_of_range`.
};
[[nodiscard]] ParsedElement parse_element(DType dtype, Cursor& cursor);

}  // namespace safestructures::inline v0::json
