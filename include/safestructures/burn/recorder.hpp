/// \file
/// Burn's recorders, by Burn's names:
///
///     burn::NamedMpkFileRecorder<burn::HalfPrecisionSettings> recorder;
///     recorder.record(model, "model");                        // model.mpk, floats as F16
///     Model again = recorder.load<Model>("model");
///
/// `load_file<Model>("model.mpk")` reads what any of them wrote, without knowing the recorder.
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
#include <safestructures/data/precision.hpp>
#include <safestructures/formats/burn.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

namespace safestructures::inline v0::burn {

/// Stores F64 and I64.
struct DoublePrecisionSettings {
  static constexpr Settings settings = Settings::double_precision;  ///< Sets `Options::settings`.
};
/// Stores F32 and I32.
struct FullPrecisionSettings {
  static constexpr Settings settings = Settings::full_precision;  ///< Sets `Options::settings`.
};
/// Stores F16 and I16.
struct HalfPrecisionSettings {
  static constexpr Settings settings = Settings::half_precision;  ///< Sets `Options::settings`.
};

/// The options of recorders, in addition to their type.
struct RecorderOptions {
  /// The version of Burn that is to read the record, `0.13` to `0.21`; empty: the newest.
  std::string burn_version = {};
  /// How to treat a tensor that is neither a `Param` nor a `Bare`. Also used when loading bincode.
  Tensors tensors = Tensors::params;
  /// What to do with numbers that the settings cannot represent. Burn itself turns such floats into
  /// infinities and panics on such integers.
  Overflow overflow = Overflow::error;
};

/// The common part of all recorders: an encoding, and options.
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

  /// Return the options with which `save_file` and `load_file` do what the recorder does.
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

/// Records to files. The recorder's extension replaces everything from the last dot of a path, as
/// in Burn (`model.v1` becomes `model.mpk`), both on recording and on loading.
template <Encoding Spelling, Name RecorderName, Name Extension, class PrecisionSettings>
class FileRecorder {
 public:
  /// An unsupported version of Burn is reported by `record`, as Error `unsupported_version`.
  explicit FileRecorder(RecorderOptions options = {})
      : base_(Spelling, PrecisionSettings::settings, RecorderName.view(), std::move(options)) {}

  /// Saves an object, with its tensors in the precision of the settings. An old file is replaced as
  /// a whole or not at all.
  /// \throws Error as `save_file`
  template <class T>
  SaveReport record(const T& object, const std::filesystem::path& path) const {
    return save_file(object, file_of(path), base_.save_options());
  }
  /// Loads an object. Tensors whose dtype T leaves open are converted to that of the settings,
  /// others to T's.
  /// \throws Error as `load_file`
  template <class T>
  [[nodiscard]] T load(const std::filesystem::path& path) const {
    return load_file<T>(file_of(path), base_.load_options());
  }

  /// Returns the path of the file: `path` with the recorder's extension.
  [[nodiscard]] static std::filesystem::path file_of(std::filesystem::path path) {
    return path.replace_extension(Extension.view());
  }

 private:
  RecorderBase base_;
};

/// Records to memory.
template <Encoding Spelling, Name RecorderName, class PrecisionSettings>
class BytesRecorder {
 public:
  /// An unsupported version of Burn is reported by `record`, as Error `unsupported_version`.
  explicit BytesRecorder(RecorderOptions options = {})
      : base_(Spelling, PrecisionSettings::settings, RecorderName.view(), std::move(options)) {}

  /// Returns the bytes of a record, with its tensors in the precision of the settings.
  /// \throws Error as `save`
  template <class T>
  [[nodiscard]] std::vector<std::byte> record(const T& object) const {
    return save(object, base_.save_options());
  }
  /// Loads an object as `FileRecorder` does. Members that are views (Tensor, Value) may refer to
  /// `bytes`.
  /// \throws Error as `load`
  template <class T>
  [[nodiscard]] T load(std::span<const std::byte> bytes) const {
    return safestructures::load<T>(bytes, base_.load_options());
  }
  /// Takes over the bytes: nothing has to be kept alive.
  template <class T>
  [[nodiscard]] T load(std::vector<std::byte>&& bytes) const {
    return safestructures::load<T>(std::move(bytes), base_.load_options());
  }

 private:
  RecorderBase base_;
};

/// Burn's recorders: the encoding, name and extension of each. The template argument is
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
