/// \file
/// A record between the call that made it and the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <safestructures/data/value.hpp>
#include <safestructures/recording/options.hpp>
#include "recording/segment_writer.hpp"

namespace safestructures::inline v0::recording {

/// The class of a record in a file, and its fields.
namespace fields {
inline constexpr std::string_view record = "Record";
inline constexpr std::string_view name = "name";
inline constexpr std::string_view step = "step";
inline constexpr std::string_view call = "call";
inline constexpr std::string_view thread = "thread";
inline constexpr std::string_view sequence = "sequence";
inline constexpr std::string_view time = "time";
inline constexpr std::string_view kept = "kept";
inline constexpr std::string_view value = "value";
}  // namespace fields

/// What a record is, its value owning its memory.
struct CapturedRecord {
  std::string_view name;
  std::int64_t step = 0;
  std::uint64_t call = 0;
  std::uint32_t thread = 0;
  std::uint64_t sequence = 0;
  std::int64_t time = 0;  ///< Nanoseconds since 1970, UTC.
  Keep keep = Keep::full;
  Precision precision;
  Value value;
};

/// Puts a record into the form of its file. Tensors are converted here.
/// \throws Error what cannot be saved, with the path in the record
[[nodiscard]] PreparedRecord prepare(CapturedRecord record, const Limits& limits);

}  // namespace safestructures::inline v0::recording
