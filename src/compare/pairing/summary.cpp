#include "compare/pairing/summary.hpp"

#include <safestructures/data/error.hpp>
#include "tools/kept_statistics.hpp"

namespace safestructures::inline v0::comparing {

std::optional<KeptStatistics> summary_of(const Value& value) {
  if (!detail::is_kept_statistics(value)) return std::nullopt;
  try {
    return read_statistics(value);
  } catch (const Error&) {
    return std::nullopt;
  }
}

KeptStatistics summary_of(const Tensor& tensor) {
  return {tensor.dtype(), tensor.shape(), statistics(tensor), sketch(tensor)};
}

}  // namespace safestructures::inline v0::comparing
