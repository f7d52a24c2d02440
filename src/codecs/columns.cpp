#include <safestructures/codecs/columns.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/registry.hpp>
#include <safestructures/data/shape.hpp>
#include "codecs/enum_column.hpp"
#include "codecs/text_column.hpp"
#include "data/text/utf8.hpp"

namespace safestructures::inline v0::detail {
namespace {

Value encode_column(const Column& column, const std::byte* first, std::size_t count,
                    std::size_t stride, const Encoder& encoder) {
  std::vector<std::uint64_t> shape = {count};
  shape.insert(shape.end(), column.dims.begin(), column.dims.end());
  std::vector<std::int64_t> strides(shape.size(), static_cast<std::int64_t>(stride));
  std::int64_t inner = bit_width(column.dtype) / 8;
  for (std::size_t i = column.dims.size(); i > 0; --i) {
    strides[i] = inner;
    inner *= static_cast<std::int64_t>(column.dims[i - 1]);
  }
  const std::byte* const origin = count == 0 ? nullptr : first + column.offset;
  Value value(Tensor::strided(column.dtype, Shape(shape), strides, origin, nullptr));
  if (column.complex) value.set_attribute(attributes::complex, Value(true));
  if (column.names != nullptr) {
    EnumNamer namer(column.names(), column.dtype, encoder);
    for (std::size_t i = 0; i < count; ++i) namer.add(first + i * stride + column.offset);
    if (Value names = namer.names(); names.size() != 0)
      value.set_attribute(attributes::names, std::move(names));
  }
  return value;
}

Value encode_texts(const Column& column, const std::byte* first, std::size_t count,
                   std::size_t stride, const Encoder& encoder) {
  const auto text_at = [&](std::size_t i) -> const std::string& {
    return *reinterpret_cast<const std::string*>(first + i * stride + column.offset);
  };
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) size += text_at(i).size();
  Tensor text = Tensor::allocate(DType::U8, Shape{size});
  Tensor ends = Tensor::allocate(DType::I64, Shape{count});
  auto* target = reinterpret_cast<char*>(text.mutable_bytes().data());
  std::int64_t end = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& one = text_at(i);
    if (find_invalid_utf8(one))
      encoder.fail(ErrorCode::invalid_utf8, "a text is not valid UTF-8",
                   {.found = "invalid bytes in item " + std::to_string(i),
                    .advice = "Store bytes in a std::vector<std::byte>"});
    target = std::ranges::copy(one, target).out;
    end += static_cast<std::int64_t>(one.size());
    ends.mutable_data<std::int64_t>()[i] = end;
  }
  return Value::structure({}, {{texts_field, std::move(text)}, {ends_field, std::move(ends)}});
}

void decode_texts(const Value& value, const Column& column, std::byte* first, std::size_t count,
                  std::size_t stride, const Decoder& decoder) {
  const TextColumn texts(value, decoder);
  if (texts.size() != count)
    decoder.fail(ErrorCode::shape_mismatch, "a column does not have the length of the first",
                 {.expected = std::to_string(count), .found = std::to_string(texts.size())});
  for (std::size_t i = 0; i < count; ++i)
    *reinterpret_cast<std::string*>(first + i * stride + column.offset) = texts.at(i, decoder);
}

void decode_column(const Value& value, const Column& column, std::byte* first, std::size_t count,
                   std::size_t stride, const Decoder& decoder) {
  std::optional<EnumNumberer> numberer;
  if (column.names != nullptr) numberer.emplace(column.names(), column.dtype, value, decoder);
  BlockReader reader(value, decoder, numberer ? numberer->stored() : column.dtype, column.dims);
  if (reader.size() != count)
    decoder.fail(ErrorCode::shape_mismatch, "a column does not have the length of the first",
                 {.expected = std::to_string(count), .found = std::to_string(reader.size())});
  if (count == 0) return;  // Without items, `first` may be null.
  const std::size_t size = numberer ? bit_width(numberer->stored()) / 8 : column.size;
  std::byte* target = first + column.offset;
  for (;;) {
    const std::span<const std::byte> piece = reader.next();
    if (piece.empty()) return;
    for (std::size_t at = 0; at < piece.size(); at += size, target += stride) {
      if (numberer) numberer->decode(piece.data() + at, target);
      else std::memcpy(target, piece.data() + at, size);
    }
  }
}

const Value* find_column(const StructReader& reader, const FieldInfo& info, std::size_t field) {
  return info.is_optional ? reader.find(field) : &reader.require(field);
}

/// Returns the length of the first column that exists; null if all may be missing.
std::optional<std::size_t> first_length(const Value& value, const ColumnStruct& items,
                                        Decoder& decoder) {
  const StructReader reader(value, items.layout, decoder);
  for (const Column& column : items.columns) {
    const FieldInfo& info = items.layout.fields[column.field];
    const Value* const found = find_column(reader, info, column.field);
    if (found == nullptr) continue;
    const Walker::Step step(decoder, info.file_name);
    if (column.is_text) return TextColumn(*found, decoder).size();
    if (column.parts.empty()) return BlockReader(*found, decoder, column.dtype, column.dims).size();
    if (const auto length = first_length(*found, column.parts.front(), decoder)) return length;
  }
  return std::nullopt;
}

}  // namespace

bool is_overridden(const ColumnStruct& items, const Registry* registry) {
  if (registry == nullptr) return false;
  const auto is_own = [&](const std::type_info& type) {
    const Registry::Type* const known = registry->find(type);
    return known != nullptr && known->overrides;
  };
  if (is_own(*items.type)) return true;
  return std::ranges::any_of(items.columns, [&](const Column& column) {
    return is_own(*column.type) ||
           (!column.parts.empty() && is_overridden(column.parts.front(), registry));
  });
}

Value encode_columns(const ColumnStruct& items, const std::byte* first, std::size_t count,
                     std::size_t stride, Encoder& encoder) {
  Value value = make_struct(items.layout.class_name, items.layout.version, items.columns.size());
  value.set_attribute(attributes::columns, Value(count));
  for (const Column& column : items.columns) {
    const std::string_view name = items.layout.fields[column.field].file_name;
    const Walker::Step step(encoder, name);
    if (!column.parts.empty()) {
      // Offsets are relative to the start of the item at every level.
      value.insert(Value(name),
                   encode_columns(column.parts.front(), first, count, stride, encoder));
      continue;
    }
    if (column.is_text) {
      value.insert(Value(name), encode_texts(column, first, count, stride, encoder));
      continue;
    }
    value.insert(Value(name), encode_column(column, first, count, stride, encoder));
  }
  return value;
}

std::size_t count_columns(const Value& value, const ColumnStruct& items, Decoder& decoder) {
  return first_length(value, items, decoder).value_or(0);
}

void decode_columns(const Value& value, const ColumnStruct& items, std::byte* first,
                    std::size_t count, std::size_t stride, Decoder& decoder) {
  const StructReader reader(value, items.layout, decoder);
  for (const Column& column : items.columns) {
    const FieldInfo& info = items.layout.fields[column.field];
    const Value* const found = find_column(reader, info, column.field);
    if (found == nullptr) continue;
    const Walker::Step step(decoder, info.file_name);
    if (column.is_text) decode_texts(*found, column, first, count, stride, decoder);
    else if (column.parts.empty()) decode_column(*found, column, first, count, stride, decoder);
    else decode_columns(*found, column.parts.front(), first, count, stride, decoder);
  }
}

}  // namespace safestructures::inline v0::detail
