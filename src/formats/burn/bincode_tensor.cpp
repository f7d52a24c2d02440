#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/type_describer.hpp>
#include <safestructures/formats/burn_marks.hpp>
#include "data/limit.hpp"
#include "formats/burn/bincode.hpp"
#include "formats/burn/bincode_reader.hpp"
#include "formats/burn/tensor_data.hpp"

namespace safestructures::inline v0::burn {
namespace {

/// Adds advice: bytes that are not a tensor are mostly read as one because the C++ type is the
/// wrong one.
Error advised(const Error& error) {
  const bool is_about_data =
      error.code() == ErrorCode::invalid_shape || error.code() == ErrorCode::shape_mismatch ||
      error.code() == ErrorCode::limit_exceeded || error.code() == ErrorCode::out_of_range;
  if (!is_about_data || !error.details().advice.empty()) return error;
  ErrorDetails details = error.details();
  details.advice = "Check that the C++ type has the fields of the record, in its order";
  return {error.code(), error.problem(), std::move(details)};
}

}  // namespace

void BincodeReader::count_tensor(const Trace* trace) {
  if (tensors_ >= options_.limits.tensors)
    throw detail::past(detail::Limit::tensors, options_.limits.tensors,
                       {.path = to_string(trace), .offset = window_.position()});
  ++tensors_;
}

Value BincodeReader::tensor(const TypeInfo& type, const Trace* trace) {
  // A tensor on its own is not a parameter of a module.
  const bool is_bare = type.mark == bare_mark || (type.mark.empty() && (bare_ || trace == nullptr));
  Value id = is_bare ? Value() : Value(text());
  Value result = tensor_data(type, trace);
  result.set_attribute(attributes::burn_id, std::move(id));
  return result;
}

Shape BincodeReader::shape(const Trace* trace) {
  const std::uint64_t rank = length(1, trace);
  if (rank > options_.limits.rank)
    throw detail::past(
        detail::Limit::rank, options_.limits.rank,
        {.path = to_string(trace), .found = std::to_string(rank), .offset = window_.position()});
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(rank));
  for (std::uint64_t& size : sizes) size = varint();
  return Shape(std::span<const std::uint64_t>(sizes));
}

Value BincodeReader::tensor_data(const TypeInfo& type, const Trace* trace) {
  count_tensor(trace);
  try {
    if (version_ < since::tensor_data) return Value(old_tensor(type, trace));
    const std::uint64_t size = length(1, trace);
    const std::uint64_t offset = window_.position();
    window_.pass(size);
    Shape dims = shape(trace);
    const std::uint64_t index = varint();
    const bool has_store = index == bool_index(version_) && version_ >= since::bool_stores;
    const std::optional<StoredType> stored = stored_type(index, has_store ? varint() : 0, version_);
    if (!stored)
      fail(ErrorCode::unknown_dtype, trace, "a tensor has an unknown dtype",
           {.expected = "a number that this version of Burn gives a dtype",
            .found = std::to_string(index),
            .advice = index == quantized_index(version_)
                          ? "Quantized tensors cannot be read from bincode: save them as "
                            "MessagePack in Burn"
                          : "Check that the C++ type has the fields of the record, in its order"});
    return Value(tensor_in(source_, offset, size, *stored, std::move(dims),
                           options_.access == Access::map, trace));
  } catch (const Error& error) {
    throw advised(error).with_path(to_string(trace));
  }
}

Tensor BincodeReader::old_tensor(const TypeInfo& type, const Trace* trace) {
  // Only the types on both sides know what the elements are.
  const DType wanted = type.dtype.value_or(DType::F32);
  DType dtype = DType::BOOL;
  if (is_floating(wanted)) dtype = dtype_of_rust(metadata_.float_type).value_or(DType::F32);
  else if (is_integer(wanted)) dtype = dtype_of_rust(metadata_.int_type).value_or(DType::I32);
  const std::uint64_t count = length(1, trace);
  std::vector<std::byte> elements = numbers(dtype, count, trace);
  return tensor_of(std::move(elements), {dtype, bit_width(dtype) / 8}, shape(trace));
}

