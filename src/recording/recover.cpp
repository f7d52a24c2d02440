#include <safestructures/recording/recover.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safestructures/format.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/document.hpp>
#include "data/keyed_hash.hpp"
#include "data/text/printable.hpp"
#include "platform/file.hpp"
#include "platform/mapping.hpp"
#include "platform/memory.hpp"
#include "platform/os.hpp"
#include "platform/system_error.hpp"
#include "recording/segments/files.hpp"
#include "recording/segments/frame.hpp"
#include "recording/segments/journal.hpp"
#include "recording/segments/segment.hpp"
#include "recording/segments/segment_header.hpp"
#include "recording/segments/unsealed.hpp"

namespace safestructures::inline v0 {

using recording::Frame;
using recording::Journal;
using recording::JournalHead;
using recording::SegmentHeader;
using recording::StoredTensor;

namespace {

/// Returns the status of a file, not following links; null if it does not exist. \throws Error
/// `cannot_read`
std::optional<platform::os::Status> status_of(const std::filesystem::path& path) {
  std::error_code error;
  const platform::os::Status status = platform::os::status(path, error);
  if (error == std::errc::no_such_file_or_directory) return std::nullopt;
  if (error)
    throw platform::system_error(ErrorCode::cannot_read, "cannot examine the file", path, error);
  return status;
}

std::uint64_t size_of(const std::filesystem::path& path) {
  const std::optional<platform::os::Status> status = status_of(path);
  return status ? status->size : 0;
}

bool is_to_repair(const recording::SegmentFiles& files) { return !files.sealed && files.journal; }

/// Reports progress, which for each segment adds up to the size of its file.
class Checked {
 public:
  Checked(const RecoverOptions& options, const std::filesystem::path& folder) : options_(options) {
    if (!options.progress) return;
    for (const auto& [segment, files] : recording::list_segments(folder))
      if (is_to_repair(files)) all_ += size_of(recording::part_file(folder, segment));
  }

  /// \param bytes of the segment; the total is capped at what `begin` was given
  void add(std::uint64_t bytes) {
    bytes = std::min(bytes, left_);
    left_ -= bytes;
    if (options_.progress && bytes != 0) options_.progress(bytes, all_);
  }
  void begin(std::uint64_t size) { left_ = size; }
  /// Adds what needed no check: the room for the header, and what is cut off.
  void end() { add(left_); }

 private:
  const RecoverOptions& options_;
  std::uint64_t all_ = 0;
  std::uint64_t left_ = 0;
};

/// Repairs one unsealed segment.
class Repair {
 public:
  Repair(const std::filesystem::path& folder, std::uint64_t segment, const RecoverOptions& options,
         Checked& checked, RecoveryReport& report)
      : folder_(folder),
        segment_(segment),
        options_(options),
        checked_(checked),
        report_(report),
        part_path_(recording::part_file(folder, segment)),
        journal_path_(recording::journal_file(folder, segment)) {}

  void run() {
    checked_.begin(size_of(part_path_));
    try {
      repair();
    } catch (const Error& error) {
      // Not damage: with a higher limit everything is intact.
      if (error.code() != ErrorCode::limit_exceeded) throw;
      ErrorDetails details = error.details();
      details.file.clear();
      const Error here(error.code(), error.problem(), std::move(details));
      lose(0, "stays as it is: " + std::string(here.what()));
    }
    checked_.end();
  }

 private:
  void repair() {
    std::vector<std::byte> bytes;
    std::optional<Journal> journal;
    try {
      bytes = recording::read_journal(journal_path_, 0, options_.limits);
      journal = recording::read_frames(bytes, options_.limits);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::limit_exceeded) throw;
      // Either it was cut within its first bytes, before there were data, or it is damaged.
      if (error.code() != ErrorCode::truncated || size_of(part_path_) != 0)
        return lose(0, "the journal cannot be used: " + std::string(error.with_file("").what()));
    }
    if (!journal || !status_of(part_path_)) {
      if (journal && !journal->frames.empty())
        return lose(journal->frames.size(), "the data of a segment are missing");
      return remove("no record was finished in");
    }
    seal(std::move(*journal));
  }

