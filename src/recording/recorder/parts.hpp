/// \file
/// What the threads that record and the one that writes have in common.
#pragma once

#include <filesystem>

#include <safestructures/data/error.hpp>
#include <safestructures/recording/options.hpp>
#include "recording/recorder/buffer_pool.hpp"
#include "recording/recorder/counted_names.hpp"
#include "recording/recorder/failure.hpp"
#include "recording/recorder/handover.hpp"
#include "recording/recorder/memory_budget.hpp"

namespace safestructures::inline v0::recording {

/// The parts of a recorder, each of which is thread-safe by itself or does not change.
struct RecorderParts {
  RecorderParts(const std::filesystem::path& to, RecorderOptions how);

  /// Adds a record's name to an error.
  [[nodiscard]] Error named(const Error& error, const Names::Entry& name) const;

  const std::filesystem::path folder;  ///< Absolute.
  const RecorderOptions options;
  CountedNames names;
  ContentLimit content;
  MemoryBudget memory;
  BufferPool pool;
  Failure failure;
  Handover handover;
};

}  // namespace safestructures::inline v0::recording
