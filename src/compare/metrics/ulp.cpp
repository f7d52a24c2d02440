#include "compare/metrics/ulp.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <safestructures/data/minifloat.hpp>

namespace safestructures::inline v0::comparing {
namespace {

template <class Format>
std::int64_t small_place(double number) {
  // Formats without infinity, or whose only NaN is the sign bit alone, end at their largest number.
  const auto code = static_cast<std::uint32_t>(Format::overflows(number) && !Format::has_infinity
                                                   ? Format::saturated(number)
                                                   : Format::encode(number));
  const auto magnitude = static_cast<std::int64_t>(code & Format::magnitude_mask);
  return (code & Format::sign_bit) != 0 ? -magnitude : magnitude;
}

std::int64_t float_place(double number) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
  const auto magnitude = static_cast<std::int64_t>(bits & 0x7FFF'FFFFU);
  return bits >> 31U != 0 ? -magnitude : magnitude;
}

std::int64_t double_place(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const auto magnitude = static_cast<std::int64_t>(bits & 0x7FFF'FFFF'FFFF'FFFFU);
  return bits >> 63U != 0 ? -magnitude : magnitude;
}

template <class Format>
Grid small_grid(DType dtype) {
  return {dtype, Format::fraction_bits, Format::min_exponent, &small_place<Format>};
}

}  // namespace

double Grid::spacing(double magnitude) const {
  const int exponent = magnitude == 0 ? min_exponent : std::ilogb(magnitude);
  return std::ldexp(1.0, std::max(exponent, min_exponent) - static_cast<int>(fraction_bits));
}

std::optional<Grid> grid_of(DType dtype) {
  switch (dtype) {
    case DType::F4: return small_grid<Float4E2M1Format>(dtype);
    case DType::F6_E2M3: return small_grid<Float6E2M3Format>(dtype);
    case DType::F6_E3M2: return small_grid<Float6E3M2Format>(dtype);
    case DType::F8_E5M2: return small_grid<Float8E5M2Format>(dtype);
    case DType::F8_E4M3: return small_grid<Float8E4M3Format>(dtype);
    case DType::F8_E8M0: return small_grid<Float8E8M0Format>(dtype);
    case DType::F8_E4M3FNUZ: return small_grid<Float8E4M3FnuzFormat>(dtype);
    case DType::F8_E5M2FNUZ: return small_grid<Float8E5M2FnuzFormat>(dtype);
    case DType::F16: return small_grid<HalfFormat>(dtype);
    case DType::BF16: return small_grid<Bfloat16Format>(dtype);
    case DType::F32:
    case DType::C64: return Grid{DType::F32, 23, -126, &float_place};
    case DType::F64: return Grid{DType::F64, 52, -1022, &double_place};
    case DType::BOOL:
    case DType::U8:
    case DType::I8:
    case DType::I16:
    case DType::U16:
    case DType::I32:
    case DType::U32:
    case DType::I64:
    case DType::U64: break;
  }
  return std::nullopt;
}

Grid coarser(const Grid& a, const Grid& b) {
  if (a.fraction_bits != b.fraction_bits) return a.fraction_bits < b.fraction_bits ? a : b;
  return a.min_exponent >= b.min_exponent ? a : b;
}

DType effective_dtype(DType stored, const std::optional<DType>& recorded) {
  if (!recorded) return stored;
  const auto mine = grid_of(stored);
  const auto other = grid_of(*recorded);
  if (!mine || !other) return stored;
  return coarser(*mine, *other).dtype == other->dtype ? *recorded : stored;
}

}  // namespace safestructures::inline v0::comparing
