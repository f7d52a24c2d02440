/// \file
/// The sums and extremes from which the metrics of two tensors follow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include <safestructures/compare/metrics.hpp>
#include <safestructures/compare/options.hpp>
#include "compare/kernels/block_kernels.hpp"
#include "compare/kernels/word_kernels.hpp"
#include "compare/metrics/non_finite.hpp"
#include "compare/metrics/scales.hpp"
#include "compare/metrics/totals.hpp"
#include "compare/metrics/ulp.hpp"
#include "compare/metrics/watched.hpp"

namespace safestructures::inline v0::comparing {

/// Accumulates what is found in ranges of two tensors. Everything but the sums is independent of
/// the order of ranges.
class Accumulator {
 public:
  /// The most numbers in a block.
  static constexpr std::size_t block_size = 2048;

  Accumulator(const Tolerance& tolerance, const std::optional<Grid>& grid)
      : tolerance_(tolerance), grid_(grid) {}

  /// Enables `add_floats`; requires a grid of F32, BF16 or F16. Call before adding anything that
  /// differs.
  void expect(const Guess& guess) { watched_.emplace(guess); }
  [[nodiscard]] bool takes_floats() const noexcept { return watched_.has_value(); }

  /// Adds a block and overwrites its contents. \returns its sums
  Sums add(const Block& block);
  /// Adds a block of narrow numbers that are equal on both sides, padded with zeros.
  /// \returns its sums; null, with nothing added, if a number is not finite
  /// @{
  std::optional<Sums> add_equal(std::span<const double> numbers, std::size_t count);
  std::optional<Sums> add_equal(const FloatBlock& numbers, std::size_t count);
  /// @}
  /// Adds a block of floats, both sides padded with zeros.
  /// \param words the same numbers, if they are 16-bit numbers of the grid's dtype
  /// \param count without the padding and what was removed \param first index of the first number
  /// \returns its sums, as from `add`; null, with nothing added, if a number is not finite or not
  /// representable in the grid's dtype
  std::optional<Sums> add_floats(const FloatBlock& block, const std::optional<WordBlock>& words,
                                 std::size_t count, std::uint64_t first);
  /// Adds what was removed from a block before the rest was added.
  void take(const NonFinite& found, std::uint64_t first);
  void merge(const Accumulator& other);
  /// Whether `result` would be complete. If not, the guess was wrong: start again without one.
  [[nodiscard]] bool is_certain(const Sums& sums) const;
  /// Returns the totals. \param count the number of elements in all
  [[nodiscard]] Totals result(const Sums& sums, std::uint64_t count) const;
  /// Returns the index of the worst number; null if nothing differs.
  [[nodiscard]] std::optional<std::uint64_t> worst() const;

 private:
  std::optional<Sums> add_equal(const BlockSquares& squares, std::size_t count);
  /// \param count of those that were finite
  Sums add_one_by_one(const Block& block, std::size_t count);
  void take_differences(const Block& block);
  void take_group(const FloatBlock& block, std::size_t begin, std::uint64_t first);
  /// Finds the steps between a and b. \returns false if no kernel can
  bool steps_at_once(const Block& block);
  /// Removes the pairs that are not finite. \returns how many there were
  std::size_t take_non_finite(const Block& block);
  void take_difference(const Block& block, std::size_t i);
  void note_worst(double ratio, double absolute, std::uint64_t index);

  /// Needed only if something differs. All but `scales` is scratch space for the current block.
  struct Room {
    Scales scales;
    std::array<double, block_size> ratios;
    std::array<std::uint64_t, block_size> steps;
  };
  [[nodiscard]] Room& room();
  /// Returns the largest error relative to |b|, or to the floor if |b| is below it; null if
  /// unknown.
  [[nodiscard]] std::optional<double> max_relative(const Sums& sums) const;
  /// Returns how many bits hold the steps of 99 % of the numbers; null if unknown.
  [[nodiscard]] std::optional<unsigned> common_bits() const;
  static constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();

  Tolerance tolerance_;
  std::optional<Grid> grid_;
  std::uint64_t compared_ = 0;
  std::uint64_t differing_ = 0;
  std::uint64_t beyond_ = 0;
  NonFiniteCounts non_finite_;
  double max_absolute_ = 0;
  double max_ratio_ = 0;
  double largest_b_ = 0;
  std::uint64_t max_ulp_ = 0;
  std::array<std::uint64_t, 65> ulps_{};  // Indexed by bit width.
  double worst_ratio_ = 0;
  double worst_absolute_ = 0;
  std::uint64_t worst_index_ = nowhere;
  std::unique_ptr<Room> room_;
  std::optional<Watched> watched_;  // What `add_floats` found.
};

}  // namespace safestructures::inline v0::comparing
