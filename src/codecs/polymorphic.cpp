#include <safestructures/codecs/polymorphic.hpp>

#include <algorithm>
#include <string>

#include <safestructures/data/error.hpp>
#include <safestructures/data/registry.hpp>
#include "codecs/cpp_type_name.hpp"

namespace safestructures::inline v0::detail {
namespace {

std::string how_to_add(const std::string& type, const std::string& base) {
  return "Add it with registry.add<" + type + ", " + base +
         ">(\"a name in files\"), and pass the registry in the options";
}

/// Whether a value with another name is only the base itself, saved through a registry that has a
/// different name for it.
bool is_base_alone(const Value& payload, const Pointee& base) {
  if (base.has_field == nullptr || payload.kind() != Kind::structure ||
      payload.type_name() != base.name)
    return false;
  return std::ranges::all_of(payload.entries(), [&](const Entry& field) {
    return field.key.kind() == Kind::string && base.has_field(field.key.as_string());
  });
}

/// Whether the base's codec handles a custom value of an unknown name.
bool is_for_base(const Value& value, const Pointee& base) {
  // For a namedtuple of Python, the name is that of its kind, not of a class.
  return base.takes_any_name || value.type_name() == base.name ||
         value.type_name() == "collections.namedtuple" || is_base_alone(value.payload(), base);
}

/// Throws an error for a struct that was not behind a pointer when it was saved, and whose class is
/// known to be a different one.
void refuse_other_class(const Value& value, const Pointee& base, const Decoder& decoder) {
  if (value.kind() != Kind::structure || decoder.registry() == nullptr || base.takes_any_name ||
      value.type_name() == base.name)
    return;
  const Registry::Type* type = decoder.registry()->find(value.type_name());
  if (type == nullptr || type->type == base.type) return;
  const std::string base_text = cpp_type_name(base.type);
  decoder.fail(ErrorCode::type_mismatch, "a struct is not of the pointer's class",
               {.expected = base_text,
                .found = "a struct of '" + type->name + "'",
                .advice = "Load it as that type, or save it through a pointer to " + base_text +
                          ", with the registry in the options"});
}

bool has_base(const Registry::Type& type, const std::type_info& base) {
  return type.type == base ||
         std::ranges::any_of(type.bases, [&](const auto& known) { return known.first == base; });
}

}  // namespace

const Registry::Type* dynamic_type(const std::type_info& object, const std::type_info& base,
                                   bool has_codec, const Encoder& encoder) {
  if (encoder.registry() != nullptr)
    if (const Registry::Type* type = encoder.registry()->find(object)) {
      if (!has_base(*type, base))
        encoder.fail(ErrorCode::unknown_type,
                     "an object behind a pointer to " + cpp_type_name(base) +
                         " has a type that was added without that base",
                     {.found = cpp_type_name(object),
                      .advice = how_to_add(cpp_type_name(object), cpp_type_name(base))});
      return type;
    }
  if (has_codec && object == base) return nullptr;
  const std::string type = cpp_type_name(object);
  encoder.fail(
      ErrorCode::unknown_type,
      "an object behind a pointer to " + cpp_type_name(base) + " has a type without a codec",
      {.found = type, .advice = how_to_add(type, cpp_type_name(base))});
}

const Registry::Type* named_type(const Value& value, const Pointee& base, const Decoder& decoder) {
  if (value.kind() == Kind::custom && decoder.registry() != nullptr)
    if (const Registry::Type* type = decoder.registry()->find(value.type_name())) return type;
  refuse_other_class(value, base, decoder);
  if (base.has_codec && (value.kind() != Kind::custom || is_for_base(value, base))) return nullptr;
  const std::string base_text = cpp_type_name(base.type);
  if (value.kind() != Kind::custom)
    decoder.mismatch("a custom value of a type derived from " + base_text, value);
  const std::string own = base.name.empty() ? "" : "'" + std::string(base.name) + "' or ";
  decoder.fail(ErrorCode::unknown_type,
               decoder.registry() != nullptr
                   ? "no codec is registered for a type that is named in the file"
                   : "there is no registry for a type that is named in the file",
               {.expected = own + "the name of a type derived from " + base_text,
                .found = "'" + value.type_name() + "'",
                .advice = "Add the type of that name with registry.add<T, " + base_text +
                          ">(name), and pass the registry in the options (LoadOptions::registry)"});
}

void* to_base(const Registry::Type& type, void* object, const std::type_info& base,
              const Decoder& decoder) {
  if (type.type == base) return object;
  for (const auto& [known, cast] : type.bases)
    if (known == base) return cast(object);
  const std::string base_text = cpp_type_name(base);
  decoder.fail(ErrorCode::unknown_type,
               "the type '" + type.name + "' was added without the base that is loaded",
               {.expected = "a type added with the base " + base_text,
                .advice = "Add it with registry.add<T, " + base_text + ">(name)"});
}

}  // namespace safestructures::inline v0::detail
