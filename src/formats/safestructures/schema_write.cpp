#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/value.hpp>
#include "data/box.hpp"
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"
#include "data/text/number.hpp"
#include "formats/safestructures/schema_names.hpp"
#include "formats/safestructures/schema_writer.hpp"

namespace safestructures::inline v0::schema {

using detail::Box;

namespace {

/// Returns whether a custom value has the name of a type of Python's `collections`, but not its
/// spelling, so that it is read back as a custom value (Reader::kind_of_node).
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

/// Returns labels for entries whose keys are not all strings; empty if they are. A string's label
/// is the string itself; any other key's is Python's str(key), with `#2`, `#3` ... if that is
/// taken.
std::vector<std::string> labels_of(const std::vector<Entry>& entries) {
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

}  // namespace

// The text of more values than this is worth a huge page.
constexpr std::size_t few_values = text_piece / 1024;

Written Writer::write(const Value& root) {
  ahead_.look_at(root, 0, options_.limits.depth, text_.leaves() ? few_values : Ahead::all);
  if (text_.leaves() && ahead_.is_cut) unseen_ = &root;
  text_.reserve(unseen_ != nullptr ? text_piece : ahead_.text);
  items_.reserve(ahead_.tensors);
  text_.restart();
  node(root, nullptr);
  text_.finish();
  return std::move(written_);
}

Written Writer::write_item(const Value& value, std::string_view step) {
  constexpr std::uint32_t outer = 2;
  ahead_.look_at(value, outer, options_.limits.depth);
  text_.reserve(ahead_.text);
  items_.reserve(ahead_.tensors);
  text_.restart();
  depth_ = outer - 1;
  child(value, {nullptr, step});
  text_.finish();
  return std::move(written_);
}

/// Looks at the whole tree, for the names of tensors. The tree is rarely in the cache: without
/// tensors, looking took a quarter of the time of a save (W14 in benchmarks/RESULTS.md).
void Writer::look_ahead(const Trace* trace) {
  ahead_ = {};
  ahead_.look_at(*std::exchange(unseen_, nullptr), 0, options_.limits.depth);
  if (ahead_.is_cut) detail::Descent::fail_stack(depth_, trace);
  items_.reserve(ahead_.tensors);
}

void Writer::count_node(const Trace* trace) {
  if (++nodes_ > options_.limits.nodes)
    throw detail::past(detail::Limit::nodes, options_.limits.nodes, {.path = to_string(trace)});
}

void Writer::child(const Value& value, const Trace& step) {
  const detail::Descent level(depth_, options_.limits.depth, &step);
  node(value, &step);
}

void Writer::node(const Value& value, const Trace* trace) {
  count_node(trace);
  if (value.kind() <= Kind::string) return scalar(value, trace);
  begin_node(value, trace);
  payload(value, trace);
  const bool is_converted =
      value.kind() == Kind::tensor && dtypes_.of(value) != value.tensor().dtype();
  if (Box::has_extras(value) || is_converted)
    if (options_.extensions || value.kind() == Kind::custom) extensions(value, trace);
  text_.add("}");
}

/// Writes a scalar node without type name and extension fields.
void Writer::scalar(const Value& value, const Trace* trace) {
  const Spelling& spelling = text_.spelling();
  text_.add(spelling.begin[static_cast<std::size_t>(value.kind())]);
  switch (value.kind()) {
    case Kind::none: return text_.add("null}");
    case Kind::boolean: return text_.add(Box::boolean(value) ? "true}" : "false}");
    case Kind::integer: integer(value, trace); break;
    case Kind::floating: text_.add_float(Box::floating(value)); break;
    case Kind::complex: {
      std::string number;
      detail::append_complex(number, value.as_complex());
      text_.add(std::string_view(number));
      break;
    }
    default: text_.add_string(Box::string(value), trace); return text_.add("}");
  }
  text_.add(spelling.number_end);
}

/// Writes a node up to what opens its value.
void Writer::begin_node(const Value& value, const Trace* trace) {
  const Spelling& spelling = text_.spelling();
  const Kind kind = value.kind();
  if (kind == Kind::structure || value.type_name().empty())
    return text_.add(spelling.begin[static_cast<std::size_t>(kind)]);
  text_.add(spelling.type);
  other_type(value.type_name(), value, trace);
  text_.add(spelling.value);
  text_.add(Spelling::opening(kind));
}

/// Writes the type of a node if it is not the usual one of its kind. Readers go by it.
void Writer::other_type(std::string_view type, const Value& value, const Trace* trace) {
  const Kind kind = value.kind();
  if (kind_of(type).value_or(kind) != kind && !is_spelled_otherwise(type, value))
    throw Error(
        ErrorCode::invalid_argument, "a value has the type name of another kind",
        {.path = to_string(trace),
         .expected = "a name that does not stand for " + std::string(to_string(*kind_of(type))),
         .found = "'" + std::string(type) + "' of a " + std::string(to_string(kind))});
  text_.add_string(type, trace);
}

/// Writes the content of a value after what opens it, and what closes it.
void Writer::payload(const Value& value, const Trace* trace) {
  switch (value.kind()) {
    case Kind::list:
    case Kind::tuple:
    case Kind::set: return sequence(value, trace);
    case Kind::dict: return dict(value, trace);
    case Kind::structure: return fields(value, trace);
    case Kind::custom: {
      const detail::Descent level(depth_, options_.limits.depth, trace);
      const Value& inside = value.payload();
      if (inside.is_plain()) plain(inside, trace);
      else node(inside, trace);
      return;
    }
    default: return text_.add_string(tensor(value, trace), trace);
  }
}

void Writer::integer(const Value& value, const Trace* trace) {
  std::size_t count = 0;
  if (const std::int64_t* const small = Box::integer(value)) {
    count = text_.add_integer(*small);
  } else {
    const std::string digits = value.integer_text();
    count = digits.size() - (digits.starts_with('-') ? 1 : 0);
    if (count <= options_.limits.digits) text_.add(std::string_view(digits));
  }
  if (count > options_.limits.digits)
    throw detail::past(detail::Limit::digits, options_.limits.digits,
                       {.path = to_string(trace), .found = std::to_string(count)});
}

void Writer::sequence(const Value& value, const Trace* trace) {
  if (value.kind() == Kind::set) {
    const std::size_t repeated = detail::find_repeated(Box::items(value), digest_);
    if (repeated != detail::Dict::npos)
      throw detail::repeated_item(Box::items(value), repeated, trace);
  }
  std::size_t index = 0;
  for (const Value& item : Box::items(value)) {
    if (index > 0) text_.add(", ");
    child(item, {trace, {}, index});
    ++index;
  }
  text_.add("]");
}

void Writer::fields(const Value& value, const Trace* trace) {
  const detail::StoredDTypes::Below below(dtypes_, value);
  bool first = true;
  for (const Entry& entry : Box::entries(value)) {
    if (!std::exchange(first, false)) text_.add(", ");
    member(Box::string(entry.key), entry.value, trace);
  }
  text_.add("}");
}

/// Writes a name and its value.
void Writer::member(const std::string& name, const Value& value, const Trace* trace) {
  text_.add_string(name, trace);
  text_.add(": ");
  child(value, {trace, name});
}

void Writer::dict(const Value& value, const Trace* trace) {
  const std::vector<Entry>& entries = Box::entries(value);
  const std::vector<std::string> labels = labels_of(entries);
  const auto label = [&](std::size_t i) -> const std::string& {
    return labels.empty() ? Box::string(entries[i].key) : labels[i];
  };
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) text_.add(", ");
    member(label(i), entries[i].value, trace);
  }
  text_.add(text_.spelling().keys);
  if (!labels.empty() || !same_keys(entries)) {
    const std::size_t begin = text_.size();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) text_.add(", ");
      member(label(i), entries[i].key, trace);
    }
    if (labels.empty() && depth_ < known_keys_.size()) {
      const std::string_view text = text_.since(begin);
      known_keys_[depth_].entries = text.empty() ? nullptr : &entries;
      known_keys_[depth_].text = text;
    }
  }
  text_.add("}");
}

