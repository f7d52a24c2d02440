#include "formats/lossy.hpp"

#include <string>

#include <safestructures/data/error.hpp>

namespace safestructures::detail {

void fail_lossy(std::string_view tensor, DType from, DType to, const ConversionReport& conversion) {
  std::string found;
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count == 0) return;
    found += (found.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(what);
  };
  add(conversion.overflow, "out of range");
  add(conversion.underflow, "that became zero");
  add(conversion.inexact, "not exact");
  add(conversion.nan_changes, "NaN changed");
  throw Error(ErrorCode::lossy_conversion, "a conversion changed values of a tensor",
              {.path = std::string(tensor),
               .expected = "all values of " + std::string(to_string(from)) + " kept in " +
                           std::string(to_string(to)),
               .found = found,
               .advice = "Store it in its own dtype, or do not ask for a lossless save"});
}

}  // namespace safestructures::detail
