/// \file
/// The heap payloads of a Value.
#pragma once

#include <atomic>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/value.hpp>
#include "data/box_arena.hpp"
#include "data/dict.hpp"

namespace safestructures::inline v0::detail {

/// Members that few values need.
struct Extras {
  std::string type_name;
  std::vector<Entry> attributes;
  std::string key_label;
  std::uint32_t offset = 0;  ///< BoxArena::Place
};

/// A string shared by all values copied from one. It never changes while it is shared.
struct Text {
  explicit Text(std::string_view given) : text(given) {}
  explicit Text(std::string&& given) noexcept : text(std::move(given)) {}
  std::atomic<std::uint64_t> owners{1};
  std::uint32_t offset = 0;  ///< BoxArena::Place
  std::string text;
};

/// Creates an object, in memory of an arena if there is one. \throws whatever its constructor
/// throws
template <class T, class... Content>
T* make_boxed(Content&&... content) {
  static_assert(alignof(T) <= 8);
  const BoxArena::Place place = BoxArena::allocate(sizeof(T));
  try {
    T* const object = new (place.memory) T(std::forward<Content>(content)...);
    object->offset = place.offset;
    return object;
  } catch (...) {
    BoxArena::free(place);
    throw;
  }
}

/// Destroys an object made by `make_boxed`.
template <class T>
void delete_boxed(T* object) noexcept {
  const BoxArena::Place place{object, object->offset};
  object->~T();
  BoxArena::free(place);
}

struct BoxedDeleter {
  template <class T>
  void operator()(T* object) const noexcept {
    delete_boxed(object);
  }
};

using BoxedExtras = std::unique_ptr<Extras, BoxedDeleter>;

/// The head of every heap payload. Not virtual: `kind` and `big` tell which one it is.
struct Box {
  explicit Box(Kind box_kind, bool is_big = false) : kind(box_kind), big(is_big) {}

  /// Returns the payload of a value that has one.
  /// Not const: a digest is stored even in values that are not visibly changed.
  static Box* of(const Value& value) noexcept { return value.box_; }
  static bool has_extras(const Value& value) noexcept {
    return has(value) && value.box_->extras != nullptr;
  }
  static bool has(const Value& value) noexcept { return value.kind_ > Kind::string || value.big_; }
  static void give(Value& value, Box* box) noexcept {
    value.kind_ = box->kind;
    value.big_ = box->big;
    value.box_ = box;
  }
  /// Takes the payload out, leaving the value none.
  static Box* take(Value& value) noexcept {
    Box* box = value.box_;
    value.kind_ = Kind::none;
    value.big_ = false;
    return box;
  }

