#include <safestructures/data/walk.hpp>

#include <string>
#include <string_view>
#include <utility>

#include "data/box.hpp"
#include "data/children.hpp"

namespace safestructures::inline v0 {
namespace {

/// The target of a step: the children of `children.hpp` are numbered first, then the attributes.
enum class StepKind : std::uint8_t { item, key, value, payload, attribute };

struct Step {
  const Value* value = nullptr;
  StepKind kind = StepKind::item;
  std::size_t index = 0;
};

StepKind kind_of_step(const Value& value, std::size_t number) {
  if (value.is_sequence()) return StepKind::item;
  if (value.kind() == Kind::custom) return StepKind::payload;
  return number % 2 == 0 ? StepKind::key : StepKind::value;
}

/// Returns the step with that number; without a value if there is none.
Step step_of(const Value& value, std::size_t number) {
  const std::size_t own = detail::count_of_children(value);
  if (number < own) {
    return {&detail::child_of(value, number), kind_of_step(value, number),
            value.is_mapping() ? number / 2 : number};
  }
  if (!detail::Box::has_extras(value)) return {};
  const std::vector<Entry>& attributes = value.attributes();
  number -= own;
  if (number < attributes.size()) return {&attributes[number].value, StepKind::attribute, number};
  return {};
}

bool is_leaf_key(const Step& child) {
  return child.kind == StepKind::key && child.value->kind() <= Kind::string;
}

}  // namespace

/// The walk itself; the visitor sees the tree as const or non-const.
class Walk {
 public:
  template <class Visit>
  static void run(const Value& root, bool with_keys, const Visit& visit) {
    std::vector<detail::WalkFrame> frames{{&root}};
    const Place place(frames);
    const auto enter = [&] {
      const Next next = visit(place);
      // Most nodes are scalars, which have no children.
      if (next == Next::over || place.value().kind() <= Kind::string) frames.pop_back();
      return next != Next::stop;
    };
    if (!enter()) return;
    while (!frames.empty()) {
      detail::WalkFrame& frame = frames.back();
      const Step child = step_of(*frame.value, frame.next++);
      if (child.value == nullptr) {
        frames.pop_back();
        continue;
      }
      if (child.kind == StepKind::key && (!with_keys || is_leaf_key(child))) continue;
      frames.push_back({child.value});
      if (!enter()) return;
    }
  }
};

template <class Visit>
void Place::for_each_step(const Visit& visit) const {
  for (std::size_t i = 0; i + 1 < frames_.size(); ++i) {
    const Value& value = *frames_[i].value;
    const Step child = step_of(value, frames_[i].next - 1);
    switch (child.kind) {
      case StepKind::item: visit(std::string_view(std::to_string(child.index))); break;
      case StepKind::key:
      case StepKind::value: {
        const Value& key = value.entries()[child.index].key;
        if (key.kind() == Kind::string && !detail::Box::has_extras(key))
          visit(std::string_view(key.as_string()));
        else visit(std::string_view(key.key_label()));
        break;
      }
      case StepKind::payload: break;
      case StepKind::attribute:
        visit(std::string_view(value.attributes()[child.index].key.as_string()));
        break;
    }
  }
}

Path Place::path() const {
  Path path;
  for_each_step([&](std::string_view step) { path.push_back(std::string(step)); });
  return path;
}

std::string Place::dotted(std::size_t most) const {
  std::string text;
  bool is_first = true;
  const auto append = [&](std::string_view part) { text += part.substr(0, most - text.size()); };
  for_each_step([&](std::string_view step) {
    if (!std::exchange(is_first, false)) append(".");
    append(step);
  });
  return text;
}

void walk(const Value& root, const std::function<Next(const Place&)>& visit) {
  Walk::run(root, true, visit);
}

void walk(Value& root, const std::function<Next(Value&, const Place&)>& visit) {
  // Every node that is visited belongs to the root, which is not const; keys are left out.
  Walk::run(root, false, [&](const Place& place) {
    auto& value = const_cast<Value&>(place.value());
    detail::Box::forget_digest(value);
    return visit(value, place);
  });
}

}  // namespace safestructures::inline v0
