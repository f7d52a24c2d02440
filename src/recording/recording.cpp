#include <safestructures/recording/recording.hpp>

#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safestructures/format.hpp>
#include "data/text/glob.hpp"
#include "data/text/printable.hpp"
#include "platform/memory.hpp"
#include "recording/open_files.hpp"
#include "recording/record_table.hpp"
#include "recording/segments/files.hpp"
#include "recording/segments/journal.hpp"
#include "recording/segments/segment.hpp"
#include "recording/segments/segment_about.hpp"
#include "recording/segments/segment_header.hpp"
#include "recording/segments/segment_order.hpp"
#include "recording/segments/unsealed.hpp"

namespace safestructures::inline v0 {

using recording::Frame;
using recording::FrameState;
using recording::Segment;

/// The state of what was read so far.
struct Recording::State {
  State(const std::filesystem::path& from, const RecordingOptions& how)
      : folder(recording::from_root(from)), options(how) {}

  void refresh();
  /// Reads sealed segments up to the first one that is not. Checking for each takes a twentieth of
  /// the time of listing the folder.
  void read_all_sealed();
  void read_sealed();
  [[nodiscard]] bool is_sealed() const;
  /// The files of a segment that is not sealed.
  struct Unsealed {
    std::filesystem::path journal;
    std::filesystem::path part;
    std::vector<std::byte> bytes;  // Of the journal, from `journal_end` on.
    std::shared_ptr<const Source> data;
    std::span<const std::byte> rest;  // The bytes that are still to be read.
    std::uint64_t place = 0;          // Where they begin in the journal.

    void pass(std::size_t size) {
      rest = rest.subspan(size);
      place += size;
    }
  };
  /// Returns whether to look again, because the segment was sealed meanwhile.
  bool read_unsealed();
  /// Reads the beginning of the journal; returns false if it is not whole.
  bool read_head(Unsealed& unsealed);
  /// Reads the frames up to the first that is not whole or whose data are missing, which is noted.
  std::vector<Frame> read_frames(Unsealed& unsealed);
  /// Whether the part file has a frame's data.
  [[nodiscard]] bool has_data(const Unsealed& unsealed, const Frame& frame) const;
  void add(const Unsealed& unsealed, std::vector<Frame>& frames);
  void note(std::string problem);
  /// Notes which part of an unsealed segment is missing, unless a recorder is just creating it.
  void note_lone(const std::filesystem::path& journal, const std::filesystem::path& part);
  [[nodiscard]] LoadOptions load_options() const;
  [[nodiscard]] std::shared_ptr<const Source> open(const std::filesystem::path& path,
                                                   const std::filesystem::path& later = {}) const;

  std::filesystem::path folder;
  RecordingOptions options;
  std::shared_ptr<recording::OpenFiles> files = std::make_shared<recording::OpenFiles>();
  platform::SharedBlocks columns;
  recording::RecordTable table;
  recording::SegmentOrder order;  // Of the sealed segments.
  std::vector<std::string> problems;
  std::unordered_set<std::string> noted;  // The same texts.
  std::string about;
  bool is_closed = false;
  std::uint64_t segment = 1;       // The segment to read next.
  std::uint64_t journal_end = 0;   // How much of its journal was read.
  std::uint64_t journal_room = 0;  // Bytes before its data.
  // Records that were asked for, by index: making all of 100,000 took ten times as long as opening.
  std::mutex mutex;
  std::unordered_map<std::size_t, Record> made;
};

bool is_recording(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) &&
         (!recording::list_segments(path).empty() ||
          std::filesystem::exists(recording::lock_file(path), ignored));
}

Recording::Recording(const std::filesystem::path& folder, const RecordingOptions& options)
    : state_(std::make_unique<State>(folder, options)) {
  state_->refresh();
  if (!state_->is_closed) static_cast<void>(recording::segments_of(state_->folder));
}

Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;
Recording::~Recording() = default;

LoadOptions Recording::State::load_options() const {
  return {.format = formats::safestructures(),
          .access = options.access,
          .registry = options.registry,
          .limits = options.limits};
}

std::shared_ptr<const Source> Recording::State::open(const std::filesystem::path& path,
                                                     const std::filesystem::path& later) const {
  // Mapped and loaded files need not stay open.
  return options.access == Access::read ? files->open(path, later) : Source::open(path);
}

void Recording::State::note(std::string problem) {
  if (noted.insert(problem).second) problems.push_back(std::move(problem));
}

