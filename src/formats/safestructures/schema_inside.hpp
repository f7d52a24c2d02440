/// \file
/// A schema written as a part of a larger text.
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

/// The memory of a text that is as large as the file. A string's begins anywhere in a huge page,
/// and up to the next one its pages are small.
using TextBlock = std::vector<char, platform::BlockAllocator<char>>;

/// Takes what there is of a text that is being made, from the end of what it took before on.
/// \returns how many bytes it took; the others are the first of the next piece
using TextTaker = std::function<std::size_t(std::string_view piece)>;

/// What a text has at most before some of it is taken: a huge page is made present by one fault,
/// and then serves for all that follows. Pieces of 128 KiB, which stay in the cache, took as long
/// for 4.4 MB (W14), and a tenth longer where 1.3 MB stand before 8 MB of tensors (W4).
inline constexpr std::size_t text_piece = platform::huge_page;

/// The tensors of a schema. Those of a std::vector lie in pages of 4 KiB, whose faults were a
/// fourteenth of saving 100,000 (W3).
using ItemBlock = std::vector<safetensors::Item, platform::BlockAllocator<safetensors::Item>>;

/// As `write`, with the tensors in `tensors` instead of in what is returned.
[[nodiscard]] Written write(const Value& root, ItemBlock& tensors, const SaveOptions& options);

/// The same with a text that is spelled as inside a JSON string: a backslash before every quote
/// and backslash. \param text gets it; that of what is returned is empty \param take gets what is
/// more than a piece before it is whole; or null \throws Error as `write`; what `take` throws
[[nodiscard]] Written write_escaped(const Value& root, ItemBlock& tensors, TextBlock& text,
                                    const SaveOptions& options, TextTaker take = nullptr);

/// As `write` of a value that will be an item of a list in a field of a structure: of the levels
/// that the limit allows two are taken. \param step what paths in errors begin with \param tensors
/// gets the tensors
/// \throws Error as `write`
[[nodiscard]] Written write_item(const Value& value, std::string_view step, ItemBlock& tensors,
                                 const SaveOptions& options);

}  // namespace safestructures::inline v0::schema
