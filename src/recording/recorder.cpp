#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <safestructures/recording/recorder.hpp>
#include "recording/recorder/state.hpp"

namespace safestructures::inline v0 {

ActivationRecorder::ActivationRecorder(const std::filesystem::path& folder, RecorderOptions options)
    : state_(std::make_shared<detail::RecorderState>(folder, std::move(options))) {}

ActivationRecorder::~ActivationRecorder() {
  if (!state_->is_own_process()) {
    state_->abandon(state_);
    return;
  }
  try {
    // Without a call there is nothing to report, and the folder can be used again.
    state_->close(false);
  } catch (...) {
    // close() reports it to those who call it.
  }
}

void ActivationRecorder::take(std::string_view name, Encode encode, void* object, bool moved,
                              std::uint64_t unused) {
  state_->record(name, encode, object, moved, unused);
}

ActivationRecorder::Scope::Scope(std::shared_ptr<detail::RecorderState> state,
                                 std::size_t outer_prefix, std::optional<std::int64_t> outer_step)
    : state_(std::move(state)), outer_prefix_(outer_prefix), outer_step_(outer_step) {}
ActivationRecorder::Scope::~Scope() {
  if (state_) state_->leave({outer_prefix_, outer_step_});
}

ActivationRecorder::Scope ActivationRecorder::scope(std::string_view name) {
  const auto [prefix, step] = state_->enter(name);
  return {state_, prefix, step};
}
ActivationRecorder::Scope ActivationRecorder::step_scope(std::int64_t number) {
  const auto [prefix, step] = state_->enter_step(number);
  return {state_, prefix, step};
}
void ActivationRecorder::step(std::int64_t number) noexcept { state_->set_step(number); }
std::uint64_t ActivationRecorder::flush() { return state_->flush(); }
void ActivationRecorder::close() { state_->close(true); }
RecorderReport ActivationRecorder::report() const { return state_->report(); }

}  // namespace safestructures::inline v0
