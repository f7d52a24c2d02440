/// \file
/// A schema written as a part of a larger text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include <safestructures/formats/safestructures/schema.hpp>

namespace safestructures::inline v0::schema {

/// As `write`, with a text that is spelled as inside a JSON string: a backslash before every quote
/// and backslash. \throws Error as `write`
[[nodiscard]] Written write_escaped(const Value& root, const SaveOptions& options);

/// What stands around a node.
struct Around {
  std::string before;      ///< The text up to the node.
  std::string_view after;  ///< The text behind it.
  std::string_view step;   ///< Where the node is in what holds it, which is the root.
  std::uint64_t nodes;     ///< How many nodes the text before it has.
};

/// As `write` of the whole structure, which is never built. \throws Error as `write`
[[nodiscard]] Written write_inside(const Value& value, Around around, const SaveOptions& options);

}  // namespace safestructures::inline v0::schema
