#include "recording/segments/segment_columns.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/recording/options.hpp>
#include "data/deferred.hpp"

namespace safestructures::inline v0::recording {
namespace {

/// Reads the fields of a segment's root.
class Root {
 public:
  Root(const Value& root, const std::filesystem::path& file) : root_(root), file_(file) {
    // Plain Python writes no class names.
    if (root.kind() != Kind::structure)
      throw Error(ErrorCode::invalid_schema, "the file is not a segment of a recording",
                  {.file = file.string(),
                   .expected = "a struct of names, columns and values",
                   .found = describe(root)});
  }

  const std::vector<Value>& list(std::string_view name) const {
    const Value* const found = root_.find(name);
    if (found != nullptr && found->kind() == Kind::list) return found->items();
    lacks(name, "a list", found);
  }

  /// \param size the size of all columns; set by this one if not known yet
  template <class Number>
  const Tensor& column(std::string_view name, std::optional<std::uint64_t>& size) const {
    const Value* const found = root_.find(name);
    if (found == nullptr || found->kind() != Kind::tensor ||
        found->tensor().dtype() != dtype_of<Number> || found->tensor().rank() != 1 ||
        found->tensor().size() != size.value_or(found->tensor().size()))
      lacks(name,
            "tensor " + std::string(to_string(dtype_of<Number>)) +
                (size ? " [" + std::to_string(*size) + "]" : " of one dimension"),
            found);
    size = found->tensor().size();
    return found->tensor();
  }

  /// A column and its destination.
  struct Piece {
    std::string_view name;
    const Tensor* column = nullptr;
    std::span<std::byte> into;

    /// Returns null if it is in memory.
    [[nodiscard]] const detail::DeferredBytes* promise() const {
      return detail::DeferredBytes::of(*column);
    }
  };

  /// Reads columns: those adjacent both in the file and in memory in one read, which saves eight of
  /// nine requests for a file of 1,000 records.
  void read(std::span<const Piece> pieces) const {
    while (!pieces.empty()) {
      std::size_t count = 1;
      while (count < pieces.size() && are_together(pieces[count - 1], pieces[count])) ++count;
      if (count == 1 || !read_together(pieces.first(count)))
        for (const Piece& piece : pieces.first(count)) read(piece);
      pieces = pieces.subspan(count);
    }
  }

  /// Throws an error about a record, given its index in a column.
  [[noreturn]] void wrong(std::string_view name, std::size_t place, const std::string& expected,
                          const std::string& found) const {
    throw Error(ErrorCode::out_of_range, "a segment of a recording has an impossible value",
                {.file = file_.string(),
                 .path = path(name) + "/" + std::to_string(place),
                 .expected = expected,
                 .found = found});
  }

 private:
  static bool are_together(const Piece& one, const Piece& next) {
    const detail::DeferredBytes* const first = one.promise();
    const detail::DeferredBytes* const second = next.promise();
    return first != nullptr && second != nullptr && &first->source() == &second->source() &&
           first->offset() + one.into.size() == second->offset() &&
           one.into.data() + one.into.size() == next.into.data();
  }

