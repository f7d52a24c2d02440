#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/type_describer.hpp>
#include <safestructures/formats/burn_marks.hpp>
#include "data/limit.hpp"
#include "formats/burn/param_id.hpp"
#include "formats/burn/tensor_data.hpp"
#include "formats/burn/writer.hpp"
#include "formats/lossy.hpp"
#include "formats/tensor_names.hpp"
#include "platform/xxh3.hpp"

namespace safestructures::inline v0::burn {
namespace {

/// Whether the items of a list are of the type's own kind. With names they may also be integers for
/// floats, the bits of halves, or null for NaN.
bool has_items_of(const Value& list, const TypeInfo& type) {
  std::optional<Kind> kind;
  switch (type.kind) {
    case TypeKind::tensor: return true;
    case TypeKind::boolean: kind = Kind::boolean; break;
    case TypeKind::integer: kind = Kind::integer; break;
    case TypeKind::floating: kind = Kind::floating; break;
    default: return false;
  }
  return std::ranges::all_of(list.items(), [&](const Value& item) { return item.kind() == kind; });
}

}  // namespace

std::string new_id(const Trace* trace, std::uint64_t tensor, Version version) {
  std::string place = detail::place_path(trace);
  if (place.ends_with("...")) place.append(1, '#').append(std::to_string(tensor));
  const XXH128_hash_t hash = XXH3_128bits(place.data(), place.size());
  if (version >= since::short_ids) return param_id_text(hash.low64);
  // A UUID made by hashing: version 8, variant 1 (RFC 9562).
  const std::uint64_t high = (hash.high64 & ~std::uint64_t{0xF000}) | 0x8000U;
  const std::uint64_t low = (hash.low64 & ~(std::uint64_t{3} << 62U)) | std::uint64_t{2} << 62U;
  std::array<char, 37> text;
  std::snprintf(text.data(), text.size(), "%08x-%04x-%04x-%04x-%012llx",
                static_cast<unsigned>(high >> 32U), static_cast<unsigned>(high >> 16U & 0xFFFFU),
                static_cast<unsigned>(high & 0xFFFFU), static_cast<unsigned>(low >> 48U),
                static_cast<unsigned long long>(low & 0xFFFFFFFFFFFFU));
  return text.data();
}

bool Writer::is_param(const Value& value, const TypeInfo* type, const Trace* trace) const {
  if (type != nullptr && !type->mark.empty()) return type->mark != bare_mark;
  const Value* const id = value.attribute(attributes::burn_id);
  // Without names a reader has only the type, too.
  if (id == nullptr || !out_.is_named()) return !bare_ && trace != nullptr;
  return id->kind() == Kind::string;
}

void Writer::tensor(const Value& value, const TypeInfo* type, const Trace* trace) {
  if (!is_param(value, type, trace)) return tensor_data(value, trace);
  const Value* const id = value.attribute(attributes::burn_id);
  const bool has_id = id != nullptr && id->kind() == Kind::string && !id->as_string().empty();
  count_parts(2, 1, trace);
  out_.begin_struct(2);
  out_.name(id_name);
  text(has_id ? id->as_string() : new_id(trace, tensors_, version_), trace);
  out_.name(param_name);
  depth_ += out_.is_named() ? 1U : 0U;
  tensor_data(value, trace);
  depth_ -= out_.is_named() ? 1U : 0U;
  out_.end_struct();
}

void Writer::count_tensor(const Trace* trace) {
  if (tensors_ >= options_.limits.tensors)
    throw detail::past(detail::Limit::tensors, options_.limits.tensors, {.path = to_string(trace)});
  ++tensors_;
}

void Writer::check_version(DType stored, const Trace* trace) const {
  const bool is_old = version_ < since::tensor_data;
  const bool is_known = is_old ? stored != DType::BF16 && (stored != DType::F16 || is_half_)
                               : index_of(stored, version_).has_value();
  if (is_known) return;
  fail(ErrorCode::unknown_dtype, trace, "this version of Burn does not have the dtype",
       {.expected = !is_old    ? "I8, I16, I32, I64, U8, U32 or U64"
                    : is_half_ ? "F16, F32 or F64"
                               : "F32 or F64, or F16 as the precision of all floats",
        .found = std::string(to_string(stored)),
        .advice = "Save it in another precision, or for Burn 0." +
                  std::to_string(is_old ? since::tensor_data : since::u16_dtype) +
                  " or newer (burn::Options::burn_version)"});
}

void Writer::tensor_data(const Value& value, const Trace* trace) {
  count_tensor(trace);
  if (value.kind() == Kind::custom) return quantized(value, trace);
  const Tensor& tensor = value.tensor();
  if (tensor.rank() > options_.limits.rank)
    throw detail::past(detail::Limit::rank, options_.limits.rank,
                       {.path = to_string(trace), .found = std::to_string(tensor.rank())});
  const DType stored = dtypes_.of(value);
  if (!name_of(stored))
    fail(ErrorCode::unknown_dtype, trace, "Burn has no such dtype",
         {.expected = "BOOL, an integer, F16, BF16, F32, F64",
          .found = std::string(to_string(stored)),
          .advice = "Save it in another precision, or as safetensors"});
  check_version(stored, trace);
  const bool has_dtype = version_ >= since::tensor_data;
  const bool has_store = stored == DType::BOOL && version_ >= since::bool_stores;
  count_parts(2 + tensor.rank() + (has_dtype ? 1U : 0U) + (has_store ? 1U : 0U),
              tensor.rank() > 0 || has_store ? 2 : 1, trace);
  const auto shape = [&] {
    out_.name(shape_name);
    out_.begin_list({tensor.rank()});
    for (const std::uint64_t size : tensor.shape()) out_.unsigned_integer(size);
    out_.end_list();
  };
  try {
    detail::StoredElements elements(tensor, stored, detail::Losses::of(options_));
    if (version_ < since::tensor_data) {
      out_.begin_struct(2);
      out_.name(value_name);
      out_.numbers(elements, false);
      shape();
    } else {
      out_.begin_struct(3);
      out_.name(bytes_name);
      out_.bytes(elements);
      shape();
      out_.name(dtype_name);
      out_.dtype(stored);
    }
    out_.end_struct();
    const ConversionReport report = elements.finish({});
    if (report != ConversionReport{}) conversions_.push_back({detail::place_path(trace), report});
  } catch (const Error& error) {
    throw error.with_path(to_string(trace));
  }
}

void Writer::quantized(const Value& value, const Trace* trace) {
  const Value& payload = value.payload();
  const Value* bytes = payload.find(bytes_name);
  // As in a burnpack file.
  const bool is_packed = bytes == nullptr;
  if (is_packed) bytes = payload.find(packed_bytes_name);
  const Value* const shape = payload.find(shape_name);
  const Value* const dtype = payload.find(dtype_name);
  if (value.type_name() != quantized_type || bytes == nullptr || bytes->kind() != Kind::bytes ||
      shape == nullptr || dtype == nullptr || payload.size() != 3 || !out_.is_named())
    fail(ErrorCode::unknown_type, trace, "a record of Burn cannot hold a custom type",
         {.expected = "a module's values",
          .found = "'" + value.type_name() + "'",
          .advice = value.type_name() == quantized_type && !out_.is_named()
                        ? "Quantized tensors cannot be saved in bincode: save as MessagePack (.mpk)"
                        : ""});
  count_parts(is_packed ? 2 : 1, 1, trace);
  out_.begin_struct(3);
  out_.name(bytes_name);
  detail::StoredElements elements(bytes->tensor(), DType::U8, {});
  out_.bytes(elements);
  out_.name(shape_name);
  value_at(*shape, nullptr, {trace, shape_name});
  out_.name(dtype_name);
  if (is_packed) {
    ++depth_;
    out_.begin_struct(1);
    out_.name(quantized_name);
  }
  value_at(*dtype, nullptr, {trace, dtype_name});
  if (is_packed) {
    out_.end_struct();
    --depth_;
  }
  out_.end_struct();
}

void Writer::tensor_like(const Value& value, const TypeInfo& type, const Trace* trace) {
  const bool is_sequence = type.item != nullptr && type.mark.empty();
  if (value.kind() == Kind::tensor)
    return is_sequence ? sequence(value, type, trace) : tensor(value, &type, trace);
  // A record with names has the numbers of a struct as a list.
  if (is_sequence && value.is_sequence() && (!out_.is_named() || has_items_of(value, *type.item)))
    return list(value, &type, trace);
  // Without names, anything else would be read as a part of a tensor.
  if (!out_.is_named() && value.kind() != Kind::custom) mismatch(type, value, trace);
  natural(value, trace);
}

void Writer::sequence(const Value& value, const TypeInfo& type, const Trace* trace) {
  const Tensor& tensor = value.tensor();
  if (type.is_complex || tensor.dtype() == DType::C64)
    fail(ErrorCode::type_mismatch, trace, "a record of Burn cannot hold complex numbers",
         {.expected = "real numbers",
          .found = to_string(type),
          .advice = "Save the two parts of each"});
  // A Value may have been made for another type.
  const DType stored = type.dtype.value_or(tensor.dtype());
  const bool is_right_dtype = stored == tensor.dtype() ||
                              (is_floating(stored) && is_floating(tensor.dtype())) ||
                              (is_integer(stored) && is_integer(tensor.dtype()));
  if (!is_right_dtype || !has_shape(tensor, type)) mismatch(type, value, trace);
  rows(tensor, stored, type, trace);
}

bool Writer::has_shape(const Tensor& tensor, const TypeInfo& type) {
  std::size_t levels = 0;
  const TypeInfo* each = &type;
  for (; each->kind == TypeKind::tensor && each->item != nullptr; each = each->item) ++levels;
  const bool has_numbers = each->kind != TypeKind::tensor;
  if (tensor.rank() < levels || (has_numbers && tensor.rank() > levels)) return false;
  if (!type.shape) return true;
  return std::ranges::equal(*type.shape, tensor.shape(), &Extent::holds);
}

void Writer::rows(const Tensor& tensor, DType stored, const TypeInfo& type, const Trace* trace) {
  const std::uint64_t count = tensor.shape()[0];
  const bool is_fixed = type.size.has_value();
  if (type.item->kind != TypeKind::tensor) {
    count_parts(count, count > 0 ? 1 : 0, trace);
    // The numbers of a struct are stored in the dtype of the struct, whatever the precision of
    // tensors.
    detail::StoredElements elements(tensor, stored, detail::Losses::of(options_));
    out_.numbers(elements, is_fixed);
    const ConversionReport report = elements.finish({});
    if (report != ConversionReport{}) conversions_.push_back({detail::place_path(trace), report});
    return;
  }
  out_.begin_list({static_cast<std::size_t>(count), is_fixed});
  for (std::uint64_t i = 0; i < count; ++i) {
    Slice row;
    row.start = static_cast<std::int64_t>(i);
    row.index = true;
    const Tensor item = tensor.slice(std::span(&row, 1));
    const Trace step{trace, {}, static_cast<std::size_t>(i)};
    // An item that is a tensor when it is alone is one here, too.
    if (type.item->item == nullptr) {
      value_at(Value(item), type.item, step);
      continue;
    }
    count_parts(1, 1, trace);
    depth_ += out_.is_named() ? 1U : 0U;
    rows(item, stored, *type.item, &step);
    depth_ -= out_.is_named() ? 1U : 0U;
  }
  out_.end_list();
}

void Writer::raw_bytes(const Tensor& bytes, bool is_fixed, const Trace* trace) {
  count_parts(bytes.size(), bytes.size() > 0 ? 1 : 0, trace);
  detail::StoredElements elements(bytes, DType::U8, {});
  out_.numbers(elements, is_fixed);
}

}  // namespace safestructures::inline v0::burn
