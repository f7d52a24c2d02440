/// \file
/// An open file: its structure is there, its tensors are read when they are used.
#pragma once

#include <any>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/registry.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures {

namespace detail {

/// Maps from names to tensors: for these a file without a schema stays flat.
template <class T>
concept StateDict = requires {
  typename T::key_type;
  requires std::same_as<typename T::mapped_type, Tensor>;
  requires std::convertible_to<typename T::key_type, std::string_view>;
};

}  // namespace detail

/// An open file. Its structure has been read and validated; tensors are views that keep the mapping
/// alive, or deferred, and their bytes are read when they are touched.
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
  /// \throws Error of the format, naming the file and the path.
  [[nodiscard]] static Document open(const std::filesystem::path& path,
                                     const LoadOptions& options = {});
  /// The same from a source of any kind.
  [[nodiscard]] static Document open(const std::shared_ptr<const Source>& source,
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
  /// False where the structure was made from the tensors' names: a plain safetensors file.
  [[nodiscard]] bool has_schema() const noexcept;
  /// The text that describes the structure, where the format keeps one apart; else empty. Valid as
  /// long as this Document or a copy of it.
  [[nodiscard]] std::string_view schema() const& noexcept;
  std::string_view schema() && = delete;
  /// The metadata that the user gave: all but the format's own.
  [[nodiscard]] const Metadata& metadata() const& noexcept;
  [[nodiscard]] Metadata metadata() &&;
  /// Names of tensors that the structure does not refer to, in the order of the file.
  [[nodiscard]] std::vector<std::string> unreferenced() const;
  /// Everything that the format found.
  [[nodiscard]] const Content& content() const& noexcept;
  const Content& content() && = delete;
  /// The format.
  [[nodiscard]] const Format& format() const noexcept;
  /// The open file as its format's own API has it: `container<safetensors::File>()`.
  /// \throws Error `type_mismatch` when the file is of another format.
  template <class T>
  [[nodiscard]] const T& container() const& {
    if (const T* found = std::any_cast<T>(&content().container)) return *found;
    fail_container();
  }
  template <class T>
  const T& container() && = delete;

  /// The structure as a C++ object. \throws Error what the codec finds wrong, with file and path.
  template <class T>
  [[nodiscard]] T as() const {
    Decoder decoder = make_decoder();
    try {
      if constexpr (detail::StateDict<T>) {
        if (!has_schema()) return decoder.decode<T>(state_dict());
      }
      return decoder.decode<T>(root());
    } catch (...) {
      rethrow(decoder);
    }
  }

  /// All tensors by the names that they have in the file, as a dict.
  [[nodiscard]] Value state_dict() const;

 private:
  struct State;
  explicit Document(std::shared_ptr<const State> state) noexcept;
  [[noreturn]] void fail_container() const;
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
