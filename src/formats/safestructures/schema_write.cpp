#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"
#include "data/number.hpp"
#include "formats/json_string.hpp"
#include "formats/safestructures/schema_ahead.hpp"
#include "formats/safestructures/schema_inside.hpp"
#include "formats/safestructures/schema_names.hpp"
#include "formats/safestructures/schema_tensors.hpp"
#include "formats/stored_dtype.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::schema {
namespace {

/// Whether a custom value has the name of a type of Python's `collections`, but not its spelling:
/// it is read as the custom value that it is (Reader::kind_of_node).
bool is_spelled_otherwise(std::string_view type, const Value& value) {
  if (value.kind() != Kind::custom || !type.starts_with(collections)) return false;
  const Value& payload = value.payload();
  if (!payload.is_plain()) return true;  // A node, which is neither an array nor has parts.
  const auto is_plain = [](const Value& part) { return part.is_plain(); };
  if (kind_of(type) == Kind::list)
    return payload.kind() != Kind::list || std::ranges::any_of(payload.items(), is_plain);
  const Value* keys = value.attribute(schema_keys);
  return payload.kind() != Kind::dict || keys == nullptr || keys->kind() != Kind::dict ||
         std::ranges::any_of(payload.entries(), is_plain, &Entry::value);
}

class Writer {
 public:
  explicit Writer(const SaveOptions& options) : options_(options), dtypes_(options.precision) {}

  Written write(const Value& root) {
    ahead_.look_at(root, 0, options_.limits.depth);
    platform::reserve_huge(text_, ahead_.text);
    platform::reserve_huge(written_.tensors, ahead_.tensors);
    node(root, nullptr);
    return std::move(written_);
  }

  Written write_inside(const Value& value, Around around) {
    ahead_.look_at(value, 1, options_.limits.depth);
    text_ = std::move(around.before);
    text_.reserve(text_.size() + ahead_.text + around.after.size());
    written_.tensors.reserve(ahead_.tensors);
    nodes_ = around.nodes;
    node_at(value, around.step, nullptr);
    text_ += around.after;
    return std::move(written_);
  }

 private:
  void string(std::string_view text, const Trace* trace) {
    detail::append_json_string(text_, text, detail::Escapes::all, trace);
  }

  void count_node(const Trace* trace) {
    if (++nodes_ > options_.limits.nodes)
      throw detail::past(detail::Limit::nodes, options_.limits.nodes, {.path = to_string(trace)});
  }

  /// One level down, for as long as it lives: counted, and in the dotted name of the place.
  class Place {
   public:
    Place(Writer& writer, std::string_view step, const Trace* trace) : Place(writer, trace) {
      if (size_ > 0) writer_.place_ += '.';
      writer_.place_ += step;
    }
    /// Without a step: into what a custom value holds.
    Place(Writer& writer, const Trace* trace)
        : writer_(writer),
          level_(writer.depth_, writer.options_.limits.depth, trace),
          size_(writer.place_.size()) {}
    ~Place() { writer_.place_.resize(size_); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    Writer& writer_;
    detail::Descent level_;
    std::size_t size_;
  };

  void node_at(const Value& value, std::string_view step, const Trace* parent) {
    const Trace trace{parent, step};
    const Place place(*this, step, &trace);
    node(value, &trace);
  }

  // Recursive over the tree, to Limits::depth. Outside of payloads and attributes nothing but a
  // node would be read, so that a mark as plain means nothing there.
  void node(const Value& value, const Trace* trace) {
    count_node(trace);
    const std::string_view own_type =
        value.kind() == Kind::structure ? std::string_view() : value.type_name();
    text_ += R"({"data_type": )";
    if (own_type.empty()) text_.append(1, '"').append(type_of(value.kind())) += '"';
    else other_type(own_type, value, trace);
    text_ += R"(, "value": )";
    payload(value, trace);
    if (options_.extensions || value.kind() == Kind::custom) extensions(value, trace);
    text_ += '}';
  }

  /// The type of a node that is not the usual one of its kind. Readers go by it.
  void other_type(std::string_view type, const Value& value, const Trace* trace) {
    const Kind kind = value.kind();
    if (kind_of(type).value_or(kind) != kind && !is_spelled_otherwise(type, value))
      throw Error(
          ErrorCode::invalid_argument, "a value has the type name of another kind",
          {.path = to_string(trace),
           .expected = "a name that does not stand for " + std::string(to_string(*kind_of(type))),
           .found = "'" + std::string(type) + "' of a " + std::string(to_string(kind))});
    string(type, trace);
  }

