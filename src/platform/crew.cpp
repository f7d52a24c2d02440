#include "platform/crew.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace safestructures::inline v0::platform {
namespace {

// How often a waiting thread yields before it sleeps: about 50 us, as long as waking up takes.
constexpr int patience = 64;

thread_local Crew* crew_of_thread = nullptr;

template <class State>
void wait_while(const std::atomic<State>& state, State old) noexcept {
  for (int i = 0; i < patience && state.load(std::memory_order_acquire) == old; ++i)
    std::this_thread::yield();
  state.wait(old, std::memory_order_acquire);
}

}  // namespace

Crew* Crew::current() noexcept { return crew_of_thread; }

Crew::~Crew() {
  dismiss();
  for (const auto& helper : helpers_) helper->thread.join();
}

void Crew::dismiss() noexcept {
  for (const auto& helper : helpers_) {
    helper->state.store(State::dismissed, std::memory_order_release);
    helper->state.notify_one();
  }
}

void Crew::run(const Job& job, unsigned count) {
  Crew* const before = std::exchange(crew_of_thread, nullptr);
  job_ = job;
  grow(count - 1);
  const std::size_t used = std::min<std::size_t>(helpers_.size(), count - 1);
  for (std::size_t i = 0; i < used; ++i) {
    Helper& helper = *helpers_[i];
    helper.state.store(State::asked, std::memory_order_release);
    helper.state.notify_one();
  }
  job.call(job.what, 0);
  for (std::size_t i = 0; i < used; ++i) {
    Helper& helper = *helpers_[i];
    State state = State::asked;
    // Does not wait for helpers that have not begun: nothing is left for them to do.
    if (!helper.state.compare_exchange_strong(state, State::idle, std::memory_order_acq_rel) &&
        state == State::working)
      wait_while(helper.state, State::working);
  }
  crew_of_thread = before;
}

void Crew::grow(std::size_t count) {
  try {
    helpers_.reserve(count);
    while (helpers_.size() < count) {
      auto helper = std::make_unique<Helper>();
      helper->thread = std::thread([this, &one = *helper, worker = helpers_.size() + 1] {
        help(one, static_cast<unsigned>(worker));
      });
      helpers_.push_back(std::move(helper));
    }
  } catch (const std::exception&) {
    // No more threads, or no memory for one: the existing ones do all the work.
  }
}

void Crew::help(Helper& helper, unsigned worker) noexcept {
  for (State state = State::idle; state != State::dismissed;) {
    wait_while(helper.state, State::idle);
    state = State::asked;
    // If the state has changed, it was too late.
    if (!helper.state.compare_exchange_strong(state, State::working, std::memory_order_acq_rel))
      continue;
    job_.call(job_.what, worker);
    helper.state.store(State::idle, std::memory_order_release);
    helper.state.notify_one();
  }
}

CrewScope::CrewScope() noexcept : is_used_(crew_of_thread == nullptr) {
  if (is_used_) crew_of_thread = &crew_;
}

CrewScope::~CrewScope() { dismiss(); }

void CrewScope::dismiss() noexcept {
  if (!std::exchange(is_used_, false)) return;
  crew_of_thread = nullptr;
  crew_.dismiss();
}

}  // namespace safestructures::inline v0::platform
