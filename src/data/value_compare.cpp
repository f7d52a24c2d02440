#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "data/box.hpp"
#include <safestructures/data/value.hpp>

namespace safestructures {
namespace {

bool same_double(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

/// Pairs that are still to be compared: a list instead of recursion, so that depth costs no stack.
using Pending = std::vector<std::pair<const Value*, const Value*>>;

bool same_sets(const Value& a, const Value& b, Pending& pending) {
  detail::Dict members;
  for (const Value& item : a.items()) {
    if (!detail::is_hashable(item)) {
      // Python cannot make such a set; C++ sets of structs come in their own order.
      for (std::size_t i = 0; i < a.items().size(); ++i)
        pending.emplace_back(&a.items()[i], &b.items()[i]);
      return true;
    }
    Value key = item;
    Value nothing;
    members.insert(key, nothing);
  }
  for (const Value& item : b.items())
    if (members.find(item) == detail::Dict::npos) return false;
  return true;
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
      for (std::size_t i = 0; i < a.size(); ++i)
        pending.emplace_back(&a.items()[i], &b.items()[i]);
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

/// Every value of the tree, the root first, without recursion.
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
      for (std::size_t i = 0; i < value.size(); ++i) pending.push_back(&value.entry_value(i));
    else if (value.kind() == Kind::custom)
      pending.push_back(&value.payload());
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
  std::map<std::string, Tensor> shared;  // By name: tensors of one name are one tensor.
  for_each_node(*this, [&](Value& value) {
    if (value.kind() != Kind::tensor && value.kind() != Kind::bytes) return;
    if (value.tensor().is_owned() || value.tensor().size() == 0) return;
    if (value.tensor_name().empty()) {
      value.set_tensor(value.tensor().clone());
      return;
    }
    const auto [copy, is_new] = shared.try_emplace(value.tensor_name());
    if (is_new) copy->second = value.tensor().clone();
    value.set_tensor(copy->second);
  });
}

}  // namespace safestructures
