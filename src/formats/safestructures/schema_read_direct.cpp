#include <charconv>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include <simdjson.h>

#include <safestructures/data/codec.hpp>
#include "data/box.hpp"
#include "data/dict.hpp"
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"
#include "data/number.hpp"
#include "formats/safestructures/schema_names.hpp"
#include "formats/safestructures/schema_reader.hpp"
#include "formats/safetensors/json_text.hpp"
#include "platform/memory.hpp"
#include "platform/stack.hpp"

namespace safestructures::inline v0::schema {
namespace {

// Every step returns whether the text goes on as expected; it stops at what it does not know.
class DirectReader {
 public:
  DirectReader(std::string_view text, TensorSource& tensors, const Limits& limits)
      : tensors_(tensors), limits_(limits), at_(text.data()), end_(text.data() + text.size()) {}

  bool read(Value& root) { return node(root) && at_ == end_; }

 private:
  bool skip(std::string_view expected) noexcept {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(expected))
      return false;
    at_ += expected.size();
    return true;
  }

  // Strings are read from behind the opening quote to behind the closing one.
  bool plain_string(std::string_view& string) noexcept {
    const char* const special = safetensors::detail::find_unplain(at_, end_);
    if (special == end_ || *special != '"') return false;
    string = {at_, static_cast<std::size_t>(special - at_)};
    at_ = special + 1;
    return true;
  }

  bool any_string(std::string& string) {
    using namespace safetensors::detail;
    if (std::string_view plain; plain_string(plain)) {
      string = plain;
      return true;
    }
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

  bool count_node() noexcept { return ++nodes_ <= limits_.nodes; }

  // Recursive, to Limits::depth.
  bool node(Value& value) {
    if (!count_node() || depth_ > limits_.depth) return false;
    // The other reader says what is wrong: it needs more of the stack.
    if (depth_ >= detail::Descent::unchecked && platform::stack_is_low()) return false;
    ++depth_;
    std::string_view type;
    if (!skip("{\"data_type\": \"") || !plain_string(type) || !skip(", \"value\": ")) return false;
    const std::optional<Kind> kind = kind_of(type);
    if (!kind || !payload(*kind, value)) return false;
    if (*kind > Kind::string && without_module(type) != type_of(*kind))
      value.set_type_name(std::string(type));
    if (!skip("}") && !(extension(value) && skip("}"))) return false;
    --depth_;
    return true;
  }

  bool payload(Kind kind, Value& value) {
    switch (kind) {
      case Kind::none: return skip("null");
      case Kind::boolean: value = skip("true"); return value.as_bool() || skip("false");
      case Kind::integer:
      case Kind::floating:
      case Kind::complex: return number(kind, value);
      case Kind::string: {
        std::string text;
        if (!skip("\"") || !any_string(text)) return false;
        value = Value(std::move(text));
        return true;
      }
      case Kind::list: return sequence(value = Value::list());
      case Kind::tuple: return sequence(value = Value::tuple());
      case Kind::set:
        return sequence(value = Value::set()) &&
               detail::find_repeated(value.items()) == detail::Dict::npos;
      case Kind::dict: return dict(value = Value::dict());
      case Kind::structure: return structure(value = Value::structure());
      case Kind::bytes:
      case Kind::tensor: return tensor(kind, value);
      case Kind::custom: break;
    }
    return false;
  }

  bool number(Kind kind, Value& value) {
    std::string_view text;
    if (!skip("\"") || !plain_string(text)) return false;
    if (kind == Kind::integer) {
      std::int64_t small = 0;
      const char* const text_end = text.data() + text.size();
      const auto [end, error] = std::from_chars(text.data(), text_end, small);
      value = Value(small);
      return error == std::errc() && end == text_end;
    }
    if (kind == Kind::floating) {
      const std::optional<double> number = detail::parse_float(text);
      if (number) value = Value(*number);
      return number.has_value();
    }
    const std::optional<std::complex<double>> number = detail::parse_complex(text);
    if (number) value = Value(*number);
    return number.has_value();
  }

  bool sequence(Value& value) {
    if (!skip("[")) return false;
    if (skip("]")) return true;
    const std::size_t begin = items_.size();
    do {
      Value item;
      if (!node(item)) return false;
      items_.push_back(std::move(item));
    } while (skip(", "));
    const auto first = items_.begin() + static_cast<std::ptrdiff_t>(begin);
    value.items().assign(std::move_iterator(first), std::move_iterator(items_.end()));
    items_.erase(first, items_.end());
    return skip("]");
  }

  /// Adds the members of an object to `entries_`, each with its name as key.
  bool members() {
    if (!skip("{")) return false;
    if (skip("}")) return true;
    do {
      std::string name;
      Value value;
      if (!skip("\"") || !any_string(name) || !skip(": ") || !node(value)) return false;
      entries_.push_back({Value(std::move(name)), std::move(value)});
    } while (skip(", "));
    return skip("}");
  }

  // Names and keys that are there twice are an error of `insert_all`.
  void give_entries(Value& value, std::size_t begin) {
    detail::insert_all(value, std::span(entries_).subspan(begin));
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(begin), entries_.end());
  }

  bool structure(Value& value) {
    const std::size_t begin = entries_.size();
    if (!members()) return false;
    give_entries(value, begin);
    return true;
  }

  bool dict(Value& value) {
    const std::size_t begin = entries_.size();
    if (!members() || !skip(", \"keys\": {")) return false;
    bool are_own_labels = true;
    for (std::size_t i = begin; i < entries_.size(); ++i) {
      if (i > begin && !skip(", ")) return false;
      std::string label;
      Value key;
      if (!skip("\"") || !any_string(label) || label != entries_[i].key.as_string() ||
          !skip(": ") || !node(key))
        return false;
      if (key.kind() == Kind::string && key.as_string() == label) continue;
      // As long as all keys are their own labels, `insert_all` finds those that are there twice.
      if (std::exchange(are_own_labels, false) && !are_different(begin)) return false;
      if (key.kind() > Kind::string) key.set_key_label(std::move(label));
      entries_[i].key = std::move(key);
    }
    if (!skip("}")) return false;
    give_entries(value, begin);
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
    value = kind == Kind::bytes ? Value::bytes(*std::move(tensor)) : Value(*std::move(tensor));
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

  template <class T>
  using Stack = std::vector<T, platform::BlockAllocator<T>>;

  TensorSource& tensors_;
  const Limits& limits_;
  const char* at_;
  const char* end_;
  std::uint64_t nodes_ = 0;
  std::uint64_t depth_ = 0;
  // What the containers that are being read hold so far: one growing memory for all of them, so
  // that each gets its own in the right size.
  Stack<Value> items_;
  Stack<Entry> entries_;
};

}  // namespace

bool read_direct(std::string_view text, TensorSource& tensors, const Limits& limits, Value& root) {
  if (text.empty() || !simdjson::validate_utf8(text.data(), text.size())) return false;
  try {
    return DirectReader(text, tensors, limits).read(root);
  } catch (const Error&) {
    return false;  // The general reader says what is wrong, and where.
  }
}

}  // namespace safestructures::inline v0::schema
