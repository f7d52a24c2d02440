/// \file
/// Converts a record from its captured form to that of the file.
#pragma once

#include <optional>

#include <safestructures/recording/options.hpp>
#include "recording/recorder/capture.hpp"
#include "recording/segments/segment_batch.hpp"

namespace safestructures::inline v0::recording {

/// A record that owns its memory.
struct CapturedRecord {
  RecordHead head;
  Precision precision;
  Captured value;
};

/// Prepares a record for writing. Converts tensors, in memory of the pool.
/// \throws Error if something cannot be saved, with the record's name and the path in it
[[nodiscard]] PreparedRecord prepare(CapturedRecord record, const Limits& limits, BufferPool& pool);
/// The same for a record that may be a row; null for others. Converts the tensor in place.
[[nodiscard]] std::optional<PreparedRow> prepare_row(CapturedRecord& record, const Limits& limits,
                                                     BufferPool& pool);

}  // namespace safestructures::inline v0::recording
