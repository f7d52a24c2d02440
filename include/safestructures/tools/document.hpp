/// \file
/// An open file: its structure is in memory, its tensors are read on use.
#pragma once

#include <any>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/kind_set.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/thread_limit.hpp>
#include <safestructures/data/type_describer.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0 {

namespace detail {

/// Maps from names to tensors, or to types that are only ever saved as tensors, such as vectors of
/// numbers and matrices: for these a file without a schema stays flat.
template <class T>
concept StateDict = requires {
  typename T::key_type;
  typename T::mapped_type;
  requires std::convertible_to<typename T::key_type, std::string_view>;
  requires kinds_of<typename T::mapped_type>() == KindSet(Kind::tensor);
};

/// The state shared by all handles of one open file.
struct OpenFile;

}  // namespace detail

/// A place in an open file. It keeps the file open.
class SAFESTRUCTURES_API Node {
 public:
  /// Returns its path in the file: `/layers/3`.
  [[nodiscard]] std::string path() const { return path_.to_string(); }
  /// Returns the value, with tensors in their stored dtype. Valid as long as this, a copy of it, or
  /// the Document; for a temporary, a copy is returned.
  /// @{
  [[nodiscard]] const Value& value() const& noexcept { return *value_; }
  [[nodiscard]] Value value() && { return *value_; }
  /// @}
  /// Returns the tensor in its stored dtype, without a copy; `as<Tensor>()` returns it in its
  /// original dtype. It keeps the mapping alive. \throws Error `type_mismatch`, naming file and
  /// path.
  [[nodiscard]] Tensor tensor() const;
  /// Returns the value as a C++ object, using the options the file was opened with.
  /// \throws Error what the codec finds wrong, with the file and the path in it.
  template <class T>
  [[nodiscard]] T as() const {
    return decode([&](Decoder& decoder) {
      const std::optional<Value> fitted = fitted_to(&detail::type_info_of<T>);
      return decoder.decode<T>(fitted ? *fitted : *value_);
    });
  }
  /// Returns a place below this one. \throws Error `not_found`, naming the file.
  [[nodiscard]] Node at(std::string_view path) const;

 private:
  friend class Document;
  Node(std::shared_ptr<const detail::OpenFile> file, Path path, const Value& value) noexcept
      : file_(std::move(file)), path_(std::move(path)), value_(&value) {}

  template <class Decode>
  auto decode(const Decode& decode_value) const {
    const detail::ThreadLimit limit(threads());
    Decoder decoder = make_decoder();
    try {
      return decode_value(decoder);
    } catch (...) {
      rethrow(decoder);
    }
  }
  [[nodiscard]] unsigned threads() const noexcept;
  [[nodiscard]] Decoder make_decoder() const;
  /// Returns the value as its format represents it for a type; nothing if that is the same.
  [[nodiscard]] std::optional<Value> fitted_to(const TypeInfo& (*type)()) const;
  [[noreturn]] void rethrow(const Decoder& decoder) const;

  std::shared_ptr<const detail::OpenFile> file_;
  Path path_;
  const Value* value_;
};

/// An open file. Its structure has been read and validated. Tensors are views that keep the mapping
/// alive, or deferred; their bytes are read on use.
///
/// A plain safetensors file without a schema opens as well: its structure is derived from the names
/// of tensors, so that `layers.0.weight` is the field `weight` of item 0 of `layers`.
///
/// Copies share the open file. Reading from many threads at once is safe.
class SAFESTRUCTURES_API Document {
 public:
  /// Moving is copying, which is cheap: a moved-from Document stays valid.
  /// @{
  Document(const Document&) noexcept = default;
  Document& operator=(const Document&) noexcept = default;
  /// @}
  ~Document() = default;

