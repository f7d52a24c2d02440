/// \file
/// The errors of `Limits`, with uniform wording, and the guard for recursion.
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

/// 64-bit integers have no more digits.
inline constexpr std::uint32_t most_small_digits = 20;

/// Returns text such as `at most 5 levels (Limits::depth)`.
[[nodiscard]] std::string at_most(Limit limit, std::uint64_t most);

/// Returns the error that a limit is exceeded: `a structure has too many nodes: expected at most 5
/// (Limits::nodes)`, with any further `details`. \param most what the limit allows
[[nodiscard]] Error past(Limit limit, std::uint64_t most, ErrorDetails details = {});
/// The same with a problem other than the limit's usual one.
[[nodiscard]] Error past(Limit limit, std::uint64_t most, std::string problem,
                         ErrorDetails details);

/// Returns how many bytes of tensors a structure may refer to repeatedly.
/// \param size the bytes of the file's tensors, or of its text
[[nodiscard]] std::uint64_t most_repeated(std::uint64_t size, const Limits& limits) noexcept;

/// Returns how many bytes a packed file may have when unpacked. \param size the bytes of the file
[[nodiscard]] std::uint64_t most_unpacked(std::uint64_t size, const Limits& limits) noexcept;

/// One level of recursion, as long as it lives. Beyond a few levels it also checks the stack: a
/// thread may have a small one, and a caller may set a limit too high for any stack.
class Descent {
 public:
  /// \param depth counts the levels \param trace the place of this level \param outer levels that
  /// `depth` counts but the limit does not \throws Error `limit_exceeded`
  Descent(std::uint32_t& depth, std::uint32_t most, const Trace* trace, std::uint32_t outer = 0)
      : depth_(depth) {
    if (depth_ >= most || depth_ >= unchecked) check(depth_, most, trace, outer);
    ++depth_;
  }
  ~Descent() { --depth_; }
  Descent(const Descent&) = delete;
  Descent& operator=(const Descent&) = delete;

  /// The number of levels that fit on every stack.
  static constexpr std::uint32_t unchecked = 16;
  /// \throws Error if the limit or the stack allows no more than `depth` levels
  static void check(std::uint32_t depth, std::uint32_t most, const Trace* trace,
                    std::uint32_t outer = 0);
  /// Throws the error that the stack is too small for another level.
  [[noreturn]] static void fail_stack(std::uint32_t depth, const Trace* trace);

 private:
  std::uint32_t& depth_;
};

}  // namespace safestructures::inline v0::detail
