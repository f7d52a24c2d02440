// The part of RecorderState that recording threads run; the writer's part is in writer.cpp.
#include "recording/recorder/state.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include <safestructures/data/error.hpp>
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
// From this size on, the writer is woken instead of left to look for itself.
constexpr std::uint64_t call_writer_from = std::uint64_t{1} << 20U;

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

/// Absolute, because the program may change its current folder.
std::filesystem::path from_root(const std::filesystem::path& folder) {
  std::error_code error;  // Set if the current folder was removed.
  std::filesystem::path whole = std::filesystem::absolute(folder, error);
  return error ? folder : whole;
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  recording::check_written(error, "cannot create the folder of a recording", folder);
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

}  // namespace

/// The data that a recorder keeps for a thread.
struct RecorderState::ThisThread {
  std::weak_ptr<const std::uint64_t> recorder;
  std::uint64_t id = 0;
  std::uint32_t number = 0;
  std::string prefix;  // Including the trailing dot.
  std::string name;    // Storage for a whole name.
};

RecorderState::RecorderState(const std::filesystem::path& folder, RecorderOptions options)
    : folder_(from_root(folder)),
      options_(std::move(options)),
      forks_(platform::os::fork_count()),
      pool_(options_.memory),
      names_(options_.rules, folder_.string()),
      room_bytes_(std::clamp<std::uint64_t>(options_.header_bytes, 4096, 1U << 24U) / 4096 * 4096) {
  static std::atomic<std::uint64_t> count{0};
  id_ = std::make_shared<const std::uint64_t>(++count);
  run_ = name_of_run(platform::os::process_id(), *id_);
  recording::require_sound(options_.watch);
  make_folder(folder_);
  lock_ = recording::lock(folder_, "another recorder writes to the folder");
  require_empty(folder_);
  try {
    writer_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    throw platform::system_error(ErrorCode::cannot_write, "cannot start the thread of a recorder",
                                 folder_, error.code());
  }
}

RecorderState::~RecorderState() = default;

void RecorderState::abandon(std::shared_ptr<RecorderState> self) noexcept {
  self_ = std::move(self);
  try {
    writer_.detach();
  } catch (const std::system_error&) {
    // The thread does not exist in this process.
  }
}

RecorderState::ThisThread& RecorderState::this_thread() {
  // Not a thread_local or static object: objects destroyed later, when the thread or the program
  // ends, may still leave a scope or record.
  thread_local std::vector<ThisThread>* known = nullptr;
  if (known == nullptr) {
    // Objects that the system destroys after it get a new one.
    static const platform::os::ThreadEnd freed([](void*) { delete std::exchange(known, nullptr); });
    known = new std::vector<ThisThread>;
    freed.keep(known);
  }
  const auto found = std::ranges::find(*known, *id_, &ThisThread::id);
  if (found != known->end()) return *found;
  std::erase_if(*known, [](const ThisThread& one) { return one.recorder.expired(); });
  return known->emplace_back(ThisThread{id_, *id_, threads_.fetch_add(1), {}, {}});
}

std::size_t RecorderState::enter(std::string_view name) {
  if (name.empty())
    throw Error(ErrorCode::invalid_argument, "a scope has no name",
                {.file = folder_.string(), .expected = "a name"});
  std::string& prefix = this_thread().prefix;
  const std::size_t size = prefix.size();
  // All or nothing if memory runs out.
  prefix.reserve(size + name.size() + 1);
  prefix.append(name).append(1, '.');
  return size;
}

void RecorderState::leave(std::size_t size) noexcept {
  std::string& prefix = this_thread().prefix;
  prefix.resize(std::min(prefix.size(), size));
}

void RecorderState::count(Names::Entry& name, std::uint64_t RecordCounts::* what) {
  const std::lock_guard lock(mutex_);
  ++(name.second.counts.*what);
}

void RecorderState::tell_error() {
  if (error_ && !std::exchange(was_told_, true)) std::rethrow_exception(error_);
}

