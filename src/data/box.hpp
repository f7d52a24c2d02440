/// \file
/// What a Value holds on the heap.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/value.hpp>
#include "data/dict.hpp"

namespace safestructures::inline v0::detail {

/// What few values have.
struct Extras {
  std::string type_name;
  std::vector<Entry> attributes;
  std::string key_label;
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

  /// To be called by all that lets somebody change the value: what was left of it holds no longer.
  static void forget_digest(Value& value) noexcept {
    if (has(value)) value.box_->digest = 0;
  }
  static void mark_plain(Value& value) noexcept { value.plain_ = true; }

  union {
    /// What `Digester` left here; 0 where it did not. Whoever changes a part of the value went
    /// through this one to reach it, and by that removed the digest here as well.
    std::uint64_t digest = 0;
    Box* next;  ///< The list of payloads that wait for destruction.
  };
  std::unique_ptr<Extras> extras;
  Kind kind;
  bool big;
};

struct SequenceBox : Box {
  using Box::Box;
  std::vector<Value> items;
};

struct DictBox : Box {
  using Box::Box;
  Dict dict;
};

/// `Value::insert` of all entries, which are moved from. \throws Error as it does
void insert_all(Value& value, std::span<Entry> entries);

struct TensorBox : Box {
  using Box::Box;
  Tensor tensor;
  std::string name;
};

struct CustomBox : Box {
  using Box::Box;
  Value payload;
};

struct DigitsBox : Box {
  using Box::Box;
  std::string digits;
};

}  // namespace safestructures::inline v0::detail
