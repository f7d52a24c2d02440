#include <safestructures/data/error.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace safestructures::inline v0 {
namespace {

constexpr std::array<std::string_view, 30> code_names = {"cannot_open",         "cannot_read",
                                                         "cannot_write",        "truncated",
                                                         "invalid_header",      "invalid_metadata",
                                                         "invalid_utf8",        "invalid_offsets",
                                                         "invalid_shape",       "unknown_dtype",
                                                         "duplicate_name",      "invalid_schema",
                                                         "unsupported_version", "missing_tensor",
                                                         "limit_exceeded",      "type_mismatch",
                                                         "shape_mismatch",      "out_of_range",
                                                         "lossy_conversion",    "missing_field",
                                                         "unknown_field",       "not_found",
                                                         "invalid_argument",    "misaligned",
                                                         "unknown_type",        "cycle",
                                                         "plugin_failed",       "checksum_mismatch",
                                                         "mixed_saves",         "damaged"};
static_assert(code_names.size() == static_cast<std::size_t>(ErrorCode::damaged) + 1);

constexpr std::size_t most_of_path = 400;
constexpr std::size_t most_of_others = 1000;  // A list of names has up to 900 bytes.

/// Keeps the beginning and the end of a text that may contain names from a file, which may be as
/// long as the file.
std::string shortened(const std::string& said, std::size_t most) {
  if (said.size() <= most) return said;
  const std::size_t part = most / 2;
  const auto is_inside = [&](std::size_t i) {
    return (static_cast<unsigned char>(said[i]) & 0xC0U) == 0x80;
  };
  // Cuts between characters; invalid UTF-8 is cut anywhere.
  std::size_t front = part;
  while (front > part - 3 && is_inside(front)) --front;
  std::size_t back = said.size() - part;
  while (back < said.size() - part + 3 && is_inside(back)) ++back;
  return said.substr(0, front) + "..." + said.substr(back);
}

/// Escapes zeros, at which the text of `what` would end: a name from a file may have one.
std::string with_escaped_zeros(std::string text) {
  for (std::size_t at = text.find('\0'); at != std::string::npos; at = text.find('\0', at))
    text.replace(at, 1, "\\x00");
  return text;
}

std::string format(const std::string& problem, const ErrorDetails& details) {
  std::string text;
  if (!details.file.empty()) text += shortened(details.file, most_of_others) + ": ";
  if (!details.path.empty()) text += "at " + shortened(details.path, most_of_path) + ": ";
  text += shortened(problem, most_of_others);
  if (!details.expected.empty())
    text += ": expected " + shortened(details.expected, most_of_others);
  if (!details.found.empty()) {
    text += details.expected.empty() ? ": found " : ", found ";
    text += shortened(details.found, most_of_others);
  }
  if (details.offset) text += " (byte " + std::to_string(*details.offset) + ")";
  text += '.';
  if (!details.advice.empty()) text += " " + shortened(details.advice, most_of_others) + ".";
  return with_escaped_zeros(std::move(text));
}

}  // namespace

std::string_view to_string(ErrorCode code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return index < code_names.size() ? code_names[index] : "unknown";
}

struct Error::State {
  ErrorCode code;
  std::string problem;
  ErrorDetails details;
  std::string text;
};

Error::Error(ErrorCode code, std::string problem, ErrorDetails details) {
  std::string text = format(problem, details);
  state_ = std::make_shared<const State>(
      State{code, std::move(problem), std::move(details), std::move(text)});
}

const char* Error::what() const noexcept { return state_->text.c_str(); }
ErrorCode Error::code() const noexcept { return state_->code; }
const std::string& Error::problem() const noexcept { return state_->problem; }
const ErrorDetails& Error::details() const noexcept { return state_->details; }

Error Error::with_file(std::string_view file) const {
  if (!state_->details.file.empty()) return *this;
  ErrorDetails details = state_->details;
  details.file = file;
  return {state_->code, state_->problem, std::move(details)};
}

Error Error::with_path(std::string_view path) const {
  if (!state_->details.path.empty()) return *this;
  ErrorDetails details = state_->details;
  details.path = path;
  return {state_->code, state_->problem, std::move(details)};
}

Error Error::with_parent_path(std::string_view path) const {
  if (path.empty() || path == "/" || !state_->details.path.starts_with('/')) return *this;
  ErrorDetails details = state_->details;
  details.path = details.path == "/" ? std::string(path) : std::string(path) + details.path;
  return {state_->code, state_->problem, std::move(details)};
}

}  // namespace safestructures::inline v0
