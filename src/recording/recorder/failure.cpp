#include "recording/recorder/failure.hpp"

#include <utility>

namespace safestructures::inline v0::recording {

void Failure::set(std::exception_ptr error, bool for_good) noexcept {
  const std::lock_guard lock(mutex_);
  // The error that ends the recording matters more than one of a single record, reported or not.
  if (!error_ || (for_good && !has_ended_)) {
    error_ = std::move(error);
    is_untold_ = true;
  }
  if (for_good) has_ended_ = true;
}

void Failure::tell() {
  if (!is_untold_) return;
  const std::lock_guard lock(mutex_);
  if (is_untold_.exchange(false)) std::rethrow_exception(error_);
}

void Failure::tell_again() {
  const std::lock_guard lock(mutex_);
  is_untold_ = false;
  if (error_) std::rethrow_exception(error_);
}

std::string Failure::text() const {
  const std::lock_guard lock(mutex_);
  try {
    if (error_) std::rethrow_exception(error_);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace safestructures::inline v0::recording
