#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/value.hpp>
#include "data/box.hpp"
#include "data/digest.hpp"
#include "data/same_view.hpp"

namespace safestructures::inline v0 {

using detail::Box;

namespace {

bool same_double(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

bool same_doubles(std::complex<double> a, std::complex<double> b) {
  return same_double(a.real(), b.real()) && same_double(a.imag(), b.imag());
}

/// Compares two values of the same kind that are no containers.
bool same_leaf(const Value& a, const Value& b) {
  switch (a.kind()) {
    case Kind::boolean: return a.as_bool() == b.as_bool();
    case Kind::integer:
      if (a.as_int64() || b.as_int64()) return a.as_int64() == b.as_int64();
      return a.integer_text() == b.integer_text();
    case Kind::floating: return same_double(a.as_double(), b.as_double());
    case Kind::complex: return same_doubles(a.as_complex(), b.as_complex());
    case Kind::string: return a.as_string() == b.as_string();
    case Kind::bytes:
    case Kind::tensor: return a.tensor() == b.tensor();
    default: return true;
  }
}

bool is_leaf(Kind kind) { return kind <= Kind::bytes || kind == Kind::tensor; }

/// Compares two trees using a list of pending pairs instead of recursion, so that depth needs no
/// stack, and compares each value with only one other.
class Comparison {
 public:
  explicit Comparison(detail::Digester::Sets& sets) : sets_(sets) {}

  bool same(const Value& a, const Value& b) {
    pending_.emplace_back(&a, &b);
    while (!pending_.empty()) {
      const auto [x, y] = pending_.back();
      pending_.pop_back();
      if (!same_node(*x, *y)) return false;
    }
    return true;
  }

 private:
  /// Digests in ascending order, with the positions of their items.
  using Order = std::vector<std::pair<std::uint64_t, std::size_t>>;

  bool same_node(const Value& a, const Value& b) {
    if (a.kind() != b.kind()) return false;
    if (is_leaf(a.kind())) return same_leaf(a, b);
    if (a.kind() == Kind::structure || a.kind() == Kind::custom)
      if (a.type_name() != b.type_name()) return false;
    if (a.kind() == Kind::custom) {
      pending_.emplace_back(&a.payload(), &b.payload());
      return true;
    }
    if (a.size() != b.size()) return false;
    if (a.kind() == Kind::set) return same_sets(a.items(), b.items());
    if (a.is_sequence()) {
      for (std::size_t i = 0; i < a.items().size(); ++i)
        pending_.emplace_back(&a.items()[i], &b.items()[i]);
      return true;
    }
    for (std::size_t i = 0; i < a.entries().size(); ++i) {
      pending_.emplace_back(&a.entries()[i].key, &b.entries()[i].key);
      pending_.emplace_back(&a.entries()[i].value, &b.entries()[i].value);
    }
    return true;
  }

  /// Sets are compared without order: each item with the one that has the same digest.
  bool same_sets(const std::vector<Value>& a, const std::vector<Value>& b) {
    const Order left = in_order(a);
    const Order right = in_order(b);
    const auto digest = [](const auto& one) { return one.first; };
    if (!std::ranges::equal(left, right, {}, digest, digest)) return false;
    for (std::size_t i = 0; i < left.size();) {
      std::size_t end = i + 1;
      while (end < left.size() && left[end].first == left[i].first) ++end;
      if (end - i == 1) pending_.emplace_back(&a[left[i].second], &b[right[i].second]);
      else if (!same_group(a, left, b, right, i, end)) return false;
      i = end;
    }
    return true;
  }

  Order in_order(const std::vector<Value>& items) {
    detail::Digester digest(sets_);
    Order order;
    order.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) order.emplace_back(digest(items[i]), i);
    std::ranges::sort(order);
    return order;
  }

  /// Items with the same digest: duplicates, which only a program can make, or accidental
  /// collisions, for one pair in 2^64. Recursive, but each time into less than half of a tree.
  bool same_group(const std::vector<Value>& a, const Order& left, const std::vector<Value>& b,
                  const Order& right, std::size_t begin, std::size_t end) {
    std::vector<std::size_t> unmatched;
    for (std::size_t i = begin; i < end; ++i) unmatched.push_back(right[i].second);
    for (std::size_t i = begin; i < end; ++i) {
      const auto match = std::ranges::find_if(unmatched, [&](std::size_t position) {
        return Comparison(sets_).same(a[left[i].second], b[position]);
      });
      if (match == unmatched.end()) return false;
      *match = unmatched.back();
      unmatched.pop_back();
    }
    return true;
  }

  detail::Digester::Sets& sets_;
  std::vector<std::pair<const Value*, const Value*>> pending_;
};

/// Visits every value of the tree without recursion, the root first, including keys and attributes.
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
        pending.push_back(&entry.key);  // A copy of a key's bytes is an equal key.
        pending.push_back(&entry.value);
      }
    else if (value.kind() == Kind::custom) pending.push_back(&value.payload());
    if (Box::has_extras(value))
      for (Entry& entry : Box::of(value)->extras->attributes) pending.push_back(&entry.value);
  }
}

}  // namespace

bool operator==(const Value& a, const Value& b) {
  // Dicts compare keys, most of which are not containers.
  if (a.kind() != b.kind()) return false;
  if (is_leaf(a.kind())) return same_leaf(a, b);
  detail::Digester::Sets sets;
  return Comparison(sets).same(a, b);
}

void Value::own() {
  // Views with the same name and elements are one tensor in the file, and remain one.
  std::multimap<std::string, std::pair<Tensor, Tensor>, std::less<>> copies;
  for_each_node(*this, [&](Value& value) {
    if (!value.has_tensor()) return;
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

}  // namespace safestructures::inline v0
