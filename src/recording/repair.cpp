#include "recording/repair.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safestructures/format.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/tools/document.hpp>
#include "data/keyed_hash.hpp"
#include "data/text/printable.hpp"
#include "platform/mapping.hpp"
#include "platform/os.hpp"
#include "recording/segments/unsealed.hpp"

namespace safestructures::inline v0::recording {
namespace {

std::uint64_t size_of(const std::filesystem::path& path) {
  const std::optional<platform::os::Status> status = status_of(path);
  return status ? status->size : 0;
}

}  // namespace

RepairProgress::RepairProgress(const RecoverOptions& options, const std::filesystem::path& folder)
    : options_(options) {
  if (!options.progress) return;
  for (const auto& [segment, files] : list_segments(folder))
    if (is_to_repair(files)) all_ += size_of(part_file(folder, segment));
}

void RepairProgress::add(std::uint64_t bytes) {
  bytes = std::min(bytes, left_);
  left_ -= bytes;
  if (options_.progress && bytes != 0) options_.progress(bytes, all_);
}

Repair::Repair(const std::filesystem::path& folder, std::uint64_t segment,
               const RecoverOptions& options, RepairProgress& progress, RecoveryReport& report)
    : folder_(folder),
      segment_(segment),
      options_(options),
      progress_(progress),
      report_(report),
      part_path_(part_file(folder, segment)),
      journal_path_(journal_file(folder, segment)) {}

void Repair::run() {
  progress_.begin(size_of(part_path_));
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
  progress_.end();
}

void Repair::repair() {
  std::vector<std::byte> bytes;
  std::optional<Journal> journal;
  try {
    bytes = read_journal(journal_path_, 0, options_.limits);
    journal = read_frames(bytes, options_.limits);
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

void Repair::lose(std::uint64_t records, const std::string& what) {
  report_.lost += records;
  report_.losses.push_back(part_path_.filename().string() + ": " + what);
}

void Repair::remove(const std::string& why) {
  platform::os::remove(part_path_);
  platform::os::remove(journal_path_);
  report_.notes.push_back(why + " " + part_path_.filename().string() + ", which is removed");
}

void Repair::seal(Journal journal) {
  head_ = journal.head;
  // Checked before memory is allocated for it.
  if (head_.room < 8 || head_.room % 8 != 0 || head_.room > options_.limits.header_bytes)
    return lose(journal.frames.size(),
                "the journal cannot be used: it says that the data begin at byte " +
                    std::to_string(head_.room));
  if (!open_data(journal.frames.size())) return;
  Found found = check(journal);
  add_to_header(found.sound);
  report_lost(found, journal.damaged_bytes);
  if (header_.records() == 0) {
    if (found.damaged == 0 && journal.damaged_bytes == 0)
      return remove("no record was finished in");
    return;  // The files stay, in case someone can make use of them.
  }
  const std::uint64_t end = head_.room + header_.end();
  const std::uint64_t cut = data_->size() > end ? data_->size() - end : 0;
  write();
  report_sealed(found.refused, cut);
}

bool Repair::open_data(std::uint64_t records) {
  try {
    // Otherwise the target of the link would be written.
    const std::optional<platform::os::Status> status = status_of(part_path_);
    if (status && status->kind == platform::os::Kind::link)
      throw Error(ErrorCode::cannot_open, "the file is a link");
    data_.emplace(part_path_);
    source_ = Source::open(part_path_);
    return true;
  } catch (const Error& error) {
    // Go on with the other segments.
    lose(records, "the data cannot be read: " + std::string(error.what()));
    return false;
  }
}

Repair::Found Repair::check(Journal& journal) {
  Found found;
  std::optional<std::uint64_t> last;
  for (std::size_t i = 0; i < journal.frames.size(); ++i) {
    Frame& frame = journal.frames[i];
    const std::uint64_t sequence = frame.head.sequence;
    if (last && sequence <= *last) {
      ++found.damaged;
      continue;
    }
    // A record that could not be saved has a number but no frame, between others that are whole.
    if (last) (journal.are_behind_damage[i] ? found.lost : found.refused) += sequence - *last - 1;
    last = sequence;
    if (check(frame)) found.sound.push_back(std::move(frame));
    else ++found.damaged;
  }
  found.damaged += drop_overlaps(found.sound);
  return found;
}

bool Repair::check(const Frame& frame) {
  // Without data it needs no room, which not every file system reserves.
  if (frame.begin != frame.end &&
      (data_->size() < head_.room || frame.end > data_->size() - head_.room))
    return false;
  if (head_.checksums && !has_hashes(frame)) return false;
  return frame.is_lone_tensor() || has_valid_schema(frame);
}

bool Repair::has_hashes(const Frame& frame) {
  return std::ranges::all_of(frame.tensors, [&](const StoredTensor& tensor) {
    progress_.add(tensor.end - tensor.begin);
    return hash_of(tensor.begin, tensor.end) == tensor.hash;
  });
}

bool Repair::has_valid_schema(const Frame& frame) const {
  std::unordered_map<std::string_view, const StoredTensor*, detail::KeyedHash> tensors;
  for (const StoredTensor& tensor : frame.tensors) tensors.emplace(tensor.name, &tensor);
  try {
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
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::limit_exceeded) throw;
    return false;
  }
}

void Repair::add_to_header(std::vector<Frame>& sound) {
  std::vector<Frame*> frames;
  frames.reserve(sound.size());
  for (Frame& frame : sound) frames.push_back(&frame);
  header_.add(frames, [&](std::uint64_t begin, std::uint64_t end) {
    return head_.checksums ? hash_of(begin, end) : 0;
  });
}

void Repair::report_lost(const Found& found, std::uint64_t damaged_bytes) {
  using detail::counted;
  if (found.damaged != 0)
    lose(found.damaged,
         "the data of " + counted(found.damaged, "record") + " are damaged or missing");
  if (found.lost != 0)
    lose(found.lost, counted(found.lost, "record") + " of the sequence are not in the journal");
  if (damaged_bytes != 0 && found.lost == 0)
    lose(1, "the journal is damaged, " + counted(damaged_bytes, "byte"));
}

std::uint64_t Repair::hash_of(std::uint64_t begin, std::uint64_t end) {
  const auto size = static_cast<std::size_t>(end - begin);
  if (size == 0) return recording::hash_of({});
  const auto mapping = platform::Mapping::of(*data_, head_.room + begin, size);
  return recording::hash_of(mapping->bytes());
}

void Repair::write() {
  const std::string about = "{\"version\": " + std::to_string(layout_version) +
                            ", \"segment\": " + std::to_string(head_.segment) +
                            ", \"closed\": false, \"recovered\": true}";
  // Including the zeros: a recorder that died while sealing may have written something else there.
  const std::string header = header_.front(about, head_.room, head_.checksums).text();
  // Parsed by the same code as every untrusted file, before anything is changed.
  static_cast<void>(
      Document::open(behind_header(header, source_, head_.room, header_.end()),
                     {.format = formats::safestructures(), .limits = options_.limits}));
  std::error_code error;
  platform::os::File file = platform::os::open_for_writing(part_path_, error);
  check_written(error, "cannot open the file for writing", part_path_);
  write_at(file, part_path_, 0, std::as_bytes(std::span(header)));
  platform::os::resize(file, head_.room + header_.end(), error);
  check_written(error, "cannot cut the file to its size", part_path_);
  platform::os::synchronise(file, error);
  check_written(error, "cannot synchronise the file with the disk", part_path_);
  check_written(file.close(), "cannot finish writing the file", part_path_);
  platform::os::rename(part_path_, sealed_file(folder_, segment_), error);
  check_written(error, "cannot rename the file", part_path_);
  platform::os::synchronise_folder(folder_, error);
  check_written(error, "the file is in place, but cannot synchronise its folder", part_path_);
  platform::os::remove(journal_path_);
}

void Repair::report_sealed(std::uint64_t refused, std::uint64_t cut) {
  using detail::counted;
  const std::uint64_t records = header_.records();
  ++report_.repaired;
  report_.recovered += records;
  report_.cut_bytes += cut;
  report_.notes.push_back(
      sealed_file(folder_, segment_).filename().string() + ": " + counted(records, "record") +
      " recovered" +
      (refused == 0 ? ""
                    : ", without " + std::to_string(refused) + " that the recorder had refused") +
      (cut == 0 ? "" : ", " + counted(cut, "byte") + " of others cut off"));
}

}  // namespace safestructures::inline v0::recording
