#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/dtype.hpp>

namespace ss = safestructures;
using ss::DType;

namespace {

enum class Family { boolean, floating, integer, complex };

struct Row {
  DType dtype;
  std::string_view name;
  unsigned bits;
  std::size_t alignment;
  Family family;
};

// As the safetensors crate 0.8 has them.
const std::vector<Row> rows = {
    {DType::BOOL, "BOOL", 8, 1, Family::boolean},
    {DType::F4, "F4", 4, 1, Family::floating},
    {DType::F6_E2M3, "F6_E2M3", 6, 1, Family::floating},
    {DType::F6_E3M2, "F6_E3M2", 6, 1, Family::floating},
    {DType::U8, "U8", 8, 1, Family::integer},
    {DType::I8, "I8", 8, 1, Family::integer},
    {DType::F8_E5M2, "F8_E5M2", 8, 1, Family::floating},
    {DType::F8_E4M3, "F8_E4M3", 8, 1, Family::floating},
    {DType::F8_E8M0, "F8_E8M0", 8, 1, Family::floating},
    {DType::F8_E4M3FNUZ, "F8_E4M3FNUZ", 8, 1, Family::floating},
    {DType::F8_E5M2FNUZ, "F8_E5M2FNUZ", 8, 1, Family::floating},
    {DType::I16, "I16", 16, 2, Family::integer},
    {DType::U16, "U16", 16, 2, Family::integer},
    {DType::F16, "F16", 16, 2, Family::floating},
    {DType::BF16, "BF16", 16, 2, Family::floating},
    {DType::I32, "I32", 32, 4, Family::integer},
    {DType::U32, "U32", 32, 4, Family::integer},
    {DType::F32, "F32", 32, 4, Family::floating},
    {DType::C64, "C64", 64, 4, Family::complex},
    {DType::F64, "F64", 64, 8, Family::floating},
    {DType::I64, "I64", 64, 8, Family::integer},
    {DType::U64, "U64", 64, 8, Family::integer},
};

}  // namespace

TEST_CASE("every dtype has its name, width, alignment and family") {
  REQUIRE(rows.size() == ss::dtype_count);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    CAPTURE(row.name);
    CHECK(static_cast<std::size_t>(row.dtype) == i);
    CHECK(ss::to_string(row.dtype) == row.name);
    CHECK(ss::parse_dtype(row.name) == row.dtype);
    CHECK(ss::bit_width(row.dtype) == row.bits);
    CHECK(ss::alignment(row.dtype) == row.alignment);
    CHECK(ss::is_floating(row.dtype) == (row.family == Family::floating));
    CHECK(ss::is_integer(row.dtype) == (row.family == Family::integer));
    CHECK(ss::is_signed_integer(row.dtype) == row.name.starts_with('I'));
  }
}

TEST_CASE("a name that differs in one character is no dtype") {
  for (const Row& row : rows) {
    const std::string name(row.name);
    for (std::size_t i = 0; i < name.size(); ++i) {
      for (const char c : {'\0', ' ', 'x', 'f', '9'}) {
        std::string other = name;
        other[i] = c;
        CAPTURE(other);
        CHECK(ss::parse_dtype(other) == std::nullopt);
      }
    }
    CHECK(ss::parse_dtype(name + '\0') == std::nullopt);
    CHECK(ss::parse_dtype('\0' + name) == std::nullopt);
    CHECK(ss::parse_dtype(name + " ") == std::nullopt);
    CHECK(ss::parse_dtype(name.substr(0, name.size() - 1)) == std::nullopt);
    CHECK(ss::parse_dtype(name + name) == std::nullopt);
  }
  CHECK(ss::parse_dtype("") == std::nullopt);
  CHECK(ss::parse_dtype(std::string(1000, 'F')) == std::nullopt);
}

TEST_CASE("C++ types map to dtypes by kind, sign and size") {
  static_assert(ss::dtype_of<bool> == DType::BOOL);
  static_assert(ss::dtype_of<signed char> == DType::I8);
  static_assert(ss::dtype_of<unsigned char> == DType::U8);
  static_assert(ss::dtype_of<short> == DType::I16);
  static_assert(ss::dtype_of<const unsigned> == DType::U32);
  static_assert(ss::dtype_of<long long> == DType::I64);
  static_assert(ss::dtype_of<unsigned long> == (sizeof(long) == 8 ? DType::U64 : DType::U32));
  static_assert(ss::dtype_of<ss::half> == DType::F16);
  static_assert(ss::dtype_of<ss::bfloat16> == DType::BF16);
  static_assert(ss::dtype_of<ss::float8_e5m2> == DType::F8_E5M2);
  static_assert(ss::dtype_of<ss::float8_e4m3> == DType::F8_E4M3);
  static_assert(ss::dtype_of<ss::float8_e8m0> == DType::F8_E8M0);
  static_assert(ss::dtype_of<ss::float8_e4m3fnuz> == DType::F8_E4M3FNUZ);
  static_assert(ss::dtype_of<ss::float8_e5m2fnuz> == DType::F8_E5M2FNUZ);
  static_assert(ss::dtype_of<float> == DType::F32);
  static_assert(ss::dtype_of<double> == DType::F64);
  static_assert(ss::dtype_of<std::complex<float>> == DType::C64);
  CHECK_FALSE(ss::Element<char>);
  CHECK_FALSE(ss::Element<char32_t>);
  CHECK_FALSE(ss::Element<long double>);
  CHECK_FALSE(ss::Element<std::complex<double>>);
  CHECK_FALSE(ss::Element<void*>);
}
