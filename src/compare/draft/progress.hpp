/// \file
/// Reports how much of the numbers was compared.
#pragma once

#include <cstdint>
#include <functional>

#include <safestructures/compare/options.hpp>

namespace safestructures::inline v0::comparing {

/// Calls `CompareOptions::progress`, which must outlive it.
class Progress {
 public:
  explicit Progress(const CompareOptions& options) : report_(options.progress) {}

  /// Whether anyone listens.
  [[nodiscard]] bool is_wanted() const noexcept { return report_ != nullptr; }
  /// Announces bytes of tensors that will be compared.
  void expect(std::uint64_t bytes) noexcept { all_bytes_ += bytes; }
  /// Reports bytes that were compared; does nothing if nobody listens.
  void report(std::uint64_t bytes) const {
    if (is_wanted()) report_(bytes, all_bytes_);
  }

 private:
  const std::function<void(std::uint64_t more, std::uint64_t all)>& report_;
  std::uint64_t all_bytes_ = 0;
};

}  // namespace safestructures::inline v0::comparing
