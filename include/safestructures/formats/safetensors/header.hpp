/// \file
/// The header of a safetensors file: the names, dtypes, shapes and positions of its tensors, and
/// its metadata.
///
/// The format: https://github.com/huggingface/safetensors#format. This library accepts what the
/// Rust crate `safetensors` 0.8 accepts, including whitespace before and after the JSON text,
/// except for:
/// - a duplicate tensor name or metadata key;
/// - a tensor described by an array instead of an object;
/// - a dtype given as an object with its name;
/// - a shape whose nonzero sizes multiply to more than 2^63 - 1, even if a 0 makes it empty, since
///   no array library can hold it;
/// - whatever exceeds `Limits`.
///
/// Unknown fields may be nested deeper here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/shape.hpp>

/// Plain safetensors files: named tensors and metadata, without a structure.
namespace safestructures::inline v0::safetensors {

/// An entry of `__metadata__` that was read; valid as long as the Header or File it came from, or a
/// copy of that.
struct MetadataEntry {
  std::string_view key;    ///< Unique.
  std::string_view value;  ///< UTF-8, like the key.
};

/// The description of a tensor in a header.
struct TensorInfo {
  std::string_view name;  ///< Valid as long as the Header or File it came from, or a copy.
  DType dtype;            ///< The type of the elements.
  Shape shape;            ///< The sizes, outermost dimension first.
  std::uint64_t begin;    ///< The first byte, relative to the start of the data section.
  std::uint64_t end;      ///< The byte after the last.
};

namespace detail {
struct HeaderState;
}

/// A parsed and validated header. Copies share their content; may be read by several threads at
/// once.
class SAFESTRUCTURES_API Header {
 public:
  /// Moving copies, which is cheap: a moved-from header stays valid.
  /// @{
  Header(const Header&) noexcept = default;
  Header& operator=(const Header&) noexcept = default;
  /// @}
  ~Header() = default;

  /// Parses and validates the JSON text of a header, which is copied.
  /// \param json the header without the eight bytes of its length
  /// \param data_size the number of bytes that follow the header in the file
  /// \throws Error `invalid_header`, `invalid_metadata`, `invalid_utf8`, `invalid_offsets`,
  /// `invalid_shape`, `unknown_dtype`, `duplicate_name`, `truncated`, `limit_exceeded`, with the
  /// tensor's name as path and the byte offset in the file
  [[nodiscard]] static Header parse(std::span<const std::byte> json, std::uint64_t data_size,
                                    const Limits& limits = {});

  /// The number of tensors.
  [[nodiscard]] std::size_t size() const noexcept;
  /// The name of the tensor at `index`, which must be below `size()`. Tensors are in the order of
  /// their bytes.
  [[nodiscard]] std::string_view name(std::size_t index) const& noexcept;
  std::string_view name(std::size_t index) && = delete;
  /// Returns the description of the tensor at `index`, which must be below `size()`.
  [[nodiscard]] TensorInfo info(std::size_t index) const;
  /// Returns the index of the tensor with that name, or nothing. Takes constant time, or
  /// logarithmic time if the names are in ascending order.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept;
  /// All metadata, in ascending order of keys.
  [[nodiscard]] std::span<const MetadataEntry> metadata() const& noexcept;
  std::span<const MetadataEntry> metadata() && = delete;
  /// Returns the metadata with that key, or nothing.
  [[nodiscard]] std::optional<std::string_view> metadata(std::string_view key) const& noexcept;
  std::optional<std::string_view> metadata(std::string_view key) && = delete;

 private:
  explicit Header(std::shared_ptr<const detail::HeaderState> state) noexcept;
  std::shared_ptr<const detail::HeaderState> state_;
};

}  // namespace safestructures::inline v0::safetensors
