#include "compare/metrics/side.hpp"

#include <algorithm>

#include <safestructures/data/convert.hpp>
#include "compare/kernels/block_kernels.hpp"

namespace safestructures::inline v0::comparing {

Common common_of(DType a, DType b) {
  if (a == DType::C64 || b == DType::C64) return Common::complex;
  if (is_integer(a) && is_integer(b)) return Common::integer;
  return Common::real;
}

double difference(const Integer& a, const Integer& b) {
  if (a.is_negative != b.is_negative) {
    const double sum = static_cast<double>(a.magnitude) + static_cast<double>(b.magnitude);
    return a.is_negative ? -sum : sum;
  }
  const double apart = static_cast<double>(a.magnitude > b.magnitude ? a.magnitude - b.magnitude
                                                                     : b.magnitude - a.magnitude);
  return (a.magnitude > b.magnitude) == a.is_negative ? -apart : apart;
}

void Side::read(std::uint64_t first, std::uint64_t count) {
  if (is_there_) {
    bytes_ = tensor_.bytes();
    return;
  }
  room_.resize(packed(count));
  tensor_.copy_elements(first, count, tensor_.dtype(), room_, Overflow::allow);
  bytes_ = room_;
  first_ = first;
}

template <class T>
void Side::copy(std::uint64_t first, std::uint64_t count, DType dtype, std::span<T> into) {
  convert_elements(tensor_.dtype(), bytes(first, count), dtype, std::as_writable_bytes(into), count,
                   Overflow::allow, first);
}

void Side::load(std::uint64_t first, std::uint64_t count) {
  const auto used = static_cast<std::size_t>(count);
  if (numbers.empty()) make_room();
  if (common_ == Common::integer) {
    copy(first, count, is_wide() ? DType::U64 : DType::I64, std::span(words_).first(used));
    for (std::size_t i = 0; i < used; ++i) {
      const Integer value = integer(i);
      numbers[i] = value.is_negative ? -static_cast<double>(value.magnitude)
                                     : static_cast<double>(value.magnitude);
    }
  } else if (tensor_.dtype() == DType::C64) {
    copy(first, count, DType::C64, std::span(floats_).first(2 * used));
    std::copy_n(floats_.begin(), 2 * used, numbers.begin());
  } else {
    copy(first, count, DType::F64, std::span(numbers).first(used));
    if (common_ == Common::complex) {
      for (std::size_t i = used; i-- > 0;) {
        numbers[2 * i] = numbers[i];
        numbers[2 * i + 1] = 0;
      }
    }
  }
}

const std::byte* Side::floats(std::uint64_t first, std::uint64_t count) {
  if (tensor_.dtype() == DType::F32 && count % comparing::lanes == 0)
    return bytes(first, count).data();
  return std::as_bytes(copied_floats(first, count)).data();
}

std::span<float> Side::copied_floats(std::uint64_t first, std::uint64_t count) {
  const auto used = static_cast<std::size_t>(count);
  floats_.resize((used + comparing::lanes - 1) / comparing::lanes * comparing::lanes);
  copy(first, count, DType::F32, std::span(floats_).first(used));
  std::fill(floats_.begin() + static_cast<std::ptrdiff_t>(used), floats_.end(), 0.0F);
  return floats_;
}

void Side::make_room() {
  const std::size_t parts = common_ == Common::complex ? 2 : 1;
  // The last block may need padding.
  numbers.resize(most_ * parts + comparing::lanes);
  if (tensor_.dtype() == DType::C64) floats_.resize(most_ * parts);
  if (common_ == Common::integer) words_.resize(most_);
}

}  // namespace safestructures::inline v0::comparing
