// Describes types in words.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/type_info.hpp>

namespace safestructures::inline v0 {
namespace {

/// Returns the name of a dtype in lower case: `i64`, `f32`, `f8_e4m3`.
std::string number_text(DType dtype) {
  std::string text(to_string(dtype));
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

template <class Parts, class Text>
std::string join(const Parts& parts, std::string_view separator, const Text& text_of) {
  std::string text;
  for (const auto& part : parts) {
    if (!text.empty()) text += separator;
    text += text_of(part);
  }
  return text;
}

std::string kinds_text(KindSet kinds) {
  if (kinds == KindSet::any()) return "any";
  std::string text;
  for (unsigned i = 0; i <= static_cast<unsigned>(Kind::custom); ++i) {
    const auto kind = static_cast<Kind>(i);
    if (!kinds.has(kind)) continue;
    if (!text.empty()) text += " or ";
    text += to_string(kind);
  }
  return text;
}

std::string tensor_text(const TypeInfo& type) {
  std::string text = "tensor";
  if (type.dtype) text += " " + std::string(to_string(*type.dtype));
  else if (type.shape) text += " of any dtype";
  if (type.shape) text += " " + to_string(std::span<const Extent>(*type.shape));
  return text;
}

/// Recursion ends at named types, and at types that contain the current text.
class TypeText {
 public:
  /// Returns the text of a type on its own.
  std::string whole(const TypeInfo& type) {
    if (std::ranges::find(outer_, &type) != outer_.end()) return "...";
    outer_.push_back(&type);
    std::string text = text_of(type);
    outer_.pop_back();
    return text;
  }

 private:
  std::string text_of(const TypeInfo& type) {
    switch (type.kind) {
      case TypeKind::any: return kinds_text(type.kinds);
      case TypeKind::none: return "None";
      case TypeKind::boolean: return "bool";
      case TypeKind::integer: return (type.is_signed ? "i" : "u") + std::to_string(type.bits);
      case TypeKind::floating: return number_text(*type.dtype);
      case TypeKind::complex: return "complex of two f" + std::to_string(type.bits);
      case TypeKind::string: return "str" + size_text(type);
      case TypeKind::bytes: return "bytes" + size_text(type);
      case TypeKind::list: return "list" + size_text(type, " of ") + part(*type.item);
      case TypeKind::set: return "set of " + part(*type.item);
      case TypeKind::tuple: return "tuple (" + parts(type, ", ") + ")";
      case TypeKind::dict:
        if (!type.fields.empty()) return "dict " + fields(type);
        return "dict of " + part(*type.key) + " to " + part(*type.item);
      case TypeKind::structure: return "struct " + type.name + " " + fields(type);
      case TypeKind::tensor: return tensor_text(type);
      case TypeKind::custom: return type.name;
      case TypeKind::enumeration:
        return "enum " + type.name + " {" +
               join(type.enumerators, ", ", [](const TypeEnumerator& one) { return one.name; }) +
               "}";
      case TypeKind::optional:
      case TypeKind::pointer: return part(*type.item) + " or None";
      case TypeKind::variant: return parts(type, " or ");
    }
    return {};
  }

  /// Returns the text of a type inside another one's.
  std::string part(const TypeInfo& type) {
    const bool is_choice = type.kind == TypeKind::optional || type.kind == TypeKind::pointer ||
                           type.kind == TypeKind::variant ||
                           (type.kind == TypeKind::any && type.kinds != KindSet::any());
    if (is_choice) return "(" + whole(type) + ")";
    if (type.kind == TypeKind::structure || type.kind == TypeKind::enumeration) return type.name;
    return whole(type);
  }

  std::string parts(const TypeInfo& type, std::string_view separator) {
    return join(type.items, separator, [&](const TypeInfo* item) { return part(*item); });
  }

  std::string fields(const TypeInfo& type) {
    return "{" +
           join(type.fields, ", ",
                [&](const TypeField& field) { return field.name + ": " + part(*field.type); }) +
           "}";
  }

  /// Returns ` of 3`, or ` of 3 ` if something follows; just what follows if no size is fixed.
  static std::string size_text(const TypeInfo& type, const std::string& next = {}) {
    if (!type.size) return next;
    return " of " + std::to_string(*type.size) + (next.empty() ? "" : " ");
  }

  std::vector<const TypeInfo*> outer_;
};

}  // namespace

std::string_view to_string(TypeKind kind) noexcept {
  constexpr std::array<std::string_view, 19> names{
      "any",    "none", "bool",     "int",     "float",  "complex", "str",
      "bytes",  "list", "tuple",    "set",     "dict",   "struct",  "tensor",
      "custom", "enum", "optional", "pointer", "variant"};
  return names[static_cast<std::size_t>(kind)];
}

std::string to_string(std::span<const Extent> shape) {
  return "[" +
         join(shape, ", ",
              [](const Extent& extent) -> std::string {
                if (extent.is_fixed()) return std::to_string(extent.min);
                std::string text;
                if (extent.min > 0) text = "at least " + std::to_string(extent.min);
                if (extent.max != Extent().max)
                  text +=
                      (text.empty() ? "at most " : " and at most ") + std::to_string(extent.max);
                return text.empty() ? "any" : text;
              }) +
         "]";
}

std::string to_string(const TypeInfo& type) { return TypeText().whole(type); }

}  // namespace safestructures::inline v0