  void lose(std::uint64_t records, const std::string& what) {
    report_.lost += records;
    report_.losses.push_back(part_path_.filename().string() + ": " + what);
  }
  void remove(const std::string& why) {
    platform::os::remove(part_path_);
    platform::os::remove(journal_path_);
    report_.notes.push_back(why + " " + part_path_.filename().string() + ", which is removed");
  }

  void seal(Journal journal);
  /// Whether a frame's data exist and are what was written.
  /// \throws Error `limit_exceeded` if they are, but exceed a limit
  bool check(const Frame& frame);
  std::uint64_t hash_of(std::uint64_t begin, std::uint64_t end);
  void write(bool checksums);

  const std::filesystem::path& folder_;
  std::uint64_t segment_;
  const RecoverOptions& options_;
  Checked& checked_;
  RecoveryReport& report_;
  std::filesystem::path part_path_;
  std::filesystem::path journal_path_;
  JournalHead head_;
  std::optional<platform::InputFile> data_;
  std::shared_ptr<const Source> source_;  // The same file, for tensors that nobody reads.
  SegmentHeader header_;
};

std::uint64_t Repair::hash_of(std::uint64_t begin, std::uint64_t end) {
  const auto size = static_cast<std::size_t>(end - begin);
  if (size == 0) return recording::hash_of({});
  const auto mapping = platform::Mapping::of(*data_, head_.room + begin, size);
  return recording::hash_of(mapping->bytes());
}

bool Repair::check(const Frame& frame) {
  // Without data it needs no room, which not every file system reserves.
  if (frame.begin != frame.end &&
      (data_->size() < head_.room || frame.end > data_->size() - head_.room))
    return false;
  const auto is_sound = [&](const StoredTensor& tensor) {
    checked_.add(tensor.end - tensor.begin);
    return hash_of(tensor.begin, tensor.end) == tensor.hash;
  };
  if (head_.checksums && !std::ranges::all_of(frame.tensors, is_sound)) return false;
  if (frame.is_lone_tensor()) return true;
  std::unordered_map<std::string_view, const StoredTensor*, detail::KeyedHash> tensors;
  for (const StoredTensor& tensor : frame.tensors) tensors.emplace(tensor.name, &tensor);
  try {
    // It must be valid on its own: one record's text must not spoil those of others.
    static_cast<void>(schema::read(
        frame.schema,
        [&](std::string_view name) -> std::optional<Tensor> {
          const auto found = tensors.find(name);
          if (found == tensors.end()) return std::nullopt;
          const StoredTensor& tensor = *found->second;
          return Tensor::deferred(tensor.dtype, tensor.shape, source_, head_.room + tensor.begin,
                                  tensor.name);
        },
        options_.limits));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::limit_exceeded) throw;
    return false;
  }
  return true;
}