  /// Opens a file, or a sharded checkpoint by its `.index.json`. Gzipped files are decompressed.
  /// \throws Error of the format, naming the file and the path.
  [[nodiscard]] static Document open(const std::filesystem::path& path,
                                     const LoadOptions& options = {});
  /// Opens a source of any kind.
  [[nodiscard]] static Document open(const std::shared_ptr<const Source>& source,
                                     const LoadOptions& options = {});
  /// Reads a file that is in memory. Tensors are views of `bytes`, kept alive by `owner`, or by the
  /// caller when that is null.
  [[nodiscard]] static Document from_bytes(std::span<const std::byte> bytes,
                                           std::shared_ptr<const void> owner,
                                           const LoadOptions& options = {});
  // A temporary would be gone before it is read: `open(Source::of(bytes))` takes it over.
  template <class Allocator>
  static Document from_bytes(const std::vector<std::byte, Allocator>&& bytes,
                             std::shared_ptr<const void> owner,
                             const LoadOptions& options = {}) = delete;

  /// Returns the whole structure, with tensors in their stored dtype. Of a temporary,
  /// `at("/").value()` returns a copy.
  [[nodiscard]] const Value& root() const& noexcept;
  const Value& root() && = delete;
  /// Returns the place at a path: `/layers/3/weight`. \throws Error `not_found`, naming the file.
  [[nodiscard]] Node at(std::string_view path) const;
  /// Returns the file's name, as in errors; empty for bytes without a name.
  /// @{
  [[nodiscard]] const std::string& name() const& noexcept;
  [[nodiscard]] std::string name() && { return name(); }
  /// @}
  /// Returns false if the structure was derived from the tensors' names: a plain safetensors file.
  [[nodiscard]] bool has_schema() const noexcept;
  /// Returns the text that describes the structure if the format stores one separately, else an
  /// empty one. Valid as long as this Document or a copy of it.
  [[nodiscard]] std::string_view schema() const& noexcept;
  std::string_view schema() && = delete;
  /// Returns the user's metadata: all but the format's own. Valid as long as this Document or a
  /// copy of it; for a temporary, a copy is returned.
  /// @{
  [[nodiscard]] const Metadata& metadata() const& noexcept;
  [[nodiscard]] Metadata metadata() &&;
  /// @}
  /// Returns the names of tensors that the structure does not refer to, in the order of the file.
  [[nodiscard]] std::vector<std::string> unreferenced() const;
  /// Returns everything that the format found.
  [[nodiscard]] const Content& content() const& noexcept;
  const Content& content() && = delete;
  /// Returns the format.
  [[nodiscard]] const Format& format() const noexcept;
  /// Returns the open file as an object of its format's own API: `container<safetensors::File>()`.
  /// \throws Error `type_mismatch` if the file is of another format.
  template <class T>
  [[nodiscard]] const T& container() const& {
    if (const T* found = std::any_cast<T>(&content().container)) return *found;
    fail_container();
  }
  template <class T>
  const T& container() && = delete;

  /// Returns the structure as a C++ object. \throws Error what the codec finds wrong, with file and
  /// path.
  template <class T>
  [[nodiscard]] T as() const {
    const Node whole = at("/");
    if constexpr (detail::StateDict<T>) {
      if (!has_schema())
        return whole.decode([&](Decoder& decoder) { return decoder.decode<T>(state_dict()); });
    }
    return whole.as<T>();
  }

  /// Returns all tensors as a dict, by their names in the file; if it has no names for them, as in
  /// a record of Burn, by their places: `layers.0.weight`.
  [[nodiscard]] Value state_dict() const;

 private:
  friend class Record;
  friend class Recording;
  explicit Document(std::shared_ptr<const detail::OpenFile> file) noexcept;
  /// Opens a file as `open` does, without the format's own API and the schema text, which are
  /// larger than small tensors.
  static Document open_structure(const std::shared_ptr<const Source>& source,
                                 const LoadOptions& options);
  [[noreturn]] void fail_container() const;
  /// Returns a node for a value derived from the structure, as if it were part of it. The value
  /// must outlive the node.
  [[nodiscard]] Node node(Path path, const Value& value) const noexcept {
    return {file_, std::move(path), value};
  }
  std::shared_ptr<const detail::OpenFile> file_;
};

/// Opens a file; the same as `Document::open`.
[[nodiscard]] inline Document open(const std::filesystem::path& path,
                                   const LoadOptions& options = {}) {
  return Document::open(path, options);
}

}  // namespace safestructures::inline v0
