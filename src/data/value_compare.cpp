#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/value.hpp>
#include "data/box.hpp"
#include "data/same_view.hpp"

namespace safestructures {

using detail::Box;

namespace {

bool same_double(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

/// Pairs that are still to be compared: a list instead of recursion, so that depth costs no stack.
using Pending = std::vector<std::pair<const Value*, const Value*>>;

/// Sets of one size compare without order: as long as their items are distinct, as they are in all
/// that was read or made by a codec, it is enough that each item of one is in the other.
bool same_sets(const Value& a, const Value& b, Pending& pending) {
  const auto hashable = [](const Value& item) { return detail::is_hashable(item); };
  if (!std::ranges::all_of(a.items(), hashable) || !std::ranges::all_of(b.items(), hashable)) {
    // Python cannot make such a set; C++ sets of structs come in their own order.
    for (std::size_t i = 0; i < a.items().size(); ++i)
      pending.emplace_back(&a.items()[i], &b.items()[i]);
    return true;
  }
  const auto members_of = [](const Value& set) {
    detail::Dict members;
    for (Value item : set.items()) {
      Value nothing;
      members.insert(item, nothing);
    }
    return members;
  };
  const auto within = [](const Value& set, const detail::Dict& members) {
    return std::ranges::all_of(
        set.items(), [&](const Value& item) { return members.find(item) != detail::Dict::npos; });
  };
  return within(b, members_of(a)) && within(a, members_of(b));
}

bool same_node(const Value& a, const Value& b, Pending& pending) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::none: return true;
    case Kind::boolean: return a.as_bool() == b.as_bool();
    case Kind::integer:
      if (a.as_int64() || b.as_int64()) return a.as_int64() == b.as_int64();
      return a.integer_text() == b.integer_text();
    case Kind::floating: return same_double(a.as_double(), b.as_double());
    case Kind::complex:
      return same_double(a.as_complex().real(), b.as_complex().real()) &&
             same_double(a.as_complex().imag(), b.as_complex().imag());
    case Kind::string: return a.as_string() == b.as_string();
    case Kind::bytes:
    case Kind::tensor: return a.tensor() == b.tensor();
    case Kind::list:
    case Kind::tuple:
      if (a.size() != b.size()) return false;
      for (std::size_t i = 0; i < a.size(); ++i) pending.emplace_back(&a.items()[i], &b.items()[i]);
      return true;
    case Kind::set: return a.size() == b.size() && same_sets(a, b, pending);
    case Kind::structure:
      if (a.type_name() != b.type_name()) return false;
      [[fallthrough]];
    case Kind::dict:
      if (a.size() != b.size()) return false;
      for (std::size_t i = 0; i < a.size(); ++i) {
        pending.emplace_back(&a.entries()[i].key, &b.entries()[i].key);
        pending.emplace_back(&a.entries()[i].value, &b.entries()[i].value);
      }
      return true;
    case Kind::custom:
      if (a.type_name() != b.type_name()) return false;
      pending.emplace_back(&a.payload(), &b.payload());
      return true;
  }
  return false;
}

/// Every value of the tree, the root first, without recursion: keys and attributes as well.
template <class Visit>
void for_each_node(Value& root, const Visit& visit) {
  std::vector<Value*> pending = {&root};
  while (!pending.empty()) {
    Value& value = *pending.back();
    pending.pop_back();
    visit(value);
    if (value.is_sequence())
      for (Value& item : value.items()) pending.push_back(&item);
    else if (value.is_mapping())
      for (Entry& entry : static_cast<detail::DictBox*>(Box::of(value))->dict.entries()) {
        pending.push_back(&entry.key);  // A copy of a key's bytes is the same key.
        pending.push_back(&entry.value);
      }
    else if (value.kind() == Kind::custom) pending.push_back(&value.payload());
    if (Box::has_extras(value))
      for (Entry& entry : Box::of(value)->extras->attributes) pending.push_back(&entry.value);
  }
}

}  // namespace

bool operator==(const Value& a, const Value& b) {
  // Scalars first: dict lookups compare keys, and these need no list.
  Pending pending;
  if (!same_node(a, b, pending)) return false;
  while (!pending.empty()) {
    const auto [x, y] = pending.back();
    pending.pop_back();
    if (!same_node(*x, *y, pending)) return false;
  }
  return true;
}

void Value::own() {
  // Views of one name and the same elements are one tensor in the file, and stay one.
  std::multimap<std::string, std::pair<Tensor, Tensor>, std::less<>> copies;
  for_each_node(*this, [&](Value& value) {
    if (value.kind() != Kind::tensor && value.kind() != Kind::bytes) return;
    const Tensor& tensor = value.tensor();
    if (tensor.is_owned() || tensor.size() == 0) return;
    const auto [first, last] = copies.equal_range(value.tensor_name());
    const auto known =
        value.tensor_name().empty() ? last : std::find_if(first, last, [&](const auto& copy) {
          return detail::same_view(copy.second.first, tensor);
        });
    if (known != last) return value.set_tensor(known->second.second);
    Tensor copy = tensor.clone();
    if (!value.tensor_name().empty()) copies.emplace(value.tensor_name(), std::pair(tensor, copy));
    value.set_tensor(std::move(copy));
  });
}

}  // namespace safestructures
