#include <algorithm>
#include <atomic>
#include <charconv>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/value.hpp>
#include "data/box.hpp"
#include "data/text/nearest_name.hpp"

namespace safestructures::inline v0 {

using detail::Box;
using detail::CustomBox;
using detail::Dict;
using detail::DictBox;
using detail::DigitsBox;
using detail::SequenceBox;
using detail::TensorBox;

void detail::wrong_kind(std::string_view expected, const Value& value) {
  throw Error(ErrorCode::type_mismatch, "a value has the wrong type",
              {.expected = std::string(expected), .found = describe(value)});
}

namespace {

void expect(bool right, std::string_view expected, const Value& value) {
  if (!right) detail::wrong_kind(expected, value);
}

// The second function of each pair allows changing the value, and discards its digest.
const SequenceBox& sequence(const Value& value) {
  expect(value.is_sequence(), "a list, tuple or set", value);
  return *static_cast<const SequenceBox*>(Box::of(value));
}
SequenceBox& sequence(Value& value) {
  Box::forget_digest(value);
  return const_cast<SequenceBox&>(sequence(std::as_const(value)));
}

const DictBox& mapping(const Value& value) {
  expect(value.is_mapping(), "a dict or struct", value);
  return *static_cast<const DictBox*>(Box::of(value));
}
DictBox& mapping(Value& value) {
  Box::forget_digest(value);
  return const_cast<DictBox&>(mapping(std::as_const(value)));
}

const TensorBox& tensor_box(const Value& value) {
  expect(value.has_tensor(), "a tensor", value);
  return *static_cast<const TensorBox*>(Box::of(value));
}
TensorBox& tensor_box(Value& value) {
  Box::forget_digest(value);
  return const_cast<TensorBox&>(tensor_box(std::as_const(value)));
}

const CustomBox& custom_box(const Value& value) {
  expect(value.kind() == Kind::custom, "a custom value", value);
  return *static_cast<const CustomBox*>(Box::of(value));
}
CustomBox& custom_box(Value& value) {
  Box::forget_digest(value);
  return const_cast<CustomBox&>(custom_box(std::as_const(value)));
}

/// Returns the names in a mapping for messages: the first ten.
std::string list_keys(const std::vector<Entry>& entries) {
  std::string text;
  for (std::size_t i = 0; i < entries.size() && i < 10; ++i)
    text += (i == 0 ? "" : ", ") + entries[i].key.key_label();
  if (entries.size() > 10) text += " and " + std::to_string(entries.size() - 10) + " more";
  return text.empty() ? "nothing" : text;
}

/// Returns `Perhaps 'weight' is meant` if a similar name exists; otherwise an empty text.
std::string suggestion(std::string_view name, const Value& value) {
  if (!value.is_mapping()) return {};
  std::vector<std::string_view> names;
  for (const Entry& entry : value.entries())
    if (entry.key.kind() == Kind::string) names.push_back(entry.key.as_string());
  const auto nearest = detail::nearest_name(name, names);
  return nearest ? "Perhaps '" + std::string(*nearest) + "' is meant" : "";
}

[[noreturn]] void no_such_key(std::string_view key, const Value& value, std::string advice) {
  throw Error(ErrorCode::not_found, "there is no '" + std::string(key) + "'",
              {.found = list_keys(value.entries()), .advice = std::move(advice)});
}

[[noreturn]] void no_such_index(std::size_t index, std::size_t size) {
  throw Error(ErrorCode::not_found, "there is no item " + std::to_string(index),
              {.expected = "an index below " + std::to_string(size)});
}

/// Returns the part of `value` that one step of a path names; null if there is none.
const Value* step_into(const Value& value, const std::string& step) {
  if (value.is_sequence()) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    const bool is_index = error == std::errc() && end == step.data() + step.size() &&
                          (step.size() == 1 || step.front() != '0');
    return is_index && index < value.items().size() ? &value.items()[index] : nullptr;
  }
  if (!value.is_mapping()) return nullptr;
  if (const Value* found = value.find(step)) return found;
  for (const Entry& entry : value.entries())
    if (entry.key.kind() != Kind::string && entry.key.key_label() == step) return &entry.value;
  return nullptr;
}

}  // namespace

bool Value::as_bool() const {
  expect(kind_ == Kind::boolean, "a bool", *this);
  return boolean_;
}

