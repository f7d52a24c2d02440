/// \file
/// MessagePack and CBOR as inputs from which trees are read.
#pragma once

#include <memory>
#include <string_view>

#include <safestructures/data/source.hpp>
#include <safestructures/formats/options.hpp>
#include "formats/binary/cursor.hpp"
#include "formats/tree/input.hpp"

namespace safestructures::inline v0::tree {

/// Returns the options for a cursor that reads a tree.
[[nodiscard]] binary::CursorOptions cursor_options(const LoadOptions& options);

/// \param format the format's name in messages; must stay valid
/// \param source the source that the cursor reads
[[nodiscard]] std::unique_ptr<Input> binary_input(std::string_view format,
                                                  std::unique_ptr<binary::Cursor> cursor,
                                                  const std::shared_ptr<const Source>& source,
                                                  const LoadOptions& options);

}  // namespace safestructures::inline v0::tree
