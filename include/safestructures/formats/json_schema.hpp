/// \file
/// Documentation of a C++ type as JSON Schema.
#pragma once

#include <string>

#include <safestructures/data/export.hpp>
#include <safestructures/data/type_info.hpp>

namespace safestructures::inline v0 {

/// Returns a JSON Schema (draft 2020-12) of the type, for readers and for tools that generate pages
/// or code from it. Structs, enums and custom types are its `$defs`, by name.
///
/// It describes the structure as plain JSON:
///
/// | C++ | JSON |
/// |---|---|
/// | struct; map with text keys | object |
/// | other map | array of [key, value] |
/// | sequence, set, tuple | array |
/// | tensor | nested arrays of numbers, row-major, with dtype and shape as `description` |
/// | complex number | [real, imaginary] |
/// | bytes | text in base64 |
/// | enum | its name, or its number if it has none |
/// | empty optional or pointer | `null` |
/// | type with a `Codec<T>::type_name` | `{"data_type": name, "value": what the codec makes}` |
///
/// The text is UTF-8 with line breaks; definitions are in the order in which the type refers to
/// them.
[[nodiscard]] SAFESTRUCTURES_API std::string json_schema(const TypeInfo& type);

/// Returns the JSON Schema of T.
template <class T>
[[nodiscard]] std::string json_schema() {
  return json_schema(type_info<T>());
}

}  // namespace safestructures::inline v0
