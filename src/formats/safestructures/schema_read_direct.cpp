#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include <safestructures/data/codec.hpp>
#include "data/box.hpp"
#include "data/dict.hpp"
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"
#include "data/number.hpp"
#include "formats/safestructures/schema_names.hpp"
#include "formats/safestructures/schema_reader.hpp"
#include "formats/safestructures/schema_text.hpp"
#include "formats/safetensors/json_text.hpp"
#include "platform/memory.hpp"
#include "platform/stack.hpp"

namespace safestructures::inline v0::schema {

using detail::Box;

namespace {

// The kind that a type most likely is, by its first letter.
constexpr std::array<Kind, 128> likely_kinds = [] {
  std::array<Kind, 128> kinds;
  kinds.fill(Kind::custom);
  for (const Kind kind :
       {Kind::none, Kind::boolean, Kind::integer, Kind::floating, Kind::complex, Kind::string,
        Kind::list, Kind::tuple, Kind::dict, Kind::structure, Kind::tensor})
    kinds[static_cast<unsigned char>(type_of(kind).front())] = kind;
  return kinds;
}();

// Every step returns whether the text goes on as expected; it stops at what it does not know.
class DirectReader {
 public:
  DirectReader(std::string_view text, TensorSource& tensors, const Limits& limits)
      : tensors_(tensors), limits_(limits), at_(text.data()), end_(text.data() + text.size()) {}

  bool read(Value& root) { return node(root) && at_ == end_; }

 private:
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

  bool skip(std::string_view expected) noexcept {
    if (left() < expected.size() || std::memcmp(at_, expected.data(), expected.size()) != 0)
      return false;
    at_ += expected.size();
    return true;
  }

  bool skip(const Piece& piece) noexcept { return skip({piece.text.data(), piece.size}); }

  // Strings are read from behind the opening quote to behind the closing one.
  bool plain_string(std::string_view& string) noexcept {
    const char* const special = safetensors::detail::find_unplain(at_, end_);
    if (special == end_ || *special != '"') return false;
    string = {at_, static_cast<std::size_t>(special - at_)};
    at_ = special + 1;
    return true;
  }

  bool escaped_string(std::string& string) {
    using namespace safetensors::detail;
    const char* end = at_;
    while ((end = find_unplain(end, end_)) != end_ && *end == '\\') end += end_ - end >= 2 ? 2 : 1;
    if (end == end_ || *end != '"') return false;
    string.resize(static_cast<std::size_t>(end - at_) + 8);
    const Unescaped result = unescape(at_, end_, string.data());
    if (result.fault != StringFault::none) return false;
    string.resize(static_cast<std::size_t>(result.target_end - string.data()));
    at_ = result.stop;
    return true;
  }

  bool any_string(std::string& string) {
    std::string_view plain;
    if (!plain_string(plain)) return escaped_string(string);
    string = plain;
    return true;
  }

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

  // Recursive, to Limits::depth. All read into values that are none.
  bool node(Value& value) {
    if (!count_node() || depth_ > limits_.depth) return false;
    // The other reader says what is wrong: it needs more of the stack.
    if (depth_ >= detail::Descent::unchecked && platform::stack_is_low()) return false;
    if (left() <= type_at) return false;
    const auto letter = static_cast<unsigned char>(at_[type_at]);
    const Kind kind = letter < likely_kinds.size() ? likely_kinds[letter] : Kind::custom;
    if (kind == Kind::custom || !skip(bare_spelling.begin[static_cast<std::size_t>(kind)]))
      return other_node(value);
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

  // From behind what opens the value.
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
      case Kind::dict: return dict(value);
      case Kind::structure: return structure(value);
      case Kind::bytes:
      case Kind::tensor: return tensor(kind, value);
      case Kind::custom: break;
    }
    return false;
  }

  bool integer(Value& value) {
    std::int64_t small = 0;
    const auto [end, error] = std::from_chars(at_, end_, small);
    if (error != std::errc()) return false;
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
    auto& box = Box::emplace<detail::SequenceBox>(value, kind);
    if (skip("]")) return true;
    const std::size_t begin = items_.size();
    do {
      Value item;
      if (!node(item)) return false;
      Box::move(item, items_.emplace_back());
    } while (skip(", "));
    const std::span<Value> read = std::span(items_).subspan(begin);
    platform::reserve_huge(box.items, read.size());
    box.items.resize(read.size());
    for (std::size_t i = 0; i < read.size(); ++i) Box::move(read[i], box.items[i]);
    items_.resize(begin);
    return skip("]");
  }