void Recording::State::refresh() {
  for (;;) {
    read_all_sealed();
    if (is_closed) return;
    const auto segments = recording::list_segments(folder);
    auto next = segments.lower_bound(segment);
    if (next == segments.end()) return;
    for (; next != segments.end() && !is_closed; ++next) {
      if (next->first != segment) {
        note(recording::missing_text(segment, next->first - 1));
        segment = next->first;
        journal_end = 0;
      }
      if (next->second.sealed) {
        read_sealed();
      } else {
        // A segment sealed at this moment is found in the next round.
        if (read_unsealed()) break;
        // A recorder that died leaves one; if there is a later one, it was not the last.
        if (std::next(next) == segments.end()) return;
        note("segment " + std::to_string(segment) +
             " is not sealed although there are later ones: 'safestructures recover' seals it");
      }
      ++segment;
      journal_end = 0;
    }
  }
}

void Recording::State::read_all_sealed() {
  std::error_code error;
  for (; !is_closed && std::filesystem::exists(recording::sealed_file(folder, segment), error);
       ++segment) {
    read_sealed();
    journal_end = 0;
  }
}

void Recording::State::read_sealed() {
  const std::filesystem::path path = recording::sealed_file(folder, segment);
  const Document document = Document::open_structure(open(path), load_options());
  const auto read = std::make_shared<const Segment>(document, path, columns);
  if (const auto text = document.metadata().find(recording::metadata_key);
      text != document.metadata().end())
    about = text->second;
  const recording::SegmentAbout& said = read->about();
  for (std::string& fault : order.add(segment, path, said, read->columns().sequence))
    note(std::move(fault));
  table.add(read);
  if (!order.is_closed()) return;
  is_closed = true;
  // Does not list the folder, which takes a fifth of the total time; `verify` does.
  std::error_code error;
  if (const std::filesystem::path next = recording::sealed_file(folder, segment + 1);
      std::filesystem::exists(next, error))
    note(recording::behind_text(next, segment));
  // Only if no other problem explains it.
  if (problems.empty() && said.kept && *said.kept > table.size())
    note("the recorder kept " + detail::counted(*said.kept, "record") + ", of which " +
         std::to_string(table.size()) + (table.size() == 1 ? " is" : " are") + " here");
}

void Recording::State::note_lone(const std::filesystem::path& journal,
                                 const std::filesystem::path& part) {
  // A recorder creates the journal before the part, and removes it after renaming the part: a part
  // without a journal is looked at again, since it may have been sealed meanwhile.
  std::error_code error;
  const auto is_there = [&](const std::filesystem::path& path) {
    return std::filesystem::exists(path, error);
  };
  if (is_there(part) && !is_there(journal) && is_there(part))
    return note(part.string() + ": there is no journal that says what is in it");
  const std::uintmax_t size = std::filesystem::file_size(journal, error);
  if (!error && size > recording::journal_head_size && !is_there(part) &&
      !is_there(recording::sealed_file(folder, segment)))
    note(part.string() + " is missing, although its journal lists records in it");
}

bool Recording::State::is_sealed() const {
  std::error_code error;
  return std::filesystem::exists(recording::sealed_file(folder, segment), error);
}

bool Recording::State::read_unsealed() {
  Unsealed unsealed;
  unsealed.journal = recording::journal_file(folder, segment);
  unsealed.part = recording::part_file(folder, segment);
  std::error_code error;
  if (!std::filesystem::exists(unsealed.journal, error) ||
      !std::filesystem::exists(unsealed.part, error)) {
    if (is_sealed()) return true;
    note_lone(unsealed.journal, unsealed.part);
    return false;
  }
  try {
    unsealed.bytes = recording::read_journal(unsealed.journal, journal_end, options.limits);
    unsealed.data = open(unsealed.part, recording::sealed_file(folder, segment));
  } catch (const Error&) {
    if (is_sealed()) return true;
    throw;
  }
  unsealed.rest = unsealed.bytes;
  unsealed.place = journal_end;
  if (unsealed.place == 0 && !read_head(unsealed)) return false;
  if (std::vector<Frame> frames = read_frames(unsealed); !frames.empty()) add(unsealed, frames);
  return false;
}

bool Recording::State::read_head(Unsealed& unsealed) {
  if (unsealed.rest.size() < recording::journal_head_size) {
    // Its head is written before any data.
    if (unsealed.data->size() != 0)
      note(unsealed.journal.string() +
           " ends within its first bytes, so it is unknown what is in " + unsealed.part.string());
    return false;
  }
  try {
    const recording::JournalHead head = recording::read_head(unsealed.rest);
    journal_room = head.room;
    if (head.segment != segment) note(recording::other_number_text(unsealed.journal, head.segment));
  } catch (const Error& fault) {
    throw fault.with_file(unsealed.journal.string());
  }
  unsealed.pass(recording::journal_head_size);
  return true;
}