namespace {

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  const auto raw = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

template <class T>
bool append_varint(std::vector<std::byte>& bytes, std::uint64_t raw) {
  if constexpr (std::is_signed_v<T>) {
    const std::int64_t number = bincode::unzigzag(raw);
    if (number < std::numeric_limits<T>::min() || number > std::numeric_limits<T>::max())
      return false;
    append(bytes, static_cast<T>(number));
  } else {
    if (raw > std::numeric_limits<T>::max()) return false;
    append(bytes, static_cast<T>(raw));
  }
  return true;
}

bool append_number(std::vector<std::byte>& bytes, DType dtype, std::uint64_t raw) {
  switch (dtype) {
    case DType::I64: return append_varint<std::int64_t>(bytes, raw);
    case DType::I32: return append_varint<std::int32_t>(bytes, raw);
    case DType::I16: return append_varint<std::int16_t>(bytes, raw);
    case DType::U64: return append_varint<std::uint64_t>(bytes, raw);
    case DType::U32: return append_varint<std::uint32_t>(bytes, raw);
    default: return append_varint<std::uint16_t>(bytes, raw);  // F16 and BF16 as their bits.
  }
}

}  // namespace

std::vector<std::byte> BincodeReader::numbers(DType dtype, std::uint64_t count,
                                              const Trace* trace) {
  std::vector<std::byte> bytes;
  const unsigned width = bit_width(dtype) / 8;
  if (dtype == DType::F64 || dtype == DType::F32 || width == 1) {
    if (count > window_.left() / width)
      fail(ErrorCode::truncated, trace, "the file ends before the numbers that it announces",
           {.expected = std::to_string(count) + " of " + std::to_string(width) + " bytes",
            .found = std::to_string(window_.left()) + " bytes",
            .advice = "Check that the C++ type has the fields of the record, in its order"});
    constexpr std::uint64_t block = std::uint64_t{1} << 20U;
    bytes.reserve(static_cast<std::size_t>(count * width));
    for (std::uint64_t left = count * width; left > 0;) {
      const std::span<const std::byte> part = window_.take(std::min(left, block));
      bytes.insert(bytes.end(), part.begin(), part.end());
      left -= part.size();
    }
    return bytes;
  }
  for (std::uint64_t i = 0; i < count; ++i)
    if (const std::uint64_t raw = varint(); !append_number(bytes, dtype, raw))
      fail(ErrorCode::out_of_range, trace, "an integer does not fit its type",
           {.expected = std::string(to_string(dtype)),
            .found = dtype == DType::I32 || dtype == DType::I16
                         ? std::to_string(bincode::unzigzag(raw))
                         : std::to_string(raw)});
  return bytes;
}

void BincodeReader::rows(const TypeInfo& type, DType dtype, std::uint64_t count,
                         std::vector<std::byte>& elements, const Trace* trace) {
  if (type.item->kind != TypeKind::tensor) {
    const std::vector<std::byte> row = numbers(dtype, count, trace);
    elements.insert(elements.end(), row.begin(), row.end());
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t size = length(1, trace);
    if (size != type.item->size)
      fail(ErrorCode::shape_mismatch, trace, "an array has another length than its type",
           {.expected = to_string(*type.item),
            .found = std::to_string(size) + (size == 1 ? " item" : " items"),
            .advice = "Check that the C++ type has the fields of the record, in its order"});
    rows(*type.item, dtype, size, elements, trace);
  }
}

Value BincodeReader::sequence(const TypeInfo& type, const Trace* trace) {
  const TypeInfo* leaf = type.item;
  while (leaf->kind == TypeKind::tensor && leaf->item != nullptr) leaf = leaf->item;
  // Items that are tensors when they are alone are tensors here, too.
  if (leaf->kind == TypeKind::tensor) return list(type, trace);
  // Only the outermost dimension may have no fixed size.
  const bool has_lengths = version_ < since::fixed_arrays;
  std::vector<std::uint64_t> dims = {has_lengths || !type.size ? length(1, trace) : *type.size};
  std::uint64_t count = dims.front();
  for (const TypeInfo* each = type.item; each != leaf; each = each->item) {
    dims.push_back(each->size.value_or(0));
    count *= dims.back();
  }
  const DType dtype = type.dtype.value_or(DType::F32);
  std::vector<std::byte> elements;
  if (has_lengths && dims.size() > 1) rows(type, dtype, dims.front(), elements, trace);
  else elements = numbers(dtype, count, trace);
  return Value(tensor_of(std::move(elements), {dtype, bit_width(dtype) / 8},
                         Shape(std::span<const std::uint64_t>(dims))));
}

}  // namespace safestructures::inline v0::burn
