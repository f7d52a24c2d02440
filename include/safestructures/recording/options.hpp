/// \file
/// What a recorder keeps, and how; what it tells of what it left out.
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
  slice,       ///< of every tensor the part that `KeepRule::slices` name
  statistics,  ///< of every tensor its statistics (tools/statistics.hpp), and all other values
  nothing,     ///< nothing: the record is counted, not stored
};

/// The name of it in a file: `"full"`.
SAFESTRUCTURES_API std::string_view to_string(Keep keep) noexcept;

/// A record before its value is looked at.
struct RecordCall {
  std::string_view name;   ///< With the scopes in front: `decoder.layer.3`.
  std::int64_t step = 0;   ///< What `ActivationRecorder::step` said last.
  std::uint64_t call = 0;  ///< How many calls of this name came before, those not kept included.
};

/// What is kept of the records of some names.
struct KeepRule {
  /// A glob that the whole name matches: `*` is any text, `?` a character, `[a-c]` one of these
  /// (docs/recording.md, "Globs").
  std::string names = "*";
  /// Whether `names` is a regular expression (ECMAScript) for the whole name instead. It counts
  /// bytes, and `record` refuses a name of more than 512 that it would be asked for.
  bool regex = false;
  Keep keep = Keep::full;  ///< How much of the records of these names is kept.
  /// For `Keep::slice`, as `Tensor::slice` takes them: `parse_slices("0, :16")`.
  std::vector<Slice> slices = {};
  /// In which precision tensors are stored; nothing: as `RecorderOptions::precision` says.
  std::optional<Precision> precision = std::nullopt;
  /// Only steps that are multiples of it.
  std::uint64_t every = 1;
  /// Only so many calls of each name, the first that pass the rest of the rule.
  std::uint64_t first = (std::numeric_limits<std::uint64_t>::max)();
  /// Only calls for which it is true. Called on the recording thread, by one thread at a time:
  /// others wait meanwhile, so that it must neither call the recorder nor wait for a thread that
  /// does.
  std::function<bool(const RecordCall&)> predicate = nullptr;
};

/// What a recorder does with a record for which there is no room in memory, because the disk is
/// slower than the records come.
enum class WhenFull : std::uint8_t {
  block,  ///< wait until there is
  drop,   ///< leave the record out, and count it
  thin,   ///< store statistics in place of its tensors, made by the calling thread, and count it
};

/// What of a recording survives a loss of power. The death of the process costs no record that
/// `flush` has waited for, whatever is chosen here.
enum class Durability : std::uint8_t {
  none,     ///< What the system has written back by then.
  segment,  ///< Every sealed segment.
  batch,    ///< Every record that `flush` has waited for. Costs two synchronisations a batch.
};

/// What a watch saw first in a record.
struct WatchFinding {
  std::string name;  ///< Of the record.
  /// Of the tensor or number in its value, such as `/weight`; `/` where it is the value.
  std::string path;
  std::int64_t step = 0;   ///< As in `RecordCall`.
  std::uint64_t call = 0;  ///< As in `RecordCall`.
  double value = 0;  ///< NaN, an infinity, or the number beyond the magnitude; of a complex number
                     ///< the part that is.
  std::uint64_t index = 0;  ///< Of the tensor's element, in row-major order; 0 of a single number.
};

/// Looks at every number with a fraction in the records that rules keep, before `record` returns:
/// the elements of floating and complex tensors, single floats and complex numbers. Of complex
/// numbers each part is looked at by itself. Records that the rules thin out are looked at, too.
struct Watch {
  /// Called on the recording thread after the record was taken over. What it throws passes out of
  /// `record`, so that a program can stop at the first bad layer. Null: no watch.
  std::function<void(const WatchFinding&)> found = nullptr;
  bool nan = true;       ///< Whether a NaN is found.
  bool infinity = true;  ///< Whether an infinity is found.
  /// Finite numbers of a larger magnitude are found as well. 0 or above.
  double magnitude = std::numeric_limits<double>::infinity();
};

/// How a recorder works. The defaults keep everything, bit for bit.
struct RecorderOptions {
  /// The first rule that a name matches decides; what no rule matches is left out and counted.
  /// Without rules everything is kept.
  std::vector<KeepRule> rules = {};
  /// In which precision tensors are stored. Conversions are the background thread's; numbers beyond
  /// the range become the nearest that it has: infinite, NaN where there is no infinity, or the
  /// largest or smallest integer.
  Precision precision = Precision::preserve;
  /// Types that are found at run time; must outlive the recorder.
  const Registry* registry = nullptr;
  Watch watch = {};  ///< What to be told of at once; nothing unless it has a callback.
  /// Bytes of records that wait for the disk. A single larger record waits alone.
  std::uint64_t memory = std::uint64_t{256} << 20U;
  WhenFull when_full = WhenFull::block;  ///< What is done where that memory is used up.
  /// Bytes of tensors and text, keys of dicts among it, of all records together, as they are in
  /// memory; what would pass it is left out and counted. A record that is thinned for want of
  /// memory counts as its statistics.
  std::uint64_t most_bytes = (std::numeric_limits<std::uint64_t>::max)();
  /// Data of one file. A single larger record gets a file of its own size.
  std::uint64_t segment_bytes = std::uint64_t{256} << 20U;
  /// Bytes kept for the header of the first file, 4 KiB to 16 MiB of them. Later ones get what
  /// those before needed.
  std::uint64_t header_bytes = std::uint64_t{256} << 10U;
  Durability durability = Durability::none;  ///< What a loss of power may cost.
  /// Whether every tensor gets a checksum, by which `recover_recording` and `verify_file` find
  /// damage.
  bool checksums = true;
  /// Bounds on the depth and nodes of each value, and on the headers of files. Who reads them
  /// counts the nodes of all values of a file together.
  Limits limits = {};
};

/// What became of the calls of one name, or of all: each is kept, filtered, dropped, limited or
/// failed.
struct RecordCounts {
  std::uint64_t calls = 0;     ///< Of `record`.
  std::uint64_t kept = 0;      ///< Written or about to be; those that are thinned among them.
  std::uint64_t filtered = 0;  ///< Left out by the rules.
  std::uint64_t dropped = 0;   ///< Left out for want of memory.
  std::uint64_t thinned = 0;   ///< Kept as statistics for want of memory.
  std::uint64_t limited = 0;   ///< Left out for `RecorderOptions::most_bytes`.
  std::uint64_t failed = 0;    ///< Lost to an error of their own, or after one of the disk.

  friend bool operator==(const RecordCounts&, const RecordCounts&) = default;
};

/// What a recorder has done so far.
struct RecorderReport {
  RecordCounts all;                                        ///< Of all calls.
  std::map<std::string, RecordCounts, std::less<>> names;  ///< Of the calls of each name.
  std::uint64_t written = 0;   ///< Records that the system has; they survive the process.
  std::uint64_t bytes = 0;     ///< Of the tensors and texts of those kept, as they were in memory.
  std::uint64_t segments = 0;  ///< Files that are sealed.
  /// What ended the recording before its end; where nothing did, the first error of one record;
  /// empty where nothing failed.
  std::string error;
};

/// The counts in a line or more, one for each name that lost something.
SAFESTRUCTURES_API std::string to_string(const RecorderReport& report);

}  // namespace safestructures::inline v0
