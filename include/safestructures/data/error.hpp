/// \file
/// The library's only exception type.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// The kind of failure that an `Error` reports. The names are stable: programs may rely on them.
enum class ErrorCode : std::uint8_t {
  cannot_open,          ///< The file or folder cannot be opened.
  cannot_read,          ///< The system refused a read.
  cannot_write,         ///< The system refused a write, a rename or a synchronisation.
  truncated,            ///< The input ends before the bytes it announces.
  invalid_header,       ///< The container's header violates its format.
  invalid_metadata,     ///< `__metadata__` is not a map of strings to strings.
  invalid_utf8,         ///< Text that must be UTF-8 is not.
  invalid_offsets,      ///< A tensor's byte range overlaps, leaves a hole, or has the wrong length.
  invalid_shape,        ///< A shape is malformed, or its byte size does not fit the machine.
  unknown_dtype,        ///< A dtype name that is not in the format.
  duplicate_name,       ///< A name, field or key occurs twice.
  invalid_schema,       ///< The schema violates docs/format.md.
  unsupported_version,  ///< Written in a version that this library cannot read.
  missing_tensor,       ///< The schema or the index names a tensor that no file holds.
  limit_exceeded,       ///< A limit of `Limits` or of the format is exceeded.
  type_mismatch,        ///< A value has another kind than the one asked for.
  shape_mismatch,       ///< A tensor's shape or a container's length differs from the target's.
  out_of_range,         ///< A number that the target type cannot hold.
  lossy_conversion,     ///< A conversion would lose data that the caller wants to keep.
  missing_field,        ///< A required field is absent.
  unknown_field,        ///< A field that the target does not have, if those are refused.
  not_found,            ///< A path, key or index that does not exist.
  invalid_argument,     ///< The call cannot be carried out as asked.
  misaligned,           ///< The bytes are not aligned for the element type asked for.
  unknown_type,         ///< A type name that no codec is registered for.
  cycle,                ///< A structure that contains itself.
  plugin_failed,  ///< A codec or plugin threw; its exception is nested (`std::rethrow_if_nested`).
  checksum_mismatch,  ///< Stored and computed checksums differ.
  mixed_saves,        ///< The files of a checkpoint come from different saves.
  damaged,            ///< Compressed data that cannot be unpacked.
};

/// Returns the stable name of a code, such as `"limit_exceeded"`.
SAFESTRUCTURES_API std::string_view to_string(ErrorCode code) noexcept;

/// Where a failure happened and what to do about it. Empty members are left out of the text.
struct ErrorDetails {
  std::string file{};      ///< The file, as the caller named it.
  std::string path{};      ///< The path in the structure, such as `/layers/3/weight`.
  std::string expected{};  ///< A description of what was expected.
  std::string found{};     ///< A description of what was found instead.
  std::string advice{};    ///< One sentence on what the user can do, without the final full stop.
  std::optional<std::uint64_t> offset{};  ///< The byte offset in the file.
};

/// The exception for every failure in this library except `std::bad_alloc`.
///
/// `what()` reads `file: at /path: problem: expected X, found Y (byte N). Advice.`, without the
/// parts that are unknown. A path of more than 400 bytes, or another part of more than 1000 bytes,
/// is shortened to its beginning and end with `...` in between. A zero byte, which would end the
/// text, is escaped. Copying never throws: the text is shared.
class SAFESTRUCTURES_EXCEPTION Error : public std::exception {
 public:
  /// Builds the whole text at once.
  /// \param problem the problem in a few words, without file, path or final full stop
  Error(ErrorCode code, std::string problem, ErrorDetails details = {});
  /// Moving copies, which is cheap: a moved-from error stays valid.
  /// @{
  Error(const Error&) noexcept = default;
  Error& operator=(const Error&) noexcept = default;
  /// @}
  ~Error() override = default;

  /// The whole text, and its parts. Valid as long as this error or a copy of it.
  /// @{
  [[nodiscard]] const char* what() const noexcept override;
  [[nodiscard]] ErrorCode code() const noexcept;
  [[nodiscard]] const std::string& problem() const noexcept;
  [[nodiscard]] const ErrorDetails& details() const noexcept;
  /// @}

  /// Returns the same error with the file filled in, unless it already names one.
  [[nodiscard]] Error with_file(std::string_view file) const;
  /// Returns the same error with the path filled in, unless it already names one.
  [[nodiscard]] Error with_path(std::string_view path) const;
  /// Converts an error about a part, which is at `path` of a whole, to one about the whole:
  /// prepends `path`. If the error's path is a tensor's name, it stays as it is.
  [[nodiscard]] Error with_parent_path(std::string_view path) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace safestructures::inline v0
