#include "formats/tensor_names.hpp"

#include <algorithm>
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

const NamedTensors::Known* NamedTensors::find(std::string_view name) const {
  if (slots_.empty()) return nullptr;
  const Slot& slot = slots_[slot_of(name, hash_of(name))];
  return slot.place == 0 ? nullptr : &known_[slot.place - 1];
}

bool NamedTensors::enter(std::string& name, const Tensor& tensor, DType stored) {
  if (2 * (known_.size() + 1) > slots_.size()) grow();
  const std::uint32_t hash = hash_of(name);
  Slot& slot = slots_[slot_of(name, hash)];
  if (slot.place != 0) return false;
  known_.push_back({std::move(name), tensor, stored});
  slot = {hash, static_cast<std::uint32_t>(known_.size())};
  return true;
}

const std::string& NamedTensors::enter_distinct(std::string name, const Tensor& tensor,
                                                DType stored) {
  if (!enter(name, tensor, stored)) {
    std::size_t& count = next_.try_emplace(name, 1).first->second;
    std::string other;
    do other = name + "#" + std::to_string(++count);
    while (!enter(other, tensor, stored));
  }
  return known_.back().name;
}

std::uint32_t NamedTensors::hash_of(std::string_view name) {
  return static_cast<std::uint32_t>(KeyedHash()(name));
}

std::size_t NamedTensors::slot_of(std::string_view name, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.place == 0 || (slot.hash == hash && known_[slot.place - 1].name == name)) return at;
  }
}

void NamedTensors::grow() {
  const std::vector<Slot> old = std::exchange(slots_, {});
  slots_.resize(std::max<std::size_t>(2 * old.size(), 16));
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.place == 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].place != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

std::string place_name(const Place& place) { return name_of(place.dotted(most_of_place + 1)); }

}  // namespace safestructures::inline v0::detail
