/// \file
/// The structure at the root of a segment: columns with the data about its records, and their
/// values. docs/recording.md describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <safestructures/data/value.hpp>
#include "platform/memory.hpp"

namespace safestructures::inline v0::recording {

/// The class of a segment in a file, and its fields. The fields of columns also name their tensors.
namespace fields {
inline constexpr std::string_view segment = "Segment";
inline constexpr std::string_view names = "names";
inline constexpr std::string_view sequence = "sequence";
inline constexpr std::string_view step = "step";
inline constexpr std::string_view call = "call";
inline constexpr std::string_view time = "time";
inline constexpr std::string_view name = "name";
inline constexpr std::string_view thread = "thread";
inline constexpr std::string_view value = "value";
inline constexpr std::string_view row = "row";
inline constexpr std::string_view kept = "kept";
inline constexpr std::string_view values = "values";
}  // namespace fields

/// The row of a record whose value is the whole element of `values`.
inline constexpr std::int32_t no_row = -1;

/// A segment's records in call order.
struct SegmentColumns {
  std::vector<std::uint64_t> sequence;
  std::vector<std::int64_t> step;
  std::vector<std::uint64_t> call;
  std::vector<std::int64_t> time;
  std::vector<std::uint32_t> name;  ///< Index into `names`.
  std::vector<std::uint32_t> thread;
  std::vector<std::uint32_t> value;  ///< Index into `values`.
  std::vector<std::int32_t> row;     ///< Of the tensor there; `no_row` for all of it.
  std::vector<std::uint8_t> kept;    ///< A Keep.

  /// The bytes of one record.
  static constexpr std::uint64_t record_size = 4 * 8 + 4 * 4 + 1;
};

/// Calls `each(name, column)` for every column, the widest numbers first.
template <class Columns, class Each>
void each_column(Columns& columns, const Each& each) {
  each(fields::sequence, columns.sequence);
  each(fields::step, columns.step);
  each(fields::call, columns.call);
  each(fields::time, columns.time);
  each(fields::name, columns.name);
  each(fields::thread, columns.thread);
  each(fields::value, columns.value);
  each(fields::row, columns.row);
  each(fields::kept, columns.kept);
}

/// The same for a segment that was read: checked, and in memory that no other program can change.
struct ReadColumns {
  std::span<const std::uint64_t> sequence;
  std::span<const std::int64_t> step;
  std::span<const std::uint64_t> call;
  std::span<const std::int64_t> time;
  std::span<const std::uint32_t> name;
  std::span<const std::uint32_t> thread;
  std::span<const std::uint32_t> value;
  std::span<const std::int32_t> row;
  std::span<const std::uint8_t> kept;

  std::shared_ptr<const std::byte> memory;  ///< The memory that they are in.
};

/// The parts of a segment that was read.
struct SegmentParts {
  ReadColumns columns;
  const std::vector<Value>* names = nullptr;   ///< Strings.
  const std::vector<Value>* values = nullptr;  ///< A row index refers to a row of the tensor here.
};

/// Reads the root of a segment. The columns are of one length and ordered by sequence, and all
/// indices are in range. \param file for errors \param blocks for the columns
/// \throws Error `invalid_schema`, `out_of_range`
[[nodiscard]] SegmentParts read_parts(const Value& root, const std::filesystem::path& file,
                                      platform::SharedBlocks& blocks);

}  // namespace safestructures::inline v0::recording
