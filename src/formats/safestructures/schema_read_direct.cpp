#include <algorithm>
#include <array>
#include <charconv>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/value.hpp>
#include "data/box.hpp"
#include "data/dict.hpp"
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"
#include "data/text/number.hpp"
#include "formats/safestructures/schema_cursor.hpp"
#include "formats/safestructures/schema_names.hpp"
#include "formats/safestructures/schema_pattern.hpp"
#include "formats/safestructures/schema_reader.hpp"
#include "formats/safestructures/schema_text.hpp"
#include "platform/memory.hpp"
#include "platform/stack.hpp"

namespace safestructures::inline v0::schema {

using detail::Box;

namespace {

// Every step returns whether the text goes on as expected; it stops at anything unknown.
class DirectReader : SchemaCursor {
 public:
  DirectReader(std::string_view text, TensorSource& tensors, const Limits& limits)
      : SchemaCursor(text), tensors_(tensors), limits_(limits) {}

  bool read(Value& root) { return node(root) && at_ == end_; }

 private:
  bool string(Value& value) {
    std::string_view plain;
    if (!skip("\"")) return false;
    if (plain_string(plain)) {
      Box::set(value, plain);
      return true;
    }
    std::string text;
    if (!escaped_string(text)) return false;
    Box::set(value, std::move(text));
    return true;
  }

  bool count_node() noexcept { return ++nodes_ <= limits_.nodes; }

  /// Returns whether one more node may be read here.
  bool enter() noexcept {
    if (!count_node() || depth_ > limits_.depth) return false;
    // The general reader, which needs more of the stack, reports the error.
    return depth_ < detail::Descent::unchecked || !platform::stack_is_low();
  }

  // Recursive, up to Limits::depth. All read into values that are None.
  bool node(Value& value) {
    if (!enter()) return false;
    const Kind kind = opening();
    return kind == Kind::custom ? other_node(value) : rest(kind, value);
  }

  /// Reads a node from just after its opening.
  bool rest(Kind kind, Value& value) {
    if (kind <= Kind::string) return payload(kind, value) && skip("}");
    ++depth_;
    const bool is_whole = payload(kind, value) && (skip("}") || (extension(value) && skip("}")));
    --depth_;
    return is_whole;
  }

  bool other_node(Value& value) {
    std::string_view type;
    if (!skip("{\"data_type\": \"") || !plain_string(type) || !skip(", \"value\": ")) return false;
    const std::optional<Kind> kind = kind_of(type);
    if (!kind || !skip(Spelling::opening(*kind))) return false;
    ++depth_;
    if (!payload(*kind, value)) return false;
    if (*kind > Kind::string && without_module(type) != type_of(*kind))
      value.set_type_name(std::string(type));
    if (!skip("}") && !(extension(value) && skip("}"))) return false;
    --depth_;
    return true;
  }

  // Reads from just after what opens the value.
  bool payload(Kind kind, Value& value) {
    switch (kind) {
      case Kind::none: return skip("null");
      case Kind::boolean: {
        const bool is_true = skip("true");
        Box::set(value, is_true);
        return is_true || skip("false");
      }
      case Kind::integer: return integer(value);
      case Kind::floating:
      case Kind::complex: return number(kind, value);
      case Kind::string: return string(value);
      case Kind::list:
      case Kind::tuple: return sequence(kind, value);
      case Kind::set:
        return sequence(kind, value) && detail::find_repeated(value.items()) == detail::Dict::npos;
      case Kind::dict:
      case Kind::structure: return mapping(kind, value);
      case Kind::bytes:
      case Kind::tensor: return tensor(kind, value);
      case Kind::custom: break;
    }
    return false;
  }

  bool integer(Value& value) {
    std::int64_t small = 0;
    const auto [end, error] = std::from_chars(at_, end_, small);
    // The general reader handles a sign or zeros that make it longer than the limit.
    if (error != std::errc() || end - at_ > std::int64_t{limits_.digits}) return false;
    at_ = end;
    Box::set(value, small);
    return skip("\"");
  }

  bool number(Kind kind, Value& value) {
    std::string_view text;
    if (!plain_string(text)) return false;
    if (kind == Kind::floating) {
      const std::optional<double> number = detail::parse_float(text);
      if (number) Box::set(value, *number);
      return number.has_value();
    }
    const std::optional<std::complex<double>> number = detail::parse_complex(text);
    if (number) value = Value(*number);
    return number.has_value();
  }

