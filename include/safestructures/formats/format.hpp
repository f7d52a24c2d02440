/// \file
/// The one shape of all formats: how a Value becomes bytes and comes back.
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

/// What a format found in a source. The counterpart of what `Format::write` is given.
struct Content {
  /// The structure, tensors in their stored dtype.
  Value root;
  /// The text that goes with it, without what belongs to the format itself.
  Metadata metadata;
  /// Tensors that the structure does not refer to, in the order of the file.
  std::vector<std::pair<std::string, Tensor>> extra_tensors;
  /// Whether the file describes the structure; else it was made from the tensors' names.
  bool has_schema = true;
  /// The text that describes the structure, where the format keeps one apart. Valid as long as
  /// `container`.
  std::string_view schema;
  /// What describes the structure, in a few words: `safestructures 1.0.0`.
  std::string description;
  /// Whether a tensor of `root` may say which dtype it had (`attributes::dtype`): loading as a
  /// Value looks for those.
  bool notes_dtypes = true;
  /// Whether the file holds checksums that `LoadOptions::verify_checksums` would compare.
  bool has_checksums = false;
  std::size_t tensor_count = 0;    ///< Tensors in the file, those beside the structure included.
  std::uint64_t tensor_bytes = 0;  ///< Bytes of all tensors, as they are stored.
  std::vector<std::filesystem::path> files;  ///< All files that were read; none for memory.
  /// The open file as the format's own API has it, for those who ask for it by its type.
  std::any container;
};

/// A format: a name, the extensions of its files, a test on their first bytes, and two functions.
///
/// One's own is used through `SaveOptions::format` and `LoadOptions::format`. May be used by
/// several threads at once.
class SAFESTRUCTURES_API Format {
 public:
  virtual ~Format();

  /// As in messages: `json`.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// Endings of file names, with the dot: `.json`.
  [[nodiscard]] virtual std::span<const std::string_view> extensions() const noexcept = 0;
  /// Whether the first bytes of a file (`sniffed_bytes` of them, or all there are) can only be of
  /// this format. \param size of the whole file
  [[nodiscard]] virtual bool recognises(std::span<const std::byte> head,
                                        std::uint64_t size) const = 0;

  /// Reads what a source holds.
  /// \throws Error what is wrong, naming the source and the path in the structure.
  [[nodiscard]] virtual Content read(const std::shared_ptr<const Source>& source,
                                     const LoadOptions& options) const = 0;
  /// Writes a structure. Tensors are written from where they are. The sink is flushed.
  /// \throws Error what cannot be saved, naming the path in the structure; what the sink throws.
  virtual SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) const = 0;

  /// A part of what `read` gave without a type, as it is for the C++ type that `LoadOptions::type`
  /// now names; nothing where that is the same, as of all formats whose files say what they hold.
  /// \param content what was read
  /// \throws Error what does not fit the type, naming the path below the part
  [[nodiscard]] virtual std::optional<Value> for_type(const Value& part, const Content& content,
                                                      const LoadOptions& options) const;

  /// How many bytes `recognises` is given at most.
  static constexpr std::size_t sniffed_bytes = 4096;

 protected:
  /// For derived classes only.
  /// @{
  Format() = default;
  Format(const Format&) = default;
  Format& operator=(const Format&) = default;
  /// @}
};

/// The formats, each a function that gives it, and how one of them is found.
namespace formats {

/// The formats of this library, the default first.
[[nodiscard]] SAFESTRUCTURES_API std::span<const std::shared_ptr<const Format>> all();

/// The format in which a file of that name is saved: the one with the longest extension that the
/// name ends with, whatever its case; else the default. A `.gz` behind it says nothing of the
/// format: see gzip.hpp.
[[nodiscard]] SAFESTRUCTURES_API const std::shared_ptr<const Format>& for_name(
    std::string_view file_name);

/// The format of what a source holds: the one that recognises its first bytes, else as `for_name`;
/// MessagePack or CBOR by its name where all of it is one value of that, whatever it begins like.
/// What is packed is unpacked before, by `gzip::unpacked`.
/// \throws Error what the source throws
[[nodiscard]] SAFESTRUCTURES_API const std::shared_ptr<const Format>& for_content(
    const Source& source);

}  // namespace formats
}  // namespace safestructures::inline v0
