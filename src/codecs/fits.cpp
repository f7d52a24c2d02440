#include "codecs/fits.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/attributes.hpp>
#include "codecs/spelled_key.hpp"
#include "data/column_count.hpp"

namespace safestructures::inline v0::detail {
namespace {

// Enough to distinguish containers of different structs.
constexpr unsigned fit_levels = 4;

constexpr KindSet sequences = KindSet(Kind::list) | Kind::tuple | Kind::set | Kind::tensor;
constexpr KindSet numbers = KindSet(Kind::boolean) | Kind::integer | Kind::floating | Kind::complex;

bool fits_tensor(const Value& value, const TypeInfo& type) {
  const Value* const note = value.attribute(attributes::dtype);
  const std::string_view dtype = note != nullptr && note->kind() == Kind::string
                                     ? std::string_view(note->as_string())
                                     : to_string(value.tensor().dtype());
  if (type.dtype && dtype != to_string(*type.dtype)) return false;
  if (!type.shape) return true;
  return std::ranges::equal(*type.shape, value.tensor().shape(),
                            [](Extent extent, std::uint64_t size) { return extent.holds(size); });
}

bool fits_integer(const Value& value, const TypeInfo& type) {
  if (!type.is_signed) {
    const auto number = value.as_uint64();
    return number && (type.bits >= 64 || *number >> type.bits == 0);
  }
  const auto number = value.as_int64();
  return number && (type.bits >= 64 || (*number >> (type.bits - 1)) == (*number < 0 ? -1 : 0));
}

/// The number of code points.
std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

/// Whether a list has numbers for bytes.
bool fits_bytes(const Value& value, const TypeInfo& type) {
  return (!type.size || value.size() == *type.size) &&
         std::ranges::all_of(value.items(), [](const Value& item) {
           return item.kind() == Kind::integer && item.as_uint64().value_or(256) < 256;
         });
}

/// The items to look at: all where that is one comparison each, as 2.5 may come after 1, or else
/// the first.
template <class T>
std::span<const T> looked_at(const std::vector<T>& items, const TypeInfo& item) {
  const bool is_scalar = item.kind >= TypeKind::boolean && item.kind <= TypeKind::string;
  return std::span(items).first(is_scalar ? items.size() : std::min<std::size_t>(items.size(), 1));
}

/// One question, with the number of levels that are left to it. Recursive, up to them.
class Fitting {
 public:
  Fitting(Fit fit, unsigned levels) : fit_(fit), levels_(levels) {}

  [[nodiscard]] bool ask(const Value& value, const TypeInfo& type) const {
    if (!type.kinds.has(value.kind()) && !is_loadable(value, type)) return false;
    if (levels_ == 0) return true;
    switch (type.kind) {
      case TypeKind::optional:
      case TypeKind::pointer: return value.is_none() || below(value, *type.item);
      case TypeKind::variant:
        return std::ranges::any_of(type.items,
                                   [&](const TypeInfo* one) { return below(value, *one); });
      case TypeKind::enumeration: return fits_enum(value, type);
      case TypeKind::integer: return value.kind() != Kind::integer || fits_integer(value, type);
      case TypeKind::string:
        return value.kind() != Kind::string || !type.size ||
               length_of(value.as_string()) == *type.size;
      case TypeKind::bytes: return !value.is_sequence() || fits_bytes(value, type);
      case TypeKind::structure: return value.is_mapping() && fits_fields(value, type);
      case TypeKind::tuple: return value.is_sequence() && fits_tuple(value, type);
      case TypeKind::list:
      case TypeKind::set: return fits_columns(value, *type.item) || fits_items(value, type);
      case TypeKind::dict: return is_columns(value) || fits_entries(value, type);
      case TypeKind::tensor:
        return value.kind() == Kind::tensor ? fits_tensor(value, type) : fits_numbers(value, type);
      default: return true;
    }
  }

 private:
  [[nodiscard]] bool below(const Value& value, const TypeInfo& type) const {
    return Fitting(fit_, levels_ - 1).ask(value, type);
  }

  [[nodiscard]] bool is_loadable(const Value& value, const TypeInfo& type) const {
    return fit_.form == Form::loadable && type.kinds.overlaps(readable_as(value));
  }

  [[nodiscard]] static bool is_columns(const Value& value) {
    return value.kind() == Kind::structure && column_count(value).has_value();
  }

  [[nodiscard]] bool fits_enum(const Value& value, const TypeInfo& type) const {
    if (value.kind() == Kind::integer) return below(value, *type.item);
    return value.kind() == Kind::string &&
           std::ranges::find(type.enumerators, value.as_string(), &TypeEnumerator::name) !=
               type.enumerators.end();
  }

  /// Whether a struct stands for a list of that many items.
  [[nodiscard]] bool fits_columns(const Value& value, const TypeInfo& item) const {
    return is_columns(value) &&
           (item.kind != TypeKind::structure ||
            fits_names(value, item, [](const Value&, const TypeField&) { return true; }));
  }