/// Writes the keys of the preceding dict at this depth again if these are the same.
bool Writer::same_keys(const std::vector<Entry>& entries) {
  if (depth_ >= known_keys_.size()) return false;
  const KnownKeys& known = known_keys_[depth_];
  const auto is_same = [](const Entry& a, const Entry& b) {
    return Box::same_string(a.key, b.key);
  };
  if (known.entries == nullptr || entries.size() > options_.limits.nodes - nodes_ ||
      !std::ranges::equal(*known.entries, entries, is_same))
    return false;
  nodes_ += entries.size();
  text_.add(std::string_view(known.text));
  return true;
}

void Writer::extensions(const Value& value, const Trace* trace) {
  std::size_t count = 0;
  const auto count_field = [&] {
    if (++count > options_.limits.attributes)
      throw detail::past(detail::Limit::attributes, options_.limits.attributes,
                         {.path = to_string(trace)});
  };
  if (value.kind() == Kind::structure && !value.type_name().empty()) {
    count_field();
    text_.add(text_.spelling().class_name);
    text_.add_string(value.type_name(), trace);
  }
  for (const Entry& entry : value.attributes()) {
    if (detail::StoredDTypes::is_note(value, entry)) continue;  // Written below.
    count_field();
    text_.add(", ");
    text_.add_string(entry.key.as_string(), trace);
    text_.add(": ");
    const bool outer = std::exchange(in_attribute_, true);
    plain_item(entry.value, {trace, entry.key.as_string()});
    in_attribute_ = outer;
  }
  if (value.kind() != Kind::tensor) return;
  if (const auto original = dtypes_.original(value)) {
    count_field();
    text_.add(text_.spelling().dtype);
    text_.add_string(*original, trace);
  }
}

std::string_view Writer::tensor(const Value& value, const Trace* trace) {
  if (unseen_ != nullptr) look_ahead(trace);
  return tensors_.enter(value, dtypes_.of(value), trace);
}

std::string_view Written::keep(std::string_view name) {
  if (name.empty()) return "";
  // Large enough that memory for many names takes only one call for every thousand or so.
  constexpr std::size_t block = std::size_t{64} << 10U;
  if (name.size() > left_) {
    const std::size_t size = std::max(block, name.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    room_ = blocks_.back().get();
    left_ = size;
  }
  char* const begin = room_;
  std::memcpy(begin, name.data(), name.size());
  room_ += name.size();
  left_ -= name.size();
  return {begin, name.size()};
}

Written write(const Value& root, const SaveOptions& options) {
  ItemBlock tensors;
  Written written = write(root, tensors, options);
  written.tensors.assign(tensors.begin(), tensors.end());
  return written;
}

Written write(const Value& root, ItemBlock& tensors, const SaveOptions& options) {
  return Writer(options, tensors).write(root);
}

Written write_escaped(const Value& root, ItemBlock& tensors, TextBlock& text,
                      const SaveOptions& options, TextTaker take) {
  return Writer(options, tensors, text, std::move(take)).write(root);
}

Written write_item(const Value& value, std::string_view step, ItemBlock& tensors,
                   const SaveOptions& options) {
  return Writer(options, tensors).write_item(value, step);
}

}  // namespace safestructures::inline v0::schema
