#include "recording/recorder/scopes.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "platform/os.hpp"

namespace safestructures::inline v0::recording {

/// What is kept for a thread.
struct Scopes::Thread {
  std::weak_ptr<const std::uint64_t> recorder;
  std::uint64_t id = 0;
  std::uint32_t number = 0;
  std::string prefix;  // Including the trailing dot.
  std::string name;    // Storage for a whole name.
  std::optional<std::int64_t> step;
};

Scopes::Scopes() {
  static std::atomic<std::uint64_t> count{0};
  id_ = std::make_shared<const std::uint64_t>(++count);
}

Scopes::Thread& Scopes::this_thread() {
  // Not a thread_local or static object: objects destroyed later, when the thread or the program
  // ends, may still leave a scope or record.
  thread_local std::vector<Thread>* known = nullptr;
  if (known == nullptr) {
    // Objects that the system destroys after it get a new one.
    static const platform::os::ThreadEnd freed([](void*) { delete std::exchange(known, nullptr); });
    known = new std::vector<Thread>;
    freed.keep(known);
  }
  const auto found = std::ranges::find(*known, *id_, &Thread::id);
  if (found != known->end()) return *found;
  std::erase_if(*known, [](const Thread& one) { return one.recorder.expired(); });
  return known->emplace_back(Thread{id_, *id_, threads_.fetch_add(1), {}, {}, {}});
}

Scopes::Caller Scopes::caller(std::string_view name) {
  Thread& thread = this_thread();
  if (thread.prefix.empty()) return {thread.number, name, thread.step};
  thread.name.assign(thread.prefix).append(name);
  return {thread.number, thread.name, thread.step};
}

Scopes::Outer Scopes::enter(std::string_view name) {
  Thread& thread = this_thread();
  std::string& prefix = thread.prefix;
  const Outer outer{prefix.size(), thread.step};
  // All or nothing if memory runs out.
  prefix.reserve(prefix.size() + name.size() + 1);
  prefix.append(name).append(1, '.');
  return outer;
}

Scopes::Outer Scopes::enter_step(std::int64_t step) {
  Thread& thread = this_thread();
  return {thread.prefix.size(), std::exchange(thread.step, step)};
}

void Scopes::leave(const Outer& outer) noexcept {
  Thread& thread = this_thread();
  thread.prefix.resize(std::min(thread.prefix.size(), outer.prefix));
  thread.step = outer.step;
}

}  // namespace safestructures::inline v0::recording
