#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/value.hpp>
#include "data/box.hpp"
#include "data/text/number.hpp"

namespace safestructures::inline v0 {

using detail::Box;

namespace {

/// An object that is never destroyed: destructors of static objects may use it.
template <class T>
union Lasting {
  T value{};
  constexpr Lasting() noexcept {}
  constexpr ~Lasting() {}
};

const Lasting<std::string> empty_text;
const Lasting<std::vector<Entry>> no_entries;

detail::Extras& extras_of(Value& value) {
  if (value.kind() <= Kind::string) detail::wrong_kind("a container or tensor", value);
  Box::forget_digest(value);
  detail::BoxedExtras& extras = Box::of(value)->extras;
  if (!extras) extras.reset(detail::make_boxed<detail::Extras>());
  return *extras;
}

}  // namespace

const std::string& Value::type_name() const& noexcept {
  return Box::has_extras(*this) ? box_->extras->type_name : empty_text.value;
}

void Value::set_type_name(std::string name) { extras_of(*this).type_name = std::move(name); }

std::string Value::key_label() const {
  if (Box::has_extras(*this) && !box_->extras->key_label.empty()) return box_->extras->key_label;
  return detail::python_str(*this);
}

void Value::set_key_label(std::string label) { extras_of(*this).key_label = std::move(label); }

const std::vector<Entry>& Value::attributes() const& noexcept {
  return Box::has_extras(*this) ? box_->extras->attributes : no_entries.value;
}

std::vector<Entry> Value::attributes() && { return attributes(); }

const Value* Value::attribute(std::string_view name) const& noexcept {
  for (const Entry& entry : attributes())
    if (entry.key.as_string() == name) return &entry.value;
  return nullptr;
}

bool Value::erase_attribute(std::string_view name) noexcept {
  if (attributes().empty()) return false;
  return std::erase_if(box_->extras->attributes,
                       [&](const Entry& entry) { return entry.key.as_string() == name; }) > 0;
}

void Value::set_attribute(std::string_view name, Value value) {
  std::vector<Entry>& list = extras_of(*this).attributes;
  // A custom Python type that is a dict has keys of its own.
  using namespace attributes;
  if (name == schema_type || name == schema_value ||
      (name == schema_keys && kind_ != Kind::custom) ||
      (name == schema_class && kind_ == Kind::structure))
    throw Error(ErrorCode::invalid_argument,
                "an attribute cannot have a name that the schema reserves",
                {.found = "'" + std::string(name) + "'"});
  for (Entry& entry : list) {
    if (entry.key.as_string() != name) continue;
    entry.value = std::move(value);
    return;
  }
  list.push_back({Value(name), std::move(value)});
}

}  // namespace safestructures::inline v0
