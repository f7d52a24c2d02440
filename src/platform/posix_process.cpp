// Processes, threads and signals on Linux and other POSIX systems.
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <thread>

#include "platform/os.hpp"

namespace safestructures::inline v0::platform::os {

struct Temporary {
  std::atomic<char*> path{nullptr};  // Null if it is free for reuse.
  Temporary* next = nullptr;
};

namespace {

// Whoever takes a path out owns it. List elements are never freed: a signal handler may be using
// them.
std::atomic<Temporary*> temporaries{nullptr};
std::atomic<bool> has_clean_up{false};
std::atomic<unsigned> creating{0};  // How many threads are creating a file.
std::atomic<bool> is_ending{false};
static_assert(std::atomic<char*>::is_always_lock_free, "a handler of signals may not wait");

/// Creating and noting a file take place before a signal or not at all. Without it a signal that
/// came while the system was creating the file left it behind.
class Creation {
 public:
  Creation() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    ++creating;
    if (!is_ending) return;
    --creating;
    for (;;) ::pause();  // The process is about to end.
  }
  Creation(const Creation&) = delete;
  Creation& operator=(const Creation&) = delete;
  ~Creation() {
    --creating;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_;
};

void remove_temporaries(int signal) {
  is_ending = true;
  // Never for a file of this thread, as creating one blocks signals; and not for a file system that
  // does not answer, since a second signal would not end the wait.
  constexpr int most_milliseconds = 1000;
  for (int i = 0; creating > 0 && i < most_milliseconds; ++i) ::poll(nullptr, 0, 1);
  for (Temporary* one = temporaries; one != nullptr; one = one->next)
    if (const char* const path = one->path.exchange(nullptr)) ::unlink(path);
  // Delivered after this handler, which is no longer set, has returned; it then ends the process.
  ::raise(signal);
}

/// Returns null if there is no memory.
Temporary* note(const std::filesystem::path& path) noexcept {
  const std::size_t size = path.native().size() + 1;
  auto* const copy = new (std::nothrow) char[size];
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, path.c_str(), size);
  for (Temporary* one = temporaries; one != nullptr; one = one->next)
    if (char* none = nullptr; one->path.compare_exchange_strong(none, copy)) return one;
  auto* const more = new (std::nothrow) Temporary;
  if (more == nullptr) {
    delete[] copy;
    return nullptr;
  }
  more->path = copy;
  more->next = temporaries;
  while (!temporaries.compare_exchange_weak(more->next, more)) {
  }
  return more;
}

}  // namespace

void clean_up_at_signals() noexcept {
  ::signal(SIGXFSZ, SIG_IGN);
  has_clean_up = true;
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    struct sigaction action{};
    // Signals ignored by nohup or a shell remain ignored.
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = remove_temporaries;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &action, nullptr);
  }
}

File create_temporary(const std::filesystem::path& path, std::uint32_t permissions,
                      Temporary*& noted, std::error_code& error) noexcept {
  if (!has_clean_up) return create_new(path, permissions, error);
  const Creation creation;
  File file = create_new(path, permissions, error);
  if (!error) noted = note(path);
  return file;
}

void forget_temporary(Temporary* temporary) noexcept {
  if (temporary != nullptr) delete[] temporary->path.exchange(nullptr);
}

unsigned affine_processors() noexcept {
#if defined(__linux__)
  cpu_set_t set;  // For 1,024 processors; with more this fails, and the count below is used.
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    return static_cast<unsigned>(std::max(CPU_COUNT(&set), 1));
#endif
  return std::max(std::thread::hardware_concurrency(), 1U);
}

ThreadEnd::ThreadEnd(void (*destroy)(void* object)) {
  pthread_key_t key = 0;
  if (const int error = ::pthread_key_create(&key, destroy); error != 0)
    throw std::system_error(error, std::generic_category(), "cannot note the ends of threads");
  key_ = key;
}

// After a library is unloaded, nobody calls it any more.
ThreadEnd::~ThreadEnd() { ::pthread_key_delete(static_cast<pthread_key_t>(key_)); }

void ThreadEnd::keep(void* object) const noexcept {
  static_cast<void>(::pthread_setspecific(static_cast<pthread_key_t>(key_), object));
}

std::uint64_t process_id() noexcept { return static_cast<std::uint64_t>(::getpid()); }

std::uint64_t fork_count() noexcept {
  static std::atomic<std::uint64_t> count{0};
  static const bool is_counted = ::pthread_atfork(nullptr, nullptr, [] {
                                   count.fetch_add(1, std::memory_order_relaxed);
                                 }) == 0;
  return is_counted ? count.load(std::memory_order_relaxed) : process_id();
}

Stack stack_of_this_thread() noexcept {
  Stack stack;
#if defined(__linux__)
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return stack;
  void* lowest = nullptr;
  if (::pthread_attr_getstack(&attributes, &lowest, &stack.size) == 0)
    stack.lowest = reinterpret_cast<std::uintptr_t>(lowest);
  else stack.size = 0;
  ::pthread_attr_destroy(&attributes);
#endif
  return stack;
}

}  // namespace safestructures::inline v0::platform::os
