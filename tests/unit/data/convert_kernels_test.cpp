/// \file
/// What is converted many at once comes out as one by one, bit for bit and with the same report,
/// with each instruction set of this machine.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>

#include "data/conversion/convert_exact.hpp"
#include "data/conversion/convert_kernels.hpp"
#include "support/conversion.hpp"

namespace ss = safestructures;
using ss::DType;
using ss::Overflow;
using ss::detail::Instructions;
using ss::detail::KernelSteps;
using ss::tests::all_codes;
using ss::tests::Bytes;
using ss::tests::bytes_of;
using ss::tests::to_bytes;

namespace {

using Random = std::mt19937_64;

std::vector<Instructions> all_instructions() {
  std::vector<Instructions> all;
  for (unsigned i = 0; i <= static_cast<unsigned>(ss::detail::best_instructions()); ++i)
    all.push_back(static_cast<Instructions>(i));
  return all;
}

/// The numbers of random codes of a dtype.
std::vector<double> numbers_of(DType dtype, std::size_t count, Random& random) {
  Bytes codes(bytes_of(dtype, count));
  for (std::byte& byte : codes) byte = static_cast<std::byte>(random() & 0xFFU);
  std::vector<double> numbers(count);
  ss::detail::convert_exactly(dtype, codes.data(), DType::F64,
                              reinterpret_cast<std::byte*>(numbers.data()), count, Overflow::allow,
                              0);
  return numbers;
}

/// Numbers at, just below and just above what lies half way between two of the target, where
/// rounding twice differs from rounding once.
std::vector<double> near_halves(DType to, std::size_t count, Random& random) {
  std::vector<double> numbers = numbers_of(to, count, random);
  // Random codes of F64 are mostly beyond all other dtypes.
  if (to == DType::F64) numbers = numbers_of(DType::F32, count, random);
  const double most = to == DType::F8_E4M3                       ? 200
                      : to == DType::F16 || to == DType::F8_E5M2 ? 20'000
                                                                 : 1e38;
  for (double& number : numbers) {
    if (!(std::fabs(number) <= most) || number == 0) number = 1;
    const int bits = to == DType::F8_E5M2   ? 3
                     : to == DType::F8_E4M3 ? 4
                     : to == DType::BF16    ? 8
                                            : 11;
    const double unit = std::ldexp(1.0, std::max(std::ilogb(number) + 1 - bits, -140));
    number += unit / 2;
    const int ulps = static_cast<int>(random() % 5) - 2;
    const double end = ulps < 0 ? -HUGE_VAL : HUGE_VAL;
    for (int i = 0; i < std::abs(ulps); ++i) number = std::nextafter(number, end);
  }
  return numbers;
}

Bytes random_bytes(std::size_t size, Random& random) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 0xFFU);
  return bytes;
}

/// A block of any bits, of ordinary numbers, or of those near halves.
Bytes source_of(DType from, DType to, std::size_t count, int kind, Random& random) {
  Bytes bytes = random_bytes(bytes_of(from, count), random);
  if (from == DType::BOOL && kind != 0)
    for (std::byte& byte : bytes) byte &= std::byte{1};
  if (ss::is_integer(from) && kind != 0)  // small numbers, and some large ones
    for (std::size_t i = 0; i < count && ss::bit_width(from) == 64; ++i)
      if (const std::size_t width = 8; kind == 1 || i % 100 != 0)
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(i * width + 6), 2, std::byte{0});
  if (!ss::is_floating(from) || kind == 0) return bytes;
  std::vector<double> numbers = near_halves(to, count, random);
  if (kind == 1)
    for (double& number : numbers)
      number = static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63;
  ss::detail::convert_exactly(DType::F64, reinterpret_cast<const std::byte*>(numbers.data()), from,
                              bytes.data(), count, Overflow::allow, 0);
  return bytes;
}

}  // namespace

TEST_CASE("blocks convert as their elements do, one by one, or say that they cannot") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  std::size_t pairs = 0;
  for (std::size_t pair = 0; pair < ss::dtype_count * ss::dtype_count; ++pair) {
    const auto from = static_cast<DType>(pair / ss::dtype_count);
    const auto to = static_cast<DType>(pair % ss::dtype_count);
    if (from == to || !KernelSteps(from, to, Instructions::baseline)) continue;
    ++pairs;
    CAPTURE(ss::to_string(from));
    CAPTURE(ss::to_string(to));
    std::array<int, 3> converted{};
    constexpr int rounds = 12;
    for (int block = 0; block < 3 * rounds; ++block) {
      const int kind = block % 3;
      const std::size_t most = ss::detail::kernel_elements;
      const std::size_t count =
          block < rounds ? most : 1 + random() % (block < 2 * rounds ? most : 20);
      CAPTURE(count);
      CAPTURE(kind);
      Bytes source = source_of(from, to, count, kind, random);
      source.insert(source.begin(), std::byte{0});  // at an odd address
      Bytes expected(bytes_of(to, count));
      std::optional<ss::ConversionReport> exact;
      try {
        exact = ss::detail::convert_exactly(from, source.data() + 1, to, expected.data(), count,
                                            Overflow::allow, 0);
      } catch (const ss::Error&) {
        CHECK(from == DType::BOOL);
      }
      for (const Instructions instructions : all_instructions()) {
        CAPTURE(static_cast<unsigned>(instructions));
        Bytes target(bytes_of(to, count) + 2, std::byte{0xA5});
        const auto counts =
            KernelSteps(from, to, instructions).run(source.data() + 1, target.data() + 1, count);
        CHECK(target.back() == std::byte{0xA5});
        CHECK(target.front() == std::byte{0xA5});
        if (!counts) continue;
        ++converted[static_cast<std::size_t>(kind)];
        REQUIRE(exact.has_value());
        CHECK(std::equal(expected.begin(), expected.end(), target.begin() + 1));
        CHECK(exact->overflow == 0);
        CHECK(counts->underflow == exact->underflow);
        CHECK(counts->nan_changes == exact->nan_changes);
        CHECK(counts->inexact == exact->inexact);
      }
    }
    const auto all = static_cast<int>(rounds * all_instructions().size());
    CHECK(converted[1] == all);
    if (ss::is_floating(from)) CHECK(converted[2] > all / 2);
  }
  CHECK(pairs == 44);
}

