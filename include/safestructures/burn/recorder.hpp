/// \file
/// Burn's recorders, by Burn's names:
///
///     burn::NamedMpkFileRecorder<burn::HalfPrecisionSettings> recorder;
///     recorder.record(model, "model");                        // model.mpk, floats as F16
///     Model again = recorder.load<Model>("model");
///
/// Without knowing the recorder, `load_file<Model>("model.mpk")` reads what any of them wrote.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/burn/enum.hpp>
#include <safestructures/data/convert.hpp>
#include <safestructures/formats/burn.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

namespace safestructures::inline v0::burn {

/// F64 and I64.
struct DoublePrecisionSettings {
  static constexpr Settings settings = Settings::double_precision;  ///< For `Options::settings`.
};
/// F32 and I32.
struct FullPrecisionSettings {
  static constexpr Settings settings = Settings::full_precision;  ///< For `Options::settings`.
};
/// F16 and I16.
struct HalfPrecisionSettings {
  static constexpr Settings settings = Settings::half_precision;  ///< For `Options::settings`.
};

/// What recorders are told beside their type.
struct RecorderOptions {
  /// The version of Burn that is to read what is recorded, `0.13` to `0.21`; empty: the newest.
  std::string burn_version = {};
  /// What a tensor is that is neither a `Param` nor a `Bare`; bincode is also loaded by it.
  Tensors tensors = Tensors::params;
  /// What to do with numbers that the settings cannot hold. Burn lets floats become infinite and
  /// ends the program for integers.
  Overflow overflow = Overflow::error;
};

/// What all recorders share: an encoding, and options.
class RecorderBase {
 public:
  /// Makes the format. \param name as `Options::recorder`
  RecorderBase(Encoding encoding, Settings settings, std::string_view name, RecorderOptions options)
      : overflow_(options.overflow),
        format_(formats::burn({.encoding = encoding,
                               .settings = settings,
                               .burn_version = std::move(options.burn_version),
                               .tensors = options.tensors,
                               .recorder = std::string(name)})) {}

  /// With which `save_file` and `load_file` do what the recorder does.
  /// @{
  [[nodiscard]] SaveOptions save_options() const {
    return {.format = format_, .precision = Precision::preserve, .overflow = overflow_};
  }
  [[nodiscard]] LoadOptions load_options() const {
    return {.format = format_, .overflow = overflow_};
  }
  /// @}

 private:
  Overflow overflow_;
  std::shared_ptr<const Format> format_;
};

/// Records in files. Their extension is the recorder's: it replaces what follows the last dot of a
/// path, as in Burn (`model.v1` becomes `model.mpk`), on recording and on loading.
template <Encoding Spelling, Name RecorderName, Name Extension, class PrecisionSettings>
class FileRecorder {
 public:
  /// A version of Burn that cannot be written for is an Error `unsupported_version` on recording.
  explicit FileRecorder(RecorderOptions options = {})
      : base_(Spelling, PrecisionSettings::settings, RecorderName.view(), std::move(options)) {}

  /// Tensors are stored as the settings say; what replaces an old file does so whole or not at all.
  /// \throws Error as `save_file`
  template <class T>
  SaveReport record(const T& object, const std::filesystem::path& path) const {
    return save_file(object, file_of(path), base_.save_options());
  }
  /// Tensors whose dtype T leaves open are converted to that of the settings, others to T's.
  /// \throws Error as `load_file`
  template <class T>
  [[nodiscard]] T load(const std::filesystem::path& path) const {
    return load_file<T>(file_of(path), base_.load_options());
  }

  /// The file of a path.
  [[nodiscard]] static std::filesystem::path file_of(std::filesystem::path path) {
    return path.replace_extension(Extension.view());
  }

 private:
  RecorderBase base_;
};

/// Records in memory.
template <Encoding Spelling, Name RecorderName, class PrecisionSettings>
class BytesRecorder {
 public:
  /// A version of Burn that cannot be written for is an Error `unsupported_version` on recording.
  explicit BytesRecorder(RecorderOptions options = {})
      : base_(Spelling, PrecisionSettings::settings, RecorderName.view(), std::move(options)) {}

  /// The bytes of a record, whose tensors are stored as the settings say.
  /// \throws Error as `save`
  template <class T>
  [[nodiscard]] std::vector<std::byte> record(const T& object) const {
    return save(object, base_.save_options());
  }
  /// As of a file. Members that are views (Tensor, Value) may refer to `bytes`.
  /// \throws Error as `load`
  template <class T>
  [[nodiscard]] T load(std::span<const std::byte> bytes) const {
    return safestructures::load<T>(bytes, base_.load_options());
  }

 private:
  RecorderBase base_;
};

/// Burn's recorders: the encoding, the name and the extension of each. Their argument is
/// `DoublePrecisionSettings`, `FullPrecisionSettings` or `HalfPrecisionSettings`.
/// @{
template <class PrecisionSettings = FullPrecisionSettings>
using NamedMpkFileRecorder =
    FileRecorder<Encoding::messagepack, "file::NamedMpkFileRecorder", "mpk", PrecisionSettings>;
template <class PrecisionSettings = FullPrecisionSettings>
using DefaultFileRecorder = NamedMpkFileRecorder<PrecisionSettings>;
template <class PrecisionSettings = FullPrecisionSettings>
using NamedMpkGzFileRecorder = FileRecorder<Encoding::messagepack, "file::NamedMpkGzFileRecorder",
                                            "mpk.gz", PrecisionSettings>;
template <class PrecisionSettings = FullPrecisionSettings>
using BinFileRecorder =
    FileRecorder<Encoding::bincode, "file::BinFileRecorder", "bin", PrecisionSettings>;
template <class PrecisionSettings = FullPrecisionSettings>
using BinGzFileRecorder =
    FileRecorder<Encoding::bincode, "file::BinGzFileRecorder", "bin.gz", PrecisionSettings>;
template <class PrecisionSettings = FullPrecisionSettings>
using JsonGzFileRecorder =
    FileRecorder<Encoding::json, "file::JsonGzFileRecorder", "json.gz", PrecisionSettings>;
template <class PrecisionSettings = FullPrecisionSettings>
using PrettyJsonFileRecorder =
    FileRecorder<Encoding::pretty_json, "file::PrettyJsonFileRecorder", "json", PrecisionSettings>;
template <class PrecisionSettings = FullPrecisionSettings>
using NamedMpkBytesRecorder =
    BytesRecorder<Encoding::messagepack, "memory::NamedMpkBytesRecorder", PrecisionSettings>;
template <class PrecisionSettings = FullPrecisionSettings>
using BinBytesRecorder =
    BytesRecorder<Encoding::bincode, "memory::BinBytesRecorder", PrecisionSettings>;
/// @}

}  // namespace safestructures::inline v0::burn
