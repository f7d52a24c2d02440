/// \file
/// Limits that keep a hostile file from using too much time or memory.
#pragma once

#include <cstdint>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// Limits on what is read and written. Each is checked before memory is allocated for what it
/// limits; exceeding one is an `Error` with code `limit_exceeded`. Writers apply the same limits,
/// so that what was saved can be loaded.
struct Limits {
  /// The size of a safetensors header in bytes. Stops a file that announces a huge header from
  /// exhausting memory. The format itself forbids more than 100,000,000.
  std::uint64_t header_bytes = 100'000'000;
  /// The nesting depth of values, JSON and paths. Stops deep nesting from using up time and memory.
  /// Threads with a small stack allow less. Unknown header fields are skipped at most 1000 levels
  /// deep, even if this limit is higher. Python's package reads at most 247 levels.
  std::uint32_t depth = 500;
  /// The number of nodes in a structure. Stops a small header that expands into many times its
  /// size.
  std::uint64_t nodes = 20'000'000;
  /// The number of dimensions of a tensor. Stops long shapes of ones that cost time at each step.
  std::uint32_t rank = 64;
  /// The number of decimal digits of an integer. Stops quadratic number parsing; Python has the
  /// same limit. Burn's formats do not apply it to 64-bit integers, which have at most 20 digits.
  std::uint32_t digits = 4300;
  /// The number of tensors in a file, counting all shards. Stops index files with endless shards.
  std::uint64_t tensors = 20'000'000;
  /// The number of shards that an index may name. Stops it from exhausting file descriptors and
  /// mappings.
  std::uint32_t shards = 10'000;
  /// How many bytes repeated references to tensors may add up to, as a multiple of the bytes of all
  /// tensors; at least 1 GiB is always allowed. Stops a small file that refers to one large tensor
  /// a million times, which would fill memory when each reference is loaded into its own container.
  std::uint32_t repeats = 16;
  /// How large a compressed file (`.gz`) may become when it is unpacked, and what a pickle of
  /// PyTorch describes, as a multiple of its size; at least 256 MiB is always allowed. Stops a 10
  /// MB file that unpacks to 10 GB: gzip shrinks zeros by a factor of 1030, and a pickle refers to
  /// its own parts as often as it likes.
  std::uint32_t expansion = 100;
  /// The number of extension fields of a node. Stops quadratic time in looking for duplicates.
  /// Burn's formats have none except for a tensor's id.
  std::uint32_t attributes = 1000;
};

}  // namespace safestructures::inline v0
