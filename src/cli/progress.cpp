#include "cli/progress.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "cli/output.hpp"
#include "data/printable.hpp"

namespace safestructures::cli {
namespace {

constexpr std::uint64_t worth_watching = std::uint64_t{1} << 30;
constexpr const char* clear_line = "\r\033[K";

}  // namespace

Progress::Progress(std::string what, std::uint64_t bytes, bool is_counted)
    : what_(std::move(what)), total_(bytes), is_counted_(is_counted) {
  if (total_ >= worth_watching && is_terminal(stderr)) thread_ = std::thread([this] { tick(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

void Progress::tick() {
  std::string name;
  detail::append_printable(name, what_);
  std::unique_lock lock(mutex_);
  for (int seconds = 1; !stop_.wait_for(lock, std::chrono::seconds(1), [&] { return stopped_; });
       ++seconds) {
    const std::string state =
        is_counted_ ? fmt::format("{} % of {}", done_ * 100 / total_, human_size(total_))
                    : fmt::format("{}, {} s", human_size(total_), seconds);
    std::fputs(fmt::format("{}{}: {}", clear_line, name, state).c_str(), stderr);
    std::fflush(stderr);
  }
  std::fputs(clear_line, stderr);
  std::fflush(stderr);
}

}  // namespace safestructures::cli
