#include "formats/burn/written_metadata.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::burn {
namespace {

/// Returns a text of the metadata, which comes from the converted file or from the caller; empty if
/// there is none.
std::string given(const SaveOptions& options, std::string_view field) {
  const auto known = options.metadata.find(std::string(metadata_prefix) + std::string(field));
  return known != options.metadata.end() ? known->second : std::string();
}

std::string_view recorder_of(Encoding encoding) {
  switch (encoding) {
    case Encoding::messagepack: return "file::NamedMpkFileRecorder";
    case Encoding::bincode: return "file::BinFileRecorder";
    case Encoding::json: return "file::JsonGzFileRecorder";
    case Encoding::pretty_json: break;
  }
  return "file::PrettyJsonFileRecorder";
}

/// Returns the beginning of the recorder's name, which does not depend on whether it compresses and
/// where it puts the record.
std::string_view family_of(std::string_view recorder) {
  for (const std::string_view one : {"NamedMpk", "PrettyJson", "JsonGz", "Bin"})
    if (recorder.find("::" + std::string(one)) != std::string_view::npos) return one;
  return {};
}

}  // namespace

const SettingsText& text_of(Settings settings) {
  return *std::ranges::find(settings_texts, settings, &SettingsText::settings);
}

Precision precision_of(Settings settings) {
  return {text_of(settings).floats, text_of(settings).integers};
}

std::string version_text(const Options& burn, const SaveOptions& options) {
  if (!burn.burn_version.empty()) return burn.burn_version;
  std::string known = given(options, "version");
  return known.empty() ? std::string(newest_version_text) : known;
}

const SettingsText& settings_for(const Options& burn, const SaveOptions& options,
                                 std::optional<DType> floats) {
  if (burn.settings) return text_of(*burn.settings);
  const auto of_floats = std::ranges::find(
      settings_texts, options.precision.floats ? options.precision.floats : floats,
      [](const SettingsText& one) { return std::optional(one.floats); });
  if (of_floats != settings_texts.end()) return *of_floats;
  const auto known =
      std::ranges::find(settings_texts, given(options, "settings"), &SettingsText::name);
  return !options.precision.floats && known != settings_texts.end()
             ? *known
             : text_of(Settings::full_precision);
}

RecordMetadata metadata_for(const Options& burn, const SaveOptions& options,
                            const SettingsText& settings) {
  const std::string former = given(options, "settings");
  const bool is_foreign =
      std::ranges::find(settings_texts, former, &SettingsText::name) == settings_texts.end();
  const bool is_same =
      !burn.settings &&
      (former == settings.name || (is_foreign && !options.precision.floats && !former.empty()));
  const auto kept = [&](std::string_view field, std::string_view written) {
    std::string text = given(options, field);
    // A text that does not name a number type cannot be untrue.
    const bool is_kept = !text.empty() && (is_same || !dtype_of_rust(text));
    return is_kept ? text : std::string(written);
  };
  RecordMetadata metadata{.float_type = kept("float", settings.float_type),
                          .int_type = kept("int", settings.int_type),
                          .format = given(options, "format"),
                          .version = version_text(burn, options),
                          .settings = is_foreign && !burn.settings && !former.empty()
                                          ? former
                                          : std::string(settings.name)};
  const std::string recorder =
      burn.recorder.empty() ? std::string(recorder_of(burn.encoding)) : burn.recorder;
  const std::string_view family = family_of(metadata.format);
  const bool is_its_own = family.empty() || (is_same && family == family_of(recorder));
  if (metadata.format.empty() || !burn.recorder.empty() || !is_its_own)
    metadata.format = "burn_core::record::" + recorder +
                      "<burn_core::record::settings::" + metadata.settings + ">";
  return metadata;
}

void check_old_floats(const RecordMetadata& metadata, const SettingsText& settings) {
  if (metadata.float_type == settings.float_type) return;
  throw Error(
      ErrorCode::invalid_argument, "the metadata contradict the settings of the record",
      {.expected = "burn.float = '" + std::string(settings.float_type) + "'",
       .found = "'" + metadata.float_type + "'",
       .advice = "Give what is expected as metadata (--metadata burn.float=" +
                 std::string(settings.float_type) + " in the tool), or another burn.settings"});
}

}  // namespace safestructures::inline v0::burn
