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
#include "compare/metrics/scales.hpp"
#include "compare/metrics/totals.hpp"
#include "compare/metrics/ulp.hpp"
#include "compare/metrics/watched.hpp"

namespace safestructures::inline v0::comparing {

/// What is found in a range of two tensors. Everything but the sums comes out the same in whatever
/// order ranges are taken.
class Accumulator {
 public:
  /// Numbers of a block, at most.
  static constexpr std::size_t block_size = 2048;

  Accumulator(const Tolerance& tolerance, const std::optional<Grid>& grid)
      : tolerance_(tolerance), grid_(grid) {}

  /// What allows for `add_floats`, with a grid of F32, BF16 or F16. Before anything that differs.
  void expect(const Guess& guess) { watched_.emplace(guess); }
  [[nodiscard]] bool takes_floats() const noexcept { return watched_.has_value(); }

  /// Takes a block, whose contents are changed. \returns its sums
  Sums add(const Block& block);
  /// Takes a block of narrow numbers that are the same on both sides, filled up with zeros.
  /// \returns its sums; nothing, and nothing is taken, where a number is not finite
  /// @{
  std::optional<Sums> add_equal(std::span<const double> numbers, std::size_t count);
  std::optional<Sums> add_equal(const FloatBlock& numbers, std::size_t count);
  /// @}
  /// Takes a block of floats, filled up with zeros that are the same on both sides.
  /// \param words the same numbers, where they are those of the grid in 16 bits
  /// \param count of the numbers themselves  \param first index of the first
  /// \returns its sums, those of `add`; nothing, and nothing is taken, where a number is not finite
  /// or none of the grid's
  std::optional<Sums> add_floats(const FloatBlock& block, const std::optional<WordBlock>& words,
                                 std::size_t count, std::uint64_t first);
  void merge(const Accumulator& other);
  /// Whether `result` knows all. If not, the guess was wrong: all is taken again without one.
  [[nodiscard]] bool is_certain(const Sums& sums) const;
  /// What all of it comes to. \param count numbers in all
  [[nodiscard]] Totals result(const Sums& sums, std::uint64_t count) const;
  /// The index of the number that is worst; nothing where nothing differs.
  [[nodiscard]] std::optional<std::uint64_t> worst() const;

 private:
  std::optional<Sums> add_equal(const BlockSquares& squares, std::size_t count);
  Sums add_one_by_one(const Block& block);
  void take_differences(const Block& block);
  void take_group(const FloatBlock& block, std::size_t begin, std::uint64_t first);
  /// Finds the steps between a and b. \returns false where no kernel can
  bool steps_at_once(const Block& block);
  void take_non_finite(const Block& block, std::size_t i);
  void take_difference(const Block& block, std::size_t i);
  void note_worst(double ratio, double absolute, std::uint64_t index);

  /// What is needed where something differs: all but `scales` is of the block at hand.
  struct Room {
    Scales scales;
    std::array<double, block_size> ratios;
    std::array<std::uint64_t, block_size> steps;
  };
  [[nodiscard]] Room& room();
  /// Beside |b|, and beside the floor below it; nothing where that is not known.
  [[nodiscard]] std::optional<double> max_relative(const Sums& sums) const;
  /// The bits that the steps of 99 of 100 numbers take, at most; nothing where that is not known.
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
  std::array<std::uint64_t, 65> ulps_{};  // By the bits that their number takes.
  double worst_ratio_ = 0;
  double worst_absolute_ = 0;
  std::uint64_t worst_index_ = nowhere;
  std::unique_ptr<Room> room_;
  std::optional<Watched> watched_;  // What `add_floats` took.
};

}  // namespace safestructures::inline v0::comparing
