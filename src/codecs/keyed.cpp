#include <safestructures/codecs/keyed.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <compare>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>

#include <safestructures/data/slice.hpp>
#include "codecs/scalar_of.hpp"
#include "codecs/spelled_key.hpp"
#include "data/box.hpp"
#include "data/column_count.hpp"
#include "data/dict.hpp"

namespace safestructures::inline v0::detail {
namespace {

std::strong_ordering compare(const Value& a, const Value& b);

std::strong_ordering compare_integers(const Value& a, const Value& b) {
  const auto x = a.as_int64();
  const auto y = b.as_int64();
  if (x && y) return *x <=> *y;
  const std::string s = a.integer_text();
  const std::string t = b.integer_text();
  const bool is_negative = s.front() == '-';
  if (is_negative != (t.front() == '-'))
    return is_negative ? std::strong_ordering::less : std::strong_ordering::greater;
  const auto larger = s.size() != t.size() ? s.size() <=> t.size() : s.compare(t) <=> 0;
  return is_negative ? 0 <=> larger : larger;
}

std::strong_ordering compare_doubles(double a, double b) { return std::strong_order(a, b); }

std::strong_ordering compare_tensors(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) return a.dtype() <=> b.dtype();
  const auto shapes = std::lexicographical_compare_three_way(a.shape().begin(), a.shape().end(),
                                                             b.shape().begin(), b.shape().end());
  if (shapes != 0) return shapes;
  const Tensor x = a.contiguous();
  const Tensor y = b.contiguous();
  if (x.bytes().empty()) return std::strong_ordering::equal;
  return std::memcmp(x.bytes().data(), y.bytes().data(), x.bytes().size()) <=> 0;
}

std::strong_ordering compare_items(const std::vector<Value>& a, const std::vector<Value>& b) {
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end(), compare);
}

std::strong_ordering compare_entry(const Entry& a, const Entry& b) {
  const auto keys = compare(a.key, b.key);
  return keys != 0 ? keys : compare(a.value, b.value);
}

std::strong_ordering compare_entries(const std::vector<Entry>& a, const std::vector<Entry>& b) {
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end(),
                                                compare_entry);
}

std::strong_ordering compare_contents(const Value& a, const Value& b) {
  switch (a.kind()) {
    case Kind::none: return std::strong_ordering::equal;
    case Kind::boolean: return a.as_bool() <=> b.as_bool();
    case Kind::integer: return compare_integers(a, b);
    case Kind::floating: return compare_doubles(a.as_double(), b.as_double());
    case Kind::complex: {
      const auto real = compare_doubles(a.as_complex().real(), b.as_complex().real());
      return real != 0 ? real : compare_doubles(a.as_complex().imag(), b.as_complex().imag());
    }
    case Kind::string: return a.as_string().compare(b.as_string()) <=> 0;
    case Kind::bytes:
    case Kind::tensor: return compare_tensors(a.tensor(), b.tensor());
    case Kind::list:
    case Kind::tuple:
    case Kind::set: return compare_items(a.items(), b.items());
    case Kind::dict:
    case Kind::structure: {
      const auto names = a.type_name().compare(b.type_name()) <=> 0;
      return names != 0 ? names : compare_entries(a.entries(), b.entries());
    }
    case Kind::custom: {
      const auto names = a.type_name().compare(b.type_name()) <=> 0;
      return names != 0 ? names : compare(a.payload(), b.payload());
    }
  }
  return std::strong_ordering::equal;
}

/// A total order: by kind, then by content, then by attributes, among which is a variant's tag.
/// Recursive; the values were just encoded within the depth limit.
std::strong_ordering compare(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return a.kind() <=> b.kind();
  const auto contents = compare_contents(a, b);
  return contents != 0 ? contents : compare_entries(a.attributes(), b.attributes());
}

void sort(std::vector<Value>& items, Order order) {
  if (order == Order::sort)
    std::ranges::sort(items, [](const Value& a, const Value& b) { return compare(a, b) < 0; });
}

void sort(std::vector<Entry>& entries, Order order) {
  if (order == Order::sort)
    std::ranges::sort(entries,
                      [](const Entry& a, const Entry& b) { return compare_entry(a, b) < 0; });
}

/// Returns nested tuples of a tensor's elements, of which there are few, since it was a key.
Value tuples_of(const Tensor& tensor) {
  if (tensor.rank() == 0) return scalar_of(tensor);
  std::vector<Value> items;
  for (std::uint64_t i = 0; i < tensor.shape()[0]; ++i) {
    const std::array<Slice, 1> slice{
        Slice{.start = static_cast<std::int64_t>(i), .stop = {}, .step = 1, .index = true}};
    items.push_back(tuples_of(tensor.slice(slice)));
  }
  return Value::tuple(std::move(items));
}

