// Detects differences that are only in some places: masks and padding.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "compare/suspicions/suspicion.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// The indices of a dimension that differ, and whether most of their numbers do.
struct Differing {
  std::vector<bool> is;
  std::size_t count = 0;
  bool are_whole = true;
  double apart = HUGE_VAL;  // The least of their squared errors relative to all others'.
};

Differing differing(const Case& one, std::size_t dimension) {
  const Case::Axis axis = one.axis(dimension);
  const std::vector<CaseSums> sums = one.along(dimension);
  const double most = std::ranges::max_element(sums, {}, &CaseSums::errors)->errors;
  Differing found;
  double least = most;
  double largest_other = 0;
  for (const CaseSums& of : sums) {
    // Rounding makes far smaller differences between equal rows.
    found.is.push_back(of.errors > 1e-6 * most);
    if (!found.is.back()) {
      largest_other = std::max(largest_other, of.errors);
      continue;
    }
    ++found.count;
    least = std::min(least, of.errors);
    // If there are several batches, one may be wrong.
    if (2 * of.differing * std::min<std::size_t>(axis.outer, 8) < axis.outer * axis.inner)
      found.are_whole = false;
  }
  // An error that grows with the index, as of angles, begins as small.
  if (largest_other != 0) found.apart = least / largest_other;
  return found;
}

/// Returns the share of the squared error where only one side masks. Null if that is not most of
/// it, or if places that both let through differ, as in rows that moved.
std::optional<double> explained_by_mask(const Case& one) {
  double masked = 0;
  double seen = 0;
  double squares = 0;
  for (std::size_t i = 0; i < one.a.size(); ++i) {
    const double error = (one.a[i] - one.b[i]) * (one.a[i] - one.b[i]);
    const bool is_masked = one.is_masked_in_b(i);
    if (one.is_masked_in_a(i) != is_masked) {
      masked += error;
    } else if (!is_masked) {
      seen += error;
      squares += one.b[i] * one.b[i];
    }
  }
  if (masked == 0 || masked < explains_from * one.all.errors ||
      seen > (1 - explains_from) * squares)
    return std::nullopt;
  return masked / one.all.errors;
}

/// Whether one side masks all of a diagonal wherever any of it differs, or alone masks most of it:
/// numbers that are zero by chance are next to others, and both may let through the first keys of
/// all rows or all keys of some rows.
bool is_masked_diagonal(const Case& one, std::ptrdiff_t diagonal) {
  const IndexGrid::Indices& rows = one.grid.dimensions()[one.shape.size() - 2];
  const auto is_other = [](const CaseSums& row) { return row.masked_by_one != 0; };
  std::size_t seen = 0;
  for (std::size_t first = 0; first < one.by_row.size(); first += rows.count) {
    const auto matrix = std::span(one.by_row).subspan(first, rows.count);
    if (std::ranges::none_of(matrix, is_other)) continue;
    for (std::size_t row = 0; row < rows.count; ++row) {
      const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(rows.at(row)) + diagonal;
      if (column < 0 || column >= static_cast<std::ptrdiff_t>(one.width())) continue;
      const std::size_t place = (first + row) * one.width() + static_cast<std::size_t>(column);
      seen += !one.is_masked_in_a(place) && !one.is_masked_in_b(place) ? 1U : 0U;
    }
  }
  // So many would hardly be on one diagonal by chance.
  constexpr std::size_t few = 4;
  return seen == 0 || one.all.masked_by_one >= std::max(seen, few);
}

