/// \file
/// Burn's representation of a tensor: its dtypes by version, and conversion between its parts and a
/// Tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/tensor.hpp>
#include "formats/burn/record.hpp"

namespace safestructures::inline v0::burn {

/// The names of a tensor's members, through 0.13 and since.
inline constexpr std::string_view value_name = "value";
inline constexpr std::string_view bytes_name = "bytes";
inline constexpr std::string_view shape_name = "shape";
inline constexpr std::string_view dtype_name = "dtype";
/// The names of a parameter's members.
inline constexpr std::string_view id_name = "id";
inline constexpr std::string_view param_name = "param";
/// The type name of a quantized tensor, whose bytes are kept unchanged.
inline constexpr std::string_view quantized_type = "burn.QFloat";
/// The key of the map that is its dtype in a record. A burnpack file has only the value of this key
/// as its dtype, and the bytes under `packed_bytes_name`.
inline constexpr std::string_view quantized_name = "QFloat";
inline constexpr std::string_view packed_bytes_name = "data";

/// How the bytes of a tensor are to be read: for instance, `Bool` with four bytes each.
struct StoredType {
  DType dtype = DType::F32;
  unsigned width = 4;  ///< Bytes per element; 1 or 4 for booleans.
};

/// Returns the type with a name used since 0.14: `F32`, `Flex32`, `Bool`.
/// \param store how booleans are stored: `Native`, `U8`, `U32`
[[nodiscard]] std::optional<StoredType> stored_type(std::string_view name,
                                                    std::string_view store = "Native") noexcept;
/// Returns the type with an index in bincode.
/// \param store the second index of booleans since 0.21
[[nodiscard]] std::optional<StoredType> stored_type(std::uint64_t index, std::uint64_t store,
                                                    Version version) noexcept;
/// Returns the name that `stored_type` takes; null for a dtype that Burn does not have.
[[nodiscard]] std::optional<std::string_view> name_of(DType dtype) noexcept;
/// Returns the index in bincode; null if that version does not have the dtype.
[[nodiscard]] std::optional<std::uint64_t> index_of(DType dtype, Version version) noexcept;
/// Returns the index of quantized tensors in bincode.
[[nodiscard]] std::uint64_t quantized_index(Version version) noexcept;
/// Returns the index of booleans in bincode.
[[nodiscard]] std::uint64_t bool_index(Version version) noexcept;

/// Returns a tensor whose elements are in the source. If they are not aligned there, they are read
/// when they are used.
/// \throws Error `shape_mismatch` if the range has another length
[[nodiscard]] Tensor tensor_in(const std::shared_ptr<const Source>& source, std::uint64_t offset,
                               std::uint64_t size, StoredType type, Shape shape, bool is_mapped,
                               const Trace* trace);
/// Returns the bytes of a tensor in memory as elements of another dtype or shape.
/// \throws Error `shape_mismatch`
[[nodiscard]] Tensor viewed(const Tensor& bytes, StoredType type, Shape shape);
/// Returns a tensor of elements in memory; booleans take a byte each.
/// \throws Error `shape_mismatch`
[[nodiscard]] Tensor tensor_of(std::vector<std::byte> bytes, StoredType type, Shape shape);

}  // namespace safestructures::inline v0::burn
