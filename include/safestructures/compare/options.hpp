/// \file
/// How two structures are compared: what counts as near enough, what is paired, what is left out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0 {

class Document;
class Recording;
class Value;

/// Numbers a and b are near enough when |a - b| <= atol + rtol * |b|: b is the reference.
struct Tolerance {
  double rtol = 0;  ///< Relative to the reference.
  double atol = 0;  ///< Absolute.

  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

/// What is allowed between numbers of that dtype where nothing else is said: what
/// `torch.testing.assert_close` allows, for the formats of 4 to 8 bits what the tests of
/// TransformerEngine do; nothing between integers, bools and F8_E8M0. docs/compare.md has the
/// table.
[[nodiscard]] SAFESTRUCTURES_API Tolerance default_tolerance(DType dtype) noexcept;

/// A tolerance for some paths, for a dtype, or for a dtype in some paths.
struct ToleranceRule {
  /// A glob that the whole path matches, slashes included; of a record its name, then the path in
  /// it unless that is the root.
  std::string paths;
  Tolerance tolerance;  ///< In place of what dtypes and the call say.
  /// Holds only for numbers of that dtype, or that had it before they were stored. Nothing: of any.
  std::optional<DType> dtype = std::nullopt;
};

/// What has another name in the second structure. Each `*` of `from` is any text, which stands in
/// the place of the same `*` of `to`. From `/` on these are paths; else names of records, or paths
/// with dots between their steps, as tensors are named: `layers.*.weight`.
struct RenameRule {
  std::string from;  ///< In the first structure; a glob of `*` alone.
  std::string to;    ///< In the second.
};

/// A further run: a file or the folder of a recording, or what was read of one. Null is no run.
using NoiseRun = std::variant<std::filesystem::path, std::shared_ptr<const Value>,
                              std::shared_ptr<const Document>, std::shared_ptr<const Recording>>;

/// How two structures are compared.
struct CompareOptions {
  /// In place of what the dtype says, each on its own. Integers, bools and text stay exact.
  /// @{
  std::optional<double> rtol = std::nullopt;
  std::optional<double> atol = std::nullopt;
  /// @}
  /// The first that matches decides, for integers too; of two dtypes the looser of what is decided
  /// for each.
  std::vector<ToleranceRule> tolerances = {};
  /// The first that matches decides.
  std::vector<RenameRule> renames = {};
  /// Globs for paths, as in `ToleranceRule`; what matches none is counted and not compared. That of
  /// a container is of its kind and size alone: `/layers/*` is what it holds. Empty: all is
  /// compared.
  std::vector<std::string> only = {};
  /// Globs for what is left out of that, and counted too. Containers may differ by as many members.
  std::vector<std::string> ignore = {};
  /// Further runs of one of the two sides, under its names: the same program again, or in higher
  /// precision. They say per tensor which differences are noise (`NoiseFloor`). Integers and bools
  /// stay exact. Beside recordings these must be recordings, else files or structures.
  std::vector<NoiseRun> noise = {};
  /// How many times the noise a difference may be; docs/compare.md says why 3. Where few numbers
  /// were measured it is (1 + 4 / sqrt(numbers)) times that.
  double noise_factor = 3;
  /// Whether tensors that are stored in different dtypes differ, whatever their numbers.
  bool exact_dtypes = false;
  /// Whether names are suggested for tensors without a counterpart, and transposed tensors
  /// recognised. Both read these tensors again.
  bool suggest = true;
  /// How files are read. Without a mapping, a file that is cut short meanwhile is an Error.
  Access access = Access::read;
  /// The format of files; null: as for loading. Recordings have none to choose.
  std::shared_ptr<const Format> format = nullptr;
  Limits limits = {};  ///< Bounds on what the files may hold.
  /// Called now and then with the bytes of tensors that were compared since the last call, and all
  /// there are, both sides together.
  std::function<void(std::uint64_t more, std::uint64_t all)> progress = nullptr;
};

}  // namespace safestructures::inline v0
