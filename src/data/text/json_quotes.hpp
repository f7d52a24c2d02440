/// \file
/// Escaped quotes, 8 to 64 bytes at a time: a schema is JSON in a JSON string, where every
/// seventh byte begins an escaped quote.
#pragma once

namespace safestructures::inline v0::json {

/// Decodes while every backslash stands before a quote and every quote behind a backslash. Stops in
/// front of whatever else there is, of the last bytes and, where the processor has no instruction
/// for it, at once. \param target room for as many bytes as are read, and 8 more
void unescape_quotes(const char*& from, const char* end, char*& target) noexcept;

/// Escapes while there are quotes and bytes that stay as they are; stops in the same way.
/// \param target room for twice as many bytes as are read, and 8 more
void escape_quotes(const char*& from, const char* end, char*& target) noexcept;

}  // namespace safestructures::inline v0::json