Names::Entry* RecorderState::admit(std::string_view name, RecordCall& call) {
  const std::lock_guard lock(mutex_);
  if (is_closing_) refuse_closed(folder_, name);
  Names::Entry& entry = names_.find(name);
  RecordCounts& counts = entry.second.counts;
  call = {entry.first, step_.load(std::memory_order_relaxed), counts.calls++};
  try {
    tell_error();
    if (has_ended_) return ++counts.failed, nullptr;
    if (!Names::passes(entry, call)) return ++counts.filtered, nullptr;
    return &entry;
  } catch (...) {  // Also from a predicate.
    ++counts.failed;
    throw;
  }
}

Error RecorderState::named(const Error& error, const Names::Entry& name) const {
  Path path;
  path.push_back(name.first);
  return error.with_path("/").with_parent_path(path.to_string()).with_file(folder_.string());
}

Value RecorderState::value_of(Names::Entry& name, Encode encode, void* object) {
  try {
    return encode(object, EncodeOptions{.registry = options_.registry, .limits = options_.limits});
  } catch (const Error& error) {
    throw named(error, name);
  }
}

void RecorderState::slice(Value& value, const Names::Entry& name) const {
  const KeepRule& rule = *name.second.rule;
  if (rule.keep != Keep::slice) return;
  try {
    recording::slice_tensors(value, rule.slices);
  } catch (const Error& error) {
    throw named(error, name);
  }
}

void RecorderState::record(std::string_view given, Encode encode, void* object, bool moved,
                           std::uint64_t unused) {
  // Another thread may have held the mutex when this process was forked.
  if (!is_own_process()) refuse_fork();
  ThisThread& thread = this_thread();
  const std::uint32_t number = thread.number;
  std::string_view name = given;
  if (!thread.prefix.empty()) {
    thread.name.assign(thread.prefix).append(given);
    name = thread.name;
  }
  RecordCall call;
  Names::Entry* const entry = admit(name, call);
  if (entry == nullptr) return;
  std::optional<WatchFinding> finding;
  try {
    Value value = value_of(*entry, encode, object);
    std::optional<WatchFinding> found;
    if (options_.watch.found) found = recording::find_watched(value, options_.watch);
    slice(value, *entry);
    const auto lost = keep(std::move(value), *entry, call, number, moved, unused);
    if (lost != nullptr) count(*entry, lost);
    if (!found) return;
    found->name = call.name;
    found->step = call.step;
    found->call = call.call;
    finding = std::move(found);
  } catch (...) {
    count(*entry, &RecordCounts::failed);
    throw;
  }
  // If it throws, the record is still kept.
  options_.watch.found(*finding);
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
  if (!may_keep(queued.content)) return &RecordCounts::limited;
  std::uint64_t RecordCounts::* lost = nullptr;
  if (!reserve(queued.bytes)) {
    if (has_ended()) return &RecordCounts::failed;
    if (options_.when_full != WhenFull::thin) return &RecordCounts::dropped;
    try {
      recording::summarise(value);
    } catch (const Error& error) {
      throw named(error, name);
    }
    queued.is_summarised = true;
    measure();
    // Statistics of a few numbers take more than the numbers.
    if (!may_keep(queued.content)) return &RecordCounts::limited;
    // Statistics are small: a sixteenth more holds many.
    if (!try_reserve(queued.bytes, options_.memory + options_.memory / 16))
      return &RecordCounts::dropped;
    lost = &RecordCounts::thinned;
  }
  // Only after memory is reserved: counting it and taking it back would limit other records
  // meanwhile.
  if (!try_keep(queued.content)) {
    unreserve(queued.bytes);
    return &RecordCounts::limited;
  }
  try {
    queued.record.value = recording::capture(std::move(value), pool_, is_taken);
    pool_.leave_room(used_.load(std::memory_order_relaxed));
    queued.record.head = {.name = call.name,
                          .step = call.step,
                          .call = call.call,
                          .time = now(),
                          .thread = thread,
                          .keep = queued.is_summarised ? Keep::statistics : rule.keep};
    queued.record.precision = rule.precision.value_or(options_.precision);
    push(std::move(queued));
  } catch (...) {
    kept_bytes_ -= queued.content;
    unreserve(queued.bytes);
    throw;
  }
  return lost;
}