  [[nodiscard]] bool fits_fields(const Value& value, const TypeInfo& type) const {
    return fits_names(value, type, [&](const Value& found, const TypeField& field) {
      return below(found, *field.type);
    });
  }

  /// Whether a struct has the fields of a type, each of which `fits_field`.
  template <class FitsField>
  [[nodiscard]] bool fits_names(const Value& value, const TypeInfo& type,
                                const FitsField& fits_field) const {
    std::size_t known = 0;
    for (const TypeField& field : type.fields) {
      const Value* found = value.find(field.name);
      for (const std::string& alias : field.aliases)
        if (found == nullptr) found = value.find(alias);
      if (found == nullptr && !field.is_optional) return false;
      if (found == nullptr) continue;
      ++known;
      if (!fits_field(*found, field)) return false;
    }
    return fit_.fields == Fields::more || known == value.size();
  }

  [[nodiscard]] bool fits_tuple(const Value& value, const TypeInfo& type) const {
    return std::ranges::equal(
        value.items(), type.items,
        [&](const Value& item, const TypeInfo* one) { return below(item, *one); });
  }

  [[nodiscard]] bool fits_items(const Value& value, const TypeInfo& type) const {
    if (value.kind() == Kind::tensor)
      return type.item->kinds.overlaps(value.tensor().rank() == 1 ? numbers : sequences);
    if (!value.is_sequence() || (type.size && value.size() != *type.size)) return false;
    return std::ranges::all_of(looked_at(value.items(), *type.item),
                               [&](const Value& item) { return below(item, *type.item); });
  }

  [[nodiscard]] bool fits_entries(const Value& value, const TypeInfo& type) const {
    if (!type.fields.empty()) return value.is_mapping() && fits_fields(value, type);
    if (type.key == nullptr) return true;
    if (value.is_mapping())
      return std::ranges::all_of(looked_at(value.entries(), *type.item), [&](const Entry& entry) {
        return fits_key(entry.key, *type.key) && below(entry.value, *type.item);
      });
    return value.is_sequence() &&
           std::ranges::all_of(looked_at(value.items(), *type.item), [&](const Value& pair) {
             return pair.is_sequence() && pair.size() == 2 && below(pair.items()[0], *type.key) &&
                    below(pair.items()[1], *type.item);
           });
  }

  /// JSON has no keys but texts, from which numbers are loaded.
  [[nodiscard]] bool fits_key(const Value& key, const TypeInfo& type) const {
    const bool may_be_spelled = fit_.form == Form::loadable && key.kind() == Kind::string;
    return below(key, type) ||
           (may_be_spelled && spelled_key(key.as_string(), keys_of(type)).has_value());
  }

  [[nodiscard]] static Keys keys_of(const TypeInfo& type) {
    switch (type.kind) {
      case TypeKind::integer: return Keys::integers;
      case TypeKind::floating: return Keys::floats;
      case TypeKind::boolean: return Keys::booleans;
      default: return Keys::any;
    }
  }

  /// Whether what is not a tensor has numbers for one.
  [[nodiscard]] bool fits_numbers(const Value& value, const TypeInfo& type) const {
    if (!value.is_sequence()) {
      const bool is_raw = value.kind() == Kind::string || value.kind() == Kind::bytes;
      return !is_raw || !type.dtype || bit_width(*type.dtype) == 8;
    }
    if (type.item != nullptr) return fits_items(value, type);
    const Value* first = &value;
    std::size_t rank = 0;
    for (; first->is_sequence() && first->size() != 0; ++rank) first = &first->items().front();
    if (first->is_sequence()) return true;
    if (type.shape && rank != type.shape->size()) return false;
    switch (first->kind()) {
      case Kind::boolean:
      case Kind::integer:
      case Kind::tensor: return true;
      case Kind::floating: return !type.dtype || !is_integer(*type.dtype);
      case Kind::complex: return !type.dtype || type.is_complex || type.dtype == DType::C64;
      default: return false;
    }
  }

  Fit fit_;
  unsigned levels_;
};

}  // namespace

KindSet readable_as(const Value& value) {
  switch (value.kind()) {
    case Kind::integer: return KindSet(Kind::floating) | Kind::complex;
    case Kind::floating: return Kind::complex;
    case Kind::string: return Kind::tensor;
    case Kind::bytes: return KindSet(Kind::tensor) | Kind::string;
    case Kind::tensor:
      return value.tensor().rank() == 0 ? numbers : sequences | Kind::bytes | Kind::string;
    case Kind::list: return sequences | Kind::dict | Kind::bytes;
    case Kind::tuple: return sequences | Kind::bytes;
    case Kind::set: return sequences;
    case Kind::dict:
    case Kind::custom: return Kind::structure;
    case Kind::structure: return column_count(value) ? sequences | Kind::dict : Kind::dict;
    default: return {};
  }
}

bool fits(const Value& value, const TypeInfo& type, Fit fit) {
  return Fitting(fit, fit_levels).ask(value, type);
}

}  // namespace safestructures::inline v0::detail
