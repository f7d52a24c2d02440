/// \file
/// What went wrong in the background, until somebody is told.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <string>

namespace safestructures::inline v0::recording {

/// The error that ended a recording; until then the first error of a single record. Thread-safe.
class Failure {
 public:
  /// Notes an error. \param for_good whether it ends the recording
  void set(std::exception_ptr error, bool for_good) noexcept;
  /// Whether nothing more is written.
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

  /// Throws the error, if there is one that was not thrown before.
  void tell();
  /// Throws the error, if there is one.
  void tell_again();
  /// Returns the text of the error, if there is one.
  [[nodiscard]] std::string text() const;

 private:
  mutable std::mutex mutex_;  // Guards `error_` and changes of the others.
  std::exception_ptr error_;
  std::atomic<bool> is_untold_{false};
  std::atomic<bool> has_ended_{false};
};

}  // namespace safestructures::inline v0::recording
