/// \file
/// The metadata of a record of Burn: the version that wrote it, and its precision.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <safestructures/data/dtype.hpp>

namespace safestructures::inline v0::burn {

/// A version of burn-core, as far as file formats differ: `0.13.2` is 13, and 1.0 would be 1000.
using Version = std::uint32_t;

inline constexpr Version newest_version = 21;
inline constexpr std::string_view newest_version_text = "0.21.0";

/// The first version with each change to the format.
namespace since {
inline constexpr Version fixed_arrays = 12;  ///< Arrays have no length in bincode.
inline constexpr Version tensor_data = 14;   ///< Tensors are bytes with a dtype.
inline constexpr Version short_ids = 15;     ///< Ids are 64 bits in base 32.
inline constexpr Version u16_dtype = 16;     ///< U16 shifts the dtypes after it.
inline constexpr Version flex32_dtype = 17;  ///< Flex32 does so, too.
inline constexpr Version bool_stores = 21;   ///< Bool includes how it is stored.
inline constexpr Version one_constant = 21;  ///< An array of constants is written as a single one.
}  // namespace since

/// Parses a version. \throws Error `invalid_argument` if the text is not a version
[[nodiscard]] Version parse_version(std::string_view text);

/// The five texts before a record's item.
struct RecordMetadata {
  std::string float_type;
  std::string int_type;
  std::string format;
  std::string version;
  std::string settings;

  /// The names in the order of the file, with the members that hold them.
  static constexpr std::array<std::pair<std::string_view, std::string RecordMetadata::*>, 5>
      fields = {{{"float", &RecordMetadata::float_type},
                 {"int", &RecordMetadata::int_type},
                 {"format", &RecordMetadata::format},
                 {"version", &RecordMetadata::version},
                 {"settings", &RecordMetadata::settings}}};

  /// Whether floating-point tensors were stored in half precision.
  [[nodiscard]] bool is_half() const { return float_type.ends_with("f16"); }
};

/// Returns the version that wrote a record; the newest one if its text is not a version.
[[nodiscard]] Version version_of(const RecordMetadata& metadata) noexcept;

/// The names of the members of the outermost map.
inline constexpr std::string_view metadata_name = "metadata";
inline constexpr std::string_view item_name = "item";
inline constexpr std::string_view phantom_name = "_b";

/// The prefix of a record's metadata among those of a file: `burn.version` and so on.
inline constexpr std::string_view metadata_prefix = "burn.";

/// Returns the dtype of a Rust number type: `f32`, `i64`, `half::binary16::f16`.
[[nodiscard]] std::optional<DType> dtype_of_rust(std::string_view name) noexcept;

}  // namespace safestructures::inline v0::burn
