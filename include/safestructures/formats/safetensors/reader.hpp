/// \file
/// Reads safetensors files, including sharded checkpoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/formats/options.hpp>
#include <safestructures/formats/safetensors/header.hpp>

namespace safestructures::inline v0::safetensors {

/// Options for opening a file.
struct OpenOptions {
  Access access = Access::map;  ///< How tensors get into memory.
  Limits limits = {};           ///< Limits on what the file may cost.
};

/// An open safetensors file, or a checkpoint in several files. The header and the positions of all
/// tensors have been validated.
///
/// Copies share the open file. May be used by several threads at once. Tensors may outlive the
/// File: they keep the mapping or the memory alive.
class SAFESTRUCTURES_API File {
 public:
  /// Moving copies, which is cheap: a moved-from file stays valid.
  /// @{
  File(const File&) noexcept = default;
  File& operator=(const File&) noexcept = default;
  /// @}
  ~File() = default;

  /// Opens a `.safetensors` file, or a checkpoint of several files by its index, whose name ends
  /// with `.json` (`model.safetensors.index.json`). The files of a checkpoint are in the folder of
  /// the index; each tensor must be where the index says, and no file may hold others.
  /// \throws Error `cannot_open`, `cannot_read`, what `Header::parse` throws, and for an index:
  /// `invalid_header` if it is malformed or names a file outside its folder, `missing_tensor` for a
  /// tensor that its file lacks or that the index does not name, `duplicate_name`; all with the
  /// file's name
  [[nodiscard]] static File open(const std::filesystem::path& path,
                                 const OpenOptions& options = {});
  /// Opens a source, whose siblings are the files of a checkpoint. A source in memory is never
  /// copied, whatever the access.
  [[nodiscard]] static File open(const std::shared_ptr<const Source>& source,
                                 const OpenOptions& options = {});

  /// Opens a file that is already in memory. Tensors are views of `bytes`.
  /// \param owner keeps `bytes` alive; if null, the caller does, as long as any tensor is used
  /// \throws Error as `open`
  [[nodiscard]] static File from_bytes(std::span<const std::byte> bytes,
                                       std::shared_ptr<const void> owner,
                                       const Limits& limits = {});
  // A temporary would be gone before it is read: `open(Source::of(bytes))` takes it over.
  template <class Allocator>
  static File from_bytes(const std::vector<std::byte, Allocator>&& bytes,
                         std::shared_ptr<const void> owner, const Limits& limits = {}) = delete;

  /// The number of tensors, in all files together.
  [[nodiscard]] std::size_t size() const noexcept;
  /// The name of the tensor at `index`, which must be below `size()`. Tensors are in the order of
  /// their bytes, and files in the order of their names.
  [[nodiscard]] std::string_view name(std::size_t index) const& noexcept;
  std::string_view name(std::size_t index) && = delete;
  /// Returns the description of the tensor at `index`, which must be below `size()`.
  [[nodiscard]] TensorInfo info(std::size_t index) const;
  /// Returns the index of the tensor with that name, or nothing. Takes constant time, or
  /// logarithmic time if the names are in ascending order.
  /// \param near an index at or shortly before which it is likely to be; useful for looking up many
  /// names one after the other
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name,
                                                std::size_t near = 0) const noexcept;
  /// All metadata, in ascending order of keys; if several files have a key, the value of the first.
  [[nodiscard]] std::span<const MetadataEntry> metadata() const& noexcept;
  std::span<const MetadataEntry> metadata() && = delete;
  /// Returns the metadata with that key, or nothing.
  [[nodiscard]] std::optional<std::string_view> metadata(std::string_view key) const& noexcept;
  std::optional<std::string_view> metadata(std::string_view key) && = delete;
  /// The metadata of one file alone, in ascending order of keys. Files are in the order of their
  /// names; `file` must be below `file_count()`.
  [[nodiscard]] std::span<const MetadataEntry> metadata_of(std::size_t file) const& noexcept;
  std::span<const MetadataEntry> metadata_of(std::size_t file) && = delete;

  /// Returns the tensor at `index`: a view, or under `Access::read` a deferred tensor.
  /// \throws Error `not_found` for an index that is too large
  [[nodiscard]] Tensor tensor(std::size_t index) const;
  /// Returns the tensor with that name. \throws Error `not_found`
  [[nodiscard]] Tensor tensor(std::string_view name) const;

  /// Returns a part of the tensor at `index`. For a deferred tensor, only the bytes of the part and
  /// gaps of a few KiB between them are read.
  /// \throws Error as `Tensor::slice`, with file and tensor
  [[nodiscard]] Tensor slice(std::size_t index, std::span<const Slice> slices) const;

  /// The number of files; 1 unless an index was opened.
  [[nodiscard]] std::size_t file_count() const noexcept;
  /// All files that were read, starting with the index if there is one; empty for bytes in memory.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  /// The file that holds the tensor at `index`, which must be below `size()`; empty for bytes in
  /// memory.
  [[nodiscard]] const std::filesystem::path& path(std::size_t index) const& noexcept;
  const std::filesystem::path& path(std::size_t index) && = delete;
  /// The position in its file of the bytes of the tensor at `index`, which must be below `size()`.
  [[nodiscard]] std::uint64_t file_offset(std::size_t index) const noexcept;
  /// The size of all tensors together in bytes.
  [[nodiscard]] std::uint64_t data_size() const noexcept;

 private:
  struct State;
  explicit File(std::shared_ptr<const State> state) noexcept;
  std::shared_ptr<const State> state_;
};

}  // namespace safestructures::inline v0::safetensors
