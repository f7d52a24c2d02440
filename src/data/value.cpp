#include <safestructures/data/value.hpp>

#include <algorithm>
#include <charconv>
#include <new>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include "data/box.hpp"

namespace safestructures {

using detail::Box;
using detail::CustomBox;
using detail::DictBox;
using detail::DigitsBox;
using detail::Extras;
using detail::SequenceBox;
using detail::TensorBox;

namespace {

/// Copies recurse; a tree that was built by hand deeper than this is refused, not a stack overflow.
constexpr unsigned max_copy_depth = 2000;

/// Moves the payload of `value`, if it has one, to the front of the list `pending`.
void detach(Value& value, Box*& pending) noexcept {
  if (!Box::has(value)) return;
  Box* box = Box::take(value);
  box->next = pending;
  pending = box;
}

void detach_children(Box& box, Box*& pending) noexcept {
  switch (box.kind) {
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
      for (Value& item : static_cast<SequenceBox&>(box).items) detach(item, pending);
      break;
    case Kind::dict:
    case Kind::structure:
      for (Entry& entry : static_cast<DictBox&>(box).dict.entries()) {
        detach(entry.key, pending);
        detach(entry.value, pending);
      }
      break;
    case Kind::custom: detach(static_cast<CustomBox&>(box).payload, pending); break;
    default: break;
  }
  if (box.extras)
    for (Entry& entry : box.extras->attributes) detach(entry.value, pending);
}

void delete_box(Box* box) noexcept {
  switch (box->kind) {
    case Kind::list:
    case Kind::tuple:
    case Kind::set: delete static_cast<SequenceBox*>(box); break;
    case Kind::dict:
    case Kind::structure: delete static_cast<DictBox*>(box); break;
    case Kind::tensor:
    case Kind::bytes: delete static_cast<TensorBox*>(box); break;
    case Kind::custom: delete static_cast<CustomBox*>(box); break;
    default: delete static_cast<DigitsBox*>(box); break;
  }
}

Value clone(const Value& value, unsigned depth);

std::unique_ptr<Extras> clone_extras(const Box& box, unsigned depth) {
  if (!box.extras) return nullptr;
  auto extras = std::make_unique<Extras>();
  extras->type_name = box.extras->type_name;
  extras->key_label = box.extras->key_label;
  for (const Entry& entry : box.extras->attributes)
    extras->attributes.push_back({entry.key, clone(entry.value, depth + 1)});
  return extras;
}

/// Fills a fresh payload and gives it to a value. Whatever throws, the payload is freed.
template <class BoxType, class Fill>
Value make(Kind kind, const Fill& fill, bool big = false) {
  auto box = std::make_unique<BoxType>(kind, big);
  fill(*box);
  Value value;
  Box::give(value, box.release());
  return value;
}

Value clone_unmarked(const Value& value, unsigned depth) {
  if (depth > max_copy_depth)
    throw Error(ErrorCode::limit_exceeded, "a value is nested too deep to be copied",
                {.expected = "at most " + std::to_string(max_copy_depth) + " levels"});
  const auto with_extras = [&](auto& box) { box.extras = clone_extras(*Box::of(value), depth); };
  switch (value.kind()) {
    case Kind::none: return {};
    case Kind::boolean: return value.as_bool();
    case Kind::integer:
      if (const auto number = value.as_int64()) return *number;
      return make<DigitsBox>(
          Kind::integer, [&](DigitsBox& box) { box.digits = value.integer_text(); }, true);
    case Kind::floating: return value.as_double();
    case Kind::complex: return value.as_complex();
    case Kind::string: return value.as_string();
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
      return make<SequenceBox>(value.kind(), [&](SequenceBox& box) {
        with_extras(box);
        box.items.reserve(value.items().size());
        for (const Value& item : value.items()) box.items.push_back(clone(item, depth + 1));
      });
    case Kind::dict:
    case Kind::structure:
      return make<DictBox>(value.kind(), [&](DictBox& box) {
        with_extras(box);
        box.dict.reserve(value.entries().size());
        for (const Entry& entry : value.entries()) {
          Value key = clone(entry.key, depth + 1);
          Value item = clone(entry.value, depth + 1);
          box.dict.insert(key, item);
        }
      });
    case Kind::tensor:
    case Kind::bytes:
      return make<TensorBox>(value.kind(), [&](TensorBox& box) {
        with_extras(box);
        box.tensor = value.tensor();
        box.name = value.tensor_name();
      });
    case Kind::custom:
      return make<CustomBox>(value.kind(), [&](CustomBox& box) {
        with_extras(box);
        box.payload = clone(value.payload(), depth + 1);
      });
  }
  return {};
}

/// A copy of the whole tree, each node marked as plain where the original is.
Value clone(const Value& value, unsigned depth) {
  Value copy = clone_unmarked(value, depth);
  if (value.is_plain()) return std::move(copy).plain();
  return copy;
}

Value make_sequence(Kind kind, std::vector<Value>&& items) {
  return make<SequenceBox>(kind, [&](SequenceBox& box) { box.items = std::move(items); });
}

Value make_mapping(Kind kind, std::vector<Entry>&& entries) {
  Value value = make<DictBox>(kind, [](DictBox&) {});
  value.reserve(entries.size());
  for (Entry& entry : entries) value.insert(std::move(entry.key), std::move(entry.value));
  return value;
}

}  // namespace

Value::Value(Tensor tensor)
    : Value(
          make<TensorBox>(Kind::tensor, [&](TensorBox& box) { box.tensor = std::move(tensor); })) {}

Value::Value(const Value& other) : Value(clone(other, 0)) {}

Value::Value(Value&& other) noexcept
    : kind_(other.kind_), plain_(other.plain_), big_(other.big_), none_{} {
  switch (kind_) {
    case Kind::none: break;
    case Kind::boolean: boolean_ = other.boolean_; break;
    case Kind::floating: floating_ = other.floating_; break;
    case Kind::complex: complex_ = other.complex_; break;
    case Kind::string: new (&string_) std::string(std::move(other.string_)); break;
    case Kind::integer:
      if (!big_) {
        integer_ = other.integer_;
        break;
      }
      [[fallthrough]];
    default: box_ = Box::take(other); break;
  }
}

Value& Value::operator=(const Value& other) {
  if (this != &other) *this = Value(other);
  return *this;
}

Value& Value::operator=(Value&& other) noexcept {
  if (this == &other) return *this;
  Value taken(std::move(other));  // First: `other` may be a part of what this value destroys.
  this->~Value();
  return *new (this) Value(std::move(taken));
}

void Value::destroy() noexcept {
  if (kind_ == Kind::string) {
    string_.~basic_string();
    kind_ = Kind::none;
    return;
  }
  // Payloads wait in a list through their own memory: no recursion, no allocation, any depth.
  Box* pending = Box::take(*this);
  pending->next = nullptr;
  while (pending != nullptr) {
    Box* box = pending;
    pending = box->next;
    detach_children(*box, pending);
    delete_box(box);
  }
}

void Value::set_unsigned(std::uint64_t value) {
  if (std::in_range<std::int64_t>(value)) set_integer(static_cast<std::int64_t>(value));
  else new (this) Value(integer(std::to_string(value)));
}

Value Value::integer(std::string_view digits) {
  const bool negative = !digits.empty() && digits.front() == '-';
  const std::string_view number = digits.substr(negative ? 1 : 0);
  const bool is_number = !number.empty() && std::all_of(number.begin(), number.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
  if (!is_number || (number.front() == '0' && (number.size() > 1 || negative)))
    throw Error(ErrorCode::invalid_argument, "a text is no integer",
                {.expected = "decimal digits without leading zeros",
                 .found = "'" + std::string(digits.substr(0, 40)) + "'"});
  std::int64_t small = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), small).ec == std::errc())
    return small;
  return make<DigitsBox>(Kind::integer, [&](DigitsBox& box) { box.digits = digits; }, true);
}

