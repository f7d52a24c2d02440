/// \file
/// Options of a recorder: what it keeps, and how; and its report of what it left out.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/precision.hpp>
#include <safestructures/data/registry.hpp>
#include <safestructures/data/slice.hpp>

namespace safestructures::inline v0 {

/// How much of a record is kept.
enum class Keep : std::uint8_t {
  full,        ///< everything
  slice,       ///< the part of every tensor that `KeepRule::slices` selects
  statistics,  ///< the statistics of every tensor (tools/statistics.hpp), and all other values
  none,        ///< nothing: the record is counted, not stored
};

/// Returns the name in a file, such as `"full"`.
SAFESTRUCTURES_API std::string_view to_string(Keep keep) noexcept;

/// The call that makes a record, before its value is looked at.
struct RecordCall {
  std::string_view name;   ///< The name, with its scopes in front: `decoder.layer.3`.
  std::int64_t step = 0;   ///< The last step set by `ActivationRecorder::step`.
  std::uint64_t call = 0;  ///< The number of earlier calls of this name, kept or not.
};

/// A rule for how much is kept of the records of certain names.
struct KeepRule {
  /// A glob for the whole name: `*` matches any text, `?` one character, `[a-c]` one of these
  /// (docs/recording.md, "Globs").
  std::string names = "*";
  /// Whether `names` is instead a regular expression (ECMAScript) for the whole name. It works on
  /// bytes; `record` refuses names of more than 512 bytes that would have to be matched with it.
  bool regex = false;
  Keep keep = Keep::full;  ///< How much of the records of these names is kept.
  /// The slices for `Keep::slice`, as for `Tensor::slice`: `parse_slices("0, :16")`.
  std::vector<Slice> slices = {};
  /// The precision in which tensors are stored; nothing: `RecorderOptions::precision`.
  std::optional<Precision> precision = std::nullopt;
  /// Only keep steps that are multiples of this.
  std::uint64_t every = 1;
  /// Only keep so many calls of each name, the first that pass the rest of the rule.
  std::uint64_t first = (std::numeric_limits<std::uint64_t>::max)();
  /// Only keep calls for which this returns true. Called on the recording thread, by one thread at
  /// a time while others wait, so it must neither call the recorder nor wait for a thread that
  /// does.
  std::function<bool(const RecordCall&)> predicate = nullptr;
};

/// What to do with a record that does not fit in memory because the disk is slower than the records
/// arrive.
enum class WhenFull : std::uint8_t {
  block,  ///< wait until there is room; later records wait behind it
  drop,   ///< leave the record out, and count it
  thin,   ///< store statistics instead of its tensors, computed by the calling thread, and count it
};

/// What of a recording survives a power loss. If only the process dies, no record that `flush` has
/// waited for is lost, whichever is chosen.
enum class Durability : std::uint8_t {
  none,     ///< Whatever the system has written back by then.
  segment,  ///< Every sealed segment.
  batch,    ///< Every record that `flush` has waited for. Costs two synchronisations per batch.
};

/// The first finding of a watch in a record.
struct WatchFinding {
  std::string name;  ///< The name of the record.
  /// The path of the tensor or number in its value, such as `/weight`; `/` if it is the whole
  /// value.
  std::string path;
  std::int64_t step = 0;   ///< As in `RecordCall`.
  std::uint64_t call = 0;  ///< As in `RecordCall`.
  /// The NaN, the infinity, or the number beyond the magnitude; for a complex number, that part of
  /// it.
  double value = 0;
  /// The index of the tensor's element, in row-major order; 0 for a single number.
  std::uint64_t index = 0;
};

/// Checks every floating-point number in the records that rules keep, before `record` returns: the
/// elements of floating and complex tensors, single floats and complex numbers. The parts of
/// complex numbers are checked separately. If a rule keeps a slice or statistics, the
/// whole record is checked; records that are then dropped or thinned are checked too.
struct Watch {
  /// Called on the recording thread after the record was taken over. If several threads record, it
  /// may be called on several of them at once, unlike `KeepRule::predicate`: it must guard what it
  /// shares. Exceptions propagate out of `record`, so that a program can stop at the first bad
  /// layer. Null: no watch.
  std::function<void(const WatchFinding&)> found = nullptr;
  bool nan = true;       ///< Whether to report NaN.
  bool infinity = true;  ///< Whether to report infinities.
  /// Finite numbers of a larger magnitude are reported as well. Must be at least 0.
  double magnitude = std::numeric_limits<double>::infinity();
};

/// Options of a recorder. The defaults keep everything, bit for bit.
struct RecorderOptions {
  /// The first rule that matches a name decides; records that no rule matches are left out and
  /// counted. Without rules, everything is kept.
  std::vector<KeepRule> rules = {};
  /// The precision in which tensors are stored. The background thread converts; numbers out of
  /// range become the nearest one that the dtype has: an infinity, NaN if it has no infinity, or
  /// the largest or smallest integer.
  Precision precision = Precision::preserve;
  /// The types found at run time; must outlive the recorder.
  const Registry* registry = nullptr;
  Watch watch = {};  ///< What to report immediately; nothing unless it has a callback.
  /// The maximum bytes of records waiting for the disk, and of memory kept for later ones. A single
  /// larger record waits alone. The unused capacity of a vector that is moved in counts, too.
  std::uint64_t memory = std::uint64_t{256} << 20U;
  WhenFull when_full = WhenFull::block;  ///< What to do when that memory is used up.
  /// The maximum bytes of all records together, counting tensors and text (keys of dicts included)
  /// as they are in memory; records beyond it are left out and counted. A record that is thinned
  /// for lack of memory counts with its statistics.
  std::uint64_t max_bytes = (std::numeric_limits<std::uint64_t>::max)();
  /// The maximum bytes of data in one file. A single larger record gets a file of its own size.
  std::uint64_t segment_bytes = std::uint64_t{256} << 20U;
  /// The bytes reserved for the header of the first file, clamped to 4 KiB to 16 MiB. Later files
  /// reserve what earlier ones needed.
  std::uint64_t header_bytes = std::uint64_t{256} << 10U;
  Durability durability = Durability::none;  ///< What survives a power loss.
  /// Whether every tensor gets a checksum, which `recover_recording` and `verify_file` use to find
  /// damage.
  bool checksums = true;
  /// Bounds on the depth and nodes of each value, and on the headers of files. When reading, the
  /// nodes of all values of a file count together.
  Limits limits = {};
};

/// The outcome of the calls of one name, or of all: each is kept, filtered, dropped, limited or
/// failed.
struct RecordCounts {
  std::uint64_t calls = 0;     ///< Calls of `record`.
  std::uint64_t kept = 0;      ///< Written or about to be, including those that are thinned.
  std::uint64_t filtered = 0;  ///< Left out by the rules.
  std::uint64_t dropped = 0;   ///< Left out for lack of memory.
  std::uint64_t thinned = 0;   ///< Kept as statistics for lack of memory.
  std::uint64_t limited = 0;   ///< Left out because of `RecorderOptions::max_bytes`.
  std::uint64_t failed = 0;    ///< Lost to an error of their own, or after a disk error.

  friend bool operator==(const RecordCounts&, const RecordCounts&) = default;
};

/// A recorder's report of what it has done so far.
struct RecorderReport {
  RecordCounts all;                                        ///< The counts of all calls.
  std::map<std::string, RecordCounts, std::less<>> names;  ///< The counts of each name.
  std::uint64_t written = 0;   ///< The records handed to the system; they survive the process.
  std::uint64_t bytes = 0;     ///< The bytes of the kept tensors and text, as they were in memory.
  std::uint64_t segments = 0;  ///< The number of sealed files.
  /// The error that ended the recording early; otherwise the first error of a single record; empty
  /// if nothing failed.
  std::string error;
};

/// Returns the report as text: the counts of all calls in one line, then one line for each name
/// that lost something, then the error, if any.
SAFESTRUCTURES_API std::string to_string(const RecorderReport& report);

}  // namespace safestructures::inline v0
