/// \file
/// Threads that are started once and help many times.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace safestructures::inline v0::platform {

/// Helpers of one thread, which starts them when it first needs them. Starting one and waiting for
/// its end takes as long as comparing 300 small tensors, on some machines 1,000.
class Crew {
 public:
  Crew() = default;
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Calls `work(0)` here, and up to `work(count - 1)` on as many helpers as can be had and begin
  /// before it ends; returns when all have ended. It must not throw. Meanwhile the thread has no
  /// crew.
  template <class Work>
  void run(unsigned count, const Work& work) {
    run({[](const void* what, unsigned worker) { (*static_cast<const Work*>(what))(worker); },
         &work},
        count);
  }

  /// Has the helpers end, without waiting for them: the destructor does. No call of `run` follows.
  void dismiss() noexcept;

  /// That of the calling thread, or null.
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
  /// Has as many helpers as that, or as there can be.
  void grow(std::size_t count);
  void help(Helper& helper, unsigned worker) noexcept;

  Job job_;
  std::vector<std::unique_ptr<Helper>> helpers_;
};

/// Gives the calling thread a crew as long as this lives, unless it has one.
class CrewScope {
 public:
  CrewScope() noexcept;
  ~CrewScope();
  CrewScope(const CrewScope&) = delete;
  CrewScope& operator=(const CrewScope&) = delete;

  /// Has its helpers end while the thread goes on without them.
  void dismiss() noexcept;

 private:
  Crew crew_;
  bool is_used_;
};

}  // namespace safestructures::inline v0::platform
