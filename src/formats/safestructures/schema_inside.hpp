/// \file
/// Writes a schema as part of a larger text.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "platform/memory.hpp"

namespace safestructures::inline v0::schema {

/// The memory of a text that is as large as the file. The memory of a std::string begins anywhere
/// in a huge page, and its pages are small up to the next one.
using TextBlock = std::vector<char, platform::BlockAllocator<char>>;

/// A callback that takes what there is of a text being made, from where it last stopped.
/// \returns how many bytes it took; the rest begins the next piece
using TextTaker = std::function<std::size_t(std::string_view piece)>;

/// The largest size of a text before some of it is taken: one fault maps a huge page, which then
/// serves for all that follows. Pieces of 128 KiB, which stay in the cache, took as long for 4.4 MB
/// (W14), and a tenth longer for 1.3 MB before 8 MB of tensors (W4).
inline constexpr std::size_t text_piece = platform::huge_page;

/// The tensors of a schema. A plain std::vector has pages of 4 KiB, whose faults took a fourteenth
/// of the time to save 100,000 tensors (W3).
using ItemBlock = std::vector<safetensors::Item, platform::BlockAllocator<safetensors::Item>>;

/// Does what `write` does, but puts the tensors into `tensors` instead of the result.
[[nodiscard]] Written write(const Value& root, ItemBlock& tensors, const SaveOptions& options);

/// Does the same with the text escaped for the inside of a JSON string: a backslash before every
/// quote and backslash.
/// \param text receives the text; the result's own is empty
/// \param take receives pieces of a text longer than one piece while it is made; or null
/// \throws Error as `write`, and what `take` throws
[[nodiscard]] Written write_escaped(const Value& root, ItemBlock& tensors, TextBlock& text,
                                    const SaveOptions& options, TextTaker take = nullptr);

/// Writes a value that will be an item of a list in a field of a structure, so two of the levels
/// that the limit allows are used up.
/// \param step the beginning of paths in errors
/// \param tensors receives the tensors
/// \throws Error as `write`
[[nodiscard]] Written write_item(const Value& value, std::string_view step, ItemBlock& tensors,
                                 const SaveOptions& options);

}  // namespace safestructures::inline v0::schema
