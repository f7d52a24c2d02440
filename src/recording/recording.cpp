#include <safestructures/recording/recording.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safestructures/format.hpp>
#include "platform/os.hpp"
#include "recording/files.hpp"
#include "recording/prepare.hpp"
#include "recording/unsealed.hpp"

namespace safestructures::inline v0 {

using recording::Frame;
using recording::FrameState;

namespace {

/// The fields of one record. One is looked for behind the one before first: most are there.
class RecordFields {
 public:
  RecordFields(const Value& record, std::size_t index, const std::filesystem::path& file)
      : record_(record), index_(index), file_(file) {}

  /// Null where there is none of that name.
  const Value* find(std::string_view name) {
    if (!record_.is_mapping()) return nullptr;
    const std::vector<Entry>& entries = record_.entries();
    for (std::size_t tries = 0; tries < entries.size(); ++tries) {
      const Entry& entry = entries[next_];
      if (++next_ == entries.size()) next_ = 0;
      if (entry.key.kind() == Kind::string && entry.key.as_string() == name) return &entry.value;
    }
    return nullptr;
  }

  /// \throws Error where it is missing or of another kind
  const Value& field(std::string_view name, Kind kind) {
    const Value* const found = find(name);
    if (found != nullptr && found->kind() == kind) return *found;
    throw Error(ErrorCode::invalid_schema, "a record of a recording lacks a field",
                {.file = file_.string(),
                 .path = path(name),
                 .expected = std::string(to_string(kind)),
                 .found = found == nullptr ? "nothing" : describe(*found)});
  }

  template <class Number>
  Number number(std::string_view name) {
    const Value& value = field(name, Kind::integer);
    const auto found = [&] {
      if constexpr (std::is_signed_v<Number>) return value.as_int64();
      else return value.as_uint64();
    }();
    if (found) return *found;
    throw Error(ErrorCode::out_of_range, "a number of a record does not fit",
                {.file = file_.string(),
                 .path = path(name),
                 .expected = "an integer of 64 bits",
                 .found = describe(value)});
  }

  [[nodiscard]] std::string path(std::string_view name) const {
    return "/" + std::to_string(index_) + "/" + std::string(name);
  }

 private:
  const Value& record_;
  std::size_t index_;
  const std::filesystem::path& file_;
  std::size_t next_ = 0;
};

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
      read_sealed(segment_);
      ++segment_;
      journal_end_ = 0;
      continue;
    }
    // What is sealed in this moment is found in the next round.
    if (read_unsealed(segment_)) continue;
    // A recorder that died leaves one; a later one means that it was not the last.
    if (std::next(next) == segments.end()) break;
    note("segment " + std::to_string(segment_) +
         " is not sealed although there are later ones: 'safestructures recover' seals it");
    ++segment_;
    journal_end_ = 0;
  }
  return records_.size() - before;
}

void Recording::read_sealed(std::uint64_t segment) {
  const std::filesystem::path path = recording::sealed_file(folder_, segment);
  const Document document = Document::open_structure(Source::open(path), load_options());
  add(document, path);
  if (const auto about = document.metadata().find(recording::metadata_key);
      about != document.metadata().end()) {
    about_ = about->second;
    is_closed_ = about_.find("\"closed\": true") != std::string::npos;
  }
}

bool Recording::read_unsealed(std::uint64_t segment) {
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
  std::uint64_t end = 0;
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
    if (data->size() < journal_room_ || frame.end > data->size() - journal_room_ ||
        frame.begin < end)
      break;
    end = frame.end;
    frames.push_back(std::move(found.frame));
    rest = rest.subspan(found.size);
    place += found.size;
  }
  if (frames.empty()) return false;
  const auto file = recording::as_file(std::move(data), journal_room_, frames);
  add(Document::open_structure(file, load_options()), part);
  journal_end_ = place;
  return false;
}

void Recording::add(const Document& document, const std::filesystem::path& path) {
  const auto file = std::make_shared<const std::filesystem::path>(path);
  const Value& root = document.root();
  if (root.kind() != Kind::list)
    throw Error(ErrorCode::invalid_schema, "the file is no segment of a recording",
                {.file = path.string(), .expected = "a list of records", .found = describe(root)});
  namespace fields = recording::fields;
  std::size_t index = 0;
  for (const Value& item : root.items()) {
    RecordFields of_record(item, index++, path);
    Record record(document);
    record.sequence_ = of_record.number<std::uint64_t>(fields::sequence);
    // Those that the journal gave already.
    if (record.sequence_ < next_sequence_) continue;
    record.name_ = of_record.field(fields::name, Kind::string).as_string();
    record.step_ = of_record.number<std::int64_t>(fields::step);
    record.call_ = of_record.number<std::uint64_t>(fields::call);
    record.thread_ = of_record.number<std::uint64_t>(fields::thread);
    record.time_ = of_record.number<std::int64_t>(fields::time);
    record.kept_ = of_record.field(fields::kept, Kind::string).as_string();
    record.value_ = of_record.find(fields::value);
    record.path_ = of_record.path(fields::value);
    record.file_ = file;
    if (record.value_ == nullptr)
      throw Error(ErrorCode::invalid_schema, "a record of a recording lacks a field",
                  {.file = path.string(), .path = record.path_});
    next_sequence_ = record.sequence_ + 1;
    add_name(record);
    records_.push_back(std::move(record));
  }
}

void Recording::add_name(const Record& record) {
  const auto [known, is_new] = by_name_.try_emplace(record.name());
  Named& named = known->second;
  if (is_new) {
    names_.push_back(record.name());
  } else {
    const Record& before = records_[named.places.back()];
    named.has_ascending_steps &= before.step() <= record.step();
    named.has_ascending_calls &= before.call() <= record.call();
  }
  named.places.push_back(records_.size());
}

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
