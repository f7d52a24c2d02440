/// \file
/// What a Value holds on the heap.
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

/// What few values have.
struct Extras {
  std::string type_name;
  std::vector<Entry> attributes;
  std::string key_label;
};

/// A string of values: all that were copied from one share it. It never changes while they do.
struct Text {
  explicit Text(std::string_view given) : text(given) {}
  explicit Text(std::string&& given) noexcept : text(std::move(given)) {}
  std::atomic<std::uint64_t> owners{1};
  std::uint32_t offset = 0;  ///< BoxArena::Place
  std::string text;
};

/// Makes an object in memory of an arena, if there is one. \throws what its constructor throws
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

/// Destroys such an object.
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

/// The head of every heap-held payload. Not virtual: `kind` and `big` say which one it is.
struct Box {
  explicit Box(Kind box_kind, bool is_big = false) : kind(box_kind), big(is_big) {}

  /// The payload of a value that has one.
  /// Not const: a digest is left in values that nobody sees changing.
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
  /// Takes the payload out; the value is none then.
  static Box* take(Value& value) noexcept {
    Box* box = value.box_;
    value.kind_ = Kind::none;
    value.big_ = false;
    return box;
  }

  /// Makes a fresh payload that of a value, which is none. \throws std::bad_alloc
  template <class BoxType, class... Content>
  static BoxType& emplace(Value& fresh, Kind kind, Content&&... content) {
    auto* const box = make_boxed<BoxType>(kind, std::forward<Content>(content)...);
    give(fresh, box);
    return *box;
  }
  /// Gives a value, which is none, what it shall hold: its assignment would look at what it held.
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
  /// The same string as another value's, which has one.
  static void share_string(const Value& other, Value& fresh) noexcept {
    other.text_->owners.fetch_add(1, std::memory_order_relaxed);
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
  /// The same with what another value holds, which has nothing to destroy then.
  static void move(Value& from, Value& fresh) noexcept {
    fresh.kind_ = from.kind_;
    fresh.plain_ = from.plain_;
    fresh.big_ = from.big_;
    // No other is larger.
    std::memcpy(&fresh.none_, &from.none_, sizeof(from.floating_));
    from.kind_ = Kind::none;
    from.big_ = false;
  }
  /// A small integer, if the value is one.
  static const std::int64_t* integer(const Value& value) noexcept {
    return value.kind_ == Kind::integer && !value.big_ ? &value.integer_ : nullptr;
  }
  /// What a value of that kind holds.
  /// @{
  static bool boolean(const Value& value) noexcept { return value.boolean_; }
  static double floating(const Value& value) noexcept { return value.floating_; }
  static const std::string& string(const Value& value) noexcept { return value.text_->text; }
  static const std::vector<Value>& items(const Value& value) noexcept;
  static const std::vector<Entry>& entries(const Value& value) noexcept;
  /// @}

  /// `digest` of a value that has a payload.
  /// @{
  static std::uint64_t left_digest(const Value& value) noexcept {
    return value.box_->digest.load(std::memory_order_relaxed);
  }
  static void leave_digest(const Value& value, std::uint64_t digest) noexcept {
    value.box_->digest.store(digest, std::memory_order_relaxed);
  }
  /// @}
  /// To be called by all that lets somebody change the value: what was left of it holds no longer.
  /// Nothing is written where nothing was left, so that threads that read share its cache line.
  static void forget_digest(Value& value) noexcept {
    if (has(value) && left_digest(value) != 0) leave_digest(value, 0);
  }
  static void mark_plain(Value& value) noexcept { value.plain_ = true; }

  union {
    /// What `Digester` left here; 0 where it did not. Whoever changes a part of the value went
    /// through this one to reach it, and by that removed the digest here as well. Relaxed: threads
    /// that read one value through ways to change it remove it together.
    std::atomic<std::uint64_t> digest = 0;
    Box* next;  ///< The list of payloads that wait for destruction.
  };
  std::unique_ptr<Extras> extras;
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

/// `Value::insert` of a field. \throws Error as it does
void insert_field(Value& structure, Value name, Value field);

/// `Value::insert` of all entries, which are moved from. \throws Error as it does
void insert_all(Value& value, std::span<Entry> entries);

struct TensorBox : Box {
  using Box::Box;
  /// \param make gives the tensor, which is made in its place
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