Value pair_of(Entry entry) {
  std::vector<Value> items;
  items.reserve(2);
  items.push_back(std::move(entry.key));
  items.push_back(std::move(entry.value));
  return Value::tuple(std::move(items));
}

/// Whether a value can be built from the names of a checkpoint: tensors and levels above them.
/// Lists of anything else are not maps.
bool is_named(const Value& value) {
  return value.kind() == Kind::tensor || value.kind() == Kind::list || value.kind() == Kind::dict;
}

/// The same, except values that may be an integer, the key of a pair.
bool is_level(const Value& value) {
  return is_named(value) && !(value.kind() == Kind::tensor && value.tensor().rank() == 0);
}

/// Which numbers occur in keys. Python considers numbers of different kinds equal, such as True, 1
/// and 1.0, and the two zeros; all other keys that are equal there are equal here, too.
class Numbers {
 public:
  /// Recursive. \returns false for a key of more than `depth` levels, which is not examined: a
  /// Value encoded unchanged may have any number
  [[nodiscard]] bool add(const Value& key, int depth = 64) {
    switch (key.kind()) {
      case Kind::boolean:
      case Kind::integer: add(key.kind()); break;
      case Kind::floating:
        add(key.kind());
        add(key.as_double());
        break;
      case Kind::complex:
        add(key.kind());
        add(key.as_complex().real());
        add(key.as_complex().imag());
        break;
      case Kind::tuple:
      case Kind::set:
        return depth > 0 && std::ranges::all_of(key.items(), [&](const Value& item) {
                 return add(item, depth - 1);
               });
      default: break;
    }
    return true;
  }
  [[nodiscard]] bool may_be_equal() const {
    return std::popcount(kinds_) > 1 || (has_zero_ && has_minus_zero_);
  }

 private:
  void add(Kind kind) { kinds_ |= 1U << static_cast<unsigned>(kind); }
  void add(double number) {
    if (number == 0) (std::signbit(number) ? has_minus_zero_ : has_zero_) = true;
  }

  unsigned kinds_ = 0;  // One bit for each kind.
  bool has_zero_ = false;
  bool has_minus_zero_ = false;
};

/// Returns the same value for all numbers that are equal in Python: the integer, if there is one.
Value python_number(double number) {
  if (!std::isfinite(number) || number != std::trunc(number)) return number;
  std::array<char, 310> digits;  // For the largest double and a sign.
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number + 0.0,
                                    std::chars_format::fixed, 0);  // -0.0 + 0.0 is 0.0.
  return Value::integer(std::string_view(digits.data(), result.ptr));
}

/// Returns the same value for all keys that are equal in Python. Recursive; `Numbers` has checked
/// the depth.
Value python_key(const Value& key) {
  switch (key.kind()) {
    case Kind::boolean: return key.as_bool() ? 1 : 0;
    case Kind::floating: return python_number(key.as_double());
    case Kind::complex: {
      const std::complex<double> number = key.as_complex();
      if (number.imag() == 0) return python_number(number.real());
      return std::complex<double>(number.real() + 0.0, number.imag());
    }
    case Kind::tuple:
    case Kind::set: {
      std::vector<Value> items;
      items.reserve(key.size());
      for (const Value& item : key.items()) items.push_back(python_key(item));
      return key.kind() == Kind::tuple ? Value::tuple(std::move(items))
                                       : Value::set(std::move(items));
    }
    default: return key;
  }
}

/// Whether Python would lose a key, because it equals another one there, or whether that is
/// unknown.
/// \param key_of returns the key of an item
template <class Item, class KeyOf>
bool loses_in_python(const std::vector<Item>& items, const KeyOf& key_of) {
  Numbers numbers;
  for (const Item& item : items)
    if (!numbers.add(std::invoke(key_of, item))) return true;
  if (!numbers.may_be_equal()) return false;
  std::vector<Value> keys;
  keys.reserve(items.size());
  for (const Item& item : items) keys.push_back(python_key(std::invoke(key_of, item)));
  return find_repeated(keys) != Dict::npos;
}

}  // namespace

