#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>

#include "support/conversion.hpp"

namespace ss = safestructures;
using ss::DType;
using ss::Overflow;
using ss::tests::Bytes;
using ss::tests::bytes_of;
using ss::tests::convert;
using ss::tests::from_bytes;
using ss::tests::to_bytes;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

constexpr DType dtype_at(std::size_t index) { return static_cast<DType>(index); }

Bytes hex(std::initializer_list<unsigned> values) {
  Bytes bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// The numbers as To, by a conversion from From.
template <class From, class To>
std::vector<To> convert_values(const std::vector<From>& values,
                               Overflow overflow = Overflow::error) {
  return from_bytes<To>(
      convert(ss::dtype_of<From>, to_bytes(values), ss::dtype_of<To>, values.size(), overflow)
          .bytes);
}

template <class From, class To>
std::string error_of(const std::vector<From>& values, Overflow overflow = Overflow::error) {
  try {
    convert_values<From, To>(values, overflow);
  } catch (const ss::Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("sub-byte elements are packed from the lowest bit") {
  CHECK(convert_values<float, float>({}).empty());
  const std::vector<float> values = {0.5F, -6.0F, 1.0F};
  const auto source = to_bytes(values);
  CHECK(convert(DType::F32, source, DType::F4, 3).bytes == hex({0xF1, 0x02}));
  // 0.5 is 000100, -6 is 111100, 1 is 001000 in E2M3: 24 bits from the right.
  CHECK(convert(DType::F32, source, DType::F6_E2M3, 3).bytes == hex({0x04, 0x8F, 0x00}));
  CHECK(from_bytes<float>(convert(DType::F6_E2M3, hex({0x04, 0x8F, 0x00}), DType::F32, 3).bytes) ==
        values);
  CHECK(from_bytes<float>(convert(DType::F4, hex({0xF1, 0x02}), DType::F32, 3).bytes) == values);
}

TEST_CASE("one converts from every dtype to every other, and back") {
  for (std::size_t from = 0; from < ss::dtype_count; ++from) {
    for (std::size_t to = 0; to < ss::dtype_count; ++to) {
      CAPTURE(ss::to_string(dtype_at(from)));
      CAPTURE(ss::to_string(dtype_at(to)));
      constexpr std::size_t count = 600;  // more than two blocks
      const std::vector<std::uint8_t> ones(count, 1);
      const Bytes source = convert(DType::U8, to_bytes(ones), dtype_at(from), count).bytes;
      const auto there = convert(dtype_at(from), source, dtype_at(to), count);
      CHECK(there.report == ss::ConversionReport{});
      CHECK(convert(dtype_at(to), there.bytes, DType::U8, count).bytes == to_bytes(ones));
    }
  }
}

TEST_CASE("integers round once to a floating-point type and are counted") {
  // Half way between two bfloat16s, and one more: through double the one would be lost.
  const std::int64_t value = (std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1;
  CHECK(
      convert_values<std::int64_t, ss::bfloat16>({value, -value}) ==
      std::vector<ss::bfloat16>{ss::bfloat16::from_bits(0x5D81), ss::bfloat16::from_bits(0xDD81)});
  const auto count_inexact = [](auto integer, DType to) {
    const std::vector<decltype(integer)> values{integer};
    return convert(ss::dtype_of<decltype(integer)>, to_bytes(values), to, 1).report.inexact;
  };
  CHECK(count_inexact(std::int32_t{16'777'216}, DType::F32) == 0);
  CHECK(count_inexact(std::int32_t{16'777'217}, DType::F32) == 1);
  CHECK(count_inexact(std::int32_t{16'777'217}, DType::F64) == 0);
  CHECK(count_inexact(std::int64_t{9'007'199'254'740'993}, DType::F64) == 1);
  CHECK(count_inexact(std::numeric_limits<std::int64_t>::min(), DType::F64) == 0);
  CHECK(count_inexact(std::numeric_limits<std::uint64_t>::max(), DType::F64) == 1);
  CHECK(count_inexact(std::numeric_limits<std::uint64_t>::max(), DType::F32) == 1);
  CHECK(convert_values<std::uint64_t, float>({std::numeric_limits<std::uint64_t>::max()}) ==
        std::vector<float>{0x1p64F});
  CHECK(convert_values<std::int64_t, double>({9'007'199'254'740'993, -9'007'199'254'740'995}) ==
        std::vector<double>{9'007'199'254'740'992.0, -9'007'199'254'740'996.0});

  std::mt19937_64 random(11);
  for (int i = 0; i < 2000; ++i) {
    const auto integer = static_cast<std::int64_t>(random()) >> random() % 40;
    // The compiler's own conversion rounds once.
    CHECK(convert_values<std::int64_t, float>({integer}).front() == static_cast<float>(integer));
  }
}

TEST_CASE("integers convert to integers within the range, and saturate when asked") {
  using Limits = std::numeric_limits<std::int64_t>;
  CHECK(convert_values<std::int64_t, std::int8_t>({-128, 127}) ==
        std::vector<std::int8_t>{-128, 127});
  CHECK(convert_values<std::int64_t, std::int8_t>({-129, 128}, Overflow::saturate) ==
        std::vector<std::int8_t>{-128, 127});
  CHECK(convert_values<std::int64_t, std::uint64_t>({Limits::min(), Limits::max()},
                                                    Overflow::allow) ==
        std::vector<std::uint64_t>{0, 0x7FFF'FFFF'FFFF'FFFFU});
  CHECK(convert_values<std::uint64_t, std::int64_t>({std::numeric_limits<std::uint64_t>::max()},
                                                    Overflow::saturate) ==
        std::vector<std::int64_t>{Limits::max()});
  CHECK(convert_values<std::int32_t, std::uint8_t>({255, 0}) == std::vector<std::uint8_t>{255, 0});
}

TEST_CASE("numbers beyond an integer's range saturate and fractions are cut off when asked") {
  CHECK(convert_values<double, std::int64_t>({0x1p63, -0x1p63, -infinity, infinity, 1e300},
                                             Overflow::saturate) ==
        std::vector<std::int64_t>{
            std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(),
            std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
            std::numeric_limits<std::int64_t>::max()});
  CHECK(convert_values<double, std::uint64_t>({0x1p64, -1.0, -0.5, 0x1.fffffffffffffp63},
                                              Overflow::saturate) ==
        std::vector<std::uint64_t>{std::numeric_limits<std::uint64_t>::max(), 0, 0,
                                   0xFFFF'FFFF'FFFF'F800U});
  CHECK(convert_values<float, std::int8_t>({127.9F, -128.9F, 128.0F, -129.0F, -0.0F},
                                           Overflow::saturate) ==
        std::vector<std::int8_t>{127, -128, 127, -128, 0});
  const std::vector<float> values = {1.5F, 2.0F, 300.0F};
  const auto report =
      convert(DType::F32, to_bytes(values), DType::U8, 3, Overflow::saturate).report;
  CHECK(report ==
        ss::ConversionReport{.overflow = 1, .underflow = 0, .inexact = 1, .first_overflow = 2});
}

TEST_CASE("BOOL is an integer from 0 to 1") {
  CHECK(convert(DType::F32, to_bytes<float>({0.0F, 1.0F, -0.0F}), DType::BOOL, 3).bytes ==
        hex({0, 1, 0}));
  CHECK(convert(DType::I32, to_bytes<std::int32_t>({-3, 7}), DType::BOOL, 2, Overflow::saturate)
            .bytes == hex({0, 1}));
  CHECK(from_bytes<float>(convert(DType::BOOL, hex({1, 0}), DType::F32, 2).bytes) ==
        std::vector<float>{1.0F, 0.0F});
  CHECK(convert(DType::BOOL, hex({1, 0}), DType::BOOL, 2).bytes == hex({1, 0}));
  CHECK_THROWS_WITH_AS(convert(DType::I32, to_bytes<std::int32_t>({1, 2}), DType::BOOL, 2),
                       "element 1 cannot be converted from I32 to BOOL: expected a number from 0 "
                       "to 1, found 2. Choose a dtype of wider range, or let numbers saturate "
                       "(Overflow::saturate, or convert --overflow in the tool).",
                       ss::Error);
}

TEST_CASE("a BOOL byte above 1 is refused under every setting") {
  for (const Overflow overflow : {Overflow::error, Overflow::saturate, Overflow::allow}) {
    for (const DType to : {DType::BOOL, DType::U8, DType::F32}) {
      CHECK_THROWS_WITH_AS(
          convert(DType::BOOL, hex({1, 2}), to, 2, overflow),
          ("element 1 cannot be converted from BOOL to " + std::string(ss::to_string(to)) +
           ": expected byte 0 or 1, found byte 2. The tensor holds no truth values: read it as U8.")
              .c_str(),
          ss::Error);
    }
  }
}

TEST_CASE("a real number becomes complex, and complex becomes real where nothing is lost") {
  using Complex = std::complex<float>;
  CHECK(convert_values<double, Complex>({1.5, -0.0, infinity}) ==
        std::vector<Complex>{{1.5F, 0}, {-0.0F, 0}, {std::numeric_limits<float>::infinity(), 0}});
  CHECK(convert_values<Complex, std::int16_t>({{2, 0}, {-3, -0.0F}}) ==
        std::vector<std::int16_t>{2, -3});
  CHECK(convert_values<Complex, Complex>({{2, 5}}) == std::vector<Complex>{{2, 5}});
  CHECK(error_of<double, Complex>({1e39}) ==
        "element 0 cannot be converted from F64 to C64: expected a number from -3.4028235e+38 to "
        "3.4028235e+38, found 1e+39. Choose a dtype of wider range, or let numbers saturate "
        "(Overflow::saturate, or convert --overflow in the tool).");
  for (const Overflow overflow : {Overflow::error, Overflow::saturate, Overflow::allow}) {
    CHECK(error_of<Complex, float>({{2, 0}, {1, 2.5F}}, overflow) ==
          "element 1 cannot be converted from C64 to F32: expected imaginary part 0, found "
          "imaginary part 2.5. Convert the real parts alone, or keep C64.");
    CHECK(error_of<Complex, float>({{1, static_cast<float>(not_a_number)}}, overflow) ==
          "element 0 cannot be converted from C64 to F32: expected imaginary part 0, found "
          "imaginary part NaN. Convert the real parts alone, or keep C64.");
  }
}

TEST_CASE("what the target cannot hold is an error that names the element, value and dtypes") {
  const std::string advice =
      " Choose a dtype of wider range, or let numbers saturate (Overflow::saturate, or convert "
      "--overflow in the tool).";
  CHECK(error_of<float, ss::half>({1, 65519, 65520}) ==
        "element 2 cannot be converted from F32 to F16: expected a number from -65504 to 65504, "
        "found 65520." +
            advice);
  CHECK(error_of<double, float>({-1e300}) ==
        "element 0 cannot be converted from F64 to F32: expected a number from -3.4028235e+38 to "
        "3.4028235e+38, found -1e+300." +
            advice);
  CHECK(error_of<float, ss::float8_e4m3>({static_cast<float>(infinity)}) ==
        "element 0 cannot be converted from F32 to F8_E4M3: expected a number from -448 to 448, "
        "found infinity." +
            advice);
  CHECK(error_of<float, ss::float8_e8m0>({0}) ==
        "element 0 cannot be converted from F32 to F8_E8M0: expected a number from 5.877472e-39 to "
        "1.7014118e+38, found 0." +
            advice);
  CHECK(error_of<std::uint64_t, std::int64_t>({18'446'744'073'709'551'615U}) ==
        "element 0 cannot be converted from U64 to I64: expected a number from "
        "-9223372036854775808 to 9223372036854775807, found 18446744073709551615." +
            advice);
  CHECK(error_of<std::int64_t, ss::half>({-9'007'199'254'740'993}) ==
        "element 0 cannot be converted from I64 to F16: expected a number from -65504 to 65504, "
        "found -9007199254740993." +
            advice);
  CHECK(error_of<float, std::int8_t>({-1, -128.5F, 0.1F}) ==
        "element 1 cannot be converted from F32 to I8: expected a whole number, found -128.5. "
        "Choose a floating-point dtype, or cut fractions off with Overflow::saturate (in C++).");
  CHECK(error_of<float, std::int8_t>({0.1F}) ==
        "element 0 cannot be converted from F32 to I8: expected a whole number, found 0.1. "
        "Choose a floating-point dtype, or cut fractions off with Overflow::saturate (in C++).");
}

TEST_CASE("NaN is refused by a target without NaN under every setting") {
  for (const Overflow overflow : {Overflow::error, Overflow::saturate, Overflow::allow}) {
    CHECK(error_of<double, std::int32_t>({0, not_a_number}, overflow) ==
          "element 1 cannot be converted from F64 to I32: expected a number, found NaN. I32 has no "
          "NaN: choose a floating-point type that has it.");
    CHECK_THROWS_WITH_AS(
        convert(DType::F64, to_bytes<double>({not_a_number}), DType::F4, 1, overflow),
        "element 0 cannot be converted from F64 to F4: expected a number, found "
        "NaN. F4 has no NaN: choose a floating-point type that has it.",
        ss::Error);
  }
}

TEST_CASE("an error in a long tensor names the element of the tensor, not of the block") {
  std::vector<float> values(10'000, 1.0F);
  values[7'777] = 1e6F;
  CHECK_THROWS_WITH_AS(
      convert(DType::F32, to_bytes(values), DType::F16, values.size(), Overflow::error, 1'000'000),
      "element 1007777 cannot be converted from F32 to F16: expected a number from -65504 to "
      "65504, found 1000000. Choose a dtype of wider range, or let numbers saturate "
      "(Overflow::saturate, or convert --overflow in the tool).",
      ss::Error);
}

TEST_CASE("the report counts overflow and underflow and names the first overflow") {
  std::vector<float> values(9'000, 1.0F);
  values[10] = 1e-10F;
  values[5'000] = -1e6F;
  values[5'001] = std::numeric_limits<float>::infinity();
  values[8'999] = 70'000.0F;
  for (const Overflow overflow : {Overflow::saturate, Overflow::allow}) {
    const auto result =
        convert(DType::F32, to_bytes(values), DType::F16, values.size(), overflow, 100);
    CHECK(
        result.report ==
        ss::ConversionReport{.overflow = 2, .underflow = 1, .inexact = 0, .first_overflow = 5'100});
    const auto halves = from_bytes<ss::half>(result.bytes);
    CHECK(halves[10] == 0.0F);
    CHECK(halves[5'000] == (overflow == Overflow::allow ? -infinity : -65504.0));
    CHECK(halves[5'001] == infinity);
    CHECK(halves[8'999] == (overflow == Overflow::allow ? infinity : 65504.0));
  }
}

TEST_CASE("reports of blocks add up to the report of the whole") {
  ss::ConversionReport sum;
  sum += {.overflow = 0,
          .underflow = 1,
          .inexact = 2,
          .nan_changes = 6,
          .first_overflow = std::nullopt};
  sum += {.overflow = 3, .underflow = 4, .inexact = 5, .nan_changes = 7, .first_overflow = 17};
  sum += {.overflow = 1, .underflow = 0, .inexact = 0, .nan_changes = 0, .first_overflow = 30};
  CHECK(sum ==
        ss::ConversionReport{
            .overflow = 4, .underflow = 5, .inexact = 7, .nan_changes = 13, .first_overflow = 17});
}

TEST_CASE("equal dtypes are copied bit for bit, signalling NaN too") {
  const Bytes signalling = hex({0x01, 0x00, 0x80, 0x7F});
  CHECK(convert(DType::F32, signalling, DType::F32, 1).bytes == signalling);
  CHECK(convert(DType::F4, hex({0x21, 0xF3}), DType::F4, 3).bytes == hex({0x21, 0xF3}));
}

TEST_CASE("spans of the wrong size are refused") {
  Bytes four(4);
  Bytes eight(8);
  CHECK_THROWS_WITH_AS(ss::convert_elements(DType::F32, four, DType::F64, eight, 2),
                       "the source of a conversion has the wrong size: expected 2 elements of F32, "
                       "32 bits each, found 4 bytes.",
                       ss::Error);
  CHECK_THROWS_WITH_AS(ss::convert_elements(DType::F32, eight, DType::F64, eight, 2),
                       "the target of a conversion has the wrong size: expected 2 elements of F64, "
                       "64 bits each, found 8 bytes.",
                       ss::Error);
  // 2^61 elements of 64 bits are 2^64 bytes, which must not wrap to none.
  CHECK_THROWS_AS(ss::convert_elements(DType::F64, {}, DType::F32, {}, std::uint64_t{1} << 61U),
                  ss::Error);
  CHECK_THROWS_AS(ss::convert_elements(DType::F4, four, DType::F4, four, 6), ss::Error);
  CHECK(ss::convert_elements(DType::F4, four, DType::F4, std::span(eight).first(4), 7) ==
        ss::ConversionReport{});
}
