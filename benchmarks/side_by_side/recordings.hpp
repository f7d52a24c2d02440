/// \file
/// Recording, opening and finding records, and what the system alone takes for the same bytes.
#pragma once

#include "worker.hpp"

namespace bench {

/// The limit of `record_hot_path`: copies into fresh memory.
void copy_records(const Path& file, Size size);
/// The limit of `record_all`: `write()` of each record.
void write_records(const Path& file, Size size);
/// The limit of `record_moved`: each is freed once it is written, as who takes the memory must.
void write_given_records(const Path& file, Size size);

/// What the program that is recorded waits for, where memory never ends.
void record_hot_path(const Path& folder, Size size);
/// Until all is in the files.
void record_all(const Path& folder, Size size);
/// The same, where nothing is copied: what the thread in the background needs.
void record_moved(const Path& folder, Size size);
/// Until all is in the files, with the memory that is the default.
void record_within_memory(const Path& folder, Size size);

/// Of a folder that one of those recorded.
/// @{
void open_recording(const Path& folder, Size size);
void find_record(const Path& folder, Size size);
/// @}

}  // namespace bench
