#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <safestructures/data/dtype.hpp>
#include "data/text/packed_name.hpp"

namespace safestructures::inline v0 {

// Files are little-endian, and tensors are views of them.
static_assert(std::endian::native == std::endian::little,
              "safestructures runs on little-endian machines only");

namespace {

enum class Family : std::uint8_t { boolean, floating, integer, complex };

struct Traits {
  std::string_view name;
  std::uint8_t bits;
  std::uint8_t alignment;
  Family family;
};

// In the order of DType.
constexpr std::array<Traits, dtype_count> all_traits{{
    {"BOOL", 8, 1, Family::boolean},         {"F4", 4, 1, Family::floating},
    {"F6_E2M3", 6, 1, Family::floating},     {"F6_E3M2", 6, 1, Family::floating},
    {"U8", 8, 1, Family::integer},           {"I8", 8, 1, Family::integer},
    {"F8_E5M2", 8, 1, Family::floating},     {"F8_E4M3", 8, 1, Family::floating},
    {"F8_E8M0", 8, 1, Family::floating},     {"F8_E4M3FNUZ", 8, 1, Family::floating},
    {"F8_E5M2FNUZ", 8, 1, Family::floating}, {"I16", 16, 2, Family::integer},
    {"U16", 16, 2, Family::integer},         {"F16", 16, 2, Family::floating},
    {"BF16", 16, 2, Family::floating},       {"I32", 32, 4, Family::integer},
    {"U32", 32, 4, Family::integer},         {"F32", 32, 4, Family::floating},
    {"C64", 64, 4, Family::complex},         {"F64", 64, 8, Family::floating},
    {"I64", 64, 8, Family::integer},         {"U64", 64, 8, Family::integer},
}};

constexpr const Traits& traits(DType dtype) noexcept {
  return all_traits[static_cast<std::size_t>(dtype)];
}

}  // namespace

std::string_view to_string(DType dtype) noexcept { return traits(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) noexcept {
  if (name.size() > detail::longest_packed) {
    if (name == traits(DType::F8_E4M3FNUZ).name) return DType::F8_E4M3FNUZ;
    if (name == traits(DType::F8_E5M2FNUZ).name) return DType::F8_E5M2FNUZ;
    return std::nullopt;
  }
  switch (detail::packed_name(name)) {
    case detail::packed_name("BOOL"): return DType::BOOL;
    case detail::packed_name("F4"): return DType::F4;
    case detail::packed_name("F6_E2M3"): return DType::F6_E2M3;
    case detail::packed_name("F6_E3M2"): return DType::F6_E3M2;
    case detail::packed_name("U8"): return DType::U8;
    case detail::packed_name("I8"): return DType::I8;
    case detail::packed_name("F8_E5M2"): return DType::F8_E5M2;
    case detail::packed_name("F8_E4M3"): return DType::F8_E4M3;
    case detail::packed_name("F8_E8M0"): return DType::F8_E8M0;
    case detail::packed_name("I16"): return DType::I16;
    case detail::packed_name("U16"): return DType::U16;
    case detail::packed_name("F16"): return DType::F16;
    case detail::packed_name("BF16"): return DType::BF16;
    case detail::packed_name("I32"): return DType::I32;
    case detail::packed_name("U32"): return DType::U32;
    case detail::packed_name("F32"): return DType::F32;
    case detail::packed_name("C64"): return DType::C64;
    case detail::packed_name("F64"): return DType::F64;
    case detail::packed_name("I64"): return DType::I64;
    case detail::packed_name("U64"): return DType::U64;
    default: return std::nullopt;
  }
}

unsigned bit_width(DType dtype) noexcept { return traits(dtype).bits; }

std::size_t alignment(DType dtype) noexcept { return traits(dtype).alignment; }

bool is_floating(DType dtype) noexcept { return traits(dtype).family == Family::floating; }

bool is_integer(DType dtype) noexcept { return traits(dtype).family == Family::integer; }

bool is_signed_integer(DType dtype) noexcept {
  return dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 || dtype == DType::I64;
}

}  // namespace safestructures::inline v0
