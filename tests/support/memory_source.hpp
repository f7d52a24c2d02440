/// \file
/// A source that counts what is read from it, and fails on demand.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>

namespace safestructures::test {

class MemorySource final : public Source {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  MemorySource(std::string name, std::vector<std::byte> bytes)
      : name_(std::move(name)), bytes_(std::move(bytes)) {}

  const std::string& name() const noexcept override { return name_; }
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset + into.size() > fail_from_)
      throw Error(ErrorCode::cannot_read, "the server is gone");
    if (offset + into.size() > bytes_.size())
      throw Error(ErrorCode::truncated, "the server has no more");
    bytes_read_ += into.size();
    ++reads_;
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
  }

  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  [[nodiscard]] std::uint64_t reads() const noexcept { return reads_; }
  /// Makes every read that reaches beyond that offset fail from now on.
  void fail_from(std::uint64_t offset) const noexcept { fail_from_ = offset; }

 private:
  std::string name_;
  std::vector<std::byte> bytes_;
  mutable std::atomic<std::uint64_t> bytes_read_ = 0;
  mutable std::atomic<std::uint64_t> reads_ = 0;
  mutable std::atomic<std::uint64_t> fail_from_ = never;
};

}  // namespace safestructures::test
