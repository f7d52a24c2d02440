#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>

#include "data/conversion/convert_codes.hpp"
#include "data/conversion/convert_exact.hpp"
#include "data/conversion/convert_kernels.hpp"
#include "support/conversion.hpp"
#include "support/minifloat_tables.hpp"

namespace ss = safestructures;
using ss::DType;
using ss::Overflow;
using ss::tests::all_codes;
using ss::tests::Bytes;
using ss::tests::bytes_of;
using ss::tests::convert;
using ss::tests::from_bytes;
using ss::tests::to_bytes;

namespace {

// One code in the bytes of packed elements, found bit by bit.
unsigned code_at(DType dtype, const Bytes& bytes, std::size_t index) {
  unsigned code = 0;
  const unsigned width = ss::bit_width(dtype);
  for (unsigned bit = 0; bit < width; ++bit) {
    const std::size_t position = index * width + bit;
    code |= (std::to_integer<unsigned>(bytes[position / 8]) >> position % 8 & 1U) << bit;
  }
  return code;
}

bool same_or_nan(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

}  // namespace

TEST_CASE("every code of every small type widens to the oracle's number") {
  for (const auto& golden : ss::tests::minifloat_tables().formats) {
    CAPTURE(ss::to_string(golden.dtype));
    const Bytes codes = all_codes(golden.dtype);
    const std::size_t count = golden.numbers.size();
    const auto singles = from_bytes<float>(convert(golden.dtype, codes, DType::F32, count).bytes);
    const auto doubles = from_bytes<double>(convert(golden.dtype, codes, DType::F64, count).bytes);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      wrong += !same_or_nan(singles[i], golden.numbers[i]);
      wrong += !same_or_nan(doubles[i], golden.numbers[i]);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("numbers at the edges of rounding narrow to the oracle's codes") {
  const auto& tables = ss::tests::minifloat_tables();
  const std::size_t count = tables.values.size();
  std::vector<float> singles;
  std::vector<std::size_t> index_of_single;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::fabs(tables.values[i]) > std::numeric_limits<float>::max()) continue;
    if (static_cast<double>(static_cast<float>(tables.values[i])) != tables.values[i]) continue;
    singles.push_back(static_cast<float>(tables.values[i]));
    index_of_single.push_back(i);
  }
  REQUIRE(singles.size() > 5000);
  for (const auto& golden : tables.formats) {
    CAPTURE(ss::to_string(golden.dtype));
    const auto from_double =
        convert(DType::F64, to_bytes(tables.values), golden.dtype, count, Overflow::allow);
    const auto from_single =
        convert(DType::F32, to_bytes(singles), golden.dtype, singles.size(), Overflow::allow);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      wrong += code_at(golden.dtype, from_double.bytes, i) != golden.codes[i];
    }
    for (std::size_t i = 0; i < singles.size(); ++i) {
      wrong += code_at(golden.dtype, from_single.bytes, i) != golden.codes[index_of_single[i]];
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("saturation gives the largest number wherever the oracle overflows") {
  const auto& tables = ss::tests::minifloat_tables();
  const std::size_t count = tables.values.size();
  for (const auto& golden : tables.formats) {
    CAPTURE(ss::to_string(golden.dtype));
    float largest = 0;
    float lowest = std::numeric_limits<float>::infinity();
    bool has_infinity = false;
    for (const float number : golden.numbers) {
      has_infinity = has_infinity || std::isinf(number);
      if (std::isfinite(number)) largest = std::max(largest, number);
      if (std::isfinite(number)) lowest = std::min(lowest, number);
    }
    const auto result =
        convert(DType::F64, to_bytes(tables.values), golden.dtype, count, Overflow::saturate);
    std::size_t wrong = 0;
    std::uint64_t overflow = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const float number = golden.numbers[code_at(golden.dtype, result.bytes, i)];
      const float rounded = golden.numbers[golden.codes[i]];
      const double value = tables.values[i];
      const bool kept = std::isfinite(rounded) || (std::isinf(value) && has_infinity);
      overflow += !kept;
      wrong += number != (kept ? rounded : value > 0 ? largest : lowest);
    }
    CHECK(wrong == 0);
    const bool shows_overflow = ss::bit_width(golden.dtype) >= 8;
    if (shows_overflow) CHECK(result.report.overflow == overflow);
  }
}

TEST_CASE("tables of codes equal the exact conversion, bit for bit, reports and errors included") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::size_t pairs = 0;
  std::size_t errors = 0;
  for (std::size_t pair = 0; pair < ss::dtype_count * ss::dtype_count; ++pair) {
    const auto from = static_cast<DType>(pair / ss::dtype_count);
    const auto to = static_cast<DType>(pair % ss::dtype_count);
    if (!ss::detail::CodeTable::is_for(from, to)) continue;
    CAPTURE(ss::to_string(from));
    CAPTURE(ss::to_string(to));
    ++pairs;
    // All codes; the lower half, which has no negative numbers; and in the second block alone.
    for (const unsigned mask : {0xFFU, 0x7FU, 0U}) {
      const std::size_t count = 2048 + 1 + random() % 5000;
      Bytes source(count);
      for (std::byte& byte : source) byte = static_cast<std::byte>(random() & mask);
      if (mask == 0) source[2048 + random() % (count - 2048)] = std::byte{0xFE};
      for (const Overflow overflow : {Overflow::error, Overflow::saturate, Overflow::allow}) {
        const auto outcome = [&](const auto& run) {
          Bytes target(bytes_of(to, count) + 1, std::byte{0xA5});
          try {
            const ss::ConversionReport report = run(target.data());
            return std::tuple(target, report, std::string());
          } catch (const ss::Error& error) {
            return std::tuple(Bytes(), ss::ConversionReport{}, std::string(error.what()));
          }
        };
        const auto expected = outcome([&](std::byte* target) {
          return ss::detail::convert_exactly(from, source.data(), to, target, count, overflow, 7);
        });
        const auto found = outcome([&](std::byte* target) {
          return ss::detail::CodeTable(from, to).convert(source.data(), target, count, overflow, 7);
        });
        CHECK(std::get<std::string>(found) == std::get<std::string>(expected));
        CHECK(static_cast<bool>(std::get<ss::ConversionReport>(found) ==
                                std::get<ss::ConversionReport>(expected)));
        CHECK(static_cast<bool>(std::get<Bytes>(found) == std::get<Bytes>(expected)));
        errors += std::get<std::string>(expected).empty() ? 0U : 1U;
      }
    }
  }
  CHECK(pairs == 20);
  CHECK(errors > 0);

  for (const std::uint64_t count : {std::uint64_t{16}, ss::detail::CodeTable::least_elements + 5}) {
    Bytes source(static_cast<std::size_t>(count));
    for (std::byte& byte : source) byte = static_cast<std::byte>(random());
    Bytes expected(bytes_of(DType::F32, source.size()));
    ss::detail::convert_exactly(DType::F8_E5M2, source.data(), DType::F32, expected.data(), count,
                                Overflow::error, 0);
    CHECK(static_cast<bool>(
        convert(DType::F8_E5M2, source, DType::F32, source.size(), Overflow::allow).bytes ==
        expected));
  }
}

namespace {

// How many NaNs of `source` have other bits after a conversion to `to` and back, element by
// element.
std::uint64_t nans_that_do_not_come_back(DType from, const Bytes& source, DType to,
                                         std::size_t count) {
  const Bytes there = convert(from, source, to, count, Overflow::allow).bytes;
  const Bytes back = convert(to, there, from, count, Overflow::allow).bytes;
  const auto numbers =
      from_bytes<double>(convert(from, source, DType::F64, count, Overflow::allow).bytes);
  const std::size_t width = ss::bit_width(from) / 8;
  std::uint64_t changes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double number = from == DType::F64 ? from_bytes<double>(source)[i] : numbers[i];
    changes += std::isnan(number) && std::memcmp(&source[i * width], &back[i * width], width) != 0;
  }
  return changes;
}

constexpr DType types_with_nan[] = {
    DType::F8_E5M2, DType::F8_E4M3, DType::F8_E8M0, DType::F8_E4M3FNUZ, DType::F8_E5M2FNUZ,
    DType::F16,     DType::BF16,    DType::F32,     DType::F64,         DType::C64};

}  // namespace

