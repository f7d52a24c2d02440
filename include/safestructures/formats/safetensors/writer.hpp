/// \file
/// Writes safetensors files, including sharded checkpoints.
///
/// Equal input gives equal bytes, the same as those of the Rust crate `safetensors`: tensors by
/// descending dtype (and so by descending alignment) and then by name, JSON without spaces,
/// metadata first. Metadata is sorted by key, whereas its order in the crate is random. The header
/// is padded with spaces to a multiple of 8 bytes; with more than 1 MiB of data, so that the data
/// section starts on a 4096-byte page, for mappings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string_view>
#include <vector>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/sink.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0::safetensors {

/// A tensor to be written. Refers to the name and the tensor, which must live until the write
/// returns.
struct Item {
  /// Stores the tensor in its own dtype.
  Item(std::string_view item_name, const Tensor& item_tensor)
      : Item(item_name, item_tensor, item_tensor.dtype()) {}
  /// Converts the elements to `stored_dtype` while they are written.
  Item(std::string_view item_name, const Tensor& item_tensor, DType stored_dtype)
      : name(item_name), tensor(&item_tensor), dtype(stored_dtype) {}
  Item(std::string_view, Tensor&&) = delete;
  Item(std::string_view, Tensor&&, DType) = delete;

  std::string_view name;  ///< UTF-8, and not `__metadata__`.
  const Tensor* tensor;   ///< Never null.
  DType dtype;            ///< The dtype in the file.
};

/// Options for writing files.
struct WriteOptions {
  /// Whether files survive a power failure after the call has returned. Has no effect for streams
  /// and memory; a sink decides for itself.
  bool durable = false;
  /// How to handle numbers that the stored dtype cannot hold.
  Overflow overflow = Overflow::error;
  /// Whether to refuse conversions that do not restore the same bits: `lossy_conversion`.
  bool lossless = false;
  /// Whether to refuse what `SaveReport::conversions` would report: `lossy_conversion`.
  bool refuse_range_losses = false;
  /// The limits that a reader of the file will apply.
  Limits limits = {};
};

/// Writes a file to a sink, which is flushed. Large tensors are written directly from the caller's
/// memory.
/// \throws Error `duplicate_name` for two items with the same name; `invalid_argument` for the name
/// `__metadata__`; `invalid_utf8` for names and metadata that are not UTF-8; `invalid_shape` for
/// sub-byte elements that do not fill whole bytes; `limit_exceeded`; as `convert_elements`, with
/// the tensor's name as path; what the sink throws
SAFESTRUCTURES_API SaveReport write(Sink& sink, std::span<const Item> items,
                                    const Metadata& metadata = {},
                                    const WriteOptions& options = {});

/// Writes a file under a temporary name in the same folder and renames it, so that an old file is
/// replaced as a whole or not at all. Large tensors are written directly from the caller's memory;
/// in addition to that, memory is needed for the header and 4 MiB, or 2 MiB per converting thread.
/// \throws Error `cannot_write`, and as `write`
SAFESTRUCTURES_API SaveReport write_file(const std::filesystem::path& path,
                                         std::span<const Item> items, const Metadata& metadata = {},
                                         const WriteOptions& options = {});

/// Writes the same bytes to a stream, which should be binary and is flushed. Needs no seeking.
/// \throws Error as `write_file`
SAFESTRUCTURES_API SaveReport write(std::ostream& out, std::span<const Item> items,
                                    const Metadata& metadata = {},
                                    const WriteOptions& options = {});

/// Returns the same bytes in memory. \throws Error as `write_file`
[[nodiscard]] SAFESTRUCTURES_API std::vector<std::byte> to_bytes(std::span<const Item> items,
                                                                 const Metadata& metadata = {},
                                                                 const WriteOptions& options = {});

/// The metadata key, in every file of a checkpoint and in its index, of a hash of what was saved.
/// It identifies the save: `write_sharded` sets it, and `File::open` refuses files of different
/// saves.
inline constexpr std::string_view save_key = "_safestructures_save_";

/// Writes a checkpoint as several files and an index, named like those of Hugging Face: for
/// `model.safetensors` (or `model.safetensors.index.json`) the files
/// `model-00001-of-00003.safetensors` and so on, and finally `model.safetensors.index.json`, which
/// `File::open` takes.
///
/// What fits into one file of `shard_size` bytes of data is just that file, as `write_file` writes
/// it, unless the path names the index; the index, and its shards, that an earlier call left at the
/// same path is removed then.
///
/// Takes the items in their order; a file ends before the item that would exceed `shard_size`
/// bytes of data. Every file holds all metadata, and `save_key`. All files are written under
/// temporary names and renamed once all are complete, the index last. Then what was saved at the
/// same path before is removed: the single file, unless the path names the index, and the shards
/// that the index named and that do not belong to this save, if they are called as these are.
/// \throws Error as `write_file`; `invalid_argument` for `shard_size` 0, and for an index without
/// tensors; `limit_exceeded` for more files than `limits.shards`
SAFESTRUCTURES_API SaveReport write_sharded(const std::filesystem::path& path,
                                            std::span<const Item> items, const Metadata& metadata,
                                            std::uint64_t shard_size,
                                            const WriteOptions& options = {});

/// Writes the same files as siblings of a file sink, to which nothing is written itself; or to the
/// sink, what fits into one file.
/// \throws Error as `write` and `write_sharded`; `invalid_argument` if the sink is not a file
SAFESTRUCTURES_API SaveReport write_sharded(Sink& sink, std::span<const Item> items,
                                            const Metadata& metadata, std::uint64_t shard_size,
                                            const WriteOptions& options = {});

}  // namespace safestructures::inline v0::safetensors
