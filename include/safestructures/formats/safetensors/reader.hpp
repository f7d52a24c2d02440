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

#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/slice.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/formats/safetensors/header.hpp>

namespace safestructures::safetensors {

/// How the bytes of tensors come into memory.
enum class Access : std::uint8_t {
  /// The file is mapped: opening reads the header only, tensors are views, and the system reads the
  /// pages that are touched. Another program that cuts the file short meanwhile (rather than
  /// replacing it, as this library does) makes touching the lost pages end the process.
  map,
  /// Every tensor or slice is read when asked for, and nothing else is: for network file systems,
  /// or where a file cut short must be an Error.
  read,
  /// Everything is read on opening, into one block of memory: the fastest way when all is needed.
  memory,
};

/// How a file is opened.
struct OpenOptions {
  Access access = Access::map;
  Limits limits = {};
};

/// An open safetensors file, or a checkpoint in several files. Header and places of all tensors
/// have been validated.
///
/// Copies share the open file. May be used by several threads at once. Tensors stay valid after the
/// File is gone: they keep the mapping or the memory alive.
class SAFESTRUCTURES_API File {
 public:
  // Moving is copying, which is cheap: what was moved from stays valid.
  File(const File&) noexcept = default;
  File& operator=(const File&) noexcept = default;
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
  /// The index of the tensor of that name, or nothing. Takes constant time.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept;
  /// All metadata, by ascending key; of a key that several files have, the value of the first.
  [[nodiscard]] std::span<const MetadataEntry> metadata() const& noexcept;
  std::span<const MetadataEntry> metadata() && = delete;
  /// The metadata of that key, or nothing.
  [[nodiscard]] std::optional<std::string_view> metadata(std::string_view key) const& noexcept;
  std::optional<std::string_view> metadata(std::string_view key) && = delete;

  /// The tensor at `index`: a view, or under `Access::read` a new copy of its bytes.
  /// \throws Error `not_found` for an index that is too large; `truncated` when the file has become
  /// shorter, `cannot_read` when the system refuses.
  [[nodiscard]] Tensor tensor(std::size_t index) const;
  /// The tensor of that name. \throws Error `not_found`, and as above.
  [[nodiscard]] Tensor tensor(std::string_view name) const;

  /// A part of the tensor at `index`. Under `Access::read` only the bytes it needs are read, but
  /// for gaps of a few KiB between them. \throws Error as `tensor` and `Tensor::slice`.
  [[nodiscard]] Tensor slice(std::size_t index, std::span<const Slice> slices) const;

  /// Fills `into` with the bytes of the tensor at `index`, on two threads when they are many.
  /// \throws Error as `tensor`; `shape_mismatch` when `into` has another size.
  void read_into(std::size_t index, std::span<std::byte> into) const;

  /// The number of files; 1 unless an index was opened.
  [[nodiscard]] std::size_t file_count() const noexcept;
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

}  // namespace safestructures::safetensors