  bool sequence(Kind kind, Value& value) {
    std::vector<Value>& items = Box::emplace<detail::SequenceBox>(value, kind).items;
    if (skip("]")) return true;
    const char* const text = at_;
    const std::size_t begin = items_.size();
    Length* const length = depth_ < lengths_.size() ? &lengths_[depth_] : nullptr;
    bool has_more = true;
    if (const std::size_t likely = length == nullptr ? 0 : length->expected(); likely != 0) {
      items.reserve(likely);
      do {
        if (!node(items.emplace_back())) return false;
        has_more = skip(", ");
      } while (has_more && items.size() < likely);
      if (!has_more && items.size() == likely) return skip("]");
      for (Value& item : items) Box::move(item, items_.emplace_back());
      items = std::vector<Value>();  // Not `{}`, which keeps the capacity.
    }
    while (has_more && (length == nullptr || items_.size() - begin < most_expected)) {
      Value item;
      if (!node(item)) return false;
      Box::move(item, items_.emplace_back());
      has_more = skip(", ");
    }
    const std::span<Value> read = std::span(items_).subspan(begin);
    // For a long one, what was read tells roughly how many follow, at most as many as the text has
    // room for; they are read directly into their place. For 100,000 tensors that took 0.97 of the
    // time.
    const std::size_t follow = has_more ? left() / (since(text).size() / read.size()) : 0;
    platform::reserve_huge(items, read.size() + follow);
    items.resize(read.size());
    for (std::size_t i = 0; i < read.size(); ++i) Box::move(read[i], items[i]);
    items_.resize(begin);
    while (has_more) {
      if (!node(items.emplace_back())) return false;
      has_more = skip(", ");
    }
    // Unused room costs nothing if it is untouched pages.
    constexpr std::size_t large = (std::size_t{1} << 20U) / sizeof(Value);
    if (items.size() < std::max(large, items.capacity() / 8 * 7)) items.shrink_to_fit();
    if (length != nullptr) length->note(items.size());
    return skip("]");
  }

  bool mapping(Kind kind, Value& value) {
    detail::Dict& dict = Box::emplace<detail::DictBox>(value, kind).dict;
    const std::size_t begin = entries_.size();
    Pattern* const pattern = depth_ < patterns_.size() ? &patterns_[depth_] : nullptr;
    bool are_plain = true;
    if (pattern != nullptr && pattern->is_of(kind)) {
      if (!entries_like(*pattern, dict)) return false;
      if (ends_like(*pattern, dict)) return true;
      are_plain = pattern->has_plain_names;
      pattern->members.resize(dict.entries().size());
      for (Entry& entry : dict.take()) push(entry.key, entry.value);
    } else if (pattern != nullptr) {
      pattern->members.clear();
    }
    if (pattern != nullptr) pattern->dict = nullptr;
    if (!members(begin, pattern, are_plain)) return false;
    const char* const tail = at_ - 1;
    bool are_own_labels = true;
    if (kind == Kind::dict && !keys(begin, are_plain, are_own_labels)) return false;
    const std::size_t size = entries_.size() - begin;
    // This throws for duplicate names and keys.
    detail::insert_all(value, std::span(entries_).subspan(begin));
    entries_.resize(begin);
    if (pattern != nullptr && are_own_labels && size == pattern->members.size()) {
      pattern->kind = kind;
      pattern->dict = &dict;
      pattern->tail = since(tail);
      pattern->has_plain_names = are_plain;
    }
    return true;
  }

  /// Reads entries directly into their place as long as their names are those of the preceding
  /// mapping.
  bool entries_like(Pattern& pattern, detail::Dict& dict) {
    std::vector<Entry>& entries = dict.entries();
    const std::vector<Entry>& known = pattern.dict->entries();
    for (Member& member : pattern.members) {
      const char* const begin = at_;
      const bool is_of_kind = member.kind != Kind::custom && skip(member.opening);
      if (!is_of_kind && !skip(member.name)) return true;
      if (entries.empty()) entries.reserve(known.size());
      Entry& entry = entries.emplace_back();
      Box::share_private_string(known[entries.size() - 1].key, entry.key);
      if (is_of_kind ? !enter() || !rest(member.kind, entry.value)
                     : !noted_node(begin, &member, entry.value))
        return false;
    }
    return true;
  }

  /// Reads the end of a mapping whose entries were like those of the preceding one if it is the
  /// same, with the same keys. Otherwise returns false and reads nothing.
  bool ends_like(const Pattern& pattern, detail::Dict& dict) {
    const std::size_t size = dict.entries().size();
    const std::size_t keys = pattern.kind == Kind::dict ? size : 0;
    if (size != pattern.members.size() || keys > limits_.nodes - nodes_ || !skip(pattern.tail))
      return false;
    nodes_ += keys;
    dict.index_as(*pattern.dict);
    return true;
  }

  /// Reads a node after a name that began at `begin`, and notes its opening.
  bool noted_node(const char* begin, Member* member, Value& value) {
    if (!enter()) return false;
    const Kind kind = opening();
    if (member != nullptr) {
      member->kind = kind;
      member->opening = since(begin);
    }
    return kind == Kind::custom ? other_node(value) : rest(kind, value);
  }

