/// \file
/// The description of the tensors in a burnpack file: CBOR (RFC 8949) in front of their bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include "formats/burn/tensor_data.hpp"

namespace safestructures::inline v0::burnpack {

/// The number 0x4255524E, little endian.
inline constexpr std::array<std::uint8_t, 4> magic = {0x4E, 0x52, 0x55, 0x42};
inline constexpr std::uint16_t version = 1;
/// Magic, version and size of the description.
inline constexpr std::size_t header_size = 10;
/// The alignment of the data and of each tensor in it, since Burn 0.20.
inline constexpr std::uint64_t alignment = 256;

/// Rounds up to a multiple of the alignment. \param offset at most 2^63
constexpr std::uint64_t aligned(std::uint64_t offset) noexcept {
  return (offset + alignment - 1) / alignment * alignment;
}

inline constexpr std::string_view tensors_key = "tensors";
inline constexpr std::string_view metadata_key = "metadata";
inline constexpr std::string_view scalars_key = "scalars";
inline constexpr std::string_view dtype_key = "dtype";
inline constexpr std::string_view shape_key = "shape";
inline constexpr std::string_view offsets_key = "data_offsets";
inline constexpr std::string_view id_key = "param_id";
inline constexpr std::string_view bool_key = "Bool";
inline constexpr std::string_view quantized_key = burn::quantized_name;
inline constexpr std::string_view float_key = "Float";
inline constexpr std::string_view int_key = "Int";
inline constexpr std::string_view uint_key = "UInt";

/// The most levels of maps and lists. The parser recurses for each, and nothing in the format nests
/// deeper than eight levels.
inline constexpr std::size_t deepest = 32;
/// The levels around the parameters of a quantized tensor: the description, its tensors, the tensor
/// and its dtype.
inline constexpr std::size_t above_quantization = 4;

/// The attribute of a tensor that holds its parameter's id, as Burn spells it.
inline constexpr std::string_view id_attribute = "burn.id";
/// The type of a quantized tensor, whose bytes only Burn can read, and the keys of its payload.
inline constexpr std::string_view quantized_type = burn::quantized_type;
inline constexpr std::string_view quantized_data = burn::packed_bytes_name;

/// Whether Burn has the dtype, too.
[[nodiscard]] inline bool burn_has(DType dtype) noexcept {
  return is_integer(dtype) || dtype == DType::BOOL || dtype == DType::F16 || dtype == DType::BF16 ||
         dtype == DType::F32 || dtype == DType::F64;
}

/// The kind of a tensor's bytes.
enum class Storage : std::uint8_t {
  plain,      ///< Its elements.
  words,      ///< Bools of four bytes each, as GPU backends have them.
  quantized,  ///< A format of Burn's own.
};

struct TensorEntry {
  std::string name;
  Storage storage = Storage::plain;
  DType dtype = DType::F32;
  Shape shape;
  std::uint64_t begin = 0;  ///< The offset in the data.
  std::uint64_t end = 0;
  std::optional<std::uint64_t> param_id;
  Value quantization;  ///< Burn's parameters of a quantized tensor.
};

using Scalars = std::vector<std::pair<std::string, Value>>;

struct Description {
  std::vector<TensorEntry> tensors;  ///< In the order of the description, by name.
  Metadata metadata;
  Scalars scalars;
};

/// Reads the CBOR. Checks that the bytes of each tensor fit its dtype and shape, but not where they
/// are.
/// \throws Error, with the tensor's name as the path and offsets in the file
[[nodiscard]] Description read_description(std::span<const std::byte> cbor, const Limits& limits);

/// Writes the same CBOR bytes as Burn would: names in order, the fewest bytes for each number.
/// \throws Error for a quantized tensor that cannot be described, and for metadata that is not
/// UTF-8
[[nodiscard]] std::string write_description(std::vector<const TensorEntry*> tensors,
                                            const Metadata& metadata, Scalars scalars,
                                            const Limits& limits);

}  // namespace safestructures::inline v0::burnpack
