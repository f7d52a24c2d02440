/// \file
/// A JSON text as a tree, for readers that do not take members in the order of the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "formats/json/cursor.hpp"

namespace safestructures::inline v0::json {

/// A value of a `Tree`, valid as long as the tree and its text. Cheap to copy.
class Element {
 public:
  struct Member;
  template <class Part>
  class Range;

  Element() = default;

  /// Returns its kind: object, array, string, number, boolean or null.
  [[nodiscard]] Token kind() const noexcept { return slot_->kind; }
  [[nodiscard]] bool is(Token kind) const noexcept { return slot_->kind == kind; }

  /// Returns a string's text, or a number as it is spelled.
  [[nodiscard]] std::string_view text() const noexcept { return {slot_->begin, slot_->size}; }
  /// Returns the text if this is a string.
  [[nodiscard]] std::optional<std::string_view> string() const noexcept {
    return is(Token::string) ? std::optional(text()) : std::nullopt;
  }
  /// Returns whether this number is spelled without decimal point and exponent.
  [[nodiscard]] bool is_integer() const noexcept { return slot_->is_integer; }
  /// Returns the double nearest to this number; infinite if it is too large for one.
  [[nodiscard]] double number() const { return number_of(text()); }
  [[nodiscard]] bool boolean() const noexcept { return *slot_->begin == 't'; }

  /// Returns the items of an array.
  [[nodiscard]] Range<Element> items() const noexcept;
  /// Returns the members of an object, in the order of the text; a name may occur twice.
  [[nodiscard]] Range<Member> members() const noexcept;

 private:
  friend class Tree;

  /// A token of the text; a container's tokens follow it.
  struct Slot {
    const char* begin;
    std::uint32_t size;  // In bytes; for a container, in slots, including its own.
    Token kind;
    bool is_integer;

    [[nodiscard]] bool is_container() const noexcept {
      return kind == Token::object || kind == Token::array;
    }
    [[nodiscard]] std::size_t slots() const noexcept { return is_container() ? size : 1; }
  };

  explicit Element(const Slot* slot) noexcept : slot_(slot) {}

  const Slot* slot_ = nullptr;
};

struct Element::Member {
  std::string_view name;
  Element value;
};

template <class Part>
class Element::Range {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Part;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Part;

    explicit Iterator(const Slot* at) noexcept : at_(at) {}
    Part operator*() const noexcept {
      if constexpr (std::is_same_v<Part, Element>) return Element(at_);
      else return {Element(at_).text(), Element(at_ + 1)};
    }
    Iterator& operator++() noexcept {
      if constexpr (!std::is_same_v<Part, Element>) ++at_;
      at_ += at_->slots();
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Slot* at_;
  };

  [[nodiscard]] Iterator begin() const noexcept { return Iterator(container_ + 1); }
  [[nodiscard]] Iterator end() const noexcept { return Iterator(container_ + container_->size); }

 private:
  friend class Element;
  explicit Range(const Slot* container) noexcept : container_(container) {}
  const Slot* container_;
};

inline Element::Range<Element> Element::items() const noexcept { return Range<Element>(slot_); }
inline Element::Range<Element::Member> Element::members() const noexcept {
  return Range<Member>(slot_);
}

/// The tokens of a text, 16 bytes each; strings without escapes stay in the text.
class Tree {
 public:
  /// Reads all of the text, which must outlive this.
  /// \throws Error as `Cursor`; `limit_exceeded` for a text of 4 GiB or more
  Tree(std::string_view text, const CursorOptions& options);

  [[nodiscard]] Element root() const noexcept { return Element(slots_.data()); }

 private:
  std::vector<Element::Slot> slots_;
  std::unique_ptr<char[]> unescaped_;  // Of all strings together.
};

}  // namespace safestructures::inline v0::json
