/// \file
/// Tensor bytes that are loaded when needed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include <safestructures/data/source.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::detail {

/// A range of a source, loaded on demand. Safe to use from several threads at once.
class DeferredBytes {
 public:
  /// \param size above 0 \param name of the tensor, for errors
  DeferredBytes(std::shared_ptr<const Source> source, std::uint64_t offset, std::uint64_t size,
                std::string name);

  /// Returns the promise of a deferred tensor; null for others.
  static const DeferredBytes* of(const Tensor& tensor) noexcept {
    return tensor.is_deferred_ ? &tensor.promise() : nullptr;
  }

  [[nodiscard]] const Source& source() const noexcept { return *source_; }
  [[nodiscard]] const std::shared_ptr<const Source>& shared_source() const noexcept {
    return source_;
  }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Returns the offset of the bytes in the source.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

  /// Returns the bytes, which stay in memory from now on. \throws Error naming source and tensor
  [[nodiscard]] const std::byte* get() const;
  /// Whether the bytes are in memory.
  [[nodiscard]] bool is_loaded() const noexcept {
    return loaded_.load(std::memory_order_acquire) != nullptr;
  }
  /// Reads into `into` from `offset` on, relative to the tensor's first byte, without caching.
  /// \throws Error naming source and tensor
  void read(std::uint64_t offset, std::span<std::byte> into) const;

 private:
  std::shared_ptr<const Source> source_;
  std::uint64_t offset_;
  std::uint64_t size_;
  std::string name_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<std::byte> memory_;
  mutable std::atomic<const std::byte*> loaded_ = nullptr;
};

}  // namespace safestructures::inline v0::detail
