#include "formats/tensor_names.hpp"

#include <utility>
#include <vector>

#include "data/text/printable.hpp"

namespace safestructures::inline v0::detail {
namespace {

constexpr std::size_t most_of_place = 512;

/// Cuts a name to its longest form. \param start the beginning of a place's spelling, a few bytes
/// longer than what is kept
std::string cut_name(std::string start) {
  if (start.size() <= most_of_place) return start;
  return shortened(start, most_of_place);
}

std::string name_of(std::string start) {
  return start.empty() ? "tensor" : cut_name(std::move(start));
}

/// Calls `append` with the text of each step, outermost first, while it returns true. Each text is
/// cut to what may be used.
template <class Append>
void each_step(const Trace* trace, const Append& append) {
  std::vector<const Trace*> steps;
  for (const Trace* step = trace; step != nullptr; step = step->parent) steps.push_back(step);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const bool is_name = (*step)->index == Trace::npos;
    const std::string index = is_name ? "" : std::to_string((*step)->index);
    if (!append((is_name ? (*step)->name : index).substr(0, most_of_place + 1))) return;
  }
}

}  // namespace

std::string place_name(const Trace* trace) {
  std::string start;
  bool is_first = true;
  each_step(trace, [&](std::string_view step) {
    if (!std::exchange(is_first, false)) start += '.';
    start += step;
    return start.size() <= most_of_place;
  });
  return name_of(std::move(start));
}

std::string place_path(const Trace* trace) {
  std::string start;
  each_step(trace, [&](std::string_view step) {
    const Trace one{nullptr, step};
    start += to_string(&one);
    return start.size() <= most_of_place;
  });
  return start.empty() ? "/" : cut_name(std::move(start));
}

std::string place_name(const Place& place) { return name_of(place.dotted(most_of_place + 1)); }

}  // namespace safestructures::inline v0::detail
