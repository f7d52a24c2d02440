/// \file
/// Reading safetensors files, sharded checkpoints included.
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

/// How a file is opened.
struct OpenOptions {
  Access access = Access::map;  ///< How tensors come into memory.
  Limits limits = {};           ///< What the file may cost.
};

/// An open safetensors file, or a checkpoint in several files. Header and places of all tensors
/// have been validated.
///
/// Copies share the open file. May be used by several threads at once. Tensors stay valid after the
/// File is gone: they keep the mapping or the memory alive.
class SAFESTRUCTURES_API File {
 public:
  /// Moving is copying, which is cheap: what was moved from stays valid.
  /// @{
  File(const File&) noexcept = default;
  File& operator=(const File&) noexcept = default;
  /// @}
  ~File() = default;

  /// Opens a `.safetensors` file, or by its index, a name that ends with `.json`, a checkpoint of
  /// several files (`model.safetensors.index.json`). The files of a checkpoint lie in the folder of
  /// the index; each tensor must be where the index says, and no file may hold another.
  /// \throws Error `cannot_open`, `cannot_read`, what `Header::parse` throws, and for an index:
  /// `invalid_header` when it is malformed or names a file outside its folder, `missing_tensor` for
  /// a tensor that its file lacks or that the index does not name, `duplicate_name`. All name the
  /// file.
  [[nodiscard]] static File open(const std::filesystem::path& path,
                                 const OpenOptions& options = {});
  /// The same from a source, whose siblings are the files of a checkpoint. What is in memory is
  /// never copied, whatever the access.
  [[nodiscard]] static File open(const std::shared_ptr<const Source>& source,
                                 const OpenOptions& options = {});

  /// Reads a file that is in memory already. Tensors are views of `bytes`.
  /// \param owner keeps `bytes` alive; when null, the caller does, as long as any tensor is used
  /// \throws Error as `open`.
  [[nodiscard]] static File from_bytes(std::span<const std::byte> bytes,
                                       std::shared_ptr<const void> owner,
                                       const Limits& limits = {});

  /// The number of tensors, in all files together.
  [[nodiscard]] std::size_t size() const noexcept;
  /// The name of the tensor at `index`, which must be below `size()`. Tensors are in the order of
  /// their bytes, files by name.
  [[nodiscard]] std::string_view name(std::size_t index) const& noexcept;
  std::string_view name(std::size_t index) && = delete;
  /// What is known of the tensor at `index`, which must be below `size()`.
  [[nodiscard]] TensorInfo info(std::size_t index) const;
  /// The index of the tensor of that name, or nothing. Takes constant time, or of names that ascend
  /// logarithmic time. \param near where it is likely to be, or a little before: of use where the
  /// names of many are looked for one after the other
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name,
                                                std::size_t near = 0) const noexcept;
  /// All metadata, by ascending key; of a key that several files have, the value of the first.
  [[nodiscard]] std::span<const MetadataEntry> metadata() const& noexcept;
  std::span<const MetadataEntry> metadata() && = delete;
  /// The metadata of that key, or nothing.
  [[nodiscard]] std::optional<std::string_view> metadata(std::string_view key) const& noexcept;
  std::optional<std::string_view> metadata(std::string_view key) && = delete;

  /// The tensor at `index`: a view, or under `Access::read` a deferred tensor.
  /// \throws Error `not_found` for an index that is too large.
  [[nodiscard]] Tensor tensor(std::size_t index) const;
  /// The tensor of that name. \throws Error `not_found`
  [[nodiscard]] Tensor tensor(std::string_view name) const;

  /// A part of the tensor at `index`. Of a deferred one only the bytes it needs are read, but for
  /// gaps of a few KiB between them. \throws Error as `Tensor::slice`, naming file and tensor
  [[nodiscard]] Tensor slice(std::size_t index, std::span<const Slice> slices) const;

  /// The number of files; 1 unless an index was opened.
  [[nodiscard]] std::size_t file_count() const noexcept;
  /// All files that were read, an index first; none for bytes in memory.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  /// The file that holds the tensor at `index`, below `size()`; empty for bytes in memory.
  [[nodiscard]] const std::filesystem::path& path(std::size_t index) const& noexcept;
  const std::filesystem::path& path(std::size_t index) && = delete;
  /// Where the bytes of the tensor at `index`, below `size()`, begin in its file.
  [[nodiscard]] std::uint64_t file_offset(std::size_t index) const noexcept;
  /// Bytes of all tensors together.
  [[nodiscard]] std::uint64_t data_size() const noexcept;

 private:
  struct State;
  explicit File(std::shared_ptr<const State> state) noexcept;
  std::shared_ptr<const State> state_;
};

}  // namespace safestructures::inline v0::safetensors
