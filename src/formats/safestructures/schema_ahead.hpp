/// \file
/// What the schema's writer finds out about a tree before writing it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_set>

#include <safestructures/data/value.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "data/box.hpp"
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"
#include "platform/stack.hpp"

namespace safestructures::inline v0::schema {

/// Estimates of the memory for the text and the tensors of a tree: memory that grows by doubling is
/// touched several times, at 1.5 us per page.
struct Ahead {
  std::size_t text = 0;
  std::size_t tensors = 0;
  /// Whether no two tensors can get the same name, which makes the index of names unnecessary. A
  /// place is spelled as its steps with dots between them: if no step is empty or has a dot, and
  /// the steps within a container differ, all places are spelled differently. Steps without a
  /// tensor do not count.
  bool distinct = true;
  /// Whether part of the tree was not looked at: it has more values than were asked for, or more
  /// levels than the stack holds.
  bool is_cut = false;

  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  /// Looks at up to `values` values of the tree, from level `depth` to level `most`. Anything
  /// below, or too deep for the stack, is an Error when written. Must be called once.
  void look_at(const Value& value, std::uint32_t depth, std::uint32_t most,
               std::size_t values = all) {
    left_ = values;
    look(value, depth, most);
  }

  /// Returns whether no tensor may have that name: the container's own key, or a text that is all a
  /// custom value holds, which readers take for a tensor's name if there is such a tensor.
  [[nodiscard]] bool is_taken(std::string_view name) const {
    return name == "__metadata__" || payloads_.contains(name);
  }

 private:
  // Recursive.
  void look(const Value& value, std::uint32_t depth, std::uint32_t most) {
    if (left_ == 0) {
      is_cut = true;
      return;
    }
    --left_;
    constexpr std::size_t text_of_node = 64;
    text += text_of_node;
    if (value.kind() == Kind::string) text += detail::Box::string(value).size();
    if (value.kind() > Kind::string) look_into(value, depth, most);
  }

  void look_into(const Value& value, std::uint32_t depth, std::uint32_t most) {
    using detail::Box;
    const Kind kind = value.kind();
    if (kind == Kind::tensor || kind == Kind::bytes) {
      ++tensors;
      const std::string& name = value.tensor_name();
      has_names_ |= !name.empty();
      // A single tensor may have any name that nothing else has.
      distinct &= !has_names_ || (tensors == 1 && name != "__metadata__" && name != dummy_tensor);
    }
    // Attributes share the steps of what the value holds.
    if (Box::has_extras(value))
      for (const Entry& attribute : value.attributes())
        distinct &= attribute.value.kind() <= Kind::string;
    if (depth == most) return;
    if (depth >= detail::Descent::unchecked && platform::stack_is_low()) {
      is_cut = true;
      return;
    }
    if (value.is_sequence())
      for (const Value& item : Box::items(value)) {
        if (is_cut) return;
        look(item, depth + 1, most);
      }
    if (value.is_mapping()) {
      for (const Entry& entry : Box::entries(value)) {
        if (is_cut) return;
        const std::size_t before = tensors;
        look(entry.key, depth + 1, most);
        look(entry.value, depth + 1, most);
        if (tensors != before) distinct &= is_step(entry.key);
      }
    }
    if (kind == Kind::custom) {
      const Value& inside = value.payload();
      if (inside.kind() == Kind::string && inside.is_plain()) {
        payloads_.insert(inside.as_string());
        distinct = false;
      }
      look(inside, depth + 1, most);
    }
  }

  /// Returns whether a key is spelled without dots, is not a tensor (as bytes are), which would
  /// share its step, and has nothing that may be a lone surrogate, which names replace.
  static bool is_step(const Value& key) {
    if (key.kind() != Kind::string) return key.kind() <= Kind::integer;
    const std::string& text = key.as_string();
    return !text.empty() && text.find('.') == std::string::npos &&
           text.find('\xED') == std::string::npos && text != "__metadata__" && text != dummy_tensor;
  }

  std::size_t left_ = 0;  // The number of values that may still be looked at.
  std::unordered_set<std::string_view, detail::KeyedHash> payloads_;
  bool has_names_ = false;  // Whether tensors have names of their own.
};

}  // namespace safestructures::inline v0::schema
