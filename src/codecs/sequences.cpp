#include <safestructures/codecs/sequences.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/slice.hpp>
#include "codecs/scalar_of.hpp"
#include "data/box.hpp"
#include "data/column_count.hpp"
#include "data/text/column_names.hpp"

namespace safestructures::inline v0 {
namespace {

/// Returns the part at an index of the first dimension of a tensor whose elements are narrower than
/// a byte, as F32, which is exact: only groups of eight have an address of their own.
Tensor part_of_packed(const Tensor& tensor, std::size_t index) {
  const std::uint64_t size = tensor.size() / tensor.shape()[0];
  const std::uint64_t end = (index + 1) * size;
  const std::uint64_t first = index * size / 8 * 8;
  const std::uint64_t last = std::min((end + 7) / 8 * 8, tensor.size());
  std::vector<float> numbers(static_cast<std::size_t>(last - first));
  tensor.copy_elements(first, last - first, DType::F32, std::as_writable_bytes(std::span(numbers)),
                       Overflow::error);
  const auto at = numbers.begin() + static_cast<std::ptrdiff_t>(index * size - first);
  return Tensor::own(std::vector<float>(at, at + static_cast<std::ptrdiff_t>(size)),
                     Shape(tensor.shape().span().subspan(1)));
}

/// Returns the part of a tensor at an index of its first dimension.
Value part_of(const Value& value, std::size_t index) {
  const std::array<Slice, 1> slice{
      Slice{.start = static_cast<std::int64_t>(index), .stop = {}, .step = 1, .index = true}};
  const Tensor& tensor = value.tensor();
  Tensor part = bit_width(tensor.dtype()) < 8 ? part_of_packed(tensor, index) : tensor.slice(slice);
  const Value* mark = value.attribute(attributes::complex);
  if (mark == nullptr) {
    Value same(std::move(part));
    if (const Value* dtype = value.attribute(attributes::dtype))
      same.set_attribute(attributes::dtype, *dtype);
    return same;
  }
  if (part.shape() == Shape{2}) {
    const std::vector<double> number = part.to_vector<double>();
    return std::complex<double>(number[0], number[1]);
  }
  Value marked(std::move(part));
  marked.set_attribute(attributes::complex, *mark);
  return marked;
}

/// Returns a number of C++ in a tensor of rank 0 as what it is when saved without columns, so that
/// a migration can calculate with it: that of an enum is the name in its column.
Value as_scalar(Value part, const Value& column) {
  if (part.kind() != Kind::tensor || part.tensor().rank() != 0) return part;
  const DType dtype = part.tensor().dtype();
  const bool is_number =
      is_integer(dtype) || dtype == DType::BOOL || dtype == DType::F32 || dtype == DType::F64;
  if (!is_number) return part;
  Value scalar = detail::scalar_of(part.tensor());
  if (!is_integer(dtype)) return scalar;
  const auto number = scalar.as_int64();
  const std::string* const name = number ? detail::name_in_column(column, *number) : nullptr;
  return name != nullptr ? Value(*name) : scalar;
}

/// Returns a text from a struct of text and ends.
Value text_at(const Value& value, std::size_t index) {
  const auto elements = [](const Tensor& tensor, std::uint64_t first, std::uint64_t count,
                           DType dtype, void* target) {
    static_cast<void>(tensor.copy_elements(
        first, count, dtype,
        {static_cast<std::byte*>(target), static_cast<std::size_t>(count * (bit_width(dtype) / 8))},
        Overflow::error));
  };
  std::array<std::int64_t, 2> range{};
  const Tensor& ends = value.find(detail::ends_field)->tensor();
  if (index > 0) elements(ends, index - 1, 2, DType::I64, range.data());
  else elements(ends, 0, 1, DType::I64, &range[1]);
  const Tensor& text = value.find(detail::texts_field)->tensor();
  if (range[0] < 0 || range[1] < range[0] || std::cmp_greater(range[1], text.size()))
    throw Error(ErrorCode::out_of_range, "the ends of texts are not in order",
                {.expected = "ascending ends, up to " + std::to_string(text.size()),
                 .found = std::to_string(range[1])});
  std::string result(static_cast<std::size_t>(range[1] - range[0]), '\0');
  elements(text, static_cast<std::uint64_t>(range[0]), result.size(), DType::U8, result.data());
  return Value(std::move(result));
}

/// Returns the struct that columns represent at an index. An Error names the column.
Value part_of_columns(const Value& value, std::size_t index, const Trace* trace = nullptr) {
  if (value.kind() != Kind::structure || detail::is_text_column(value)) {
    try {
      return value.kind() == Kind::structure ? text_at(value, index)
                                             : as_scalar(part_of(value, index), value);
    } catch (const Error& error) {
      // A text's ends are at fault as a whole, a number is one of an item.
      const std::string item = value.kind() == Kind::structure ? "" : "/" + std::to_string(index);
      throw error.with_path(item + to_string(trace));
    }
  }
  Value part = Value::structure(value.type_name());
  if (const Value* const version = value.attribute(attributes::class_version))
    part.set_attribute(attributes::class_version, *version);
  for (const Entry& field : value.entries()) {
    const Trace step{trace, field.key.as_string()};
    part.insert(field.key, part_of_columns(field.value, index, &step));
  }
  return part;
}

/// Whether a struct is columns, or is marked as such. The mark does not survive Python.
bool may_be_columns(const Value& value) {
  return value.kind() == Kind::structure &&
         (value.attribute(attributes::columns) != nullptr || detail::column_count(value));
}

/// Throws an error about the first column that does not have `count` items, which the first column
/// sets. Recursive, up to `levels`.
void check_columns(const Value& value, const Trace* trace, std::optional<std::uint64_t>& count,
                   const Decoder& decoder, unsigned levels = detail::most_column_levels) {
  const auto fail = [&](ErrorCode code, std::string problem, std::string expected,
                        std::string found) {
    throw Error(
        code, std::move(problem),
        {.path = to_string(trace), .expected = std::move(expected), .found = std::move(found)})
        .with_parent_path(decoder.path());
  };
  const bool is_text = detail::is_text_column(value);
  if (value.kind() == Kind::structure && levels > 0 && !is_text) {
    for (const Entry& field : value.entries()) {
      const Trace step{trace, field.key.as_string()};
      check_columns(field.value, &step, count, decoder, levels - 1);
    }
    return;
  }
  if (!is_text && (value.kind() != Kind::tensor || value.tensor().rank() == 0))
    fail(ErrorCode::type_mismatch, "a value has the wrong type", "a column, a tensor of items",
         describe(value));
  const Tensor& column = (is_text ? *value.find(detail::ends_field) : value).tensor();
  const std::uint64_t found = column.shape()[0];
  // A shape of 2^40 by 0 takes no bytes in a file, so its rows must not take memory here.
  if (column.size() == 0 && found != 0)
    fail(ErrorCode::shape_mismatch, "a column without elements has no items",
         "a tensor with elements", describe(value));
  if (count.value_or(found) != found)
    fail(ErrorCode::shape_mismatch, "a column does not have the length of the first",
         std::to_string(*count), std::to_string(found));
  count = found;
}

/// Returns the position that a key spells, as in the names of a checkpoint.
std::optional<std::uint64_t> position_of(const Value& key) {
  if (key.kind() != Kind::string) return std::nullopt;
  const std::string& text = key.as_string();
  std::uint64_t position = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (error != std::errc() || std::to_string(position) != text) return std::nullopt;
  return position;
}

/// Throws an error about the missing number if a dict is a list with a gap, as read from the names
/// of a checkpoint.
void refuse_gap(const Value& value, const Decoder& decoder) {
  if (value.kind() != Kind::dict || value.size() == 0) return;
  std::vector<std::uint64_t> positions;
  for (const Entry& entry : value.entries()) {
    const auto position = position_of(entry.key);
    if (!position) return;
    positions.push_back(*position);
  }
  std::ranges::sort(positions);
  std::uint64_t missing = 0;
  while (missing < positions.size() && positions[missing] == missing) ++missing;
  if (missing == positions.size()) return;
  decoder.fail(ErrorCode::type_mismatch, "the numbers of the items have a gap",
               {.expected = "items '0' to '" + std::to_string(positions.back()) + "'",
                .found = describe(value) + " without '" + std::to_string(missing) + "'",
                .advice = "Load it into a std::map from an integer type, which keeps the numbers"});
}

}  // namespace

Items::Items(const Value& value, const Decoder& decoder) : value_(value), decoder_(decoder) {
  if (value.is_sequence()) {
    size_ = value.size();
    return;
  }
  if (may_be_columns(value)) {
    std::optional<std::uint64_t> count;
    check_columns(value, nullptr, count, decoder);
    size_ = static_cast<std::size_t>(count.value_or(0));
    return;
  }
  if (value.kind() != Kind::tensor || value.tensor().rank() == 0) {
    refuse_gap(value, decoder);
    decoder.mismatch("list, tuple or set", value);
  }
  const Tensor& tensor = value.tensor();
  // A shape of 2^40 by 0 takes no bytes in a file, so its rows must not take memory here.
  if (tensor.size() == 0 && tensor.shape()[0] != 0)
    decoder.fail(
        ErrorCode::shape_mismatch, "a tensor without elements has no items",
        {.expected = "list, tuple, set, or a tensor with elements", .found = describe(value)});
  size_ = static_cast<std::size_t>(tensor.shape()[0]);
}

const Value& Items::operator[](std::size_t index) {
  if (value_.is_sequence()) return detail::Box::items(value_)[index];
  if (value_.kind() == Kind::tensor) return part_ = part_of(value_, index);
  try {
    return part_ = part_of_columns(value_, index);
  } catch (const Error& error) {
    throw error.with_parent_path(decoder_.path());
  }
}

void Items::expect_size(std::size_t count) const {
  if (size_ == count) return;
  const auto items = [](std::size_t number) {
    return std::to_string(number) + (number == 1 ? " item" : " items");
  };
  // The description includes the length, except for a struct.
  const bool is_columns = value_.kind() == Kind::structure;
  decoder_.fail(ErrorCode::shape_mismatch, "a sequence has the wrong length",
                {.expected = items(count),
                 .found = is_columns && value_.attribute(attributes::columns) == nullptr
                              ? describe(value_) + ", columns of " + items(size_)
                              : describe(value_)});
}

}  // namespace safestructures::inline v0
