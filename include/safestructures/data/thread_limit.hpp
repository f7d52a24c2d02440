/// \file
/// How many threads a call may use.
#pragma once

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0::detail {

/// Holds the library to a number of threads for what the calling thread asks of it, as long as this
/// lives. For `SaveOptions::threads` and `LoadOptions::threads`, which every stage below them
/// heeds.
class SAFESTRUCTURES_API ThreadLimit {
 public:
  /// \param threads 0: what held before
  explicit ThreadLimit(unsigned threads) noexcept;
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  unsigned before_;
};

}  // namespace safestructures::inline v0::detail
