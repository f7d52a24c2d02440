#include "data/conversion/convert_exact.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <safestructures/data/error.hpp>

#include "data/conversion/convert_formats.hpp"

namespace safestructures::inline v0::detail {
namespace {

// Every element passes through one of three types that hold it exactly: double for floating-point
// types, int64 for integers except U64, and uint64. This takes 22 loaders and three times 22 stores
// instead of 22 times 22 loops. A block is a multiple of the group in which packed dtypes share
// bytes.
constexpr std::size_t block_elements = 256;

bool is_stored_as_integer(DType dtype) noexcept {
  return is_integer(dtype) || dtype == DType::BOOL;
}

struct Block {
  std::size_t size = 0;
  bool has_nan = false;  // Among the stored elements; `reals` holds them as stored.
  std::array<double, block_elements> reals;
  std::array<std::int64_t, block_elements> signed_integers;
  std::array<std::uint64_t, block_elements> unsigned_integers;
};

struct Job {
  DType from;
  DType to;
  Overflow overflow;
  std::uint64_t first;  // Index in the tensor of the block's first element.
  ConversionReport report;
};

std::string to_text(const Job& job, double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-infinity" : "infinity";
  // The shortest text depends on the type: 0.1F is not the double nearest to 0.1.
  return job.from == DType::F64 ? fmt::format("{}", value)
                                : fmt::format("{}", static_cast<float>(value));
}

std::string source_text(const Job& job, const Block& block, std::size_t index) {
  if (job.from == DType::U64) return std::to_string(block.unsigned_integers[index]);
  if (is_stored_as_integer(job.from)) return std::to_string(block.signed_integers[index]);
  return to_text(job, block.reals[index]);
}

[[noreturn]] void refuse(const Job& job, std::size_t index, ErrorCode code, ErrorDetails details) {
  throw Error(code,
              fmt::format("element {} cannot be converted from {} to {}", job.first + index,
                          to_string(job.from), to_string(job.to)),
              std::move(details));
}

[[noreturn]] void refuse_nan(const Job& job, std::size_t index) {
  refuse(job, index, ErrorCode::out_of_range,
         {.expected = "a number",
          .found = "NaN",
          .advice = fmt::format("{} has no NaN: choose a floating-point type that has it",
                                to_string(job.to))});
}

// Refuses or counts a value outside the target's range.
template <class Limit>
void note_overflow(Job& job, const Block& block, std::size_t index, Limit lowest, Limit largest) {
  if (job.overflow == Overflow::error) {
    refuse(job, index, ErrorCode::out_of_range,
           {.expected = fmt::format("a number from {} to {}", lowest, largest),
            .found = source_text(job, block, index),
            .advice = "Choose a dtype of wider range, or let numbers saturate (Overflow::saturate, "
                      "or convert "
                      "--overflow in the tool)"});
  }
  ++job.report.overflow;
  if (!job.report.first_overflow) job.report.first_overflow = job.first + index;
}

template <class Format>
void load_reals(const Job& job, const std::byte* source, Block& block) {
  for (std::size_t i = 0; i < block.size; ++i) {
    const auto code = load_code<Format>(source, i);
    if constexpr (std::is_same_v<Format, Complex64Format>) {
      if (const float imaginary = Format::imaginary(code); imaginary != 0) {
        refuse(job, i, ErrorCode::lossy_conversion,
               {.expected = "imaginary part 0",
                .found = "imaginary part " + to_text(job, double{imaginary}),
                .advice = "Convert the real parts alone, or keep C64"});
      }
    }
    block.reals[i] = decode<Format>(code);
  }
}

void load_bools(const Job& job, const std::byte* source, Block& block) {
  for (std::size_t i = 0; i < block.size; ++i) {
    const auto byte = std::to_integer<unsigned>(source[i]);
    if (byte > 1) {
      refuse(job, i, ErrorCode::out_of_range,
             {.expected = "byte 0 or 1",
              .found = fmt::format("byte {}", byte),
              .advice = "The tensor holds no truth values: read it as U8"});
    }
    block.signed_integers[i] = byte;
  }
}

template <class Integer>
void load_integers(const std::byte* source, Block& block) {
  for (std::size_t i = 0; i < block.size; ++i) {
    if constexpr (std::is_same_v<Integer, std::uint64_t>) {
      block.unsigned_integers[i] = load<Integer>(source, i);
    } else {
      block.signed_integers[i] = load<Integer>(source, i);
    }
  }
}

template <class Format>
void store_reals(Job& job, Block& block, std::byte* target) {
  const bool from_integers = is_stored_as_integer(job.from);
  if constexpr (Format::width < 8) {
    std::fill_n(target, (block.size * Format::width + 7) / 8, std::byte{0});
  }
  const double lowest = lowest_number<Format>();
  const double largest = largest_number<Format>();
  // Local counters cannot alias the bytes written to the target: twice as fast.
  std::uint64_t underflow = 0;
  std::uint64_t inexact = 0;
  bool has_nan = false;
  const std::size_t size = block.size;
  for (std::size_t i = 0; i < size; ++i) {
    const double value = block.reals[i];
    auto code = Format::encode(value);
    if (value >= lowest && value <= largest) [[likely]] {
      const double result = decode<Format>(code);
      underflow += result == 0 && value != 0;
      inexact += from_integers && result != value;
    } else if (std::isnan(value)) {
      if (!Format::has_nan) refuse_nan(job, i);
      block.reals[i] = decode<Format>(code);
      has_nan = true;
    } else if (Format::overflows(value)) {
      note_overflow(job, block, i, static_cast<float>(lowest), static_cast<float>(largest));
      if (job.overflow == Overflow::saturate) code = Format::saturated(value);
    } else if (std::isfinite(value)) {
      // Rounds to the largest number or, for E8M0, is below the smallest.
      if constexpr (!Format::has_sign) underflow += value < lowest;
      inexact += from_integers;
    }
    store_code<Format>(target, i, code);
  }
  job.report.underflow += underflow;
  job.report.inexact += inexact;
  block.has_nan = has_nan;
}

// If double cannot hold an integer and is not the target itself, the lowest bit that it keeps is
// set ("round to odd"): rounding the result again gives the same as rounding the integer.
template <class Integer>
void integers_to_reals(Job& job, const std::array<Integer, block_elements>& integers,
                       Block& block) {
  for (std::size_t i = 0; i < block.size; ++i) {
    const Integer value = integers[i];
    block.reals[i] = static_cast<double>(value);
    const bool negative = value < 0;
    const auto magnitude =
        negative ? 0U - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const auto width = static_cast<unsigned>(std::bit_width(magnitude));
    if (width <= 53) continue;
    const unsigned lost = width - 53;
    const std::uint64_t kept = magnitude >> lost;
    if (kept << lost == magnitude) continue;
    if (job.to == DType::F64) {
      ++job.report.inexact;
    } else {
      const auto odd = static_cast<double>((kept | 1U) << lost);
      block.reals[i] = negative ? -odd : odd;
    }
  }
}

// The stored type and the range of BOOL and of I8 to U64.
template <class Integer>
struct IntegerTarget {
  using Stored = std::conditional_t<std::is_same_v<Integer, bool>, std::uint8_t, Integer>;
  static constexpr Stored lowest = static_cast<Stored>(std::numeric_limits<Integer>::min());
  static constexpr Stored largest = static_cast<Stored>(std::numeric_limits<Integer>::max());
};

template <class Integer>
auto to_integer(Job& job, const Block& block, std::size_t index, double value) {
  using Target = IntegerTarget<Integer>;
  using Stored = typename Target::Stored;
  if (std::isnan(value)) refuse_nan(job, index);
  const double whole = std::trunc(value);
  // One above the largest integer is a power of two, and so exact in double.
  const double end = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
  if (whole < static_cast<double>(Target::lowest) || whole >= end) {
    note_overflow(job, block, index, +Target::lowest, +Target::largest);
    return value < 0 ? Target::lowest : Target::largest;
  }
  if (whole != value) {
    if (job.overflow == Overflow::error) {
      refuse(
          job, index, ErrorCode::lossy_conversion,
          {.expected = "a whole number",
           .found = to_text(job, value),
           .advice = "Choose a floating-point dtype, or cut fractions off with Overflow::saturate "
                     "(in C++)"});
    }
    ++job.report.inexact;
  }
  return static_cast<Stored>(whole);
}

template <class Integer, class Value>
  requires std::integral<Value>
auto to_integer(Job& job, const Block& block, std::size_t index, Value value) {
  using Target = IntegerTarget<Integer>;
  const bool below = std::cmp_less(value, Target::lowest);
  if (below || std::cmp_greater(value, Target::largest)) {
    note_overflow(job, block, index, +Target::lowest, +Target::largest);
    return below ? Target::lowest : Target::largest;
  }
  return static_cast<typename Target::Stored>(value);
}

template <class Value>
void store_block(Job& job, Block& block, const std::array<Value, block_elements>& values,
                 std::byte* target) {
  if (is_stored_as_integer(job.to)) {
    return with_integer(job.to, [&]<class Integer>(Integer) {
      for (std::size_t i = 0; i < block.size; ++i) {
        store(target, i, to_integer<Integer>(job, block, i, values[i]));
      }
    });
  }
  if constexpr (std::integral<Value>) integers_to_reals(job, values, block);
  with_format(job.to, [&]<class Format>(Format) { store_reals<Format>(job, block, target); });
}

// A NaN has changed if converting the stored one back gives something else.
template <class Format>
std::uint64_t count_nan_changes(const Block& block, const std::byte* source) {
  std::uint64_t changes = 0;
  for (std::size_t i = 0; i < block.size; ++i) {
    if (!std::isnan(block.reals[i])) continue;
    changes += Format::encode(block.reals[i]) != load_code<Format>(source, i);
  }
  return changes;
}

void convert_block(Job& job, Block& block, const std::byte* source, std::byte* target) {
  if (!is_stored_as_integer(job.from)) {
    with_format(job.from, [&]<class Format>(Format) { load_reals<Format>(job, source, block); });
    store_block(job, block, block.reals, target);
    if (!block.has_nan) return;
    return with_format(job.from, [&]<class Format>(Format) {
      job.report.nan_changes += count_nan_changes<Format>(block, source);
    });
  }
  with_integer(job.from, [&]<class Integer>(Integer) {
    if constexpr (std::is_same_v<Integer, bool>) load_bools(job, source, block);
    else load_integers<Integer>(source, block);
  });
  if (job.from == DType::U64) store_block(job, block, block.unsigned_integers, target);
  else store_block(job, block, block.signed_integers, target);
}

}  // namespace

ConversionReport convert_exactly(DType from, const std::byte* source, DType to, std::byte* target,
                                 std::uint64_t count, Overflow overflow, std::uint64_t first) {
  const std::size_t source_bytes = block_elements * bit_width(from) / 8;
  const std::size_t target_bytes = block_elements * bit_width(to) / 8;
  Job job{.from = from, .to = to, .overflow = overflow, .first = first, .report = {}};
  Block block;
  while (count > 0) {
    block.size = static_cast<std::size_t>(std::min<std::uint64_t>(count, block_elements));
    convert_block(job, block, source, target);
    count -= block.size;
    if (count == 0) break;
    job.first += block.size;
    source += source_bytes;
    target += target_bytes;
  }
  return job.report;
}

}  // namespace safestructures::inline v0::detail
