/// \file
/// An open file: its structure is there, its tensors are read when they are used.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/registry.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/safetensors/reader.hpp>

namespace safestructures {

using safetensors::Access;

/// How files are loaded.
struct LoadOptions {
  /// How tensors come into memory. `Access::map` copies nothing.
  Access access = Access::map;
  /// Types that are found at run time; must outlive what is loaded through it.
  const Registry* registry = nullptr;
  /// What to do with numbers that the target type cannot hold.
  Overflow overflow = Overflow::error;
  /// Refuse structure fields that the target struct does not have, instead of passing over them.
  bool refuse_unknown_fields = false;
  /// Read all bytes on opening and compare them with the checksums that the file must then have.
  /// \throws Error `checksum_mismatch`; see formats/checksums.hpp.
  bool verify_checksums = false;
  Limits limits = {};
};

namespace detail {

/// Maps from names to tensors: for these a file without a schema stays flat.
template <class T>
inline constexpr bool is_state_dict = false;
template <class... Rest>
inline constexpr bool is_state_dict<std::map<std::string, Tensor, Rest...>> = true;
template <class... Rest>
inline constexpr bool is_state_dict<std::unordered_map<std::string, Tensor, Rest...>> = true;

}  // namespace detail

/// An open file. The header and the schema have been read and validated; tensors are views that
/// keep the mapping alive, and their bytes are read when they are touched.
///
/// A plain safetensors file without a schema opens as well: its structure is made from the tensors'
/// names, `layers.0.weight` being the field `weight` of item 0 of `layers`.
///
/// Copies share the open file. Reading from many threads at once is safe.
class SAFESTRUCTURES_API Document {
 public:
  // Moving is copying, which is cheap: what was moved from stays valid.
  Document(const Document&) noexcept = default;
  Document& operator=(const Document&) noexcept = default;
  ~Document() = default;

  /// Opens a file, or a sharded checkpoint by its `.index.json`.
  /// \throws Error of the container and the schema, naming the file and the path.
  [[nodiscard]] static Document open(const std::filesystem::path& path,
                                     const LoadOptions& options = {});
  /// Reads a file that is in memory. Tensors are views of `bytes`, kept alive by `owner`, or by the
  /// caller when that is null.
  [[nodiscard]] static Document from_bytes(std::span<const std::byte> bytes,
                                           std::shared_ptr<const void> owner,
                                           const LoadOptions& options = {});

  /// The whole structure, tensors in their stored dtype.
  [[nodiscard]] const Value& root() const& noexcept;
  const Value& root() && = delete;
  /// The value at a path: `/layers/3/weight`. \throws Error `not_found`, naming the file.
  [[nodiscard]] const Value& at(std::string_view path) const&;
  [[nodiscard]] Value at(std::string_view path) &&;
  /// True when the file has a schema, false for a plain safetensors file.
  [[nodiscard]] bool has_schema() const noexcept;
  /// The schema's text; empty when there is none. Valid as long as this Document or a copy of it.
  [[nodiscard]] std::string_view schema() const& noexcept;
  std::string_view schema() && = delete;
  /// The metadata that the user gave: all but the schema's own.
  [[nodiscard]] safetensors::Metadata metadata() const;
  /// Names of tensors that the structure does not refer to, in the order of the file.
  [[nodiscard]] std::vector<std::string> unreferenced() const;
  /// The container: tensors by name.
  [[nodiscard]] const safetensors::File& file() const& noexcept;
  const safetensors::File& file() && = delete;

  /// The structure as a C++ object. \throws Error what the codec finds wrong, with file and path.
  template <class T>
  [[nodiscard]] T as() const {
    Decoder decoder = make_decoder();
    try {
      if constexpr (detail::is_state_dict<T>) {
        if (!has_schema()) return decoder.decode<T>(state_dict());
      }
      return decoder.decode<T>(root());
    } catch (...) {
      rethrow(decoder);
    }
  }

  /// The tensors of the container by name, as a dict.
  [[nodiscard]] Value state_dict() const;

 private:
  struct State;
  explicit Document(std::shared_ptr<const State> state) noexcept;
  static Document make(const safetensors::File& file, std::string name, const LoadOptions& options);
  [[nodiscard]] Decoder make_decoder() const;
  [[noreturn]] void rethrow(const Decoder& decoder) const;
  std::shared_ptr<const State> state_;
};

/// `Document::open`.
[[nodiscard]] inline Document open(const std::filesystem::path& path,
                                   const LoadOptions& options = {}) {
  return Document::open(path, options);
}

}  // namespace safestructures