TEST_CASE("NaNs that do not come back are counted, over all codes of 8 and 16 bits") {
  for (const DType from : types_with_nan) {
    if (ss::bit_width(from) > 16) continue;
    const Bytes codes = all_codes(from);
    const std::size_t count = std::size_t{1} << ss::bit_width(from);
    for (const DType to : types_with_nan) {
      CAPTURE(ss::to_string(from));
      CAPTURE(ss::to_string(to));
      const auto report = convert(from, codes, to, count, Overflow::allow).report;
      CHECK(report.nan_changes ==
            (from == to ? 0 : nans_that_do_not_come_back(from, codes, to, count)));
    }
  }
}

TEST_CASE("the numbers of NaNs that lose bits are those that the formats say") {
  struct Case {
    DType from;
    DType to;
    std::uint64_t changes;
  };
  const std::vector<Case> cases = {
      {DType::F16, DType::F32, 2 * 511},           // the signalling ones
      {DType::BF16, DType::F32, 2 * 63},           // the same
      {DType::F16, DType::BF16, 2 * (1023 - 64)},  // all but the quiet ones of 6 bits of payload
      {DType::BF16, DType::F16, 2 * 63},           // the signalling ones: the payload fits
      {DType::F16, DType::F8_E4M3, 2 * 1022},      // all but two without payload
      {DType::F16, DType::F8_E8M0, 2 * 1023 - 1},  // all but one, which has no sign either
      {DType::F16, DType::F8_E5M2FNUZ, 2 * 1023 - 1},
      {DType::F8_E4M3, DType::F32, 0},
      {DType::F8_E4M3, DType::F8_E8M0, 1},  // the negative one
      {DType::F8_E5M2, DType::F64, 2},      // the signalling ones
      {DType::F8_E8M0, DType::F8_E4M3FNUZ, 0}};
  for (const Case& one : cases) {
    CAPTURE(ss::to_string(one.from));
    CAPTURE(ss::to_string(one.to));
    const std::size_t count = std::size_t{1} << ss::bit_width(one.from);
    CHECK(
        convert(one.from, all_codes(one.from), one.to, count, Overflow::allow).report.nan_changes ==
        one.changes);
  }
}

