#include "least.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "runs.hpp"

namespace bench {
namespace {

constexpr std::size_t piece = 128 * kib;
// Of our rows, and of our metrics with what stands beside them.
constexpr std::size_t row_size = 32;
constexpr std::size_t metrics_size = 120;
constexpr std::size_t lanes = 8;

/// The records of one run, which are the last bytes of each segment.
class Run {
 public:
  Run(const Path& folder, std::size_t record) : record_(record) {
    std::set<Path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.file_size() != 0) files.insert(entry.path());
    for (const Path& file : files) {
      const int number = ::open(file.c_str(), O_RDONLY);
      std::uint64_t length = 0;
      require(::pread(number, &length, sizeof(length), 0) == sizeof(length), "cannot read");
      std::string header(length, ' ');
      require(
          ::pread(number, header.data(), length, sizeof(length)) == static_cast<ssize_t>(length),
          "cannot read");
      const std::string before = R"("sequence":{"dtype":"U64","shape":[)";
      const std::size_t at = header.find(before);
      require(at != std::string::npos, "no column");
      const std::size_t count = std::stoul(header.substr(at + before.size(), 20));
      parts_.push_back({number, std::filesystem::file_size(file) - count * record, size_, count});
      size_ += count;
    }
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    for (const Part& part : parts_) ::close(part.file);
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  void read(std::size_t first, std::span<std::byte> into) const {
    for (const Part& part : parts_) {
      if (into.empty()) return;
      if (first >= part.first + part.count) continue;
      const std::size_t place = first - part.first;
      const std::size_t bytes = std::min(into.size(), (part.count - place) * record_);
      require(
          ::pread(part.file, into.data(), bytes,
                  static_cast<off_t>(part.begin + place * record_)) == static_cast<ssize_t>(bytes),
          "cannot read");
      into = into.subspan(bytes);
      first += bytes / record_;
    }
  }

 private:
  struct Part {
    int file;
    std::uint64_t begin;  // Of the records in the file.
    std::size_t first;
    std::size_t count;
  };
  std::size_t record_;  // Bytes.
  std::vector<Part> parts_;
  std::size_t size_ = 0;
};

using Sums = std::array<double, 4 * lanes>;

/// \param count a multiple of eight
#if defined(__x86_64__)
[[gnu::target("avx2"), gnu::noinline]]
#endif
void compare_numbers(const float* a, const float* b, std::size_t count, Sums& sums) {
  for (std::size_t i = 0; i < count; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) {
      const auto x = static_cast<double>(a[i + k]);
      const auto y = static_cast<double>(b[i + k]);
      const double error = x - y;
      const double magnitude = error < 0 ? -error : error;
      sums[k] = magnitude > sums[k] ? magnitude : sums[k];
      sums[lanes + k] += error * error;
      sums[2 * lanes + k] += x * x;
      sums[3 * lanes + k] += y * y;
    }
}

/// Compares some of the records. \returns how many differ
std::size_t compare_some(const Run& a, const Run& b, Size size, std::size_t begin, std::size_t end,
                         std::byte* row, std::byte* metrics) {
  const std::size_t together = std::max<std::size_t>(piece / size.bytes, 1);
  const std::size_t count = size.bytes / sizeof(float);
  std::vector<float> left(together * count);
  std::vector<float> right(together * count);
  std::size_t different = 0;
  for (std::size_t at = begin; at < end; at += together) {
    const std::size_t now = std::min(together, end - at);
    a.read(at, std::as_writable_bytes(std::span(left).first(now * count)));
    b.read(at, std::as_writable_bytes(std::span(right).first(now * count)));
    for (std::size_t i = 0; i < now; ++i, row += row_size) {
      std::memset(row, 1, row_size);
      const float* const x = left.data() + i * count;
      const float* const y = right.data() + i * count;
      if (std::memcmp(x, y, size.bytes) == 0) continue;
      Sums sums{};
      compare_numbers(x, y, count / lanes * lanes, sums);
      std::memset(metrics, 1, metrics_size);
      std::memcpy(metrics, sums.data(), sizeof(double));
      metrics += metrics_size;
      ++different;
    }
  }
  return different;
}

template <std::size_t threads>
void compare_on(const Path& folder, Size size) {
  const auto compare_all = [&] {
    const Run a(folder, size.bytes);
    const Run b(Path(folder).concat(".different"), size.bytes);
    require(a.size() == size.count && b.size() == size.count, "records missing");
    const auto rows = std::make_unique_for_overwrite<std::byte[]>(size.count * row_size);
    // Room for all that a thread has.
    const auto metrics = std::make_unique_for_overwrite<std::byte[]>(size.count * metrics_size);
    std::array<std::size_t, threads> different{};
    const auto work = [&](std::size_t i) {
      const std::size_t begin = size.count * i / threads;
      different[i] =
          compare_some(a, b, size, begin, size.count * (i + 1) / threads,
                       rows.get() + begin * row_size, metrics.get() + begin * metrics_size);
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work, i);
    work(0);
    for (std::thread& other : others) other.join();
    std::size_t all = 0;
    for (const std::size_t count : different) all += count;
    require(all == different_records(size), "other records differ than those that do");
    keep(rows);
    keep(metrics);
  };
  // Once before, as everything is that is measured.
  compare_all();
  measure(512 * mib, compare_all);
}

}  // namespace

void compare_least(const Path& folder, Size size) { compare_on<1>(folder, size); }
void compare_least_at_once(const Path& folder, Size size) { compare_on<2>(folder, size); }

}  // namespace bench
