#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include <fmt/format.h>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>

#include "data/conversion/converter.hpp"

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

  detail::Converter converter(from, to, overflow, count);
  converter.convert(source.data(), target.data(), count, first);
  return converter.report();
}

}  // namespace safestructures::inline v0
