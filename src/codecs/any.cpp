#include <safestructures/codecs/any.hpp>

#include <complex>
#include <cstdint>
#include <string>

#include <safestructures/data/error.hpp>
#include <safestructures/data/registry.hpp>
#include <safestructures/data/tensor.hpp>
#include "codecs/cpp_type_name.hpp"

namespace safestructures::inline v0::detail {
namespace {

/// Tries the types that a Value is convertible from.
template <class... Ts>
bool encode_held(const std::any& any, Value& value) {
  const auto attempt = [&]<class T>(const T* object) {
    if (object == nullptr) return false;
    value = Value(*object);
    return true;
  };
  return (attempt(std::any_cast<Ts>(&any)) || ...);
}

}  // namespace

Value encode_any(const std::any& any, Encoder& encoder) {
  if (!any.has_value()) return {};
  if (encoder.registry() != nullptr) {
    const Registry::Type* type = encoder.registry()->find(any.type());
    if (type != nullptr && type->in_any != nullptr)
      return encoder.encode_registered(*type, type->in_any(any));
  }
  Value value;
  if (encode_held<bool, std::int64_t, double, std::complex<double>, std::string, Tensor, Value>(
          any, value))
    return value;
  const std::string type = cpp_type_name(any.type());
  encoder.fail(ErrorCode::unknown_type, "a std::any holds a type that has no codec",
               {.expected = "a registered type, bool, std::int64_t, double, std::complex<double>, "
                            "std::string, Tensor or Value",
                .found = type,
                .advice = "Add it with registry.add<" + type +
                          ">(\"a name in files\"), and pass the registry in the options"});
}

std::any decode_any(const Value& value, Decoder& decoder) {
  switch (value.kind()) {
    case Kind::none: return {};
    case Kind::boolean: return value.as_bool();
    case Kind::integer:
      if (const auto number = value.as_int64()) return *number;
      return value;
    case Kind::floating: return value.as_double();
    case Kind::complex: return value.as_complex();
    case Kind::string: return value.as_string();
    case Kind::tensor: return value.tensor();
    case Kind::custom:
      if (decoder.registry() != nullptr) {
        const Registry::Type* type = decoder.registry()->find(value.type_name());
        if (type != nullptr && type->move_to_any != nullptr)
          return type->move_to_any(decoder.decode_registered(*type, value).get());
      }
      return value;
    default: return value;
  }
}

}  // namespace safestructures::inline v0::detail
