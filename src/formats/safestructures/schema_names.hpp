/// \file
/// The schema's names for types and fields, shared by its writer and its reader.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/value.hpp>
#include "data/text/packed_name.hpp"

namespace safestructures::inline v0::schema {

using attributes::schema_class;
using attributes::schema_keys;
using attributes::schema_type;
using attributes::schema_value;

/// Returns the type written for a kind that carries no type name of its own.
constexpr std::string_view type_of(Kind kind) {
  switch (kind) {
    case Kind::none: return "NoneType";
    case Kind::boolean: return "bool";
    case Kind::integer: return "int";
    case Kind::floating: return "float";
    case Kind::complex: return "complex";
    case Kind::string: return "str";
    case Kind::bytes: return "bytes";
    case Kind::list: return "list";
    case Kind::tuple: return "tuple";
    case Kind::set: return "set";
    case Kind::dict: return "dict";
    case Kind::structure: return "SafestructuresDataclass";
    case Kind::tensor: return "numpy.ndarray";
    case Kind::custom: return "";
  }
  return "";
}

/// Returns a builtin type's name without its module, if any: `int` for `builtins.int`.
constexpr std::string_view without_module(std::string_view type) {
  constexpr std::string_view module = "builtins.";
  return type.starts_with(module) ? type.substr(module.size()) : type;
}

/// The module of Python's OrderedDict, Counter, defaultdict and deque.
inline constexpr std::string_view collections = "collections.";

/// Returns the kind as which a type name is read; all other types are custom values.
constexpr std::optional<Kind> kind_of(std::string_view type) {
  using detail::packed_name;
  type = without_module(type);
  if (type.size() <= detail::longest_packed) {
    switch (packed_name(type)) {
      case packed_name("None"): return Kind::none;
      case packed_name("bool"): return Kind::boolean;
      case packed_name("int"): return Kind::integer;
      case packed_name("float"): return Kind::floating;
      case packed_name("complex"): return Kind::complex;
      case packed_name("str"): return Kind::string;
      case packed_name("bytes"): return Kind::bytes;
      case packed_name("list"): return Kind::list;
      case packed_name("tuple"): return Kind::tuple;
      case packed_name("set"): return Kind::set;
      case packed_name("dict"): return Kind::dict;
      default: return std::nullopt;
    }
  }
  constexpr std::array<std::pair<std::string_view, Kind>, 19> names = {{
      {"numpy.ndarray", Kind::tensor},
      {"NoneType", Kind::none},
      {"SafestructuresDataclass", Kind::structure},
      {"types.NoneType", Kind::none},
      {"bytearray", Kind::bytes},
      {"frozenset", Kind::set},
      // As plugins/python writes them; anything else they have, such as `maxlen`, is an attribute.
      {"collections.OrderedDict", Kind::dict},
      {"collections.Counter", Kind::dict},
      {"collections.defaultdict", Kind::dict},
      {"collections.deque", Kind::list},
      // The frameworks' tensor classes by the import paths of their versions.
      {"torch.Tensor", Kind::tensor},
      {"torch.nn.parameter.Parameter", Kind::tensor},
      {"tensorflow.python.framework.ops.EagerTensor", Kind::tensor},
      {"jaxlib.xla_extension.ArrayImpl", Kind::tensor},
      {"jaxlib._jax.ArrayImpl", Kind::tensor},
      {"jax._src.array.ArrayImpl", Kind::tensor},
      {"jaxlib.xla_extension.Array", Kind::tensor},
      {"jaxlib.xla_extension.DeviceArray", Kind::tensor},
      {"jax.Array", Kind::tensor},
  }};
  for (const auto& [name, kind] : names)
    if (name == type) return kind;
  return std::nullopt;
}

}  // namespace safestructures::inline v0::schema
