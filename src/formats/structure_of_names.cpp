#include "formats/structure_of_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "data/limit.hpp"

namespace safestructures::inline v0 {
namespace {

/// Returns whether a name has nothing before, between or after its dots. It is then not a path, and
/// a level for each of its bytes would take more than a hundred times its memory.
bool has_empty_step(std::string_view name) {
  return name.starts_with('.') || name.ends_with('.') || name.find("..") != std::string_view::npos;
}

/// Returns the most steps that a name can have. \throws Error `limit_exceeded`
std::uint64_t check_steps(std::string_view name, const Limits& limits) {
  const auto dots = static_cast<std::uint64_t>(std::ranges::count(name, '.'));
  if (dots < limits.depth || has_empty_step(name)) return dots + 1;
  throw detail::past(detail::Limit::depth, limits.depth, "a tensor's name has too many steps",
                     {.path = std::string(name.substr(0, 60))});
}

/// Builds the levels that the names spell, one name at a time.
class Levels {
 public:
  Levels(const NamedValues& values, const Limits& limits) : values_(values), limits_(limits) {}

  /// Inserts a value. Returns false if a name extends another one, which only `stops` can tell
  /// beforehand, or if there are too many nodes, perhaps because of such names.
  bool insert(std::size_t index, std::size_t stop) {
    const std::string_view name = values_.name(index);
    static_cast<void>(check_steps(name, limits_));
    if (has_empty_step(name)) stop = 0;
    Value* level = &root_;
    std::size_t begin = 0;
    for (std::size_t dot = name.find('.'); dot < stop; dot = name.find('.', dot + 1)) {
      const std::string_view step = name.substr(begin, dot - begin);
      Value* next = level->find(step);
      if (next == nullptr) {
        if (++nodes_ > limits_.nodes) return false;
        next = &level->insert(step, Value::dict());
      } else if (next->kind() != Kind::dict) {
        return false;
      }
      level = next;
      begin = dot + 1;
    }
    const std::string_view last = name.substr(begin);
    if (level->find(last) != nullptr) return false;
    if (++nodes_ > limits_.nodes) return false;
    level->insert(last, values_.value(index));
    return true;
  }

  [[nodiscard]] Value take() { return std::move(root_); }

 private:
  const NamedValues& values_;
  const Limits& limits_;
  Value root_ = Value::dict();
  std::uint64_t nodes_ = 1;
};

/// Returns, for each name, the length of the shortest other name that it extends by a dot and more,
/// or `npos`. Looking up every prefix of every name would take time quadratic in its length.
std::vector<std::size_t> stops(const NamedValues& values) {
  std::vector<std::size_t> order(values.count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // With the dot sorted before all other bytes, names below a name directly follow it.
  const auto before = [](char a, char b) {
    if (a == '.' || b == '.') return a == '.' && b != '.';
    return static_cast<unsigned char>(a) < static_cast<unsigned char>(b);
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(values.name(a), values.name(b), before);
  });
  std::vector<std::size_t> result(values.count, std::string_view::npos);
  std::optional<std::string_view> upper;
  for (const std::size_t index : order) {
    const std::string_view name = values.name(index);
    if (upper && name.size() > upper->size() && name.starts_with(*upper) &&
        name[upper->size()] == '.')
      result[index] = upper->size();
    else upper = name;
  }
  return result;
}

/// Returns the index that a step of a name spells, or `count`.
std::size_t index_of(const Value& key, std::size_t count) {
  const std::string& text = key.as_string();
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool is_index = error == std::errc() && end == text.data() + text.size() &&
                        (text.size() == 1 || text.front() != '0');
  return is_index && index < count ? index : count;
}

/// Turns levels whose steps are 0, 1, ... n-1 into lists. Recursive, up to Limits::depth.
void make_lists(Value& level, std::uint32_t& depth, std::uint32_t most) {
  for (std::size_t i = 0; i < level.size(); ++i) {
    if (level.entry_value(i).kind() != Kind::dict) continue;
    const detail::Descent descent(depth, most, nullptr);
    make_lists(level.entry_value(i), depth, most);
  }
  const std::size_t count = level.size();
  std::vector<std::size_t> positions(count, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = index_of(level.entries()[i].key, count);
    if (index == count) return;
    positions[index] = i;
  }
  if (count == 0) return;
  // Names are distinct and index_of accepts one spelling of each number, so all positions are
  // filled.
  std::vector<Value> items;
  items.reserve(count);
  for (const std::size_t position : positions)
    items.push_back(std::move(level.entry_value(position)));
  level = Value::list(std::move(items));
}

Value with_lists(Value root, const Limits& limits) {
  std::uint32_t depth = 0;
  make_lists(root, depth, limits.depth);
  return root;
}

}  // namespace

Value structure_of_names(const NamedValues& values, const Limits& limits) {
  {
    Levels levels(values, limits);
    std::size_t index = 0;
    while (index < values.count && levels.insert(index, std::string_view::npos)) ++index;
    if (index == values.count) return with_lists(levels.take(), limits);
  }
  const std::vector<std::size_t> stop = stops(values);
  Levels levels(values, limits);
  for (std::size_t index = 0; index < values.count; ++index)
    if (!levels.insert(index, stop[index])) throw detail::past(detail::Limit::nodes, limits.nodes);
  return with_lists(levels.take(), limits);
}

void check_structure_of_names(const NamedValues& names, const Limits& limits) {
  std::uint64_t most = 1;  // The number of nodes if no step were shared.
  for (std::size_t i = 0; i < names.count; ++i) most += check_steps(names.name(i), limits);
  if (most <= limits.nodes) return;
  NamedValues leaves = names;
  leaves.value = [](std::size_t) { return Value(); };
  static_cast<void>(structure_of_names(leaves, limits));
}

}  // namespace safestructures::inline v0
