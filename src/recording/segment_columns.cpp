#include "recording/segment_columns.hpp"

#include <optional>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/recording/options.hpp>

namespace safestructures::inline v0::recording {
namespace {

/// Reads the fields of one root.
class Root {
 public:
  Root(const Value& root, const std::filesystem::path& file) : root_(root), file_(file) {
    // Plain Python writes no class names.
    if (root.kind() != Kind::structure)
      throw Error(ErrorCode::invalid_schema, "the file is no segment of a recording",
                  {.file = file.string(),
                   .expected = "a struct of names, columns and values",
                   .found = describe(root)});
  }

  const std::vector<Value>& list(std::string_view name) const {
    const Value* const found = root_.find(name);
    if (found != nullptr && found->kind() == Kind::list) return found->items();
    lacks(name, "a list", found);
  }

  template <class Number>
  void column(std::string_view name, std::vector<Number>& column,
              std::optional<std::size_t> size) const {
    const Value* const found = root_.find(name);
    if (found == nullptr || found->kind() != Kind::tensor ||
        found->tensor().dtype() != dtype_of<Number> || found->tensor().rank() != 1 ||
        (size && found->tensor().size() != *size))
      lacks(name,
            "tensor " + std::string(to_string(dtype_of<Number>)) +
                (size ? " [" + std::to_string(*size) + "]" : " of one dimension"),
            found);
    try {
      const std::span<const Number> numbers = found->tensor().data<Number>();
      column.assign(numbers.begin(), numbers.end());
    } catch (const Error& error) {
      throw error.with_path(path(name)).with_file(file_.string());
    }
  }

  /// Of the record at a place of a column.
  [[noreturn]] void wrong(std::string_view name, std::size_t place, const std::string& expected,
                          const std::string& found) const {
    throw Error(ErrorCode::out_of_range, "a segment of a recording says what cannot be",
                {.file = file_.string(),
                 .path = path(name) + "/" + std::to_string(place),
                 .expected = expected,
                 .found = found});
  }

 private:
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

void check_below(const Root& root, std::string_view name, const std::vector<std::uint32_t>& places,
                 std::size_t size, const std::string& of) {
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] >= size)
      root.wrong(name, i, "a place among " + std::to_string(size) + " " + of,
                 std::to_string(places[i]));
}

void check_rows(const Root& root, const SegmentColumns& columns, const std::vector<Value>& values) {
  for (std::size_t i = 0; i < columns.row.size(); ++i) {
    const std::int32_t row = columns.row[i];
    if (row == no_row) continue;
    const Value& value = values[columns.value[i]];
    // A row of less than a byte cannot be a tensor of its own.
    const bool has_rows = value.kind() == Kind::tensor && value.tensor().rank() > 0 &&
                          bit_width(value.tensor().dtype()) >= 8;
    if (row < 0 || !has_rows || static_cast<std::uint64_t>(row) >= value.tensor().shape()[0])
      root.wrong(fields::row, i, "-1 or a row of " + describe(value), std::to_string(row));
  }
}

}  // namespace

SegmentParts read_parts(const Value& value, const std::filesystem::path& file) {
  const Root root(value, file);
  SegmentParts parts;
  SegmentColumns& columns = parts.columns;
  std::optional<std::size_t> size;
  each_column(columns, [&](std::string_view name, auto& column) {
    root.column(name, column, size);
    size = column.size();
  });
  parts.names = &root.list(fields::names);
  parts.values = &root.list(fields::values);
  for (std::size_t i = 0; i < parts.names->size(); ++i)
    if ((*parts.names)[i].kind() != Kind::string)
      root.wrong(fields::names, i, "str", describe((*parts.names)[i]));
  for (std::size_t i = 1; i < *size; ++i)
    if (columns.sequence[i] <= columns.sequence[i - 1])
      root.wrong(fields::sequence, i, "more than " + std::to_string(columns.sequence[i - 1]),
                 std::to_string(columns.sequence[i]));
  for (std::size_t i = 0; i < *size; ++i)
    if (columns.kept[i] >= static_cast<std::uint8_t>(Keep::nothing))
      root.wrong(fields::kept, i, "0 (full), 1 (slice) or 2 (statistics)",
                 std::to_string(columns.kept[i]));
  check_below(root, fields::name, columns.name, parts.names->size(), "names");
  check_below(root, fields::value, columns.value, parts.values->size(), "values");
  check_rows(root, columns, *parts.values);
  return parts;
}

}  // namespace safestructures::inline v0::recording