Value to_key(Value value) {
  const bool is_tensor = value.kind() == Kind::tensor;
  if (!is_tensor && value.kind() != Kind::list && value.kind() != Kind::tuple) return value;
  const Value* const known = value.attribute(attributes::variant);
  const Value tag = known != nullptr ? *known : Value();
  Value key;
  if (is_tensor) {
    key = tuples_of(value.tensor());
  } else {
    std::vector<Value> items = std::move(value).items();
    for (Value& item : items) item = to_key(std::move(item));
    key = Value::tuple(std::move(items));
  }
  // A tuple tells even less than a tensor about the alternative of a variant.
  if (!tag.is_none() && key.kind() == Kind::tuple) key.set_attribute(attributes::variant, tag);
  return key;
}

Value make_list(std::vector<Value> items, Order order) {
  sort(items, order);
  return Value::list(std::move(items));
}

Value make_set(std::vector<Value> items, Order order) {
  sort(items, order);
  // Items that are distinct in the container may be equal here: pointers to equal objects, NaN.
  if (!std::ranges::all_of(items, is_hashable) || find_repeated(items) != Dict::npos ||
      loses_in_python(items, std::identity()))
    return Value::list(std::move(items));
  return Value::set(std::move(items));
}

Value make_pairs(std::vector<Entry> entries, Order order) {
  sort(entries, order);
  std::vector<Value> pairs;
  pairs.reserve(entries.size());
  for (Entry& entry : entries) pairs.push_back(pair_of(std::move(entry)));
  return Value::list(std::move(pairs));
}

Value make_dict(std::vector<Entry> entries, Order order) {
  const auto key_is_hashable = [](const Entry& entry) { return is_hashable(entry.key); };
  if (!std::ranges::all_of(entries, key_is_hashable) || loses_in_python(entries, &Entry::key))
    return make_pairs(std::move(entries), order);
  sort(entries, order);
  // Keys that are distinct in the container may be equal here: pointers to equal objects, NaN.
  Value dict = Value::dict();
  const std::size_t added = static_cast<DictBox*>(Box::of(dict))->dict.insert_all(entries);
  if (added == entries.size()) return dict;
  std::ranges::move(std::move(dict).entries(), entries.begin());
  return make_pairs(std::move(entries), Order::keep);
}

KeyStep::KeyStep(const Value& key) {
  if (key.kind() == Kind::string) {
    view_ = key.as_string();
  } else {
    text_ = key.key_label();
    view_ = text_;
  }
}

Pairs::Pairs(const Value& value, Keys keys, const Decoder& decoder)
    : source_(value), is_mapping_(value.is_mapping()) {
  if (!is_mapping_) {
    const bool is_list = value.kind() == Kind::list || value.kind() == Kind::tuple;
    const auto is_pair = [&](const Value& item) {
      return (item.kind() == Kind::tuple || item.kind() == Kind::list) && item.size() == 2 &&
             !(keys == Keys::integers && is_level(item.items()[0]));
    };
    if (!is_list || !std::ranges::all_of(value.items(), is_pair)) {
      is_indexed_ = keys == Keys::integers && value.kind() == Kind::list &&
                    std::ranges::all_of(value.items(), is_named);
      if (!is_indexed_) decoder.mismatch("dict, struct, or a list of (key, value) pairs", value);
    }
  }
  size_ = value.size();
  if (keys == Keys::any) return;
  const auto is_text = [](const Entry& entry) { return entry.key.kind() == Kind::string; };
  if (is_indexed_) {
    spelled_.reserve(size_);
    for (std::size_t i = 0; i < size_; ++i) spelled_.emplace_back(i);
  } else if (is_mapping_ && std::ranges::any_of(value.entries(), is_text)) {
    spelled_.reserve(size_);
    for (const Entry& entry : value.entries()) {
      const Value& key = entry.key;
      auto number = key.kind() == Kind::string ? spelled_key(key.as_string(), keys) : std::nullopt;
      spelled_.push_back(number ? *std::move(number) : key);
    }
  }
}

const Value& Pairs::key(std::size_t index) const {
  if (!spelled_.empty()) return spelled_[index];
  return is_mapping_ ? source_.entries()[index].key : source_.items()[index].items()[0];
}

const Value& Pairs::value(std::size_t index) const {
  if (is_indexed_) return source_.items()[index];
  return is_mapping_ ? source_.entries()[index].value : source_.items()[index].items()[1];
}

bool is_columns_of_pairs(const Value& value) {
  return value.kind() == Kind::structure && value.size() == 2 && value.find("first") != nullptr &&
         value.find("second") != nullptr && column_count(value);
}

void duplicate(const Value& key, const Decoder& decoder) {
  decoder.fail(
      ErrorCode::duplicate_name, "two items become equal in the loaded type",
      {.found = describe(key), .advice = "Load them into a multimap, a multiset or a list"});
}

}  // namespace safestructures::inline v0::detail