bool RecorderState::try_keep(std::uint64_t content) noexcept {
  std::uint64_t kept = kept_bytes_.load();
  do {
    if (kept > options_.max_bytes || content > options_.max_bytes - kept) return false;
  } while (!kept_bytes_.compare_exchange_weak(kept, kept + content));
  return true;
}

bool RecorderState::try_reserve(std::uint64_t bytes, std::uint64_t most) noexcept {
  // `used_` must never be too large even for a moment: a waiting thread would look just then, and
  // not again.
  std::uint64_t used = used_.load();
  do {
    if (used != 0 && (used > most || bytes > most - used)) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes));
  return true;
}

bool RecorderState::reserve(std::uint64_t bytes) {
  if (!is_room_claimed_.load(std::memory_order_relaxed) && try_reserve(bytes, options_.memory))
    return true;
  if (options_.when_full != WhenFull::block) return false;
  std::unique_lock lock(mutex_);
  is_urgent_ = true;
  ready_.notify_one();
  // One waiting thread is next, and the others wait for it: otherwise small records would take all
  // the room that becomes free, and a large one could wait for as long as they come.
  bool is_next = false;
  room_.wait(lock, [&] {
    if (has_ended_) return true;
    if (is_room_claimed_ && !is_next) return false;
    is_room_claimed_ = is_next = true;
    return try_reserve(bytes, options_.memory);
  });
  if (is_next) {
    is_room_claimed_ = false;
    room_.notify_all();
  }
  if (!has_ended_) return true;
  tell_error();
  return false;
}

bool RecorderState::has_ended() const {
  const std::lock_guard lock(mutex_);
  return has_ended_;
}

void RecorderState::unreserve(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
  room_.notify_all();
}

void RecorderState::push(Queued&& queued) {
  const std::uint64_t bytes = queued.bytes;
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    // Its call began before close().
    if (is_over_) refuse_closed(folder_, queued.name->first);
    queued.record.head.sequence = next_sequence_;
    Names::Entry& name = *queued.name;
    queue_.push_back(std::move(queued));
    ++next_sequence_;
    ++name.second.counts.kept;
    const std::uint64_t before = std::exchange(queued_bytes_, queued_bytes_ + bytes);
    wake = std::exchange(is_asleep_, false) ||
           (before < call_writer_from && queued_bytes_ >= call_writer_from);
  }
  if (wake) ready_.notify_one();
}

std::uint64_t RecorderState::flush() {
  if (!is_own_process()) refuse_fork();
  std::unique_lock lock(mutex_);
  const std::uint64_t target = next_sequence_;
  is_urgent_ = true;
  ready_.notify_one();
  room_.wait(lock, [&] { return done_ >= target; });
  if (error_) {
    was_told_ = true;
    std::rethrow_exception(error_);
  }
  return written_;
}

void RecorderState::close(bool even_unused) {
  if (!is_own_process()) refuse_fork();
  {
    std::unique_lock lock(mutex_);
    if (is_closing_) return room_.wait(lock, [&] { return is_closed_; });
    is_closing_ = true;
    is_told_closed_ = even_unused || !names_.all().empty();
  }
  Queue taken;
  const bool is_ours = take_last(taken);
  ready_.notify_one();
  if (is_ours) work(taken, true);
  writer_.join();
  static_cast<void>(lock_.close());
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    room_.notify_all();
  }
  if (error_) std::rethrow_exception(error_);
}

RecorderReport RecorderState::report() const {
  if (!is_own_process()) refuse_fork();
  const std::lock_guard lock(mutex_);
  RecorderReport report;
  for (const auto& [name, known] : names_.all()) report.names.emplace(name, known.counts);
  report.all = names_.sum();
  report.written = written_;
  report.bytes = kept_bytes_;
  report.segments = segments_;
  try {
    if (error_) std::rethrow_exception(error_);
  } catch (const std::exception& error) {
    report.error = error.what();
  }
  return report;
}

}  // namespace safestructures::inline v0::detail
