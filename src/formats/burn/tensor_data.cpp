#include "formats/burn/tensor_data.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include "formats/stored_tensor.hpp"

namespace safestructures::inline v0::burn {
namespace {

/// Burn's dtypes in the order of their indices since 0.17.
enum class Known : std::uint8_t {
  f64,
  f32,
  flex32,
  f16,
  bf16,
  i64,
  i32,
  i16,
  i8,
  u64,
  u32,
  u16,
  u8,
  boolean,
  quantized,
};

struct Named {
  Known known;
  std::string_view name;
  DType dtype;
};

// Flex32 is stored in 32 bits and may be computed in less precision.
constexpr std::array<Named, 14> dtypes = {{
    {Known::f64, "F64", DType::F64},
    {Known::f32, "F32", DType::F32},
    {Known::flex32, "Flex32", DType::F32},
    {Known::f16, "F16", DType::F16},
    {Known::bf16, "BF16", DType::BF16},
    {Known::i64, "I64", DType::I64},
    {Known::i32, "I32", DType::I32},
    {Known::i16, "I16", DType::I16},
    {Known::i8, "I8", DType::I8},
    {Known::u64, "U64", DType::U64},
    {Known::u32, "U32", DType::U32},
    {Known::u16, "U16", DType::U16},
    {Known::u8, "U8", DType::U8},
    {Known::boolean, "Bool", DType::BOOL},
}};

bool has(Known known, Version version) {
  if (known == Known::flex32) return version >= since::flex32_dtype;
  if (known == Known::u16) return version >= since::u16_dtype;
  return true;
}

std::uint64_t index_of(Known wanted, Version version) {
  std::uint64_t index = 0;
  for (const Named& one : dtypes) {
    if (one.known == wanted) break;
    if (has(one.known, version)) ++index;
  }
  return index;
}

constexpr std::array<std::string_view, 3> stores = {"Native", "U8", "U32"};

StoredType type_of(const Named& named, std::string_view store) {
  if (named.known == Known::boolean) return {DType::BOOL, store == "U32" ? 4U : 1U};
  return {named.dtype, bit_width(named.dtype) / 8};
}

/// Returns one byte for each boolean that was stored in four.
std::vector<std::byte> narrow(std::span<const std::byte> wide) {
  std::vector<std::byte> bytes;
  bytes.reserve(wide.size() / sizeof(std::uint32_t));
  for (std::size_t i = 0; i + sizeof(std::uint32_t) <= wide.size(); i += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::memcpy(&word, wide.data() + i, sizeof(word));
    if (word > 1)
      throw Error(ErrorCode::out_of_range, "a bool is neither true nor false",
                  {.expected = "0 or 1", .found = std::to_string(word)});
    bytes.push_back(static_cast<std::byte>(word));
  }
  return bytes;
}

void check_size(std::uint64_t size, StoredType type, const Shape& shape) {
  const std::uint64_t packed = byte_size(type.dtype, shape);
  const std::uint64_t each = type.dtype == DType::BOOL ? type.width : 1;
  if (size % each == 0 && size / each == packed) return;
  throw Error(ErrorCode::shape_mismatch, "a tensor's data do not fit its shape",
              {.expected = (each > 1 ? std::to_string(each) + " times " : std::string()) +
                           std::to_string(packed) + " bytes for " +
                           std::string(to_string(type.dtype)) + " " + to_string(shape),
               .found = std::to_string(size)});
}

}  // namespace

std::optional<StoredType> stored_type(std::string_view name, std::string_view store) noexcept {
  if (std::ranges::find(stores, store) == stores.end()) return std::nullopt;
  for (const Named& one : dtypes)
    if (one.name == name) return type_of(one, store);
  return std::nullopt;
}

std::optional<StoredType> stored_type(std::uint64_t index, std::uint64_t store,
                                      Version version) noexcept {
  if (store >= stores.size()) return std::nullopt;
  for (const Named& one : dtypes)
    if (has(one.known, version) && index_of(one.known, version) == index)
      return type_of(one, stores[store]);
  return std::nullopt;
}

std::optional<std::string_view> name_of(DType dtype) noexcept {
  for (const Named& one : dtypes)
    if (one.dtype == dtype && one.known != Known::flex32) return one.name;
  return std::nullopt;
}

std::optional<std::uint64_t> index_of(DType dtype, Version version) noexcept {
  for (const Named& one : dtypes)
    if (one.dtype == dtype && one.known != Known::flex32 && has(one.known, version))
      return index_of(one.known, version);
  return std::nullopt;
}

std::uint64_t bool_index(Version version) noexcept { return index_of(Known::boolean, version); }
std::uint64_t quantized_index(Version version) noexcept {
  return index_of(Known::quantized, version);
}

Tensor viewed(const Tensor& bytes, StoredType type, Shape shape) {
  check_size(bytes.byte_size(), type, shape);
  if (type.dtype == DType::BOOL && type.width > 1)
    return tensor_of(narrow(bytes.bytes()), {DType::BOOL, 1}, std::move(shape));
  return Tensor::share(type.dtype, std::move(shape), bytes.bytes(), bytes.owner());
}

Tensor tensor_of(std::vector<std::byte> bytes, StoredType type, Shape shape) {
  check_size(bytes.size(), type, shape);
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return Tensor::share(type.dtype, std::move(shape), *owner, owner);
}

Tensor tensor_in(const std::shared_ptr<const Source>& source, std::uint64_t offset,
                 std::uint64_t size, StoredType type, Shape shape, bool is_mapped,
                 const Trace* trace) {
  check_size(size, type, shape);
  if (type.dtype == DType::BOOL && type.width > 1) {
    const SharedBytes wide = source->view(offset, static_cast<std::size_t>(size));
    return tensor_of(narrow(wide.bytes), {DType::BOOL, 1}, std::move(shape));
  }
  return detail::tensor_at(source, offset, type.dtype, std::move(shape), is_mapped, trace);
}

}  // namespace safestructures::inline v0::burn