  /// \returns whether that succeeded; if not, reading each one finds which of them fails
  static bool read_together(std::span<const Piece> pieces) {
    std::size_t size = 0;
    for (const Piece& piece : pieces) size += piece.into.size();
    const detail::DeferredBytes& first = *pieces.front().promise();
    try {
      first.source().read(first.offset(), {pieces.front().into.data(), size});
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  void read(const Piece& piece) const {
    try {
      if (const detail::DeferredBytes* const promise = piece.promise())
        promise->read(0, piece.into);
      else piece.column->copy_to(piece.column->dtype(), piece.into);
    } catch (const Error& error) {
      throw error.with_path(path(piece.name)).with_file(file_.string());
    }
  }

  static std::string path(std::string_view name) { return "/" + std::string(name); }

  [[noreturn]] void lacks(std::string_view name, const std::string& expected,
                          const Value* found) const {
    throw Error(ErrorCode::invalid_schema, "a segment of a recording lacks a field",
                {.file = file_.string(),
                 .path = path(name),
                 .expected = expected,
                 .found = found == nullptr ? "nothing" : describe(*found)});
  }

  const Value& root_;
  const std::filesystem::path& file_;
};

void check_below(const Root& root, std::string_view name, std::span<const std::uint32_t> places,
                 std::size_t size, const std::string& of) {
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] >= size)
      root.wrong(name, i, "a place among " + std::to_string(size) + " " + of,
                 std::to_string(places[i]));
}

/// Returns how many rows a tensor has that can be values of their own.
std::uint64_t rows_of(const Value& value) {
  // A row smaller than a byte cannot be a tensor of its own.
  const bool has_rows = value.kind() == Kind::tensor && value.tensor().rank() > 0 &&
                        bit_width(value.tensor().dtype()) >= 8;
  return has_rows ? value.tensor().shape()[0] : 0;
}

/// Checks that each record has a value or row of its own: if a small file named a large value for
/// each of its records, their total size would grow with the square of the file's.
void check_not_shared(const Root& root, const ReadColumns& columns) {
  const auto place_of = [&](std::size_t record) {
    return std::pair(columns.value[record], columns.row[record]);
  };
  std::vector<std::uint32_t> records(columns.row.size());
  std::iota(records.begin(), records.end(), 0U);
  std::ranges::sort(records, {}, [&](std::uint32_t one) { return std::pair(place_of(one), one); });
  const auto again = std::ranges::adjacent_find(records, {}, place_of);
  if (again == records.end()) return;
  root.wrong(fields::value, again[1], "a value or row that no record before it has",
             "that of record " + std::to_string(again[0]));
}

void check_rows(const Root& root, const ReadColumns& columns, const std::vector<Value>& values) {
  std::vector<std::uint64_t> rows;
  rows.reserve(values.size());
  for (const Value& value : values) rows.push_back(rows_of(value));
  // Recorders usually give a record the row after the previous one, so no sorting is needed.
  std::vector<std::uint64_t> next(values.size());
  bool in_order = true;
  for (std::size_t i = 0; i < columns.row.size(); ++i) {
    const std::int32_t row = columns.row[i];
    const std::uint32_t value = columns.value[i];
    if (row != no_row && (row < 0 || static_cast<std::uint64_t>(row) >= rows[value]))
      root.wrong(fields::row, i, "-1 or a row of " + describe(values[value]), std::to_string(row));
    const std::uint64_t place = row == no_row ? 0 : static_cast<std::uint64_t>(row);
    in_order &= place >= next[value];
    next[value] = place + 1;
  }
  if (!in_order) check_not_shared(root, columns);
}

}  // namespace

SegmentParts read_parts(const Value& value, const std::filesystem::path& file,
                        platform::SharedBlocks& blocks) {
  const Root root(value, file);
  SegmentParts parts;
  ReadColumns& columns = parts.columns;
  std::optional<std::uint64_t> size;
  each_column(columns, [&]<class Number>(std::string_view name, std::span<const Number>&) {
    static_cast<void>(root.column<Number>(name, size));
  });
  // Uses huge pages: for 100,000 records, touching pages of 4 KiB took as long as reading.
  const auto count = static_cast<std::size_t>(*size);
  const std::shared_ptr<std::byte> memory =
      blocks.take(count * static_cast<std::size_t>(SegmentColumns::record_size));
  std::byte* into = memory.get();
  std::vector<Root::Piece> pieces;
  each_column(columns, [&]<class Number>(std::string_view name, std::span<const Number>& column) {
    pieces.push_back({name, &root.column<Number>(name, size), {into, count * sizeof(Number)}});
    column = {reinterpret_cast<const Number*>(into), count};
    into += count * sizeof(Number);
  });
  root.read(pieces);
  columns.memory = memory;
  parts.names = &root.list(fields::names);
  parts.values = &root.list(fields::values);
  for (std::size_t i = 0; i < parts.names->size(); ++i)
    if ((*parts.names)[i].kind() != Kind::string)
      root.wrong(fields::names, i, "str", describe((*parts.names)[i]));
  for (std::size_t i = 1; i < count; ++i)
    if (columns.sequence[i] <= columns.sequence[i - 1])
      root.wrong(fields::sequence, i, "more than " + std::to_string(columns.sequence[i - 1]),
                 std::to_string(columns.sequence[i]));
  for (std::size_t i = 0; i < count; ++i)
    if (columns.kept[i] >= static_cast<std::uint8_t>(Keep::none))
      root.wrong(fields::kept, i, "0 (full), 1 (slice) or 2 (statistics)",
                 std::to_string(columns.kept[i]));
  check_below(root, fields::name, columns.name, parts.names->size(), "names");
  check_below(root, fields::value, columns.value, parts.values->size(), "values");
  check_rows(root, columns, *parts.values);
  return parts;
}

}  // namespace safestructures::inline v0::recording
