#include "cli/tensor_list_json.hpp"

#include <cstddef>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "data/text/json_text.hpp"
#include "data/text/number.hpp"

namespace safestructures::cli {
namespace {

std::string number(double value, bool exists) {
  return exists ? detail::json_number(value) : "null";
}

/// Returns only a few of them, as a page has those of every tensor.
std::string quantiles(const TensorStatistics& found) {
  if (!found.quantiles) return "null";
  std::string made;
  for (std::size_t i = 0; i < TensorStatistics::probabilities.size(); ++i) {
    const double probability = TensorStatistics::probabilities[i];
    if (probability != 0.01 && probability != 0.5 && probability != 0.99) continue;
    made += fmt::format(R"({}"{}": {})", made.empty() ? "" : ", ", probability,
                        detail::json_number((*found.quantiles)[i]));
  }
  return "{" + made + "}";
}

/// Returns `[exponent, negatives, positives]` for each bin that is not empty.
std::string histogram(const TensorStatistics& found) {
  std::string bins;
  for (std::size_t i = 0; i < TensorStatistics::bins; ++i) {
    if (found.negative[i] + found.positive[i] == 0) continue;
    bins += fmt::format("{}[{}, {}, {}]", bins.empty() ? "" : ", ",
                        TensorStatistics::first_exponent + static_cast<int>(i), found.negative[i],
                        found.positive[i]);
  }
  return "[" + bins + "]";
}

}  // namespace

void write_place_members(std::ostream& out, const ListedTensor& tensor) {
  out << fmt::format(R"("path": {}, "dtype": "{}", "shape": {}, "bytes": {})",
                     json::quote(tensor.path), to_string(tensor.dtype), to_string(tensor.shape),
                     tensor.bytes);
  if (tensor.record)
    out << fmt::format(
        R"(, "record": {{"name": {}, "step": {}, "call": {}, "sequence": {}}}, "kept": {})",
        json::quote(tensor.record->name), tensor.record->step, tensor.record->call,
        tensor.record->sequence, json::quote(tensor.kept));
}

void write_json_members(std::ostream& out, const ListedTensor& tensor) {
  const TensorStatistics& found = *tensor.statistics;
  const bool is_finite = found.finite() != 0;
  write_place_members(out, tensor);
  out << fmt::format(R"(, "count": {}, "zeros": {}, "nan": {}, "positive_infinities": {}, )"
                     R"("negative_infinities": {}, "min": {}, "max": {}, "mean": {}, )"
                     R"("standard_deviation": {}, "l2_norm": {}, "histogram": {}, "quantiles": {})",
                     found.count, found.zeros, found.nan, found.positive_infinities,
                     found.negative_infinities, number(found.min, is_finite),
                     number(found.max, is_finite), number(found.mean, is_finite),
                     number(found.standard_deviation, is_finite), number(found.l2_norm, is_finite),
                     histogram(found), quantiles(found));
}

}  // namespace safestructures::cli
