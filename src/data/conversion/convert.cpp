#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include <fmt/format.h>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>

#include "data/conversion/convert_codes.hpp"
#include "data/conversion/convert_exact.hpp"
#include "data/conversion/convert_kernels.hpp"

namespace safestructures::inline v0 {
namespace {

void check_size(DType dtype, std::uint64_t count, std::size_t size, const char* which) {
  const std::uint64_t bits = bit_width(dtype);
  // If the number of bits exceeds 64 bits, so does the size of any span.
  const bool fits = count <= (std::numeric_limits<std::uint64_t>::max() - 7) / bits;
  if (fits && size == (count * bits + 7) / 8) return;
  throw Error(
      ErrorCode::invalid_argument, fmt::format("the {} of a conversion has the wrong size", which),
      {.file = {},
       .path = {},
       .expected = fmt::format("{} elements of {}, {} bits each", count, to_string(dtype), bits),
       .found = fmt::format("{} bytes", size),
       .advice = {},
       .offset = {}});
}

}  // namespace

ConversionReport convert_elements(DType from, std::span<const std::byte> source, DType to,
                                  std::span<std::byte> target, std::uint64_t count,
                                  Overflow overflow, std::uint64_t first) {
  check_size(from, count, source.size(), "source");
  check_size(to, count, target.size(), "target");
  if (count == 0) return {};
  // BOOL is not copied unchecked: reading a byte above 1 as a C++ bool is undefined behaviour.
  if (from == to && from != DType::BOOL) {
    std::memcpy(target.data(), source.data(), source.size());
    return {};
  }

  ConversionReport report;
  const std::byte* input = source.data();
  std::byte* output = target.data();
  if (const detail::KernelSteps steps{from, to, detail::best_instructions()}) {
    while (count >= detail::kernel_group) {
      const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(
          count / detail::kernel_group * detail::kernel_group, detail::kernel_elements));
      if (const auto counts = steps.run(input, output, now)) {
        report.underflow += counts->underflow;
        report.nan_changes += counts->nan_changes;
        report.inexact += counts->inexact;
      } else {
        report += detail::convert_exactly(from, input, to, output, now, overflow, first);
      }
      count -= now;
      first += now;
      input += now * (bit_width(from) / 8);
      output += now * (bit_width(to) / 8);
    }
  }
  if (count == 0) return report;
  if (count >= detail::CodeTable::least_elements && detail::CodeTable::is_for(from, to))
    return detail::CodeTable(from, to).convert(input, output, count, overflow, first);
  return report += detail::convert_exactly(from, input, to, output, count, overflow, first);
}

}  // namespace safestructures::inline v0
