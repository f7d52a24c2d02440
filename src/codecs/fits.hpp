/// \file
/// Whether a value looks like a saved object of a type: what chooses between the alternatives of a
/// variant whose value has no tag.
#pragma once

#include <cstdint>

#include <safestructures/data/kind_set.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// Whether a struct may have more fields than its description.
enum class Fields : std::uint8_t { same, more };
/// Whether a value has to be of the kinds that saving the type makes, or of any that it loads from:
/// other programs write arrays of numbers as lists, tuples as lists, structs as dicts.
enum class Form : std::uint8_t { saved, loadable };

/// How well a value has to fit.
struct Fit {
  Form form;
  Fields fields;
};

/// Returns the kinds made by codecs that can also load this value.
[[nodiscard]] KindSet readable_as(const Value& value);

/// Whether a value looks like an object of the type. Looks a few levels deep, at the first of many
/// items.
[[nodiscard]] bool fits(const Value& value, const TypeInfo& type, Fit fit);

}  // namespace safestructures::inline v0::detail
