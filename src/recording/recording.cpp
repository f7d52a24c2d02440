#include <safestructures/recording/recording.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safestructures/format.hpp>
#include "data/box_arena.hpp"
#include "platform/os.hpp"
#include "recording/files.hpp"
#include "recording/segment_columns.hpp"
#include "recording/segment_header.hpp"
#include "recording/segment_rows.hpp"
#include "recording/unsealed.hpp"

namespace safestructures::inline v0 {

using recording::Frame;
using recording::FrameState;

namespace {

/// The first place with that number.
template <class Number, class NumberOf>
std::optional<std::size_t> first_of(const std::vector<std::size_t>& places, bool is_ascending,
                                    Number number, const NumberOf& number_of) {
  const auto found = is_ascending ? std::ranges::lower_bound(places, number, {}, number_of)
                                  : std::ranges::find(places, number, number_of);
  if (found == places.end() || number_of(*found) != number) return std::nullopt;
  return *found;
}

}  // namespace

Recording::Recording(std::filesystem::path folder, const RecordingOptions& options)
    : folder_(std::move(folder)), options_(options) {
  static_cast<void>(recording::segments_of(folder_));
  refresh();
}

LoadOptions Recording::load_options() const {
  return {.format = formats::safestructures(),
          .access = options_.access,
          .registry = options_.registry,
          .limits = options_.limits};
}

void Recording::note(std::string problem) {
  if (std::ranges::find(problems_, problem) == problems_.end())
    problems_.push_back(std::move(problem));
}

std::size_t Recording::refresh() {
  const std::size_t before = records_.size();
  recording::RowMemory memory;
  while (!is_closed_) {
    const auto segments = recording::list_segments(folder_);
    const auto next = segments.lower_bound(segment_);
    if (next == segments.end()) break;
    if (next->first != segment_) {
      note("segment " + std::to_string(segment_) + " is missing");
      segment_ = next->first;
      journal_end_ = 0;
    }
    if (next->second.sealed) {
      read_sealed(segment_, memory);
      ++segment_;
      journal_end_ = 0;
      continue;
    }
    // What is sealed in this moment is found in the next round.
    if (read_unsealed(segment_, memory)) continue;
    // A recorder that died leaves one; a later one means that it was not the last.
    if (std::next(next) == segments.end()) break;
    note("segment " + std::to_string(segment_) +
         " is not sealed although there are later ones: 'safestructures recover' seals it");
    ++segment_;
    journal_end_ = 0;
  }
  return records_.size() - before;
}

void Recording::read_sealed(std::uint64_t segment, recording::RowMemory& memory) {
  const std::filesystem::path path = recording::sealed_file(folder_, segment);
  const Document document = Document::open_structure(Source::open(path), load_options());
  add(document, path, memory);
  if (const auto about = document.metadata().find(recording::metadata_key);
      about != document.metadata().end()) {
    about_ = about->second;
    is_closed_ = about_.find("\"closed\": true") != std::string::npos;
  }
}

bool Recording::read_unsealed(std::uint64_t segment, recording::RowMemory& memory) {
  const std::filesystem::path journal = recording::journal_file(folder_, segment);
  const std::filesystem::path part = recording::part_file(folder_, segment);
  std::error_code error;
  const bool is_there = std::filesystem::exists(journal, error);
  if (!is_there || !std::filesystem::exists(part, error))
    return std::filesystem::exists(recording::sealed_file(folder_, segment), error);
  std::vector<std::byte> bytes;
  std::shared_ptr<const Source> data;
  try {
    bytes = recording::read_journal(journal, journal_end_, options_.limits);
    data = Source::open(part);
  } catch (const Error&) {
    if (std::filesystem::exists(recording::sealed_file(folder_, segment), error)) return true;
    throw;
  }
  std::span<const std::byte> rest = bytes;
  std::uint64_t place = journal_end_;
  if (place == 0) {
    if (rest.size() < recording::journal_head_size) return false;
    try {
      journal_room_ = recording::read_head(rest).room;
    } catch (const Error& fault) {
      throw fault.with_file(journal.string());
    }
    rest = rest.subspan(recording::journal_head_size);
    place = recording::journal_head_size;
  }
  std::vector<Frame> frames;
  while (!rest.empty()) {
    recording::FoundFrame found = recording::read_frame(rest, options_.limits);
    if (found.state != FrameState::whole) {
      // The last one may be half there, in a file system that shows a write before it is whole.
      if (recording::find_frame(rest, 1))
        note(journal.string() + " is damaged at byte " + std::to_string(place) +
             ": 'safestructures recover' gives what is behind it");
      break;
    }
    const Frame& frame = found.frame;
    // The data are written first: what is not there is lost.
    if (data->size() < journal_room_ || frame.end > data->size() - journal_room_) break;
    frames.push_back(std::move(found.frame));
    rest = rest.subspan(found.size);
    place += found.size;
  }
  if (frames.empty()) return false;
  if (recording::drop_overlaps(frames) != 0)
    note(journal.string() + " has records that say to have the same data");
  const auto file = recording::as_file(std::move(data), journal_room_, frames);
  add(Document::open_structure(file, load_options()), part, memory);
  journal_end_ = place;
  return false;
}

void Recording::add(const Document& document, const std::filesystem::path& path,
                    recording::RowMemory& memory) {
  const auto file =
      std::make_shared<const detail::SegmentFile>(detail::SegmentFile{document, path});
  const recording::SegmentParts parts = recording::read_parts(file->document.root(), path);
  const recording::SegmentColumns& columns = parts.columns;
  std::vector<Named*> named(parts.names->size());
  const detail::BoxArena arena;  // Of 100,000 rows.
  recording::SegmentRows rows(columns.sequence.size(), memory);
  for (std::size_t i = 0; i < columns.sequence.size(); ++i) {
    // Those that the journal gave already.
    if (columns.sequence[i] < next_sequence_) continue;
    Record record;
    record.segment_ = file;
    record.name_ = &(*parts.names)[columns.name[i]].as_string();
    record.sequence_ = columns.sequence[i];
    record.step_ = columns.step[i];
    record.call_ = columns.call[i];
    record.time_ = columns.time[i];
    record.thread_ = columns.thread[i];
    record.kept_ = static_cast<Keep>(columns.kept[i]);
    record.value_place_ = columns.value[i];
    record.row_place_ = columns.row[i];
    const Value& value = (*parts.values)[record.value_place_];
    if (record.row_place_ == recording::no_row) record.whole_ = &value;
    else record.row_ = rows.at(value, record.row_place_);
    next_sequence_ = record.sequence_ + 1;
    add_name(record, named[columns.name[i]]);
    records_.push_back(std::move(record));
  }
}

void Recording::add_name(const Record& record, Named*& known) {
  if (known == nullptr) {
    const auto [found, is_new] = by_name_.try_emplace(record.name());
    if (is_new) names_.push_back(record.name());
    known = &found->second;
  }
  Named& named = *known;
  if (!named.places.empty()) {
    const Record& before = records_[named.places.back()];
    named.has_ascending_steps &= before.step() <= record.step();
    named.has_ascending_calls &= before.call() <= record.call();
  }
  named.places.push_back(records_.size());
}

Path Record::place() const {
  Path path;
  path.push_back(std::string(recording::fields::values));
  path.push_back(std::to_string(value_place_));
  if (row_place_ != recording::no_row) path.push_back(std::to_string(row_place_));
  return path;
}

Node Record::node() const { return segment_->document.node(place(), value()); }

const Record* Recording::find(std::string_view name, std::int64_t step) const& {
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return nullptr;
  const Named& named = known->second;
  const auto step_of = [&](std::size_t place) { return records_[place].step(); };
  const auto found = first_of(named.places, named.has_ascending_steps, step, step_of);
  return found ? &records_[*found] : nullptr;
}

const Record* Recording::find_call(std::string_view name, std::uint64_t call) const& {
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return nullptr;
  const Named& named = known->second;
  const auto call_of = [&](std::size_t place) { return records_[place].call(); };
  const auto found = first_of(named.places, named.has_ascending_calls, call, call_of);
  return found ? &records_[*found] : nullptr;
}

std::vector<const Record*> Recording::select(const std::string& glob) const& {
  std::set<std::string_view> wanted;
  for (const std::string& name : names_)
    if (platform::os::matches_glob(glob.c_str(), name.c_str())) wanted.insert(name);
  std::vector<const Record*> found;
  for (const Record& record : records_)
    if (wanted.contains(record.name())) found.push_back(&record);
  return found;
}

std::vector<std::int64_t> Recording::steps() const {
  std::set<std::int64_t> steps;
  for (const Record& record : records_) steps.insert(record.step());
  return {steps.begin(), steps.end()};
}

}  // namespace safestructures::inline v0
