/// \file
/// Conversions of elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/dtype.hpp>

#include "fuzz/fuzz.hpp"

namespace fuzz {

inline constexpr std::size_t dtype_count = 22;

/// Three bytes say from, to and how; the rest are the elements. Whole and in blocks is the same.
inline void conversion(Bytes bytes) {
  Reader reader(bytes);
  const auto from = static_cast<ss::DType>(reader.byte() % dtype_count);
  const auto to = static_cast<ss::DType>(reader.byte() % dtype_count);
  const auto overflow = static_cast<ss::Overflow>(reader.byte() % 3);
  const Bytes source = reader.rest();
  const auto count = source.size() * 8 / bit_width(from) / 8 * 8;
  const auto size_of = [](ss::DType dtype, std::size_t elements) {
    return elements * bit_width(dtype) / 8;
  };
  const Bytes elements = source.first(size_of(from, count));
  std::vector<std::byte> whole(size_of(to, count));
  std::optional<ss::ConversionReport> report;
  expect_errors([&] { report = ss::convert_elements(from, elements, to, whole, count, overflow); });

  std::vector<std::byte> blocks(whole.size());
  ss::ConversionReport sum;
  bool is_refused = false;
  for (std::size_t first = 0; first < count && !is_refused; first += 8) {
    is_refused = true;
    expect_errors([&] {
      sum += ss::convert_elements(from, elements.subspan(size_of(from, first), size_of(from, 8)),
                                  to, std::span(blocks).subspan(size_of(to, first), size_of(to, 8)),
                                  8, overflow, first);
      is_refused = false;
    });
  }
  require(is_refused != report.has_value(), "refused as a whole or in blocks, not both");
  if (!report) return;
  require(*report == sum, "another report for blocks");
  require(whole == blocks, "other elements from blocks");
  if (from == to) require(std::ranges::equal(whole, elements), "equal dtypes are not copied");
}

}  // namespace fuzz
