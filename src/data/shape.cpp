#include <safestructures/data/shape.hpp>

#include <limits>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0 {
namespace {

constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

// A separate function, so that a loop over one size saves the registers that throwing needs.
[[noreturn, gnu::noinline, gnu::cold]] void fail_too_large(const Shape& shape) {
  throw Error(ErrorCode::invalid_shape, "the shape is too large",
              {.expected = "at most 9223372036854775807 elements, sizes of 0 not counted",
               .found = to_string(shape)});
}

}  // namespace

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const std::uint64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
}

std::uint64_t element_count(const Shape& shape) {
  std::uint64_t product = 1;
  bool empty = false;
  for (const std::uint64_t size : shape) {
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, size, &product) || product > largest) {
      fail_too_large(shape);
    }
  }
  return empty ? 0 : product;
}

std::uint64_t byte_size(DType dtype, const Shape& shape) {
  const std::uint64_t count = element_count(shape);
  const std::uint64_t width = bit_width(dtype);
  // A division takes longer than all the rest, and is needed several times for each of 100,000
  // small tensors.
  if (count < std::uint64_t{1} << 56U && count * width % 8 == 0) return count * width / 8;
  const auto found = [&] { return std::string(to_string(dtype)) + " " + to_string(shape); };
  const std::uint64_t odd_bits = count % 8 * width;
  if (odd_bits % 8 != 0) {
    throw Error(ErrorCode::invalid_shape, "the elements do not fill whole bytes",
                {.expected = "a number of elements of " + std::to_string(width) +
                             " bits that makes a multiple of 8 bits",
                 .found = found()});
  }
  if (count / 8 > (largest - odd_bits / 8) / width) {
    throw Error(ErrorCode::invalid_shape, "the shape is too large",
                {.expected = "at most 9223372036854775807 bytes", .found = found()});
  }
  return count / 8 * width + odd_bits / 8;
}

}  // namespace safestructures::inline v0