  /// Adds the members of an object to `entries_`, each with its name as key. \param are_plain
  /// whether all names are spelled as they are
  bool members(bool& are_plain) {
    are_plain = true;
    if (skip("}")) return true;
    do {
      Value name;
      Value value;
      const char* const begin = at_;
      if (!string(name)) return false;
      are_plain =
          are_plain && Box::string(name).size() + 2 == static_cast<std::size_t>(at_ - begin);
      if (!skip(": ") || !node(value)) return false;
      Entry& entry = entries_.emplace_back();
      Box::move(name, entry.key);
      Box::move(value, entry.value);
    } while (skip(", "));
    return skip("}");
  }

  // Names and keys that are there twice are an error of `insert_all`.
  void give_entries(Value& value, std::size_t begin) {
    detail::insert_all(value, std::span(entries_).subspan(begin));
    entries_.resize(begin);
  }

  bool structure(Value& value) {
    static_cast<void>(Box::emplace<detail::DictBox>(value, Kind::structure));
    const std::size_t begin = entries_.size();
    bool are_plain = false;
    if (!members(are_plain)) return false;
    give_entries(value, begin);
    return true;
  }

  bool dict(Value& value) {
    static_cast<void>(Box::emplace<detail::DictBox>(value, Kind::dict));
    const std::size_t begin = entries_.size();
    bool are_plain = false;
    if (!members(are_plain) || !skip(", \"keys\": {")) return false;
    if (are_plain && same_keys(begin)) return give_keyed(value, begin);
    const char* const keys_begin = at_;
    bool are_own_labels = true;
    for (std::size_t i = begin; i < entries_.size(); ++i) {
      if (i > begin && !skip(", ")) return false;
      const std::string& name = Box::string(entries_[i].key);
      if (are_plain && own_label(name)) continue;
      std::string label;
      Value key;
      if (!skip("\"") || !any_string(label) || label != name || !skip(": ") || !node(key))
        return false;
      if (key.kind() == Kind::string && key.as_string() == label) continue;
      // As long as all keys are their own labels, `insert_all` finds those that are there twice.
      if (std::exchange(are_own_labels, false) && !are_different(begin)) return false;
      if (key.kind() > Kind::string) key.set_key_label(std::move(label));
      entries_[i].key = std::move(key);
    }
    const std::string_view text(keys_begin, static_cast<std::size_t>(at_ - keys_begin));
    if (!give_keyed(value, begin)) return false;
    if (are_plain && are_own_labels && depth_ < known_keys_.size())
      known_keys_[depth_] = {text, &Box::entries(value)};
    return true;
  }

  bool give_keyed(Value& value, std::size_t begin) {
    if (!skip("}")) return false;
    give_entries(value, begin);
    return true;
  }

  /// Keys that are those of the dict before at this depth. Nothing is read where they are not.
  bool same_keys(std::size_t begin) {
    if (depth_ >= known_keys_.size()) return false;
    const KnownKeys& known = known_keys_[depth_];
    const std::span<const Entry> entries = std::span(entries_).subspan(begin);
    const auto is_same = [](const Entry& a, const Entry& b) {
      return Box::string(a.key) == Box::string(b.key);
    };
    if (known.entries == nullptr || entries.size() > limits_.nodes - nodes_ ||
        !std::ranges::equal(*known.entries, entries, is_same) || !skip(known.text))
      return false;
    nodes_ += entries.size();
    return true;
  }

  /// A key that is the string of its label, spelled as it is. Nothing is read where it is not one.
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
    std::string name;
    if (!skip("\"") || !any_string(name)) return false;
    std::optional<Tensor> tensor = tensors_.find(name);
    if (!tensor) return false;
    if (kind == Kind::bytes) value = Value::bytes(*std::move(tensor));
    else Box::emplace<detail::TensorBox>(value, kind, *std::move(tensor));
    value.set_tensor_name(std::move(name));
    return true;
  }

  /// The two extension fields that many nodes have.
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
    return true;
  }

  // Where the first letter of a type is in its node.
  static constexpr std::size_t type_at = bare_spelling.type.size + 1;

  template <class T>
  using Stack = std::vector<T, platform::BlockAllocator<T>>;

  /// The text of a dict's keys, each of which is the string of its label, spelled as it is.
  struct KnownKeys {
    std::string_view text;
    const std::vector<Entry>* entries = nullptr;
  };

  TensorSource& tensors_;
  const Limits& limits_;
  const char* at_;
  const char* end_;
  std::uint64_t nodes_ = 0;
  std::uint64_t depth_ = 0;
  // By depth: in a list of dicts they have mostly the same keys, a third of the nodes.
  std::array<KnownKeys, 8> known_keys_;
  // What the containers that are being read hold so far: one growing memory for all of them, so
  // that each gets its own in the right size.
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
