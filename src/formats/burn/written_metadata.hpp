/// \file
/// What a record that is written says of itself: its settings, and its metadata.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/precision.hpp>
#include <safestructures/formats/burn.hpp>
#include "formats/burn/record.hpp"

namespace safestructures::inline v0::burn {

/// The names of a pair of dtypes.
struct SettingsText {
  Settings settings;
  DType floats;
  DType integers;
  std::string_view float_type;
  std::string_view int_type;
  std::string_view name;
};
inline constexpr std::array<SettingsText, 3> settings_texts = {{
    {Settings::double_precision, DType::F64, DType::I64, "f64", "i64", "DoublePrecisionSettings"},
    {Settings::full_precision, DType::F32, DType::I32, "f32", "i32", "FullPrecisionSettings"},
    {Settings::half_precision, DType::F16, DType::I16, "half::binary16::f16", "i16",
     "HalfPrecisionSettings"},
}};

[[nodiscard]] const SettingsText& text_of(Settings settings);
[[nodiscard]] Precision precision_of(Settings settings);

/// Returns the version of Burn that a record is written for.
[[nodiscard]] std::string version_text(const Options& burn, const SaveOptions& options);

/// Returns the settings that a record names: those asked for, or those whose floats it stores.
/// \param floats the dtype of all floating tensors as they are, if there is one
[[nodiscard]] const SettingsText& settings_for(const Options& burn, const SaveOptions& options,
                                               std::optional<DType> floats);

/// Returns the metadata to write. The metadata of a converted file is kept as far as it is true of
/// what is written: since 0.14 readers need only the version, and other programs write other
/// metadata than Burn.
[[nodiscard]] RecordMetadata metadata_for(const Options& burn, const SaveOptions& options,
                                          const SettingsText& settings);

/// Checks the dtype of floats, by which versions through 0.13 read the numbers of tensors.
/// \throws Error `invalid_argument`
void check_old_floats(const RecordMetadata& metadata, const SettingsText& settings);

}  // namespace safestructures::inline v0::burn