void Repair::seal(Journal journal) {
  head_ = journal.head;
  // Checked before memory is allocated for it.
  if (head_.room < 8 || head_.room % 8 != 0 || head_.room > options_.limits.header_bytes)
    return lose(journal.frames.size(),
                "the journal cannot be used: it says that the data begin at byte " +
                    std::to_string(head_.room));
  try {
    // Otherwise the target of the link would be written.
    const std::optional<platform::os::Status> status = status_of(part_path_);
    if (status && status->kind == platform::os::Kind::link)
      throw Error(ErrorCode::cannot_open, "the file is a link");
    data_.emplace(part_path_);
    source_ = Source::open(part_path_);
  } catch (const Error& error) {
    // Go on with the other segments.
    return lose(journal.frames.size(), "the data cannot be read: " + std::string(error.what()));
  }
  std::uint64_t lost = 0;
  std::uint64_t damaged = 0;
  std::uint64_t refused = 0;
  std::optional<std::uint64_t> last;
  std::vector<Frame> sound;
  for (std::size_t i = 0; i < journal.frames.size(); ++i) {
    Frame& frame = journal.frames[i];
    const std::uint64_t sequence = frame.head.sequence;
    if (last && sequence <= *last) {
      ++damaged;
      continue;
    }
    // A record that could not be saved has a number but no frame, between others that are whole.
    if (last) (journal.are_behind_damage[i] ? lost : refused) += sequence - *last - 1;
    last = sequence;
    if (check(frame)) sound.push_back(std::move(frame));
    else ++damaged;
  }
  damaged += recording::drop_overlaps(sound);
  std::vector<Frame*> frames;
  frames.reserve(sound.size());
  for (Frame& frame : sound) frames.push_back(&frame);
  header_.add(frames, [&](std::uint64_t begin, std::uint64_t end) {
    return head_.checksums ? hash_of(begin, end) : 0;
  });
  if (damaged != 0)
    lose(damaged, "the data of " + detail::counted(damaged, "record") + " are damaged or missing");
  if (lost != 0)
    lose(lost, detail::counted(lost, "record") + " of the sequence are not in the journal");
  if (journal.damaged_bytes != 0 && lost == 0)
    lose(1, "the journal is damaged, " + detail::counted(journal.damaged_bytes, "byte"));
  if (header_.records() == 0) {
    if (damaged == 0 && journal.damaged_bytes == 0) return remove("no record was finished in");
    return;  // The files stay, in case someone can make use of them.
  }
  const std::uint64_t end = head_.room + header_.end();
  const std::uint64_t cut = data_->size() > end ? data_->size() - end : 0;
  const std::uint64_t records = header_.records();
  write(head_.checksums);
  ++report_.repaired;
  report_.recovered += records;
  report_.cut_bytes += cut;
  report_.notes.push_back(
      recording::sealed_file(folder_, segment_).filename().string() + ": " +
      detail::counted(records, "record") + " recovered" +
      (refused == 0 ? ""
                    : ", without " + std::to_string(refused) + " that the recorder had refused") +
      (cut == 0 ? "" : ", " + detail::counted(cut, "byte") + " of others cut off"));
}

void Repair::write(bool checksums) {
  const std::string about = "{\"version\": " + std::to_string(recording::layout_version) +
                            ", \"segment\": " + std::to_string(head_.segment) +
                            ", \"closed\": false, \"recovered\": true}";
  // Including the zeros: a recorder that died while sealing may have written something else there.
  const std::string header = header_.front(about, head_.room, checksums).text();
  // Parsed by the same code as every untrusted file, before anything is changed.
  static_cast<void>(
      Document::open(recording::behind_header(header, source_, head_.room, header_.end()),
                     {.format = formats::safestructures(), .limits = options_.limits}));
  std::error_code error;
  platform::os::File file = platform::os::open_for_writing(part_path_, error);
  recording::check_written(error, "cannot open the file for writing", part_path_);
  recording::write_at(file, part_path_, 0, std::as_bytes(std::span(header)));
  platform::os::resize(file, head_.room + header_.end(), error);
  recording::check_written(error, "cannot cut the file to its size", part_path_);
  platform::os::synchronise(file, error);
  recording::check_written(error, "cannot synchronise the file with the disk", part_path_);
  recording::check_written(file.close(), "cannot finish writing the file", part_path_);
  platform::os::rename(part_path_, recording::sealed_file(folder_, segment_), error);
  recording::check_written(error, "cannot rename the file", part_path_);
  platform::os::synchronise_folder(folder_, error);
  recording::check_written(error, "the file is in place, but cannot synchronise its folder",
                           part_path_);
  platform::os::remove(journal_path_);
}

