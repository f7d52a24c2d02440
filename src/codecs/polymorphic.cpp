#include <safestructures/codecs/polymorphic.hpp>

#include <string>

#include "codecs/type_text.hpp"

namespace safestructures::inline v0::detail {
namespace {

std::string how_to_add(const std::string& type, const std::string& base) {
  return "Add it with registry.add<" + type + ", " + base +
         ">(\"a name in files\"), and pass the registry in the options";
}

}  // namespace

const Registry::Type* dynamic_type(const std::type_info& object, const std::type_info& base,
                                   bool has_codec, const Encoder& encoder) {
  if (encoder.registry() != nullptr)
    if (const Registry::Type* type = encoder.registry()->find(object)) return type;
  if (has_codec && object == base) return nullptr;
  const std::string type = type_text(object);
  encoder.fail(ErrorCode::unknown_type,
               "an object behind a pointer to " + type_text(base) + " is of a type without codec",
               {}, type, how_to_add(type, type_text(base)));
}

const Registry::Type* named_type(const Value& value, const std::type_info& base, bool has_codec,
                                 const Decoder& decoder) {
  if (value.kind() == Kind::custom && decoder.registry() != nullptr)
    if (const Registry::Type* type = decoder.registry()->find(value.type_name())) return type;
  if (has_codec) return nullptr;
  const std::string base_text = type_text(base);
  if (value.kind() != Kind::custom)
    decoder.mismatch("a custom value of a type derived from " + base_text, value);
  decoder.fail(ErrorCode::unknown_type,
               "no codec is registered for a type that is named in the file",
               "the name of a type derived from " + base_text, "'" + value.type_name() + "'",
               "Add the type of that name with registry.add<T, " + base_text +
                   ">(), and pass the registry in the options");
}

void* to_base(const Registry::Type& type, void* object, const std::type_info& base,
              const Decoder& decoder) {
  if (type.type == base) return object;
  for (const auto& [known, cast] : type.bases)
    if (known == base) return cast(object);
  const std::string base_text = type_text(base);
  decoder.fail(ErrorCode::unknown_type,
               "the type '" + type.name + "' was added without the base that is loaded",
               "a type added with the base " + base_text, {},
               "Add it with registry.add<T, " + base_text + ">()");
}

}  // namespace safestructures::inline v0::detail
