/// \file
/// Comparing, and the recordings of two runs that are compared.
#pragma once

#include <cstddef>

#include <safestructures/compare/compare.hpp>
#include <safestructures/safestructures.hpp>
#include "worker.hpp"

namespace bench {

/// Measures recording a run of 100 layers three times: again beside it, as `.equal`, and once more
/// as `.different`, whose layers from the middle on give something else.
void record_runs(const Path& folder, Size size, ss::Precision precision);

/// Records of that which are not those of the first.
[[nodiscard]] std::size_t different_records(Size size);

/// Measures comparing a file, or a recording, with another, after two small ones were compared.
/// \param with the end of the other's name \param rows of the result \param last the last verdict
void compare(const Path& file, const char* with, std::size_t rows, ss::Verdict last, bool suggest);

/// Measures reading all bytes of a recording and of the one that differs, into huge pages.
void read_runs(const Path& folder);
/// The same, into the memory that a program gets for so many bytes.
void read_runs_plainly(const Path& folder);

}  // namespace bench
