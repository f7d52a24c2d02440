/// \file
/// A limit on the number of threads that a call may use.
#pragma once

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0::detail {

/// Limits the number of threads that the library uses for calls of the current thread, as long as
/// this object lives. Implements `SaveOptions::threads` and `LoadOptions::threads`.
class SAFESTRUCTURES_API ThreadLimit {
 public:
  /// \param threads 0 to keep the current limit
  explicit ThreadLimit(unsigned threads) noexcept;
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  unsigned before_;
};

}  // namespace safestructures::inline v0::detail