Value Value::list(std::vector<Value> items) { return make_sequence(Kind::list, std::move(items)); }
Value Value::tuple(std::vector<Value> items) {
  return make_sequence(Kind::tuple, std::move(items));
}
Value Value::set(std::vector<Value> items) { return make_sequence(Kind::set, std::move(items)); }
Value Value::dict() {
  return make<DictBox>(Kind::dict, [](DictBox&) {});
}
Value Value::dict(std::vector<Entry> entries) {
  return make_mapping(Kind::dict, std::move(entries));
}

Value Value::structure(std::string type_name) { return structure(std::move(type_name), {}); }
Value Value::structure(std::string type_name, std::vector<Entry> fields) {
  Value value = make_mapping(Kind::structure, std::move(fields));
  if (!type_name.empty()) value.set_type_name(std::move(type_name));
  return value;
}

Value Value::bytes(std::span<const std::byte> bytes) {
  Tensor tensor = Tensor::allocate(DType::U8, Shape{bytes.size()});
  std::copy(bytes.begin(), bytes.end(), tensor.mutable_bytes().begin());
  return Value::bytes(std::move(tensor));
}

Value Value::bytes(Tensor tensor) {
  if (tensor.dtype() != DType::U8 || tensor.rank() != 1 || !tensor.is_contiguous())
    throw Error(
        ErrorCode::invalid_argument, "a tensor cannot stand for bytes",
        {.expected = "a contiguous U8 tensor of rank 1",
         .found = std::string(to_string(tensor.dtype())) + " " + to_string(tensor.shape())});
  return make<TensorBox>(Kind::bytes, [&](TensorBox& box) { box.tensor = std::move(tensor); });
}

Value Value::custom(std::string type_name, Value payload) {
  return make<CustomBox>(Kind::custom, [&](CustomBox& box) {
    box.extras = std::make_unique<Extras>();
    box.extras->type_name = std::move(type_name);
    box.payload = std::move(payload);
  });
}

Value Value::plain() && {
  Value value = std::move(*this);
  value.plain_ = true;
  return value;
}

}  // namespace safestructures