TEST_CASE("a number beyond the target, in any lane, is converted exactly") {
  struct Case {
    DType to;
    double largest;  ///< That is rounded to a number.
    double beyond;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Case& one : {Case{DType::F16, 65519.99, 65520}, Case{DType::F8_E5M2, 61439.99, 61440},
                          Case{DType::F8_E4M3, 464, 464.00004}, Case{DType::F8_E4M3, 448, infinity},
                          Case{DType::BF16, 0x1.FEFFFEp127, 0x1.FFp127}}) {
    CAPTURE(ss::to_string(one.to));
    for (const DType from : {DType::F32, DType::F64}) {
      CAPTURE(ss::to_string(from));
      for (const Instructions instructions : all_instructions()) {
        CAPTURE(static_cast<unsigned>(instructions));
        const KernelSteps steps(from, one.to, instructions);
        for (std::size_t lane = 0; lane < 64; ++lane) {
          for (const double sign : {1.0, -1.0}) {
            std::vector<double> numbers(64, sign * one.largest);
            const auto converts = [&] {
              const std::vector<float> singles(numbers.begin(), numbers.end());
              const Bytes source = from == DType::F64 ? to_bytes(numbers) : to_bytes(singles);
              Bytes target(bytes_of(one.to, 64));
              return steps.run(source.data(), target.data(), 64).has_value();
            };
            CHECK(converts());
            numbers[lane] = sign * one.beyond;
            CHECK_FALSE(converts());
          }
        }
      }
    }
  }
}

TEST_CASE("every kernel widens all halves and bfloat16s as the scalar types do") {
  const auto best = static_cast<unsigned>(ss::detail::best_instructions());
  constexpr std::size_t step = ss::detail::kernel_elements;
  for (const DType from : {DType::F16, DType::BF16}) {
    for (unsigned instructions = 0; instructions <= best; ++instructions) {
      const auto kernel = ss::detail::find_kernel(
          from, DType::F32, static_cast<ss::detail::Instructions>(instructions));
      const Bytes codes = all_codes(from);
      std::vector<std::uint32_t> target(1U << 16U);
      for (std::size_t i = 0; i < target.size(); i += step) {
        kernel(&codes[i * 2], reinterpret_cast<std::byte*>(&target[i]), step);
      }
      std::size_t wrong = 0;
      for (unsigned code = 0; code < target.size(); ++code) {
        const auto bits = static_cast<std::uint16_t>(code);
        const float number = from == DType::F16 ? float{ss::half::from_bits(bits)}
                                                : float{ss::bfloat16::from_bits(bits)};
        wrong += std::bit_cast<std::uint32_t>(number) != target[code];
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("any length at any address converts as element by element") {
  std::mt19937_64 random(7);
  for (const auto& pair : std::vector<std::pair<DType, DType>>{{DType::F16, DType::F32},
                                                               {DType::F32, DType::F16},
                                                               {DType::F64, DType::F32},
                                                               {DType::F32, DType::BF16},
                                                               {DType::F6_E3M2, DType::F4},
                                                               {DType::BF16, DType::F64},
                                                               {DType::F64, DType::F16},
                                                               {DType::F64, DType::F8_E4M3},
                                                               {DType::F16, DType::BF16},
                                                               {DType::I64, DType::F32},
                                                               {DType::U16, DType::F64},
                                                               {DType::I8, DType::F16}}) {
    const DType from = pair.first;
    const DType to = pair.second;
    for (const std::size_t count : {0U, 1U, 7U, 255U, 257U, 2047U, 2049U, 4096U, 5001U}) {
      Bytes source(bytes_of(from, count) + 3);
      for (std::byte& byte : source) byte = static_cast<std::byte>(random() & 0xFFU);
      Bytes target(bytes_of(to, count) + 3, std::byte{0x5C});
      const auto input = std::span<const std::byte>(source).subspan(3);
      const auto output = std::span(target).subspan(1, target.size() - 3);
      const auto report = ss::convert_elements(from, input, to, output, count, Overflow::allow);
      Bytes expected(bytes_of(to, count));
      const auto exact = ss::detail::convert_exactly(from, input.data(), to, expected.data(), count,
                                                     Overflow::allow, 0);
      CAPTURE(count);
      CAPTURE(ss::to_string(from));
      CHECK(std::equal(expected.begin(), expected.end(), output.begin()));
      CHECK(report == exact);
      CHECK(target.front() == std::byte{0x5C});
      CHECK(target.back() == std::byte{0x5C});
    }
  }
}
