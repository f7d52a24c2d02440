#include "cli/console/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "cli/console/output.hpp"
#include "data/text/printable.hpp"

namespace safestructures::cli {
namespace {

constexpr std::uint64_t worth_watching = std::uint64_t{1} << 30;
constexpr const char* clear_line = "\r\033[K";

}  // namespace

Progress::Progress(std::string what, std::uint64_t bytes) : what_(std::move(what)), total_(bytes) {
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
  for (std::uint64_t seconds = 1;
       !stop_.wait_for(lock, std::chrono::seconds(1), [&] { return stopped_; }); ++seconds) {
    // Slightly more is written than the announced tensors.
    const std::uint64_t done = std::min(done_.load(), total_);
    std::fputs(
        fmt::format("{}{}: {} % of {}, {}/s", clear_line, name,
                    static_cast<int>(static_cast<double>(done) * 100 / static_cast<double>(total_)),
                    human_size(total_), human_size(done / seconds))
            .c_str(),
        stderr);
    std::fflush(stderr);
  }
  std::fputs(clear_line, stderr);
  std::fflush(stderr);
}

}  // namespace safestructures::cli
