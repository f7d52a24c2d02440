/// \file
/// An open file: its structure is there, its tensors are read when they are used.
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

/// Maps from names to tensors, or to what is saved as one and nothing else, vectors of numbers and
/// matrices say: for these a file without a schema stays flat.
template <class T>
concept StateDict = requires {
  typename T::key_type;
  typename T::mapped_type;
  requires std::convertible_to<typename T::key_type, std::string_view>;
  requires kinds_of<typename T::mapped_type>() == KindSet(Kind::tensor);
};

/// What the handles of one open file share.
struct OpenFile;

}  // namespace detail

/// A place in an open file, which it keeps open.
class SAFESTRUCTURES_API Node {
 public:
  /// Where it is in the file: `/layers/3`.
  [[nodiscard]] std::string path() const { return path_.to_string(); }
  /// What is there, tensors in their stored dtype. Valid as long as this or a copy of it, or the
  /// Document; of a temporary, a copy.
  /// @{
  [[nodiscard]] const Value& value() const& noexcept { return *value_; }
  [[nodiscard]] Value value() && { return *value_; }
  /// @}
  /// The tensor that is there, in its stored dtype, without copying it; `as<Tensor>()` gives it in
  /// its own. It keeps the mapping alive. \throws Error `type_mismatch`, naming file and path.
  [[nodiscard]] Tensor tensor() const;
  /// What is there as a C++ object, by the options with which the file was opened.
  /// \throws Error what the codec finds wrong, with the file and the path in it.
  template <class T>
  [[nodiscard]] T as() const {
    return decode([&](Decoder& decoder) {
      const std::optional<Value> fitted = fitted_to(TypeDescriber::node<T>());
      return decoder.decode<T>(fitted ? *fitted : *value_);
    });
  }
  /// What is further down. \throws Error `not_found`, naming the file.
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
  /// What is there as its format has it for a type; nothing where that is the same.
  [[nodiscard]] std::optional<Value> fitted_to(detail::TypeNode& type) const;
  [[noreturn]] void rethrow(const Decoder& decoder) const;

  std::shared_ptr<const detail::OpenFile> file_;
  Path path_;
  const Value* value_;
};

/// An open file. Its structure has been read and validated; tensors are views that keep the mapping
/// alive, or deferred, and their bytes are read when they are touched.
///
/// A plain safetensors file without a schema opens as well: its structure is made from the tensors'
/// names, `layers.0.weight` being the field `weight` of item 0 of `layers`.
///
/// Copies share the open file. Reading from many threads at once is safe.
class SAFESTRUCTURES_API Document {
 public:
  /// Moving is copying, which is cheap: what was moved from stays valid.
  /// @{
  Document(const Document&) noexcept = default;
  Document& operator=(const Document&) noexcept = default;
  /// @}
  ~Document() = default;

  /// Opens a file, or a sharded checkpoint by its `.index.json`. What is packed by gzip is
  /// unpacked.
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
  /// What is at a path: `/layers/3/weight`. \throws Error `not_found`, naming the file.
  [[nodiscard]] Node at(std::string_view path) const;
  /// The file, as errors name it; empty for bytes without a name.
  /// @{
  [[nodiscard]] const std::string& name() const& noexcept;
  [[nodiscard]] std::string name() && { return name(); }
  /// @}
  /// False where the structure was made from the tensors' names: a plain safetensors file.
  [[nodiscard]] bool has_schema() const noexcept;
  /// The text that describes the structure, where the format keeps one apart; else empty. Valid as
  /// long as this Document or a copy of it.
  [[nodiscard]] std::string_view schema() const& noexcept;
  std::string_view schema() && = delete;
  /// The metadata that the user gave: all but the format's own. Valid as long as this Document or a
  /// copy of it; of a temporary, a copy.
  /// @{
  [[nodiscard]] const Metadata& metadata() const& noexcept;
  [[nodiscard]] Metadata metadata() &&;
  /// @}
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
    const Node whole = at("/");
    if constexpr (detail::StateDict<T>) {
      if (!has_schema())
        return whole.decode([&](Decoder& decoder) { return decoder.decode<T>(state_dict()); });
    }
    return whole.as<T>();
  }

  /// All tensors by the names that they have in the file, as a dict; by their places where it gives
  /// them none, as a record of Burn: `layers.0.weight`.
  [[nodiscard]] Value state_dict() const;

 private:
  friend class Record;
  friend class Recording;
  explicit Document(std::shared_ptr<const detail::OpenFile> file) noexcept;
  /// As `open`, without the file's own API and its text, which are larger than small tensors.
  static Document open_structure(const std::shared_ptr<const Source>& source,
                                 const LoadOptions& options);
  [[noreturn]] void fail_container() const;
  /// A value that is made of the structure, as if it were there. It must outlive the node.
  [[nodiscard]] Node node(Path path, const Value& value) const noexcept {
    return {file_, std::move(path), value};
  }
  std::shared_ptr<const detail::OpenFile> file_;
};

/// `Document::open`.
[[nodiscard]] inline Document open(const std::filesystem::path& path,
                                   const LoadOptions& options = {}) {
  return Document::open(path, options);
}

}  // namespace safestructures::inline v0
