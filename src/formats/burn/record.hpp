/// \file
/// What surrounds a record of Burn: which version wrote it, and in which precision.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <safestructures/data/dtype.hpp>
#include <safestructures/formats/burn.hpp>
#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0::burn {

/// A version of burn-core, as far as its files differ: `0.13.2` is 13, and 1.0 would be 1000.
using Version = std::uint32_t;

inline constexpr Version newest_version = 21;
inline constexpr std::string_view newest_version_text = "0.21.0";

/// The first versions that write something in another way.
namespace since {
inline constexpr Version fixed_arrays = 12;  ///< Arrays have no length in bincode.
inline constexpr Version tensor_data = 14;   ///< Tensors are bytes with a dtype.
inline constexpr Version short_ids = 15;     ///< Ids are 64 bits in base 32.
inline constexpr Version u16_dtype = 16;     ///< U16 shifts the dtypes behind it.
inline constexpr Version flex32_dtype = 17;  ///< So does Flex32.
inline constexpr Version bool_stores = 21;   ///< Bool says how it is stored.
inline constexpr Version one_constant = 21;  ///< An array of constants is one.
}  // namespace since

/// \throws Error `invalid_argument` for a text that is no version
[[nodiscard]] Version parse_version(std::string_view text);

/// The five texts before a record's item.
struct RecordMetadata {
  std::string float_type;
  std::string int_type;
  std::string format;
  std::string version;
  std::string settings;

  /// The names in the file, in its order, and what holds them.
  static constexpr std::array<std::pair<std::string_view, std::string RecordMetadata::*>, 5>
      fields = {{{"float", &RecordMetadata::float_type},
                 {"int", &RecordMetadata::int_type},
                 {"format", &RecordMetadata::format},
                 {"version", &RecordMetadata::version},
                 {"settings", &RecordMetadata::settings}}};

  /// Whether tensors of floats were stored as half precision.
  [[nodiscard]] bool is_half() const { return float_type.ends_with("f16"); }
};

/// The version that wrote a record; the newest where the text is none.
[[nodiscard]] Version version_of(const RecordMetadata& metadata) noexcept;

/// The members of the outermost map.
inline constexpr std::string_view metadata_name = "metadata";
inline constexpr std::string_view item_name = "item";
inline constexpr std::string_view phantom_name = "_b";

/// Under these names a record's metadata stands among a file's, `burn.version` and so on.
inline constexpr std::string_view metadata_prefix = "burn.";

/// The dtype of a Rust number: `f32`, `i64`, `half::binary16::f16`.
[[nodiscard]] std::optional<DType> dtype_of_rust(std::string_view name) noexcept;

}  // namespace safestructures::inline v0::burn
