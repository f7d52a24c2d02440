/// \file
/// Writing safetensors files, sharded checkpoints included.
///
/// Equal input gives equal bytes, those that the Rust crate `safetensors` writes: tensors by
/// descending dtype (so by descending alignment) and then name, JSON without blanks, metadata
/// first. Metadata is sorted by key, which the crate leaves to chance. The header is padded with
/// spaces to a multiple of 8 bytes; above 1 MiB of data so that the data section starts on a page
/// of 4096 bytes, for mappings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
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

/// A tensor to be written. Name and tensor are referred to until the write returns.
struct Item {
  /// A tensor in its own dtype.
  Item(std::string_view item_name, const Tensor& item_tensor)
      : Item(item_name, item_tensor, item_tensor.dtype()) {}
  /// The elements are converted to `stored_dtype` while they are written.
  Item(std::string_view item_name, const Tensor& item_tensor, DType stored_dtype)
      : name(item_name), tensor(&item_tensor), dtype(stored_dtype) {}
  Item(std::string_view, Tensor&&) = delete;
  Item(std::string_view, Tensor&&, DType) = delete;

  std::string_view name;  ///< UTF-8, and not `__metadata__`.
  const Tensor* tensor;   ///< Never null.
  DType dtype;            ///< In the file.
};

/// How tensors are written.
struct WriteOptions {
  /// Whether files survive a loss of power once the call has returned. Streams and memory have
  /// nothing to survive; a sink decides for itself.
  bool durable = false;
  /// What to do with numbers that the stored dtype cannot hold.
  Overflow overflow = Overflow::error;
  /// Refuse every conversion that does not give back the same bits: `lossy_conversion`.
  bool lossless = false;
  /// Refuse every conversion that `SaveReport::conversions` would tell of: `lossy_conversion`.
  bool refuse_range_losses = false;
  /// The bounds that a reader will hold the file to.
  Limits limits = {};
};

/// Writes a file to a sink, which is flushed. Large tensors are written from the caller's memory.
/// \throws Error `duplicate_name` for two items of a name; `invalid_argument` for the name
/// `__metadata__`; `invalid_utf8` for names and metadata that are not UTF-8; `invalid_shape` for
/// sub-byte elements that do not fill whole bytes; `limit_exceeded`; as `convert`, with the
/// tensor's name as path; what the sink throws.
SAFESTRUCTURES_API SaveReport write(Sink& sink, std::span<const Item> items,
                                    const Metadata& metadata = {},
                                    const WriteOptions& options = {});

/// Writes a file under a temporary name in the same folder and renames it, so that an old file is
/// replaced whole or not at all. Large tensors are written from the caller's memory; memory above
/// that is the header and 4 MiB, or 2 MiB for each thread that converts.
/// \throws Error `cannot_write`, and as `write`
SAFESTRUCTURES_API SaveReport write_file(const std::filesystem::path& path,
                                         std::span<const Item> items, const Metadata& metadata = {},
                                         const WriteOptions& options = {});

/// The same bytes to a stream, which should be binary and is flushed. Needs no seeking.
/// \throws Error as `write_file`.
SAFESTRUCTURES_API SaveReport write(std::ostream& out, std::span<const Item> items,
                                    const Metadata& metadata = {},
                                    const WriteOptions& options = {});

/// The same bytes in memory. \throws Error as `write_file`.
[[nodiscard]] SAFESTRUCTURES_API std::vector<std::byte> to_bytes(std::span<const Item> items,
                                                                 const Metadata& metadata = {},
                                                                 const WriteOptions& options = {});

/// The metadata, of each file of a checkpoint and of its index, that says of which save they are: a
/// hash of what was saved. `write_sharded` sets it, and `File::open` refuses files of two saves.
inline constexpr std::string_view save_key = "_safestructures_save_";

/// Writes a checkpoint in several files and an index, named as Hugging Face names them: for
/// `model.safetensors` (or `model.safetensors.index.json`) the files
/// `model-00001-of-00003.safetensors` and so on, and last `model.safetensors.index.json`, which
/// `File::open` takes.
///
/// The items are taken in their order; a file ends before the item that would exceed
/// `largest_file` bytes of data. Every file holds all metadata, and `save_key`. All files are
/// written under temporary names and renamed once every one is finished, the index last.
/// \throws Error as `write_file`; `invalid_argument` for `largest_file` 0; `limit_exceeded` for
/// more files than `limits.shards`.
SAFESTRUCTURES_API SaveReport write_sharded(const std::filesystem::path& path,
                                            std::span<const Item> items, const Metadata& metadata,
                                            std::uint64_t largest_file,
                                            const WriteOptions& options = {});

/// The same as siblings of a sink that is a file, to which nothing itself is written.
/// \throws Error as `write` and `write_sharded`; `invalid_argument` for a sink that is no file
SAFESTRUCTURES_API SaveReport write_sharded(Sink& sink, std::span<const Item> items,
                                            const Metadata& metadata, std::uint64_t largest_file,
                                            const WriteOptions& options = {});

}  // namespace safestructures::inline v0::safetensors
