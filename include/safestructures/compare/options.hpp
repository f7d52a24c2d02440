/// \file
/// Options for comparing two structures: tolerances, which names correspond, what is left out.
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

/// Numbers a and b are close if |a - b| <= atol + rtol * |b|; b is the reference.
struct Tolerance {
  double rtol = 0;  ///< The relative tolerance.
  double atol = 0;  ///< The absolute tolerance.

  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

/// Returns the tolerance for a dtype if no other is given: that of `torch.testing.assert_close`;
/// for formats of 4 to 8 bits, that of TransformerEngine's tests; zero for integers, bools and
/// F8_E8M0. docs/compare.md has the table.
[[nodiscard]] SAFESTRUCTURES_API Tolerance default_tolerance(DType dtype) noexcept;

/// A tolerance for certain paths, for a dtype, or for a dtype in certain paths.
struct ToleranceRule {
  /// A glob for the whole path, slashes included. For a record the path is its name, followed by
  /// the path in it unless that is the root.
  std::string paths;
  Tolerance tolerance;  ///< Replaces the tolerance of the dtypes and the call.
  /// Applies only to numbers of that dtype, or that had it before they were stored. Nothing: any
  /// dtype.
  std::optional<DType> dtype = std::nullopt;
};

/// A name that differs in the second structure. Each `*` in `from` matches any text, which replaces
/// the corresponding `*` in `to`. With a leading `/` these are paths; otherwise names of records,
/// or paths with dots between their steps, as tensors are named: `layers.*.weight`.
struct RenameRule {
  std::string from;  ///< The name in the first structure; the only wildcard is `*`.
  std::string to;    ///< The name in the second structure.
};

/// A further run: a file or the folder of a recording, or one that is already open. Null means no
/// run.
using NoiseRun = std::variant<std::filesystem::path, std::shared_ptr<const Value>,
                              std::shared_ptr<const Document>, std::shared_ptr<const Recording>>;

/// Options for comparing two structures.
struct CompareOptions {
  /// Each replaces that part of the dtype's tolerance. Integers, bools and text stay exact.
  /// @{
  std::optional<double> rtol = std::nullopt;
  std::optional<double> atol = std::nullopt;
  /// @}
  /// The first matching rule decides, for integers too; for two dtypes, the looser of their
  /// tolerances.
  std::vector<ToleranceRule> tolerances = {};
  /// The first matching rule decides.
  std::vector<RenameRule> renames = {};
  /// Globs for paths, as in `ToleranceRule`; paths that match none are counted and not compared. A
  /// glob for a container only covers its kind and size: `/layers/*` covers its members. Empty:
  /// everything is compared.
  std::vector<std::string> only = {};
  /// Globs for paths that are left out of these, and counted as well. The sizes of containers may
  /// differ by the number of ignored members.
  std::vector<std::string> ignore = {};
  /// Further runs of one of the two sides, under its names: the same program again, or in higher
  /// precision. They show for each tensor which differences are noise (`NoiseFloor`). Integers and
  /// bools stay exact. For recordings these must be recordings, otherwise files or structures.
  std::vector<NoiseRun> noise = {};
  /// How many times the noise a difference may be; docs/compare.md explains why 3. If few numbers
  /// were measured, it is multiplied by 1 + 4 / sqrt(numbers).
  double noise_factor = 3;
  /// Whether tensors stored in different dtypes count as different, whatever their numbers.
  bool exact_dtypes = false;
  /// Whether to suggest names for tensors without a counterpart, and to recognise transposed
  /// tensors. Both read these tensors again.
  bool suggest = true;
  /// How files are read. Without a mapping, a file that is truncated in the meantime is an Error.
  Access access = Access::read;
  /// The format of files; null: as for loading. Does not apply to recordings.
  std::shared_ptr<const Format> format = nullptr;
  Limits limits = {};  ///< Bounds on what the files may hold.
  /// Called from time to time with the bytes of tensors compared since the last call, and the
  /// total; both sides together.
  std::function<void(std::uint64_t more, std::uint64_t all)> progress = nullptr;
};

}  // namespace safestructures::inline v0
