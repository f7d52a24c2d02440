/// \file
/// Escapes and unescapes quotes, 8 to 64 bytes at a time: a schema is JSON in a JSON string, where
/// every seventh byte begins an escaped quote.
#pragma once

namespace safestructures::inline v0::json {

/// Decodes as long as every backslash precedes a quote and every quote follows a backslash. Stops
/// before anything else and before the last bytes, or at once if the processor lacks the
/// instructions.
/// \param target must have room for as many bytes as are read, and 8 more
void unescape_quotes(const char*& from, const char* end, char*& target) noexcept;

/// Escapes as long as there are only quotes and bytes that stay as they are; stops in the same way.
/// \param target must have room for twice as many bytes as are read, and 8 more
void escape_quotes(const char*& from, const char* end, char*& target) noexcept;

}  // namespace safestructures::inline v0::json