/// Returns why a sealed file cannot be read as a segment; null if it can.
std::optional<Error> fault_of(const std::filesystem::path& path, const RecoverOptions& options) {
  try {
    platform::SharedBlocks columns;
    const Document document =
        Document::open(path, {.format = formats::safestructures(), .limits = options.limits});
    static_cast<void>(recording::Segment(document, path, columns));
    return std::nullopt;
  } catch (const Error& error) {
    return error.with_file(path.string());
  }
}

/// Checks the files next to a sealed one, which may be all that is left of the segment's records:
/// if the sealed file is damaged or not the recorder's, they stay. \returns false in that case
bool check_sealed(const std::filesystem::path& folder, std::uint64_t segment,
                  const recording::SegmentFiles& files, const RecoverOptions& options,
                  RecoveryReport& report) {
  const std::string part = recording::part_file(folder, segment).filename().string();
  const std::filesystem::path path = recording::journal_file(folder, segment);
  const std::string journal = path.filename().string();
  const auto fault = files.journal ? fault_of(recording::sealed_file(folder, segment), options)
                                   : std::optional<Error>();
  if (fault && !files.part && fault->code() == ErrorCode::unsupported_version) {
    // It may be whole, which who knows its layout can tell, and the journal is what is left of it.
    report.losses.push_back(fault->what());
  } else if (fault) {
    const std::string advice =
        files.part
            ? part + " and " + journal + " may have its records: move this file out of the folder"
            : journal + " may have its records: rename this file to " + part;
    report.losses.push_back(fault->what() + (" " + advice) + ", and recover again");
  } else if (files.part) {
    report.losses.push_back(part + ": there is already a sealed segment with its number");
  } else if (files.journal) {
    platform::os::remove(path);
    report.notes.push_back(journal + ": left over from a sealed segment, removed");
  }
  return !fault;
}

/// Adds contradictions between segments.
void check_order(const std::filesystem::path& folder, const RecoverOptions& options,
                 RecoveryReport& report) {
  // Segments that are still not sealed were already reported.
  for (const auto& [segment, files] : recording::list_segments(folder))
    if (!files.sealed) return;
  try {
    const Recording run(folder, {.access = Access::read, .limits = options.limits});
    for (const std::string& problem : run.problems())
      if (std::ranges::find(report.losses, problem) == report.losses.end())
        report.losses.push_back(problem);
  } catch (const Error& error) {
    report.losses.emplace_back(error.what());
  }
}

}  // namespace

RecoveryReport recover_recording(const std::filesystem::path& folder,
                                 const RecoverOptions& options) {
  // A folder that is not a recording must not get a lock file.
  static_cast<void>(recording::segments_of(folder));
  const platform::os::File lock = recording::lock(folder, "the recording is still being written");
  RecoveryReport report;
  if (const std::filesystem::path path = recording::new_file(folder); status_of(path)) {
    platform::os::remove(path);
    if (status_of(path))
      report.losses.push_back(path.filename().string() +
                              ": cannot be removed, and is in the way of a recorder");
    else
      report.notes.push_back("no record was finished in " + path.filename().string() +
                             ", which is removed");
  }
  Checked checked(options, folder);
  std::uint64_t expected = 1;
  bool is_readable = true;
  for (const auto& [segment, files] : recording::list_segments(folder)) {
    if (segment != expected)
      report.losses.push_back(recording::missing_text(expected, segment - 1));
    expected = segment + 1;
    if (is_to_repair(files)) {
      Repair(folder, segment, options, checked, report).run();
      continue;
    }
    if (!files.sealed) {
      report.losses.push_back(recording::part_file(folder, segment).filename().string() +
                              ": there is no journal that says what is in it");
    } else if (check_sealed(folder, segment, files, options, report)) {
      ++report.sealed;
    } else {
      is_readable = false;
    }
  }
  // What cannot be read was already reported.
  if (is_readable) check_order(folder, options, report);
  return report;
}

}  // namespace safestructures::inline v0
