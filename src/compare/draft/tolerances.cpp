#include "compare/draft/tolerances.hpp"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include <safestructures/data/error.hpp>
#include "compare/metrics/tolerance.hpp"

namespace safestructures::inline v0::comparing {
namespace {

void require_sane(const Tolerance& tolerance) {
  // Comparisons with NaN are false.
  if (tolerance.rtol >= 0 && tolerance.atol >= 0 && std::isfinite(tolerance.rtol) &&
      std::isfinite(tolerance.atol))
    return;
  throw Error(ErrorCode::invalid_argument, "a tolerance is not valid",
              {.expected = "finite numbers, 0 or larger",
               .found = fmt::format("rtol {}, atol {}", tolerance.rtol, tolerance.atol)});
}

}  // namespace

Tolerances::Tolerances(const CompareOptions& options)
    : options_(options), used_(options.tolerances.size()) {
  require_sane({options.rtol.value_or(0), options.atol.value_or(0)});
  for (const ToleranceRule& rule : options.tolerances) require_sane(rule.tolerance);
}

const ToleranceRule* Tolerances::rule_of(const std::string& path, DType dtype) const {
  for (std::size_t i = 0; i < options_.tolerances.size(); ++i) {
    const ToleranceRule& rule = options_.tolerances[i];
    if (rule.dtype.value_or(dtype) != dtype || !matches(rule.paths, path)) continue;
    used_.mark(i);
    return &rule;
  }
  return nullptr;
}

Tolerance Tolerances::of(const std::string& path, DType dtype) const {
  if (const ToleranceRule* const rule = rule_of(path, dtype)) return rule->tolerance;
  const Tolerance usual = default_tolerance(dtype);
  if (!has_fractions(dtype)) return usual;
  return {options_.rtol.value_or(usual.rtol), options_.atol.value_or(usual.atol)};
}

Tolerance Tolerances::of(const std::string& path, const BothDTypes& dtypes) const {
  const DType dtype_a = dtypes.a.effective();
  const DType dtype_b = dtypes.b.effective();
  const Tolerance tolerance = of(path, dtype_a);
  return dtype_a == dtype_b ? tolerance : looser(tolerance, of(path, dtype_b));
}

bool Tolerances::are_given(const std::string& path, const BothDTypes& dtypes) const {
  return options_.rtol || options_.atol || rule_of(path, dtypes.a.effective()) != nullptr ||
         rule_of(path, dtypes.b.effective()) != nullptr;
}

std::vector<std::string> Tolerances::unused() const {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < options_.tolerances.size(); ++i) {
    if (used_.is_used(i)) continue;
    const ToleranceRule& rule = options_.tolerances[i];
    std::string note = "the tolerance of " + rule.paths;
    if (rule.dtype) note.append(" for ").append(to_string(*rule.dtype));
    notes.push_back(note + " had no effect");
  }
  return notes;
}

}  // namespace safestructures::inline v0::comparing
