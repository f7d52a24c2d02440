/// \file
/// MessagePack and CBOR as what trees are read from.
#pragma once

#include <memory>
#include <string_view>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/formats/options.hpp>
#include "formats/binary/cursor.hpp"
#include "formats/tree/input.hpp"

namespace safestructures::inline v0::tree {

/// How cursors go through a tree.
[[nodiscard]] binary::CursorOptions cursor_options(const LoadOptions& options);

/// \param format in messages; must stay valid
/// \param source of the cursor
[[nodiscard]] std::unique_ptr<Input> binary_input(std::string_view format,
                                                  std::unique_ptr<binary::Cursor> cursor,
                                                  const std::shared_ptr<const Source>& source,
                                                  const LoadOptions& options);

}  // namespace safestructures::inline v0::tree
