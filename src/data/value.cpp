#include <safestructures/data/value.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>

#include <safestructures/data/error.hpp>
#include "data/box.hpp"
#include "data/text/printable.hpp"

namespace safestructures::inline v0 {

using detail::Box;
using detail::CustomBox;
using detail::DictBox;
using detail::DigitsBox;
using detail::Extras;
using detail::SequenceBox;
using detail::TensorBox;

namespace {

void delete_box(Box* box) noexcept {
  switch (box->kind) {
    case Kind::list:
    case Kind::tuple:
    case Kind::set: detail::delete_boxed(static_cast<SequenceBox*>(box)); break;
    case Kind::dict:
    case Kind::structure: detail::delete_boxed(static_cast<DictBox*>(box)); break;
    case Kind::tensor:
    case Kind::bytes: detail::delete_boxed(static_cast<TensorBox*>(box)); break;
    case Kind::custom: detail::delete_boxed(static_cast<CustomBox*>(box)); break;
    case Kind::complex: detail::delete_boxed(static_cast<detail::ComplexBox*>(box)); break;
    default: detail::delete_boxed(static_cast<DigitsBox*>(box)); break;
  }
}

/// Moves the payload of `value`, if it has one, to the front of the list `pending`. A tensor's is
/// deleted at once: it contains no others, and would have to be fetched from memory again.
void detach(Value& value, Box*& pending) noexcept {
  if (!Box::has(value)) return;
  Box* box = Box::take(value);
  if (box->kind == Kind::tensor && !box->extras) return delete_box(box);
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

/// Fills a new payload and gives it to a value. If anything throws, the payload is freed.
template <class BoxType, class Fill>
Value make(Kind kind, const Fill& fill, bool big = false) {
  std::unique_ptr<BoxType, detail::BoxedDeleter> box(detail::make_boxed<BoxType>(kind, big));
  fill(*box);
  Value value;
  Box::give(value, box.release());
  return value;
}

/// What remains to be copied: a list instead of recursion, so that depth needs no stack.
using Uncopied = std::vector<std::pair<const Value*, Value*>>;

/// Copies a value that has no payload.
Value clone_scalar(const Value& value) {
  switch (value.kind()) {
    case Kind::boolean: return value.as_bool();
    case Kind::integer: return *value.as_int64();
    case Kind::floating: return value.as_double();
    case Kind::string: {
      Value copy;
      Box::share_string(value, copy);
      return copy;
    }
    default: return {};
  }
}

/// Fills `to`, which is none, at once if that is simple; otherwise notes it.
void clone_or_note(const Value& from, Value& to, Uncopied& uncopied) {
  if (Box::has(from)) {
    uncopied.emplace_back(&from, &to);
    return;
  }
  to = clone_scalar(from);
  if (from.is_plain()) Box::mark_plain(to);
}

detail::BoxedExtras clone_extras(const Box& box, Uncopied& uncopied) {
  if (!box.extras) return nullptr;
  detail::BoxedExtras extras(detail::make_boxed<Extras>());
  extras->type_name = box.extras->type_name;
  extras->key_label = box.extras->key_label;
  const std::vector<Entry>& attributes = box.extras->attributes;
  extras->attributes.resize(attributes.size());
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    clone_or_note(attributes[i].key, extras->attributes[i].key, uncopied);
    clone_or_note(attributes[i].value, extras->attributes[i].value, uncopied);
  }
  return extras;
}

/// Copies a value that has a payload, and notes its children that have payloads of their own.
Value clone_node(const Value& value, Uncopied& uncopied) {
  const auto begin = [&](auto& box) {
    box.extras = clone_extras(*Box::of(value), uncopied);
    box.digest.store(Box::left_digest(value), std::memory_order_relaxed);
  };
  switch (value.kind()) {
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
      return make<SequenceBox>(value.kind(), [&](SequenceBox& box) {
        begin(box);
        const std::vector<Value>& items = value.items();
        box.items.resize(items.size());
        for (std::size_t i = 0; i < items.size(); ++i)
          clone_or_note(items[i], box.items[i], uncopied);
      });
    case Kind::dict:
    case Kind::structure:
      return make<DictBox>(value.kind(), [&](DictBox& box) {
        begin(box);
        box.dict = static_cast<const DictBox*>(Box::of(value))->dict.shell();
        std::vector<Entry>& entries = box.dict.entries();
        for (std::size_t i = 0; i < entries.size(); ++i) {
          clone_or_note(value.entries()[i].key, entries[i].key, uncopied);
          clone_or_note(value.entries()[i].value, entries[i].value, uncopied);
        }
      });
    case Kind::tensor:
    case Kind::bytes:
      return make<TensorBox>(value.kind(), [&](TensorBox& box) {
        begin(box);
        box.tensor = value.tensor();
        box.name = value.tensor_name();
      });
    case Kind::custom:
      return make<CustomBox>(value.kind(), [&](CustomBox& box) {
        begin(box);
        clone_or_note(value.payload(), box.payload, uncopied);
      });
    case Kind::complex: return value.as_complex();
    default:
      return make<DigitsBox>(
          Kind::integer, [&](DigitsBox& box) { box.digits = value.integer_text(); }, true);
  }
}

/// Copies the whole tree; nodes are marked as plain where the original's are.
Value clone(const Value& root) {
  Value copy;
  Uncopied uncopied;
  clone_or_note(root, copy, uncopied);
  while (!uncopied.empty()) {
    const auto [from, to] = uncopied.back();
    uncopied.pop_back();
    *to = clone_node(*from, uncopied);
    if (from->is_plain()) Box::mark_plain(*to);
  }
  return copy;
}

Value make_sequence(Kind kind, std::vector<Value>&& items) {
  return make<SequenceBox>(kind, [&](SequenceBox& box) { box.items = std::move(items); });
}

Value make_mapping(Kind kind, std::vector<Entry>&& entries) {
  Value value = make<DictBox>(kind, [](DictBox&) {});
  detail::insert_all(value, entries);
  return value;
}

}  // namespace

Value::Value(Tensor tensor) : none_{} {
  Box::emplace<TensorBox>(*this, Kind::tensor, [&] { return std::move(tensor); });
}

Value::Value(std::string value) : none_{} { Box::set(*this, std::move(value)); }

Value::Value(std::complex<double> value) : none_{} {
  auto* const box = detail::make_boxed<detail::ComplexBox>(Kind::complex, true);
  box->number = value;
  Box::give(*this, box);
}

Value::Value(const Value& other) : none_{} {
  // As most numbers are that a format reads: 2 ns instead of 9.
  if (other.kind_ < Kind::string && !other.big_) {
    kind_ = other.kind_;
    plain_ = other.plain_;
    std::memcpy(&none_, &other.none_, sizeof(floating_));
  } else {
    *this = clone(other);
  }
}

Value::Value(Value&& other) noexcept
    : kind_(other.kind_), plain_(other.plain_), big_(other.big_), none_{} {
  std::memcpy(&none_, &other.none_, sizeof(floating_));
  if (kind_ < Kind::string && !big_) return;
  other.kind_ = Kind::none;
  other.big_ = false;
}

Value& Value::operator=(const Value& other) {
  if (this != &other) *this = Value(other);
  return *this;
}

Value& Value::operator=(Value&& other) noexcept {
  if (this == &other) return *this;
  Value taken(std::move(other));  // First: `other` may be part of what this destroys.
  this->~Value();
  return *new (this) Value(std::move(taken));
}

void Value::destroy() noexcept {
  if (kind_ == Kind::string) {
    Box::release_string(*this);
    return;
  }
  // Payloads wait in a list linked through their own memory: no recursion, no allocation, any
  // depth.
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
    throw Error(ErrorCode::invalid_argument, "a text is not an integer",
                {.expected = "decimal digits without leading zeros",
                 .found = "'" + detail::for_message(digits, 40) + "'"});
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
    box.extras.reset(detail::make_boxed<Extras>());
    box.extras->type_name = std::move(type_name);
    box.payload = std::move(payload);
  });
}

Value Value::plain() && {
  Value value = std::move(*this);
  value.plain_ = true;
  return value;
}

}  // namespace safestructures::inline v0