TEST_CASE(
    "NaNs of 32 and 64 bits lose what is below the bits that are kept, and being signalling") {
  struct Case {
    std::uint64_t bits;  // of F64
    DType to;
    bool changes;
  };
  const std::vector<Case> cases = {{0x7FF8'0000'0000'0000U, DType::F32, false},
                                   {0xFFF8'0000'0000'0000U, DType::F32, false},
                                   {0x7FF8'0000'2000'0000U, DType::F32, false},
                                   {0x7FF8'0000'1000'0000U, DType::F32, true},
                                   {0x7FF8'0000'0000'0001U, DType::F32, true},
                                   {0x7FF0'0000'2000'0000U, DType::F32, true},
                                   {0x7FF0'0000'0000'0001U, DType::F32, true},
                                   {0xFFFF'FFFF'E000'0000U, DType::F32, false},
                                   {0xFFFF'FFFF'FFFF'FFFFU, DType::F32, true},
                                   {0x7FF8'0400'0000'0000U, DType::F16, false},
                                   {0x7FF8'0200'0000'0000U, DType::F16, true},
                                   {0x7FF8'2000'0000'0000U, DType::BF16, false},
                                   {0x7FF8'1000'0000'0000U, DType::BF16, true},
                                   {0xFFF8'0000'0000'0000U, DType::F8_E4M3, false},
                                   {0xFFF8'0000'0000'0000U, DType::C64, false},
                                   {0xFFF8'0000'0000'0000U, DType::F8_E8M0, true},
                                   {0x7FF8'0000'0000'0000U, DType::F8_E8M0, false}};
  for (const Case& one : cases) {
    CAPTURE(one.bits);
    CAPTURE(ss::to_string(one.to));
    // All but the last three go through a kernel where there is one, these never do.
    constexpr std::size_t count = ss::detail::kernel_elements + 3;
    std::vector<std::uint64_t> source(count, 0);
    source[7] = source[count - 1] = one.bits;
    const Bytes bytes = to_bytes(source);
    CHECK(convert(DType::F64, bytes, one.to, count, Overflow::allow).report ==
          ss::ConversionReport{
              .overflow = one.to == DType::F8_E8M0 ? count - 2 : 0,  // which has no zero
              .underflow = 0,
              .inexact = 0,
              .nan_changes = one.changes ? 2U : 0U,
              .first_overflow =
                  one.to == DType::F8_E8M0 ? std::optional<std::uint64_t>(0) : std::nullopt});
    CHECK(nans_that_do_not_come_back(DType::F64, bytes, one.to, count) == (one.changes ? 2U : 0U));
  }
  // A float, as itself and as a complex number.
  for (const std::uint32_t bits : {0x7FC0'0000U, 0xFFC0'0001U, 0x7F80'0001U, 0x7FBF'FFFFU}) {
    CAPTURE(bits);
    const bool signalling = (bits & 0x0040'0000U) == 0;
    const Bytes real = to_bytes<std::uint32_t>({bits});
    const Bytes complex = to_bytes<std::uint32_t>({bits, 0});
    CHECK(convert(DType::F32, real, DType::F64, 1).report.nan_changes == signalling);
    CHECK(convert(DType::C64, complex, DType::F64, 1).report.nan_changes == signalling);
    CHECK(convert(DType::C64, complex, DType::F16, 1).report.nan_changes == (bits != 0x7FC0'0000U));
  }
}
