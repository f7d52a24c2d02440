#include <safestructures/data/thread_limit.hpp>

#include "platform/processors.hpp"

namespace safestructures::inline v0::detail {

ThreadLimit::ThreadLimit(unsigned threads) noexcept : before_(platform::thread_limit()) {
  if (threads != 0) platform::thread_limit() = threads;
}

ThreadLimit::~ThreadLimit() { platform::thread_limit() = before_; }

}  // namespace safestructures::inline v0::detail
