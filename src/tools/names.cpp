#include "tools/names.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>

namespace safestructures {
namespace {

void insert_by_name(Value& root, const safetensors::File& file, std::size_t index,
                    const Limits& limits) {
  const std::string_view name = file.name(index);
  if (std::cmp_greater_equal(std::ranges::count(name, '.'), limits.depth))
    throw Error(ErrorCode::limit_exceeded, "a tensor's name has too many steps",
                {.path = std::string(name.substr(0, 60)),
                 .expected = "at most " + std::to_string(limits.depth) + " (Limits::depth)"});
  Value* level = &root;
  std::size_t begin = 0;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    if (file.find(name.substr(0, dot))) break;
    const std::string_view step = name.substr(begin, dot - begin);
    Value* next = level->find(step);
    level = next != nullptr ? next : &level->insert(step, Value::dict());
    begin = dot + 1;
  }
  Value tensor(file.tensor(index));
  tensor.set_tensor_name(std::string(name));
  level->insert(name.substr(begin), std::move(tensor));
}

/// The index that a step of a name spells, or `count`.
std::size_t index_of(const Value& key, std::size_t count) {
  const std::string& text = key.as_string();
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool is_index = error == std::errc() && end == text.data() + text.size() &&
                        (text.size() == 1 || text.front() != '0');
  return is_index && index < count ? index : count;
}

/// Turns levels whose steps are 0, 1, ... n-1 into lists. Recursive, to Limits::depth.
void make_lists(Value& level) {
  for (std::size_t i = 0; i < level.size(); ++i)
    if (level.entry_value(i).kind() == Kind::dict) make_lists(level.entry_value(i));
  const std::size_t count = level.size();
  std::vector<std::size_t> positions(count, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = index_of(level.entries()[i].key, count);
    if (index == count) return;
    positions[index] = i;
  }
  if (count == 0) return;
  // Names are distinct and index_of takes one spelling of each number, so every position is filled.
  std::vector<Value> items;
  items.reserve(count);
  for (const std::size_t position : positions) items.push_back(std::move(level.entry_value(position)));
  level = Value::list(std::move(items));
}

}  // namespace

Value structure_of_names(const safetensors::File& file, const Limits& limits) {
  Value root = Value::dict();
  for (std::size_t i = 0; i < file.size(); ++i) insert_by_name(root, file, i, limits);
  make_lists(root);
  return root;
}

}  // namespace safestructures