std::optional<std::int64_t> Value::as_int64() const {
  expect(kind_ == Kind::integer, "an int", *this);
  if (big_) return std::nullopt;
  return integer_;
}

std::optional<std::uint64_t> Value::as_uint64() const {
  expect(kind_ == Kind::integer, "an int", *this);
  if (!big_)
    return integer_ < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(integer_));
  const std::string& digits = static_cast<const DigitsBox*>(box_)->digits;
  std::uint64_t number = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return result.ec == std::errc() ? std::optional(number) : std::nullopt;
}

std::string Value::integer_text() const {
  expect(kind_ == Kind::integer, "an int", *this);
  return big_ ? static_cast<const DigitsBox*>(box_)->digits : std::to_string(integer_);
}

double Value::as_double() const {
  expect(kind_ == Kind::floating, "a float", *this);
  return floating_;
}

std::complex<double> Value::as_complex() const {
  expect(kind_ == Kind::complex, "a complex", *this);
  return static_cast<const detail::ComplexBox*>(box_)->number;
}

const std::string& Value::as_string() const& {
  expect(kind_ == Kind::string, "a str", *this);
  return text_->text;
}
std::string Value::as_string() && {
  expect(kind_ == Kind::string, "a str", *this);
  if (text_->owners.load(std::memory_order_acquire) == 1) return std::move(text_->text);
  return text_->text;
}

const Tensor& Value::tensor() const& { return tensor_box(*this).tensor; }
Tensor Value::tensor() && { return std::move(tensor_box(*this).tensor); }

void Value::set_tensor(Tensor tensor) {
  if (kind_ == Kind::bytes) tensor = std::move(bytes(std::move(tensor))).tensor();
  tensor_box(*this).tensor = std::move(tensor);
}

const std::string& Value::tensor_name() const& { return tensor_box(*this).name; }
void Value::set_tensor_name(std::string name) { tensor_box(*this).name = std::move(name); }

const Value& Value::payload() const& { return custom_box(*this).payload; }
Value& Value::payload() & { return custom_box(*this).payload; }
Value Value::payload() && { return std::move(payload()); }

const std::vector<Value>& Value::items() const& { return sequence(*this).items; }
std::vector<Value>& Value::items() & { return sequence(*this).items; }
std::vector<Value> Value::items() && { return std::move(sequence(*this).items); }

const std::vector<Entry>& Value::entries() const& { return mapping(*this).dict.entries(); }
std::vector<Entry> Value::entries() && { return mapping(*this).dict.take(); }
Value& Value::entry_value(std::size_t index) & {
  std::vector<Entry>& entries = mapping(*this).dict.entries();
  if (index >= entries.size()) no_such_index(index, entries.size());
  return entries[index].value;
}

void Value::push_back(Value item) { sequence(*this).items.push_back(std::move(item)); }

void Value::reserve(std::size_t count) {
  if (is_sequence()) sequence(*this).items.reserve(count);
  else mapping(*this).dict.reserve(count);
}

Value& Value::insert(Value key, Value value) {
  DictBox& box = mapping(*this);
  if (kind_ == Kind::structure && key.kind() != Kind::string)
    throw Error(ErrorCode::invalid_argument, "a field's name has the wrong type",
                {.expected = "a str", .found = describe(key)});
  if (!box.dict.insert(key, value))
    throw Error(
        ErrorCode::duplicate_name,
        kind_ == Kind::dict ? "a dict contains a key twice" : "a struct contains a field twice",
        {.found = key.key_label()});
  return box.dict.entries().back().value;
}

void detail::insert_entry(Value& container, Value&& key, Value&& item) {
  const bool is_wrong = container.kind() == Kind::structure && key.kind() != Kind::string;
  if (!is_wrong && mapping(container).dict.insert(key, item)) return;
  // The caller may report a path that is a view of the key.
  container.insert(Value(key), std::move(item));
}

void detail::insert_all(Value& value, std::span<Entry> entries) {
  Dict& dict = mapping(value).dict;
  const auto is_string = [](const Entry& entry) { return entry.key.kind() == Kind::string; };
  std::size_t added = 0;
  if (value.kind() == Kind::dict || std::ranges::all_of(entries, is_string))
    added = dict.insert_all(entries);
  // Inserting the next one reports what is wrong with it.
  for (Entry& entry : entries.subspan(added))
    value.insert(std::move(entry.key), std::move(entry.value));
}

