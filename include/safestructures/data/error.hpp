/// \file
/// The one exception type of the library.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// What kind of failure an `Error` reports. The names are stable: programs may rely on them.
enum class ErrorCode : std::uint8_t {
  cannot_open,          ///< The file or folder cannot be opened.
  cannot_read,          ///< The system refused a read.
  cannot_write,         ///< The system refused a write, a rename or a synchronisation.
  truncated,            ///< The input ends before the bytes it announces.
  invalid_header,       ///< The container's header is not what its format demands.
  invalid_metadata,     ///< `__metadata__` is not a map of strings to strings.
  invalid_utf8,         ///< Text that must be UTF-8 is not.
  invalid_offsets,      ///< A tensor's byte range overlaps, leaves a hole, or has the wrong length.
  invalid_shape,        ///< A shape is malformed or its byte size does not fit the machine.
  unknown_dtype,        ///< A dtype name that the format does not know.
  duplicate_name,       ///< The same name, field or key twice.
  invalid_schema,       ///< The schema is not what docs/format.md demands.
  unsupported_version,  ///< Written by a version this library does not read.
  missing_tensor,       ///< The schema or the index names a tensor that no file holds.
  limit_exceeded,       ///< A bound of `Limits` or of the format is passed.
  type_mismatch,        ///< A value of one kind where another is asked for.
  shape_mismatch,       ///< A tensor's shape or a container's length is not the target's.
  out_of_range,         ///< A number that the target type cannot hold.
  lossy_conversion,     ///< A conversion would lose what the caller wants kept.
  missing_field,        ///< A required field is absent.
  unknown_field,        ///< A field that the target does not have, where that is refused.
  not_found,            ///< A path, key or index that leads nowhere.
  invalid_argument,     ///< The call itself cannot be carried out as asked.
  misaligned,           ///< Bytes that are not aligned for the element type asked for.
  unknown_type,         ///< A type name that no codec is registered for.
  cycle,                ///< A structure that contains itself.
  plugin_failed,  ///< A codec or plugin threw; its exception is nested (`std::rethrow_if_nested`).
  checksum_mismatch,  ///< Stored and computed checksums differ.
  mixed_saves,        ///< The files of a checkpoint are of different saves.
  damaged,            ///< Packed data that cannot be unpacked.
};

/// The stable name of a code, such as `"limit_exceeded"`.
SAFESTRUCTURES_API std::string_view to_string(ErrorCode code) noexcept;

/// Where a failure happened and what to do about it. Empty members are left out of the text.
struct ErrorDetails {
  std::string file{};      ///< The file, as the caller named it.
  std::string path{};      ///< The path in the structure, such as `/layers/3/weight`.
  std::string expected{};  ///< What would have been right.
  std::string found{};     ///< What was there instead.
  std::string advice{};    ///< One sentence on what the user can do, without the final full stop.
  std::optional<std::uint64_t> offset{};  ///< The byte in the file.
};

/// Every failure of this library, apart from `std::bad_alloc`.
///
/// `what()` reads `file: at /path: problem: expected X, found Y (byte N). Advice.` with the parts
/// that are known. Of a path of more than 400 bytes it has the beginning and the end, with `...`
/// between, and of another part of more than 1000 bytes. Copying never throws: the text is shared.
class SAFESTRUCTURES_EXCEPTION Error : public std::exception {
 public:
  /// Makes the whole text at once.
  /// \param problem what is wrong, in a few words, without file, path or final full stop.
  Error(ErrorCode code, std::string problem, ErrorDetails details = {});
  /// Moving is copying, which is cheap: what was moved from stays valid.
  /// @{
  Error(const Error&) noexcept = default;
  Error& operator=(const Error&) noexcept = default;
  /// @}
  ~Error() override = default;

  /// The whole text, and the parts that it is made of. Valid as long as this or a copy of it.
  /// @{
  [[nodiscard]] const char* what() const noexcept override;
  [[nodiscard]] ErrorCode code() const noexcept;
  [[nodiscard]] const std::string& problem() const noexcept;
  [[nodiscard]] const ErrorDetails& details() const noexcept;
  /// @}

  /// The same error with the file filled in, unless it already names one.
  [[nodiscard]] Error with_file(std::string_view file) const;
  /// The same error with the path filled in, unless it already names one.
  [[nodiscard]] Error with_path(std::string_view path) const;
  /// The same error of a part of a structure, seen from the whole, in which the part is at `path`.
  /// A tensor's name in the place of a path stays as it is.
  [[nodiscard]] Error below(std::string_view path) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace safestructures::inline v0