  /// Gives a value, which is none, a new payload. \throws std::bad_alloc
  template <class BoxType, class... Content>
  static BoxType& emplace(Value& fresh, Kind kind, Content&&... content) {
    auto* const box = make_boxed<BoxType>(kind, std::forward<Content>(content)...);
    give(fresh, box);
    return *box;
  }
  /// Set a value that is none: its assignment would have to check what it held.
  /// @{
  static void set(Value& fresh, bool value) noexcept {
    fresh.kind_ = Kind::boolean;
    fresh.boolean_ = value;
  }
  static void set(Value& fresh, std::int64_t value) noexcept { fresh.set_integer(value); }
  static void set(Value& fresh, double value) noexcept {
    fresh.kind_ = Kind::floating;
    fresh.floating_ = value;
  }
  static void set(Value& fresh, std::string_view text) {
    fresh.text_ = make_boxed<Text>(text);
    fresh.kind_ = Kind::string;
  }
  static void set(Value& fresh, std::string text) {
    fresh.text_ = make_boxed<Text>(std::move(text));
    fresh.kind_ = Kind::string;
  }
  /// @}
  /// Shares the string of another value, which must be one.
  static void share_string(const Value& other, Value& fresh) noexcept {
    other.text_->owners.fetch_add(1, std::memory_order_relaxed);
    fresh.text_ = other.text_;
    fresh.kind_ = Kind::string;
  }
  /// The same for a string of which no other thread knows, at a third of the cost.
  static void share_private_string(const Value& other, Value& fresh) noexcept {
    std::atomic<std::uint64_t>& owners = other.text_->owners;
    owners.store(owners.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    fresh.text_ = other.text_;
    fresh.kind_ = Kind::string;
  }
  static bool same_string(const Value& a, const Value& b) noexcept {
    return a.text_ == b.text_ || string(a) == string(b);
  }
  static void release_string(Value& value) noexcept {
    Text* const text = value.text_;
    value.kind_ = Kind::none;
    if (text->owners.load(std::memory_order_acquire) == 1 ||
        text->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete_boxed(text);
  }
  /// Moves another value's content to a value that is none; nothing is left in the other to
  /// destroy.
  static void move(Value& from, Value& fresh) noexcept {
    fresh.kind_ = from.kind_;
    fresh.plain_ = from.plain_;
    fresh.big_ = from.big_;
    // No other member is larger.
    std::memcpy(&fresh.none_, &from.none_, sizeof(from.floating_));
    from.kind_ = Kind::none;
    from.big_ = false;
  }
  /// Returns a small integer; null if the value is not one.
  static const std::int64_t* integer(const Value& value) noexcept {
    return value.kind_ == Kind::integer && !value.big_ ? &value.integer_ : nullptr;
  }
  /// Return the content of a value, which must be of that kind.
  /// @{
  static bool boolean(const Value& value) noexcept { return value.boolean_; }
  static double floating(const Value& value) noexcept { return value.floating_; }
  static const std::string& string(const Value& value) noexcept { return value.text_->text; }
  static const std::vector<Value>& items(const Value& value) noexcept;
  static const std::vector<Entry>& entries(const Value& value) noexcept;
  /// @}

  /// Access `digest` of a value that has a payload.
  /// @{
  static std::uint64_t left_digest(const Value& value) noexcept {
    return value.box_->digest.load(std::memory_order_relaxed);
  }
  static void leave_digest(const Value& value, std::uint64_t digest) noexcept {
    value.box_->digest.store(digest, std::memory_order_relaxed);
  }
  /// @}
  /// Must be called before anyone can change the value: its stored digest becomes invalid. Writes
  /// only if there is a digest, so that reading threads can share the cache line.
  static void forget_digest(Value& value) noexcept {
    if (has(value) && left_digest(value) != 0) leave_digest(value, 0);
  }
  static void mark_plain(Value& value) noexcept { value.plain_ = true; }

  union {
    /// The digest stored by `Digester`; 0 if there is none. Whoever changes a part of the value
    /// reached it through this one, and thereby removed this digest as well. Relaxed: threads that
    /// read one value through non-const functions may remove it at the same time.
    std::atomic<std::uint64_t> digest = 0;
    Box* next;  ///< The list of payloads waiting for destruction.
  };
  BoxedExtras extras;
  Kind kind;
  bool big;
  std::uint32_t offset = 0;  ///< BoxArena::Place
};

struct SequenceBox : Box {
  using Box::Box;
  std::vector<Value> items;
};

struct DictBox : Box {
  using Box::Box;
  Dict dict;
};

inline const std::vector<Value>& Box::items(const Value& value) noexcept {
  return static_cast<const SequenceBox*>(value.box_)->items;
}
inline const std::vector<Entry>& Box::entries(const Value& value) noexcept {
  return static_cast<const DictBox*>(value.box_)->dict.entries();
}

/// Same as `Value::insert`, but moves from both only once, and from the key only if it throws
/// nothing.
/// \throws Error as it does
void insert_entry(Value& container, Value&& key, Value&& item);

/// Same as `Value::insert` for all entries, which are moved from. \throws Error as it does
void insert_all(Value& value, std::span<Entry> entries);

/// Throws Error `type_mismatch`, which says what was expected and what `value` is.
[[noreturn]] void wrong_kind(std::string_view expected, const Value& value);

struct TensorBox : Box {
  using Box::Box;
  /// \param make returns the tensor, which is constructed in place
  template <std::invocable Make>
  TensorBox(Kind box_kind, Make&& make, std::string_view box_name = {})
      : Box(box_kind), tensor(make()), name(box_name) {}
  Tensor tensor;
  std::string name;
};

struct CustomBox : Box {
  using Box::Box;
  Value payload;
};

struct ComplexBox : Box {
  using Box::Box;
  std::complex<double> number;
};

struct DigitsBox : Box {
  using Box::Box;
  std::string digits;
};

}  // namespace safestructures::inline v0::detail
