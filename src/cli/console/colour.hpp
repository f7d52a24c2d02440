/// \file
/// Colours, for people at a terminal.
#pragma once

#include <cstdio>
#include <iosfwd>
#include <string>
#include <string_view>

#include <safestructures/data/value.hpp>

namespace safestructures::cli {

/// The role of a piece of text; a terminal shows each in its own colour.
enum class Role { plain, fault, note, good, label, key, rule };

/// Returns whether text written to `file` is coloured: on a terminal, unless NO_COLOR
/// (https://no-color.org) is set to a non-empty value or the terminal is a dumb one.
bool is_coloured(std::FILE* file);

/// Returns the text in the colour of its role, or unchanged.
std::string coloured(std::string_view text, Role role, bool is_on);

/// Prints a tree as `print` does, with its rules and keys coloured if `is_on`.
void print_tree(std::ostream& out, const Value& value, const PrintOptions& options, bool is_on);

}  // namespace safestructures::cli
