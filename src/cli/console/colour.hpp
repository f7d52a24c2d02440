/// \file
/// Colours, for people at a terminal.
#pragma once

#include <cstdio>
#include <iosfwd>
#include <string>
#include <string_view>

#include <safestructures/data/value.hpp>

namespace safestructures::cli {

/// What a piece of text is; a terminal shows it in a colour of its own.
enum class Role { plain, fault, note, good, label, key, rule };

/// Whether text that goes to `file` is coloured: at a terminal, unless NO_COLOR
/// (https://no-color.org) is set to something or the terminal is a dumb one.
bool is_coloured(std::FILE* file);

/// The text in the colour of its role, or as it is.
std::string coloured(std::string_view text, Role role, bool is_on);

/// A tree as `print` draws it: its rules and keys coloured where `is_on`.
void print_tree(std::ostream& out, const Value& value, const PrintOptions& options, bool is_on);

}  // namespace safestructures::cli
