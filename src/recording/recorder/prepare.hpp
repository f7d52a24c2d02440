/// \file
/// A record between the call that made it and the file.
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

/// Puts a record into the form of its file. Tensors are converted here.
/// \throws Error what cannot be saved, with the record's name and the path in it
[[nodiscard]] PreparedRecord prepare(CapturedRecord record, const Limits& limits);
/// The same of a record that may be a row; nothing for any other. Its tensor is converted in place.
[[nodiscard]] std::optional<PreparedRow> prepare_row(CapturedRecord& record, const Limits& limits);

}  // namespace safestructures::inline v0::recording
