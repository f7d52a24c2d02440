/// \file
/// How Burn writes a tensor: its dtypes by version, and from parts to a Tensor and back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include "formats/burn/record.hpp"

namespace safestructures::inline v0::burn {

/// The members of a tensor, up to 0.13 and since.
inline constexpr std::string_view value_name = "value";
inline constexpr std::string_view bytes_name = "bytes";
inline constexpr std::string_view shape_name = "shape";
inline constexpr std::string_view dtype_name = "dtype";
/// The members of a parameter.
inline constexpr std::string_view id_name = "id";
inline constexpr std::string_view param_name = "param";
/// The type of a quantized tensor, whose bytes are kept as they are.
inline constexpr std::string_view quantized_type = "burn.QFloat";
/// Its dtype is a map with this key; of a burnpack file it is what the key has, and the bytes are
/// `packed_bytes_name`.
inline constexpr std::string_view quantized_name = "QFloat";
inline constexpr std::string_view packed_bytes_name = "data";

/// How the bytes of a tensor are to be read: `Bool` with four bytes each, say.
struct StoredType {
  DType dtype = DType::F32;
  unsigned width = 4;  ///< Bytes of an element; of booleans 1 or 4.
};

/// By its name since 0.14: `F32`, `Flex32`, `Bool`. \param store of booleans: `Native`, `U8`, `U32`
[[nodiscard]] std::optional<StoredType> stored_type(std::string_view name,
                                                    std::string_view store = "Native") noexcept;
/// By its index in bincode. \param store the second index of booleans since 0.21
[[nodiscard]] std::optional<StoredType> stored_type(std::uint64_t index, std::uint64_t store,
                                                    Version version) noexcept;
/// The name that `stored_type` takes; nothing for what Burn does not have.
[[nodiscard]] std::optional<std::string_view> name_of(DType dtype) noexcept;
/// The index in bincode. \throws Error `unknown_dtype` for what that version does not have
[[nodiscard]] std::uint64_t index_of(DType dtype, Version version);
/// The index of quantized tensors.
[[nodiscard]] std::uint64_t quantized_index(Version version) noexcept;
/// Of booleans, in bincode.
[[nodiscard]] std::uint64_t bool_index(Version version) noexcept;

/// A tensor of elements that lie in the source; where they are not aligned there, they are read
/// when they are used. \throws Error `shape_mismatch` when the range has another length
[[nodiscard]] Tensor tensor_in(const std::shared_ptr<const Source>& source, std::uint64_t offset,
                               std::uint64_t size, StoredType type, Shape shape, bool is_mapped,
                               const Trace* trace);
/// The bytes of a tensor in memory as elements of another dtype, or shape.
/// \throws Error `shape_mismatch`
[[nodiscard]] Tensor viewed(const Tensor& bytes, StoredType type, Shape shape);
/// A tensor of elements in memory, those of booleans in a byte each.
/// \throws Error `shape_mismatch`
[[nodiscard]] Tensor tensor_of(std::vector<std::byte> bytes, StoredType type, Shape shape);

}  // namespace safestructures::inline v0::burn