  /// Adds the members of an object to `entries_`, each with its name as key, after those that are
  /// there from `first` on. \param are_plain set to whether all names are spelled without escapes
  bool members(std::size_t first, Pattern* pattern, bool& are_plain) {
    if (entries_.size() == first && skip("}")) return true;
    for (;;) {
      const char* const begin = at_;
      if (entries_.size() != first && !skip(", ")) return skip("}");
      Value name;
      Value value;
      const char* const name_begin = at_;
      if (!string(name)) return false;
      are_plain = are_plain && Box::string(name).size() + 2 == since(name_begin).size();
      if (!skip(": ")) return false;
      Member* member = nullptr;
      if (pattern != nullptr && pattern->members.size() < most_expected) {
        member = &pattern->members.emplace_back();
        member->name = since(begin);
      }
      if (!noted_node(begin, member, value)) return false;
      push(name, value);
    }
  }

  void push(Value& key, Value& value) {
    Entry& entry = entries_.emplace_back();
    Box::move(key, entry.key);
    Box::move(value, entry.value);
  }

  /// Reads the keys of a dict, which replace their labels.
  bool keys(std::size_t begin, bool are_plain, bool& are_own_labels) {
    if (!skip(", \"keys\": {")) return false;
    for (std::size_t i = begin; i < entries_.size(); ++i) {
      if (i > begin && !skip(", ")) return false;
      const std::string& name = Box::string(entries_[i].key);
      if (are_plain && own_label(name)) continue;
      std::string label;
      Value key;
      if (!skip("\"") || !any_string(label) || label != name || !skip(": ") || !node(key))
        return false;
      if (key.kind() == Kind::string && key.as_string() == label) continue;
      // As long as all keys equal their labels, `insert_all` finds duplicates.
      if (std::exchange(are_own_labels, false) && !are_different(begin)) return false;
      if (key.kind() > Kind::string) key.set_key_label(std::move(label));
      entries_[i].key = std::move(key);
    }
    return skip("}");
  }

  /// Reads a key that is the string of its label, spelled the same. Otherwise reads nothing.
  bool own_label(std::string_view name) {
    const char* const begin = at_;
    const bool is_own = skip("\"") && skip(name) && skip("\": ") &&
                        skip(bare_spelling.begin[static_cast<std::size_t>(Kind::string)]) &&
                        skip("\"") && skip(name) && skip("\"}");
    if (!is_own || depth_ > limits_.depth || nodes_ >= limits_.nodes) {
      at_ = begin;
      return false;
    }
    ++nodes_;
    return true;
  }

  [[nodiscard]] bool are_different(std::size_t begin) const {
    std::unordered_set<std::string_view, detail::KeyedHash> labels;
    for (std::size_t i = begin; i < entries_.size(); ++i)
      if (!labels.insert(entries_[i].key.as_string()).second) return false;
    return true;
  }

  bool tensor(Kind kind, Value& value) {
    std::string_view name;
    std::string unescaped;
    if (!skip("\"")) return false;
    if (!plain_string(name)) {
      if (!escaped_string(unescaped)) return false;
      name = unescaped;
    }
    const std::optional<std::size_t> place = tensors_.find(name);
    if (!place) return false;
    if (kind == Kind::bytes) {
      value = Value::bytes(tensors_.take(*place));
      value.set_tensor_name(std::string(name));
    } else {
      Box::emplace<detail::TensorBox>(value, kind, [&] { return tensors_.take(*place); }, name);
    }
    return true;
  }

  /// Reads the two extension fields that many nodes have.
  bool extension(Value& value) {
    std::string text;
    if (limits_.attributes == 0) return false;
    if (value.kind() == Kind::structure && skip(", \"class\": \"")) {
      if (!any_string(text)) return false;
      value.set_type_name(std::move(text));
      return true;
    }
    if (value.kind() != Kind::tensor || !skip(", \"dtype\": \"") || !any_string(text) ||
        !count_node() || depth_ > limits_.depth)
      return false;
    value.set_attribute(attributes::dtype, Value(std::move(text)).plain());
    tensors_.note_dtype();
    return true;
  }

  template <class T>
  using Stack = std::vector<T, platform::BlockAllocator<T>>;

  TensorSource& tensors_;
  const Limits& limits_;
  std::uint64_t nodes_ = 0;
  std::uint64_t depth_ = 0;
  // By depth: the dicts of a list mostly have the same keys, which are a third of the nodes.
  std::array<Pattern, 8> patterns_;
  std::array<Length, 8> lengths_;
  // The content so far of the containers being read: one growing memory for all of them, so that
  // each gets its own in the right size.
  Stack<Value> items_;
  Stack<Entry> entries_;
};

}  // namespace

bool read_direct(std::string_view text, TensorSource& tensors, const Limits& limits, Value& root) {
  try {
    return DirectReader(text, tensors, limits).read(root);
  } catch (const Error&) {
    return false;  // The general reader says what is wrong, and where.
  }
}

}  // namespace safestructures::inline v0::schema
