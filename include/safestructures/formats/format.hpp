/// \file
/// The interface of all formats: how a Value becomes bytes and back.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/export.hpp>
#include <safestructures/data/sink.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0 {

/// The content that a format found in a source: the counterpart of what `Format::write` is given.
struct Content {
  /// The structure, with tensors in their stored dtype.
  Value root;
  /// The text metadata, without entries that belong to the format itself.
  Metadata metadata;
  /// Extra tensors (not part of the structure), in the order of the file.
  std::vector<std::pair<std::string, Tensor>> extra_tensors;
  /// Whether the file describes the structure; otherwise it was derived from the tensors' names.
  bool has_schema = true;
  /// The text that describes the structure, if the format stores it separately. Valid as long as
  /// `container`.
  std::string_view schema;
  /// A short name for what describes the structure: `safestructures 1.0.0`.
  std::string description;
  /// Whether tensors of `root` may note which dtype they had (`attributes::dtype`): loading as a
  /// Value looks for such notes.
  bool notes_dtypes = true;
  /// Whether the file holds checksums that `LoadOptions::verify_checksums` would compare.
  bool has_checksums = false;
  std::size_t tensor_count = 0;    ///< The number of tensors in the file, including extra ones.
  std::uint64_t tensor_bytes = 0;  ///< The size of all tensors in bytes, as stored.
  std::vector<std::filesystem::path> files;  ///< All files that were read; empty for memory.
  /// The open file in the format's own API, for callers who ask for it by type.
  std::any container;
};

/// A format: a name, file extensions, a test of a file's first bytes, and functions to read and
/// write.
///
/// Use your own through `SaveOptions::format` and `LoadOptions::format`. A format may be used by
/// several threads at once.
class SAFESTRUCTURES_API Format {
 public:
  virtual ~Format();

  /// The name in messages, such as `json`.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// The endings of file names, with the dot, such as `.json`.
  [[nodiscard]] virtual std::span<const std::string_view> extensions() const noexcept = 0;
  /// Whether the first bytes of a file (`sniffed_bytes`, or all if there are fewer) can only be of
  /// this format. \param size the size of the whole file
  [[nodiscard]] virtual bool recognises(std::span<const std::byte> head,
                                        std::uint64_t size) const = 0;

  /// Reads the content of a source.
  /// \throws Error what is wrong, with the source and the path in the structure
  [[nodiscard]] virtual Content read(const std::shared_ptr<const Source>& source,
                                     const LoadOptions& options) const = 0;
  /// Writes a structure. Tensors are written directly from their memory. Flushes the sink.
  /// \throws Error what cannot be saved, with the path in the structure; what the sink throws
  virtual SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) const = 0;

  /// Converts a part of what `read` returned without a type to the form for the C++ type in
  /// `LoadOptions::type`. Returns nothing if there is no difference, as in all formats whose files
  /// describe themselves.
  /// \param content what `read` returned
  /// \throws Error what does not fit the type, with the path below the part
  [[nodiscard]] virtual std::optional<Value> for_type(const Value& part, const Content& content,
                                                      const LoadOptions& options) const;

  /// The most bytes that `recognises` is given.
  static constexpr std::size_t sniffed_bytes = 4096;

 protected:
  /// For derived classes only.
  /// @{
  Format() = default;
  Format(const Format&) = default;
  Format& operator=(const Format&) = default;
  /// @}
};

/// Functions that return the formats of this library, and functions that find one of them.
namespace formats {

/// Returns the formats of this library, the default first.
[[nodiscard]] SAFESTRUCTURES_API std::span<const std::shared_ptr<const Format>> all();

/// Returns the format in which a file with that name is saved: the one with the longest extension
/// that the name ends with, ignoring case; otherwise the default. A `.gz` at the end is ignored:
/// see gzip.hpp.
[[nodiscard]] SAFESTRUCTURES_API const std::shared_ptr<const Format>& for_name(
    std::string_view file_name);

/// Returns the format of a source's content: the one that recognises its first bytes, otherwise as
/// `for_name`. If the name says MessagePack or CBOR and the whole content is one such value, that
/// takes precedence, except over a record of Burn. Compressed sources must be unpacked first by
/// `gzip::unpacked`.
/// \throws Error what the source throws
[[nodiscard]] SAFESTRUCTURES_API const std::shared_ptr<const Format>& for_content(
    const Source& source);

}  // namespace formats
}  // namespace safestructures::inline v0
