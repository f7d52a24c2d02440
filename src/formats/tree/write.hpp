/// \file
/// Writes a structure as JSON, MessagePack or CBOR.
#pragma once

#include <string_view>

#include <safestructures/data/sink.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include "formats/tree/output.hpp"

namespace safestructures::inline v0::tree {

/// \param format the format's name in messages \throws Error `invalid_argument` for an option that
/// no tree can honour
void check_options(std::string_view format, const SaveOptions& options);

/// \param sink the output's sink; it is flushed
SaveReport write(const Value& root, Output& output, Sink& sink, const SaveOptions& options);

}  // namespace safestructures::inline v0::tree
