/// \file
/// The header of a safetensors file: names, dtypes, shapes and places of its tensors, and its
/// metadata.
///
/// The format: https://github.com/huggingface/safetensors#format. What is accepted is what the Rust
/// crate `safetensors` 0.8 accepts, blanks in front of the JSON text and behind it included, but
/// for five things that it lets pass and this library refuses: the same tensor name or metadata key
/// twice; a tensor described by an array in place of an object; a dtype as an object of its name; a
/// shape whose sizes other than 0 multiply beyond 2^63 - 1, even where a 0 makes it empty, as no
/// array library can hold it; and what passes `Limits`. Unknown fields may be nested deeper here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/shape.hpp>

/// safetensors files as they are: tensors by name and metadata, without a structure.
namespace safestructures::inline v0::safetensors {

/// One entry of `__metadata__` that was read; valid as long as the Header or File it came from or a
/// copy of it.
struct MetadataEntry {
  std::string_view key;    ///< Different from all others.
  std::string_view value;  ///< UTF-8, as the key.
};

/// What a header says of one tensor.
struct TensorInfo {
  std::string_view name;  ///< Valid as long as the Header or File it came from or a copy of it.
  DType dtype;            ///< What the elements are.
  Shape shape;            ///< Outermost dimension first.
  std::uint64_t begin;    ///< The first byte, counted from the start of the data section.
  std::uint64_t end;      ///< The byte behind the last.
};

namespace detail {
struct HeaderState;
}

/// A header that was parsed and found valid. Copies share what was parsed; may be read by several
/// threads at once.
class SAFESTRUCTURES_API Header {
 public:
  /// Moving is copying, which is cheap: what was moved from stays valid.
  /// @{
  Header(const Header&) noexcept = default;
  Header& operator=(const Header&) noexcept = default;
  /// @}
  ~Header() = default;

  /// Parses and validates the JSON text of a header, which is copied.
  /// \param json the header without the eight bytes of its length
  /// \param data_size bytes that follow the header in the file
  /// \throws Error `invalid_header`, `invalid_metadata`, `invalid_utf8`, `invalid_offsets`,
  /// `invalid_shape`, `unknown_dtype`, `duplicate_name`, `truncated`, `limit_exceeded`, with the
  /// tensor's name as path and the byte offset in the file.
  [[nodiscard]] static Header parse(std::span<const std::byte> json, std::uint64_t data_size,
                                    const Limits& limits = {});

  /// The number of tensors.
  [[nodiscard]] std::size_t size() const noexcept;
  /// The name of the tensor at `index`, which must be below `size()`. Tensors are in the order of
  /// their bytes.
  [[nodiscard]] std::string_view name(std::size_t index) const& noexcept;
  std::string_view name(std::size_t index) && = delete;
  /// What is known of the tensor at `index`, which must be below `size()`.
  [[nodiscard]] TensorInfo info(std::size_t index) const;
  /// The index of the tensor of that name, or nothing. Takes constant time, or of names that ascend
  /// logarithmic time.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept;
  /// All metadata, by ascending key.
  [[nodiscard]] std::span<const MetadataEntry> metadata() const& noexcept;
  std::span<const MetadataEntry> metadata() && = delete;
  /// The metadata of that key, or nothing.
  [[nodiscard]] std::optional<std::string_view> metadata(std::string_view key) const& noexcept;
  std::optional<std::string_view> metadata(std::string_view key) && = delete;

 private:
  explicit Header(std::shared_ptr<const detail::HeaderState> state) noexcept;
  std::shared_ptr<const detail::HeaderState> state_;
};

}  // namespace safestructures::inline v0::safetensors