  void payload(const Value& value, const Trace* trace) {
    switch (value.kind()) {
      case Kind::none: text_ += "null"; break;
      case Kind::boolean: text_ += value.as_bool() ? "true" : "false"; break;
      case Kind::integer:
      case Kind::floating:
      case Kind::complex:
        text_ += '"';
        number(value, trace);
        text_ += '"';
        break;
      case Kind::string: string(value.as_string(), trace); break;
      case Kind::list:
      case Kind::tuple:
      case Kind::set: sequence(value, trace); break;
      case Kind::dict: dict(value, trace); break;
      case Kind::structure: fields(value, trace); break;
      case Kind::bytes:
      case Kind::tensor: string(tensor(value, trace), trace); break;
      case Kind::custom: {
        const Place place(*this, trace);
        const Value& inside = value.payload();
        if (inside.is_plain()) plain(inside, trace);
        else node(inside, trace);
        break;
      }
    }
  }

  void number(const Value& value, const Trace* trace) {
    if (value.kind() == Kind::floating) {
      detail::append_float(text_, value.as_double());
    } else if (value.kind() == Kind::complex) {
      detail::append_complex(text_, value.as_complex());
    } else {
      const std::string digits = value.integer_text();
      const std::size_t count = digits.size() - (digits.starts_with('-') ? 1 : 0);
      if (count > options_.limits.digits)
        throw detail::past(detail::Limit::digits, options_.limits.digits,
                           {.path = to_string(trace), .found = std::to_string(count)});
      text_ += digits;
    }
  }

  void sequence(const Value& value, const Trace* trace) {
    text_ += '[';
    std::size_t index = 0;
    for (const Value& item : value.items()) {
      if (index > 0) text_ += ", ";
      node_at(item, std::to_string(index), trace);
      ++index;
    }
    text_ += ']';
  }

  void fields(const Value& value, const Trace* trace) {
    const detail::StoredDTypes::Below below(dtypes_, value);
    text_ += '{';
    bool first = true;
    for (const Entry& entry : value.entries()) {
      if (!std::exchange(first, false)) text_ += ", ";
      string(entry.key.as_string(), trace);
      text_ += ": ";
      node_at(entry.value, entry.key.as_string(), trace);
    }
    text_ += '}';
  }

