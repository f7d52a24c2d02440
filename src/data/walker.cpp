#include <safestructures/data/walker.hpp>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "data/limit.hpp"

namespace safestructures::inline v0::detail {

Walker::Walker(const Registry* registry, const Limits& limits)
    : registry_(registry),
      limits_(limits),
      unchecked_(std::min(limits.depth, Descent::unchecked)) {}

void Walker::fail(ErrorCode code, std::string problem, ErrorDetails details) const {
  details.path = path();
  throw Error(code, std::move(problem), std::move(details));
}

void Walker::rethrow(std::string_view type_name) const {
  const std::string where = failed_path_.empty() ? path() : failed_path_;
  const std::string codec =
      type_name.empty() ? "a codec failed" : "the codec of '" + std::string(type_name) + "' failed";
  try {
    throw;
  } catch (const Error& error) {
    // Rethrown as a new error only if something is added, so that nested exceptions stay attached.
    if (!error.details().path.empty()) throw;
    throw error.with_path(where);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    std::throw_with_nested(
        Error(ErrorCode::plugin_failed, codec, {.path = where, .found = error.what()}));
  } catch (...) {
    std::throw_with_nested(
        Error(ErrorCode::plugin_failed, codec,
              {.path = where, .found = "an exception that is not a std::exception"}));
  }
}

std::string Walker::dotted_path() const {
  std::vector<const Trace*> steps;
  for (const Trace* step = top_; step != nullptr; step = step->parent) steps.push_back(step);
  std::string name;
  for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
    if (!name.empty()) name += '.';
    if ((*it)->index == Trace::npos) name += (*it)->name;
    else name += std::to_string((*it)->index);
  }
  return name;
}

void Walker::check_depth() const { Descent::check(depth_, limits_.depth, top_); }

void Walker::note_failure() noexcept {
  if (!failed_path_.empty()) return;
  try {
    failed_path_ = path();
  } catch (const std::bad_alloc&) {
    // The error is passed on without its path rather than ending the program.
  }
}

}  // namespace safestructures::inline v0::detail
