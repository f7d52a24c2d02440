/// \file
/// The errors of `Limits`, all in the same words, and the guard of recursion.
#pragma once

#include <cstdint>
#include <string>

#include <safestructures/data/error.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/path.hpp>

namespace safestructures::inline v0::detail {

/// The members of `Limits`.
enum class Limit : std::uint8_t {
  header_bytes,
  depth,
  nodes,
  rank,
  digits,
  tensors,
  shards,
  repeats,
  expansion,
  attributes,
};

/// What 64 bits hold has no more digits.
inline constexpr std::uint32_t most_small_digits = 20;

/// `at most 5 levels (Limits::depth)`.
[[nodiscard]] std::string at_most(Limit limit, std::uint64_t most);

/// The error that a limit is passed: `a structure has too many nodes: expected at most 5
/// (Limits::nodes)`, with what else `details` know. \param most what the limit allows
[[nodiscard]] Error past(Limit limit, std::uint64_t most, ErrorDetails details = {});
/// The same about something else than what the limit is mostly about.
[[nodiscard]] Error past(Limit limit, std::uint64_t most, std::string problem,
                         ErrorDetails details);

/// How many bytes of tensors a structure may name again.
/// \param size the bytes of the file's tensors, or of its text
[[nodiscard]] std::uint64_t most_repeated(std::uint64_t size, const Limits& limits) noexcept;

/// How many bytes a packed file may have when it is unpacked. \param size the bytes of the file
[[nodiscard]] std::uint64_t most_unpacked(std::uint64_t size, const Limits& limits) noexcept;

/// One level of recursion, for as long as it lives. Beyond a few levels it looks at the stack as
/// well: a thread may have a small one, and a caller a limit that no stack can hold.
class Descent {
 public:
  /// \param depth counts the levels \param trace where this level is \param outer levels that
  /// `depth` counts and the limit does not \throws Error `limit_exceeded`
  Descent(std::uint32_t& depth, std::uint32_t most, const Trace* trace, std::uint32_t outer = 0)
      : depth_(depth) {
    if (depth_ >= most || depth_ >= unchecked) check(depth_, most, trace, outer);
    ++depth_;
  }
  ~Descent() { --depth_; }
  Descent(const Descent&) = delete;
  Descent& operator=(const Descent&) = delete;

  /// Levels that every stack holds.
  static constexpr std::uint32_t unchecked = 16;
  /// \throws Error when `depth` levels are all that the limit or the stack allows
  static void check(std::uint32_t depth, std::uint32_t most, const Trace* trace,
                    std::uint32_t outer = 0);
  /// Throws that the stack does not hold one more level.
  [[noreturn]] static void fail_stack(std::uint32_t depth, const Trace* trace);

 private:
  std::uint32_t& depth_;
};

}  // namespace safestructures::inline v0::detail
