/// \file
/// The bounds that keep a hostile file from costing more than it is worth.
#pragma once

#include <cstdint>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// Bounds on what is read and written. Each is checked before anything is allocated for what it
/// bounds; passing one is an `Error` with code `limit_exceeded`. Writers hold themselves to the
/// same bounds, so that what was saved can be loaded.
struct Limits {
  /// Bytes of a safetensors header. Stops a file that announces a huge header to exhaust memory.
  /// The format itself forbids more than 100,000,000.
  std::uint64_t header_bytes = 100'000'000;
  /// Nesting of values, JSON and paths. Stops time and memory of deep nesting; a thread's stack
  /// ends it earlier where it is small, and what a header holds that nobody asks for is never
  /// passed over beyond 1000 levels. Python's package reads at most 247 levels.
  std::uint32_t depth = 500;
  /// Nodes of one structure. Stops a small header that expands into many more bytes of values.
  std::uint64_t nodes = 20'000'000;
  /// Dimensions of one tensor. Stops long shapes of ones that cost time at each step.
  std::uint32_t rank = 64;
  /// Decimal digits of one integer. Stops quadratic number parsing; Python has the same bound.
  /// Burn's formats do not count those of 64 bits, which have 20 at most.
  std::uint32_t digits = 4300;
  /// Tensors in one file, all shards together. Stops index files that name endless shards.
  std::uint64_t tensors = 20'000'000;
  /// Shards that one index may name. Stops exhausting file descriptors and mappings.
  std::uint32_t shards = 10'000;
  /// How many times the bytes of all tensors a structure may refer to once more, by naming a tensor
  /// again; 1 GiB is always allowed. Stops a small file that names one large tensor a million
  /// times, to fill the memory of who loads each reference into a container of its own.
  std::uint32_t repeats = 16;
  /// How many times its own bytes a packed file (`.gz`) may have when it is unpacked; 256 MiB are
  /// always allowed. Stops a file of 10 MB that unpacks to 10 GB: gzip packs zeros 1030 times.
  std::uint32_t expansion = 100;
  /// Extension fields of one node. Stops quadratic time in looking for repeated ones. Burn's
  /// formats have none, but for a tensor's id.
  std::uint32_t attributes = 1000;
};

}  // namespace safestructures::inline v0
