// What recording threads run; the background thread's part is in writer.cpp.
#include "recording/recorder/state.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <safestructures/data/error.hpp>
#include "platform/os.hpp"
#include "platform/split_mix.hpp"
#include "platform/system_error.hpp"
#include "recording/recorder/capture.hpp"
#include "recording/recorder/watch.hpp"
#include "recording/segments/files.hpp"

namespace safestructures::inline v0::detail {

using recording::Names;

namespace {

// The approximate memory of a record in the queue, in addition to its value.
constexpr std::uint64_t record_overhead = 256;

std::int64_t now() noexcept {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

/// Returns 16 digits that almost certainly no other recording has.
std::string name_of_run(std::uint64_t process, std::uint64_t recorder) {
  std::uint64_t number = platform::split_mix(static_cast<std::uint64_t>(now()));
  number = platform::split_mix(number ^ process);
  return fmt::format("{:016x}", platform::split_mix(number ^ recorder));
}

void make_folder(const std::filesystem::path& folder, Durability durability) {
  std::error_code error;
  std::vector<std::filesystem::path> parents;  // Of folders that are missing.
  for (std::filesystem::path one = folder;
       durability != Durability::none && one.has_relative_path() &&
       !std::filesystem::exists(one, error);
       one = parents.back())
    parents.push_back(one.parent_path());
  std::filesystem::create_directories(folder, error);
  recording::check_written(error, "cannot create the folder of a recording", folder);
  // A segment is of no use in a folder that is gone after a loss of power.
  for (const std::filesystem::path& parent : parents) {
    platform::os::synchronise_folder(parent, error);
    recording::check_written(error, "cannot synchronise the folder with the disk", parent);
  }
}

void require_empty(const std::filesystem::path& folder) {
  const auto segments = recording::list_segments(folder);
  if (segments.empty()) return;
  throw Error(
      ErrorCode::cannot_write, "the folder already holds a recording",
      {.file = folder.string(),
       .expected = "a folder without one",
       .found = std::to_string(segments.size()) + (segments.size() == 1 ? " segment" : " segments"),
       .advice = "Choose another folder, or remove this one's segments"});
}

[[noreturn]] void refuse_closed(const std::filesystem::path& folder, std::string_view name) {
  throw Error(ErrorCode::invalid_argument, "the recorder is closed",
              {.file = folder.string(), .found = "a record of '" + std::string(name) + "'"});
}

[[noreturn]] void refuse_fork() {
  throw Error(ErrorCode::invalid_argument, "a forked process cannot use its parent's recorder",
              {.advice = "Make a recorder with another folder in the new process"});
}

/// Does what reads a record's value. \throws Error with the record's name in the path
template <class Run>
auto with_name(const recording::RecorderParts& parts, const Names::Entry& name, const Run& run) {
  try {
    return run();
  } catch (const Error& error) {
    throw parts.named(error, name);
  }
}

}  // namespace

RecorderState::RecorderState(const std::filesystem::path& folder, RecorderOptions options)
    : forks_(platform::os::fork_count()),
      parts_(folder, std::move(options)),
      writer_(parts_, name_of_run(platform::os::process_id(), scopes_.id())) {
  recording::require_sound(parts_.options.watch);
  make_folder(parts_.folder, parts_.options.durability);
  lock_ = recording::FolderLock(parts_.folder, "another recorder writes to the folder");
  require_empty(parts_.folder);
  try {
    thread_ = std::thread([this] { writer_.run(); });
  } catch (const std::system_error& error) {
    throw platform::system_error(ErrorCode::cannot_write, "cannot start the thread of a recorder",
                                 parts_.folder, error.code());
  }
}

RecorderState::~RecorderState() = default;

void RecorderState::abandon(std::shared_ptr<RecorderState> self) noexcept {
  self_ = std::move(self);
  try {
    thread_.detach();
  } catch (const std::system_error&) {
    // The thread does not exist in this process.
  }
}

recording::Scopes::Outer RecorderState::enter(std::string_view name) {
  if (name.empty())
    throw Error(ErrorCode::invalid_argument, "a scope has no name",
                {.file = parts_.folder.string(), .expected = "a name"});
  return scopes_.enter(name);
}

Names::Entry* RecorderState::admit(const recording::Scopes::Caller& caller, RecordCall& call) {
  if (parts_.handover.is_closing()) refuse_closed(parts_.folder, caller.name);
  const std::int64_t step = caller.step.value_or(step_.load(std::memory_order_relaxed));
  return parts_.names.admit(caller.name, step, parts_.failure, call);
}

Value RecorderState::value_of(const Names::Entry& name, Encode encode, void* object) const {
  const RecorderOptions& options = parts_.options;
  return with_name(parts_, name, [&] {
    return encode(object, EncodeOptions{.registry = options.registry, .limits = options.limits});
  });
}

void RecorderState::slice(Value& value, const Names::Entry& name) const {
  const KeepRule& rule = *name.second.rule;
  if (rule.keep != Keep::slice) return;
  with_name(parts_, name, [&] { recording::slice_tensors(value, rule.slices); });
}

void RecorderState::record(std::string_view given, Encode encode, void* object, bool moved,
                           std::uint64_t unused) {
  // Another thread may have held a mutex when this process was forked.
  if (!is_own_process()) refuse_fork();
  const recording::Scopes::Caller caller = scopes_.caller(given);
  RecordCall call;
  Names::Entry* const entry = admit(caller, call);
  if (entry == nullptr) return;
  std::optional<WatchFinding> finding;
  try {
    Value value = value_of(*entry, encode, object);
    std::optional<WatchFinding> found;
    if (parts_.options.watch.found)
      found = with_name(parts_, *entry,
                        [&] { return recording::find_watched(value, parts_.options.watch); });
    slice(value, *entry);
    const auto lost = keep(std::move(value), *entry, call, caller.thread, moved, unused);
    if (lost != nullptr) parts_.names.count(*entry, lost);
    if (!found) return;
    found->name = call.name;
    found->step = call.step;
    found->call = call.call;
    finding = std::move(found);
  } catch (...) {
    parts_.names.count(*entry, &RecordCounts::failed);
    throw;
  }
  // If it throws, the record is still kept.
  parts_.options.watch.found(*finding);
}

std::uint64_t RecordCounts::* RecorderState::keep(Value value, Names::Entry& name,
                                                  const RecordCall& call, std::uint32_t thread,
                                                  bool moved, std::uint64_t unused) {
  const KeepRule& rule = *name.second.rule;
  // A slice that is taken over would keep all of its tensor in memory.
  const bool is_taken = moved && rule.keep != Keep::slice;
  Queued queued;
  queued.name = &name;
  const auto measure = [&] {
    const recording::CapturedSize size = recording::captured_size(value, is_taken);
    queued.content = size.content;
    queued.bytes = size.memory + record_overhead;
  };
  measure();
  if (is_taken) queued.bytes += unused;
  if (!parts_.content.allows(queued.content)) return &RecordCounts::limited;
  std::uint64_t RecordCounts::* lost = nullptr;
  if (!reserve(queued.bytes)) {
    if (parts_.failure.has_ended()) return &RecordCounts::failed;
    if (parts_.options.when_full != WhenFull::thin) return &RecordCounts::dropped;
    with_name(parts_, name, [&] { recording::summarise(value); });
    queued.is_summarised = true;
    measure();
    // Statistics of a few numbers take more than the numbers.
    if (!parts_.content.allows(queued.content)) return &RecordCounts::limited;
    // Statistics are small: a sixteenth more holds many.
    if (!parts_.memory.try_reserve_more(queued.bytes)) return &RecordCounts::dropped;
    lost = &RecordCounts::thinned;
  }
  // Only after memory is reserved: counting it and taking it back would limit other records
  // meanwhile.
  if (!parts_.content.try_keep(queued.content)) {
    parts_.memory.release(queued.bytes);
    return &RecordCounts::limited;
  }
  try {
    queued.record.value = with_name(
        parts_, name, [&] { return recording::capture(std::move(value), parts_.pool, is_taken); });
    parts_.pool.leave_room();
    queued.record.head = {.name = call.name,
                          .step = call.step,
                          .call = call.call,
                          .time = now(),
                          .thread = thread,
                          .keep = queued.is_summarised ? Keep::statistics : rule.keep};
    queued.record.precision = rule.precision.value_or(parts_.options.precision);
    push(std::move(queued));
  } catch (...) {
    parts_.content.give_back(queued.content);
    parts_.memory.release(queued.bytes);
    throw;
  }
  return lost;
}

bool RecorderState::reserve(std::uint64_t bytes) {
  if (parts_.memory.try_reserve(bytes)) return true;
  if (parts_.options.when_full != WhenFull::block) return false;
  parts_.handover.hurry();
  if (parts_.memory.wait_and_reserve(bytes)) return true;
  parts_.failure.tell();
  return false;
}

void RecorderState::push(Queued&& queued) {
  Names::Entry& name = *queued.name;
  // First, as a segment that the writer seals with it says what was kept.
  recording::CountedNames::keep(name);
  try {
    // Its call began before close().
    if (!parts_.handover.push(std::move(queued))) refuse_closed(parts_.folder, name.first);
  } catch (...) {
    recording::CountedNames::take_back(name);
    throw;
  }
}

std::uint64_t RecorderState::flush() {
  if (!is_own_process()) refuse_fork();
  const std::uint64_t written = parts_.handover.wait_for_all();
  parts_.failure.tell_again();
  return written;
}

void RecorderState::close(bool even_unused) {
  if (!is_own_process()) refuse_fork();
  if (even_unused || !parts_.names.empty()) writer_.tell_closed();
  if (!parts_.handover.begin_closing()) return parts_.handover.wait_until_closed();
  recording::RecordQueue taken;
  if (parts_.handover.take_last(taken)) writer_.work(taken, true);
  thread_.join();
  lock_.release();
  parts_.handover.end_closing();
  parts_.failure.tell_again();
}

RecorderReport RecorderState::report() const {
  if (!is_own_process()) refuse_fork();
  RecorderReport report;
  report.written = parts_.handover.written();
  report.segments = writer_.segments();
  parts_.names.add_to(report);
  report.bytes = parts_.content.kept();
  report.error = parts_.failure.text();
  return report;
}

}  // namespace safestructures::inline v0::detail
