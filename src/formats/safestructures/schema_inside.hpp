/// \file
/// A schema written as a part of a larger text.
#pragma once

#include <string_view>
#include <vector>

#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "platform/memory.hpp"

namespace safestructures::inline v0::schema {

/// The memory of a text that is as large as the file. A string's begins anywhere in a huge page,
/// and up to the next one its pages are small.
using TextBlock = std::vector<char, platform::BlockAllocator<char>>;

/// As `write`, with a text that is spelled as inside a JSON string: a backslash before every quote
/// and backslash. \param text gets it; that of what is returned is empty \throws Error as `write`
[[nodiscard]] Written write_escaped(const Value& root, TextBlock& text, const SaveOptions& options);

/// As `write` of a value that will be an item of a list in a field of a structure: of the levels
/// that the limit allows two are taken. \param step what paths in errors begin with
/// \throws Error as `write`
[[nodiscard]] Written write_item(const Value& value, std::string_view step,
                                 const SaveOptions& options);

}  // namespace safestructures::inline v0::schema