  void dict(const Value& value, const Trace* trace) {
    const std::vector<Entry>& entries = value.entries();
    const std::vector<std::string> labels = labels_of(entries);
    const auto label = [&](std::size_t i) -> const std::string& {
      return labels.empty() ? entries[i].key.as_string() : labels[i];
    };
    text_ += '{';
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) text_ += ", ";
      string(label(i), trace);
      text_ += ": ";
      node_at(entries[i].value, label(i), trace);
    }
    text_ += "}, \"keys\": {";
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) text_ += ", ";
      string(label(i), trace);
      text_ += ": ";
      node_at(entries[i].key, label(i), trace);
    }
    text_ += '}';
  }

  /// Labels for entries whose keys are not all strings; empty when they are. A string's label is
  /// the string itself; another key's is Python's str(key), with `#2`, `#3` ... when that is taken.
  static std::vector<std::string> labels_of(const std::vector<Entry>& entries) {
    const auto is_string = [](const Entry& entry) { return entry.key.kind() == Kind::string; };
    if (std::all_of(entries.begin(), entries.end(), is_string)) return {};
    std::unordered_set<std::string, detail::KeyedHash> taken;
    std::unordered_map<std::string, std::size_t, detail::KeyedHash> next;
    for (const Entry& entry : entries)
      if (is_string(entry)) taken.insert(entry.key.as_string());
    std::vector<std::string> labels;
    labels.reserve(entries.size());
    for (const Entry& entry : entries) {
      std::string label = entry.key.key_label();
      if (!is_string(entry) && !taken.insert(label).second) {
        std::size_t& count = next.try_emplace(label, 1).first->second;
        std::string other;
        do other = label + "#" + std::to_string(++count);
        while (!taken.insert(other).second);
        label = std::move(other);
      }
      labels.push_back(std::move(label));
    }
    return labels;
  }

  void extensions(const Value& value, const Trace* trace) {
    if (value.kind() == Kind::structure && !value.type_name().empty()) {
      text_ += ", \"class\": ";
      string(value.type_name(), trace);
    }
    for (const Entry& entry : value.attributes()) {
      if (detail::StoredDTypes::is_note(value, entry)) continue;  // Written below.
      text_ += ", ";
      string(entry.key.as_string(), trace);
      text_ += ": ";
      const bool outer = std::exchange(in_attribute_, true);
      plain_item(entry.value, entry.key.as_string(), trace);
      in_attribute_ = outer;
    }
    if (value.kind() != Kind::tensor) return;
    if (const auto original = dtypes_.original(value)) {
      text_ += ", \"dtype\": ";
      string(*original, trace);
    }
  }

  std::string_view tensor(const Value& value, const Trace* trace) {
    return tensors_.enter(value, dtypes_.of(value), place_, trace);
  }

  /// JSON as it is: the inside of custom payloads and attributes. Recursive, to Limits::depth.
  void plain(const Value& value, const Trace* trace) {
    count_node(trace);
    switch (value.kind()) {
      case Kind::none:
      case Kind::boolean:
      case Kind::string: return payload(value, trace);
      case Kind::integer:
      case Kind::floating: return plain_number(value, trace);
      case Kind::tensor: return string(tensor(value, trace), trace);
      case Kind::list: return plain_list(value, trace);
      case Kind::dict: return plain_dict(value, trace);
      default:
        throw Error(ErrorCode::invalid_argument, "a value of this kind cannot be plain JSON",
                    {.path = to_string(trace),
                     .expected = "None, bool, int, float, str, tensor, list or dict",
                     .found = std::string(to_string(value.kind()))});
    }
  }

  /// What no number of JSON is, Python writes and reads as a word.
  void plain_number(const Value& value, const Trace* trace) {
    if (value.kind() != Kind::floating || std::isfinite(value.as_double()))
      return number(value, trace);
    text_ += std::isnan(value.as_double()) ? "NaN"
             : value.as_double() < 0       ? "-Infinity"
                                           : "Infinity";
  }

  /// A plain container holds plain values and nodes; in an attribute only tensors, bytes and custom
  /// values are nodes.
  void plain_item(const Value& value, std::string_view step, const Trace* parent) {
    const Trace trace{parent, step};
    const Place place(*this, step, &trace);
    const Kind kind = value.kind();
    const bool is_node = kind == Kind::tensor || kind == Kind::bytes || kind == Kind::custom;
    if (value.is_plain() || (in_attribute_ && !is_node)) return plain(value, &trace);
    const bool outer = std::exchange(in_attribute_, false);
    node(value, &trace);
    in_attribute_ = outer;
  }

  void plain_list(const Value& value, const Trace* trace) {
    text_ += '[';
    std::size_t index = 0;
    for (const Value& item : value.items()) {
      if (index > 0) text_ += ", ";
      plain_item(item, std::to_string(index), trace);
      ++index;
    }
    text_ += ']';
  }

  /// Whether a plain dict would be read as a node; see `Reader::is_node`.
  [[nodiscard]] bool is_like_node(const Value& dict) const {
    const Value* const type = dict.find(schema_type);
    const Value* const value = dict.find(schema_value);
    const auto is_text = [this](const Value* part, Kind kind) {
      return part != nullptr && part->kind() == kind && (part->is_plain() || in_attribute_);
    };
    if (!is_text(type, Kind::string) || value == nullptr) return false;
    if (!in_attribute_) return true;
    const Kind kind = kind_of(type->as_string()).value_or(Kind::custom);
    const bool names =
        is_text(value, Kind::string) || (value->is_plain() && value->kind() == Kind::tensor);
    return names && (kind == Kind::tensor || kind == Kind::bytes || kind == Kind::custom);
  }

  void plain_dict(const Value& value, const Trace* trace) {
    if (is_like_node(value))
      throw Error(ErrorCode::invalid_argument, "a plain dict has the form of a node",
                  {.path = to_string(trace),
                   .expected = "no dict with 'data_type' and 'value'",
                   .found = "data_type '" + value.find(schema_type)->as_string() + "'",
                   .advice = "Call the keys otherwise, or do not make the dict plain"});
    text_ += '{';
    bool first = true;
    for (const Entry& entry : value.entries()) {
      if (!std::exchange(first, false)) text_ += ", ";
      if (entry.key.kind() != Kind::string)
        throw Error(ErrorCode::invalid_argument, "a key of this kind cannot stand in plain JSON",
                    {.path = to_string(trace),
                     .expected = "a str",
                     .found = detail::python_str(entry.key)});
      string(entry.key.as_string(), trace);
      text_ += ": ";
      plain_item(entry.value, entry.key.as_string(), trace);
    }
    text_ += '}';
  }

  const SaveOptions& options_;
  detail::StoredDTypes dtypes_;
  Written written_;
  std::string& text_ = written_.text;
  std::string place_;  // The dotted name of the current place.
  Ahead ahead_;
  bool in_attribute_ = false;
  std::uint32_t depth_ = 0;
  std::uint64_t nodes_ = 0;
  SchemaTensors tensors_{written_, ahead_, options_};
};

}  // namespace

std::string_view Written::keep(std::string_view name) {
  // Large enough that the memory for many names costs a call for each thousand or so.
  constexpr std::size_t block = std::size_t{64} << 10U;
  if (name.size() > left_) {
    const std::size_t size = std::max(block, name.size());
    blocks_.emplace_back(new char[size]);
    room_ = blocks_.back().get();
    left_ = size;
  }
  char* const begin = room_;
  std::memcpy(begin, name.data(), name.size());
  room_ += name.size();
  left_ -= name.size();
  return {begin, name.size()};
}

Written write(const Value& root, const SaveOptions& options) { return Writer(options).write(root); }

Written write_inside(const Value& value, Around around, const SaveOptions& options) {
  return Writer(options).write_inside(value, std::move(around));
}

}  // namespace safestructures::inline v0::schema
