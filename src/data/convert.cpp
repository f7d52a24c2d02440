#include <cstring>
#include <limits>

#include <fmt/format.h>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>

#include "convert_exact.hpp"
#include "convert_kernels.hpp"

namespace safestructures::inline v0 {
namespace {

void check_size(DType dtype, std::uint64_t count, std::size_t size, const char* which) {
  const std::uint64_t bits = bit_width(dtype);
  // A count whose bits do not fit 64 bits is of more bytes than any span has.
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

ConversionReport convert(DType from, std::span<const std::byte> source, DType to,
                         std::span<std::byte> target, std::uint64_t count, Overflow overflow,
                         std::uint64_t first) {
  check_size(from, count, source.size(), "source");
  check_size(to, count, target.size(), "target");
  if (count == 0) return {};
  // BOOL is not copied blindly: a byte above 1 is undefined behaviour as a C++ bool.
  if (from == to && from != DType::BOOL) {
    std::memcpy(target.data(), source.data(), source.size());
    return {};
  }

  ConversionReport report;
  const std::byte* input = source.data();
  std::byte* output = target.data();
  if (const auto kernel = detail::find_kernel(from, to, detail::best_instructions())) {
    const std::size_t input_bytes = detail::kernel_elements * (bit_width(from) / 8);
    const std::size_t output_bytes = detail::kernel_elements * (bit_width(to) / 8);
    for (; count >= detail::kernel_elements; count -= detail::kernel_elements) {
      const auto counts = kernel(input, output);
      if (counts.overflow == 0) {
        report.underflow += counts.underflow;
        report.nan_changes += counts.nan_changes;
      } else {
        report += detail::convert_exactly(from, input, to, output, detail::kernel_elements,
                                          overflow, first);
      }
      first += detail::kernel_elements;
      input += input_bytes;
      output += output_bytes;
    }
  }
  return report += detail::convert_exactly(from, input, to, output, count, overflow, first);
}

}  // namespace safestructures::inline v0