Value& Value::insert_or_assign(Value key, Value value) {
  if (Value* existing = find_key(key)) return *existing = std::move(value);
  return insert(std::move(key), std::move(value));
}

std::optional<Value> Value::erase(const Value& key) {
  Dict& dict = mapping(*this).dict;
  const std::size_t position = dict.find(key);
  if (position == Dict::npos) return std::nullopt;
  Value value = std::move(dict.entries()[position].value);
  dict.erase(position);
  return value;
}

std::size_t Value::size() const {
  if (is_sequence()) return items().size();
  expect(is_mapping(), "a container", *this);
  return entries().size();
}

const Value* Value::find_key(const Value& key) const& {
  if (!is_mapping()) return nullptr;
  const Dict& dict = static_cast<const DictBox*>(box_)->dict;
  const std::size_t position = dict.find(key);
  return position == Dict::npos ? nullptr : &dict.entries()[position].value;
}
Value* Value::find_key(const Value& key) & {
  Box::forget_digest(*this);
  return const_cast<Value*>(std::as_const(*this).find_key(key));
}

const Value* Value::find(std::string_view key) const& noexcept {
  if (!is_mapping()) return nullptr;
  const Dict& dict = static_cast<const DictBox*>(box_)->dict;
  const std::size_t position = dict.find(key);
  return position == Dict::npos ? nullptr : &dict.entries()[position].value;
}
Value* Value::find(std::string_view key) & noexcept {
  Box::forget_digest(*this);
  return const_cast<Value*>(std::as_const(*this).find(key));
}

const Value& Value::operator[](std::string_view key) const& {
  expect(is_mapping(), "a dict or struct", *this);
  if (const Value* found = find(key)) return *found;
  no_such_key(key, *this, suggestion(key, *this));
}
Value& Value::operator[](std::string_view key) & {
  expect(is_mapping(), "a dict or struct", *this);
  if (Value* found = find(key)) return *found;
  const std::string meant = suggestion(key, *this);
  no_such_key(key, *this, meant + (meant.empty() ? "" : "; ") + "insert_or_assign adds an entry");
}
Value Value::operator[](std::string_view key) && {
  Box::forget_digest(*this);
  return std::move(const_cast<Value&>(std::as_const(*this)[key]));
}

const Value& Value::operator[](std::size_t index) const& {
  const std::vector<Value>& list = items();
  if (index >= list.size()) no_such_index(index, list.size());
  return list[index];
}
Value& Value::operator[](std::size_t index) & {
  Box::forget_digest(*this);
  return const_cast<Value&>(std::as_const(*this)[index]);
}
Value Value::operator[](std::size_t index) && { return std::move((*this)[index]); }

void Value::negative_index(std::int64_t index) {
  throw Error(ErrorCode::not_found, "an index is negative", {.found = std::to_string(index)});
}

namespace {

/// Returns the value at a path; calls `visit` with every value on the way.
template <class Visit>
const Value& walk(const Value& root, const Path& path, const Visit& visit) {
  const Value* value = &root;
  Path walked;
  visit(*value);
  for (const std::string& step : path.steps()) {
    while (value->kind() == Kind::custom) visit(*(value = &value->payload()));
    const Value* next = step_into(*value, step);
    if (next == nullptr) {
      ErrorDetails details{.path = walked.to_string(), .found = describe(*value)};
      if (value->is_mapping()) details.found += ": " + list_keys(value->entries());
      details.advice = suggestion(step, *value);
      throw Error(ErrorCode::not_found, "there is no '" + step + "'", std::move(details));
    }
    visit(*(value = next));
    walked.push_back(step);
  }
  return *value;
}

}  // namespace

const Value& Value::at(const Path& path) const& {
  return walk(*this, path, [](const Value&) {});
}
const Value& Value::at(std::string_view path) const& { return at(Path::parse(path)); }
Value& Value::at(std::string_view path) & {
  return const_cast<Value&>(walk(*this, Path::parse(path), [](const Value& value) {
    Box::forget_digest(const_cast<Value&>(value));
  }));
}
Value Value::at(std::string_view path) && { return std::move(at(path)); }

}  // namespace safestructures::inline v0