/// Attention probabilities or scores: the places that only one side masks are on one diagonal.
std::optional<Suspicion> masked_diagonal(const Case& one) {
  const std::size_t rank = one.shape.size();
  if (rank < 2 || one.shape[rank - 2] < 3 || one.width() < 3 || !one.has_whole_rows())
    return std::nullopt;
  const IndexGrid::Indices& rows = one.grid.dimensions()[rank - 2];
  if (one.all.masked_by_one < 2) return std::nullopt;
  std::optional<std::ptrdiff_t> diagonal;
  std::size_t leaks = 0;
  for (std::size_t row = 0; row < one.by_row.size(); ++row) {
    if (one.by_row[row].masked_by_one == 0) continue;
    for (std::size_t column = 0; column < one.width(); ++column) {
      const std::size_t place = row * one.width() + column;
      const bool is_in_b = one.is_masked_in_b(place);
      if (one.is_masked_in_a(place) == is_in_b) continue;
      const auto apart = static_cast<std::ptrdiff_t>(column) -
                         static_cast<std::ptrdiff_t>(rows.at(row % rows.count));
      if (diagonal.value_or(apart) != apart) return std::nullopt;
      diagonal = apart;
      if (is_in_b) ++leaks;
    }
  }
  const std::size_t cells = one.all.masked_by_one;
  if ((leaks != 0 && leaks != cells) || !is_masked_diagonal(one, *diagonal)) return std::nullopt;
  return Suspicion{"mask off by one",
                   fmt::format("{} lets through what {} masks, in {} places, all where the last "
                               "index is the one before it {:+d}",
                               leaks != 0 ? "a" : "b", leaks != 0 ? "b" : "a", cells, *diagonal),
                   explained_by_mask(one)};
}

/// Rows in which everything is masked are NaN.
std::optional<Suspicion> blind_rows(const Case& one) {
  for (std::size_t dimension = 0; !one.nan_a.empty() && dimension + 1 < one.shape.size();
       ++dimension) {
    const Case::Axis axis = one.axis(dimension);
    if (axis.size < 3 || !one.is_whole(dimension)) continue;
    bool is_first = true;
    for (std::size_t at = 0; at < one.a.size(); ++at)
      is_first = is_first && one.nan_a[at] == (at / axis.inner % axis.size == 0);
    if (!is_first) continue;
    return Suspicion{"mask off by one",
                     fmt::format("a is NaN in all of index 0 of dimension {} and nowhere else, as "
                                 "if its rows were fully masked",
                                 dimension),
                     std::nullopt};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Suspicion> suspect_mask(const Case& one) {
  if (auto found = masked_diagonal(one)) return found;
  if (auto found = blind_rows(one)) return found;
  if (one.all.errors == 0) return std::nullopt;
  for (std::size_t dimension = 0; dimension + 1 < one.shape.size(); ++dimension) {
    const Case::Axis axis = one.axis(dimension);
    if (axis.size < 4 || !one.is_whole(dimension)) continue;
    const Differing found = differing(one, dimension);
    // The last but one sees nearly everything, so rounding of the last makes errors of like size.
    if (found.count != axis.size - 1 || found.is.back() || !found.are_whole || found.apart < 10)
      continue;
    return Suspicion{"mask off by one",
                     fmt::format("only the last of {} indices of dimension {} is equal, the one "
                                 "that sees everything with either mask",
                                 axis.size, dimension),
                     std::nullopt};
  }
  return std::nullopt;
}

std::optional<Suspicion> suspect_padding(const Case& one) {
  // A few numbers may well be in one row.
  if (one.all.differing < 4) return std::nullopt;
  for (std::size_t dimension = 0; dimension + 1 < one.shape.size(); ++dimension) {
    if (!one.is_whole(dimension)) continue;
    const Case::Axis axis = one.axis(dimension);
    const Differing found = differing(one, dimension);
    if (found.count == axis.size || !found.are_whole || found.apart < 100) continue;
    const auto first =
        static_cast<std::size_t>(std::ranges::find(found.is, true) - found.is.begin());
    const bool is_tail =
        first >= 2 && first + found.count == axis.size &&
        std::ranges::count(found.is.begin() + static_cast<std::ptrdiff_t>(first), found.is.end(),
                           true) == static_cast<std::ptrdiff_t>(found.count);
    const bool is_front =
        first == 0 && found.count + 2 <= axis.size &&
        std::ranges::count(found.is.begin(),
                           found.is.begin() + static_cast<std::ptrdiff_t>(found.count),
                           true) == static_cast<std::ptrdiff_t>(found.count);
    if (is_tail || is_front)
      return Suspicion{"padding",
                       fmt::format("only the {} {} of {} indices of dimension {} differ",
                                   is_tail ? "last" : "first", found.count, axis.size, dimension),
                       std::nullopt};
    if (dimension == 0 && one.shape.size() > 2)
      return Suspicion{
          "padding",
          fmt::format("only {} of {} in the batch (dimension 0) differ", found.count, axis.size),
          std::nullopt};
  }
  return std::nullopt;
}

}  // namespace safestructures::inline v0::comparing
