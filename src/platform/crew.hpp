/// \file
/// Threads that are started once and used many times.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace safestructures::inline v0::platform {

/// The helper threads of one thread, started when first needed. Starting a thread and waiting for
/// its end takes as long as comparing 300 small tensors, on some machines 1,000.
class Crew {
 public:
  Crew() = default;
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Calls `work(0)` on this thread and up to `work(count - 1)` on helpers, on as many as are
  /// available and begin before it ends; returns when all have ended. `work` must not throw.
  /// Meanwhile the thread has no crew.
  template <class Work>
  void run(unsigned count, const Work& work) {
    run({[](const void* what, unsigned worker) { (*static_cast<const Work*>(what))(worker); },
         &work},
        count);
  }

  /// Ends the helpers without waiting for them, which the destructor does. `run` must not be called
  /// after it.
  void dismiss() noexcept;

  /// Returns the crew of the calling thread; null if it has none.
  [[nodiscard]] static Crew* current() noexcept;

 private:
  struct Job {
    void (*call)(const void* what, unsigned worker) = nullptr;
    const void* what = nullptr;
  };
  enum class State : int { idle, asked, working, dismissed };
  struct Helper {
    std::atomic<State> state = State::idle;
    std::thread thread;
  };

  void run(const Job& job, unsigned count);
  /// Starts helpers until there are that many, or as many as possible.
  void grow(std::size_t count);
  void help(Helper& helper, unsigned worker) noexcept;

  Job job_;
  std::vector<std::unique_ptr<Helper>> helpers_;
};

/// Gives the calling thread a crew as long as this lives, unless it already has one.
class CrewScope {
 public:
  CrewScope() noexcept;
  ~CrewScope();
  CrewScope(const CrewScope&) = delete;
  CrewScope& operator=(const CrewScope&) = delete;

  /// Ends its helpers while the thread continues without them.
  void dismiss() noexcept;

 private:
  Crew crew_;
  bool is_used_;
};

}  // namespace safestructures::inline v0::platform