std::vector<Frame> Recording::State::read_frames(Unsealed& unsealed) {
  std::vector<Frame> frames;
  while (!unsealed.rest.empty()) {
    recording::FoundFrame found;
    try {
      found = recording::read_frame(unsealed.rest, options.limits);
    } catch (const Error& fault) {
      throw fault.with_file(unsealed.journal.string());
    }
    if (found.state != FrameState::whole) {
      // The last frame may be incomplete, if the file system shows writes before they are complete.
      if (recording::find_frame(unsealed.rest, 1))
        note(unsealed.journal.string() + " is damaged at byte " + std::to_string(unsealed.place) +
             ": 'safestructures recover' recovers the rest");
      break;
    }
    if (!has_data(unsealed, found.frame)) {
      note(unsealed.part.string() +
           " ends before data that its journal lists: 'safestructures recover' says how many "
           "records are lost");
      break;
    }
    frames.push_back(std::move(found.frame));
    unsealed.pass(found.size);
  }
  return frames;
}

bool Recording::State::has_data(const Unsealed& unsealed, const Frame& frame) const {
  // The data are written first, so missing data are lost.
  const std::uint64_t size = unsealed.data->size();
  return frame.begin == frame.end || (size >= journal_room && frame.end <= size - journal_room);
}

void Recording::State::add(const Unsealed& unsealed, std::vector<Frame>& frames) {
  if (recording::drop_overlaps(frames) != 0)
    note(unsealed.journal.string() + " has records that claim the same data");
  const auto file = recording::as_file(unsealed.data, journal_room, frames);
  table.add(std::make_shared<const Segment>(Document::open_structure(file, load_options()),
                                            unsealed.part, columns));
  journal_end = unsealed.place;
}

std::size_t Recording::refresh() {
  const std::size_t before = size();
  state_->refresh();
  return size() - before;
}

const recording::RecordTable& recording::RecordTable::of(const Recording& recording) noexcept {
  return recording.state_->table;
}

std::size_t Recording::size() const noexcept { return state_->table.size(); }

const Record& Recording::operator[](std::size_t index) const& {
  const std::lock_guard lock(state_->mutex);
  auto made = state_->made.find(index);
  if (made == state_->made.end()) {
    const auto [part, record] = state_->table.at(index);
    made = state_->made.emplace(index, Record(part->segment, record)).first;
  }
  return made->second;
}

const std::vector<std::string>& Recording::names() const& noexcept { return state_->table.names(); }

bool Recording::is_closed() const noexcept { return state_->is_closed; }

const std::vector<std::string>& Recording::problems() const& noexcept { return state_->problems; }

const std::string& Recording::about() const& noexcept { return state_->about; }

std::vector<std::string> Recording::notes() const {
  std::vector<std::string> notes = problems();
  if (!is_closed()) notes.emplace_back("the recording was not closed, so records may be missing");
  if (const std::string what = recording::read_about(about()).left_out; !what.empty())
    notes.push_back("the recorder left out or thinned records: " + what);
  return notes;
}

const Record* Recording::find(std::string_view name, std::int64_t step) const& {
  const auto found = state_->table.find(name, step);
  return found ? &(*this)[*found] : nullptr;
}

const Record* Recording::find_call(std::string_view name, std::uint64_t call) const& {
  const auto found = state_->table.find_call(name, call);
  return found ? &(*this)[*found] : nullptr;
}

std::vector<const Record*> Recording::select(const std::string& glob) const& {
  std::vector<bool> is_wanted;
  for (const std::string& name : names()) is_wanted.push_back(detail::matches_glob(glob, name));
  std::vector<const Record*> found;
  for (std::size_t i = 0; i < size(); ++i)
    if (is_wanted[state_->table.at(i).name()]) found.push_back(&(*this)[i]);
  return found;
}

std::vector<std::int64_t> Recording::steps() const {
  std::set<std::int64_t> steps;
  for (const recording::RecordTable::Part& part : state_->table.parts())
    for (const std::int64_t step : part.segment->columns().step.subspan(part.skipped))
      steps.insert(step);
  return {steps.begin(), steps.end()};
}

}  // namespace safestructures::inline v0
