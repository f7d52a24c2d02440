/// \file
/// Maps files into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "platform/file.hpp"

namespace safestructures::inline v0::platform {

/// A private read-only view of a file or of a part of it. The file may be closed, replaced by a
/// rename or deleted meanwhile: the view keeps its content. But if another program truncates the
/// file itself, touching the missing pages ends this process with a bus error, as the system
/// requires; to survive that, read by position instead.
class Mapping {
 public:
  /// Maps `size` bytes from any `offset` on.
  /// \throws Error `truncated` if the file is too short, `cannot_read` if the system cannot map it.
  [[nodiscard]] static std::shared_ptr<const Mapping> of(const InputFile& file,
                                                         std::uint64_t offset, std::size_t size);

  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  /// Returns the requested bytes. Their address modulo the page size equals that of the offset in
  /// the file.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  Mapping() noexcept = default;

  const std::byte* address_ = nullptr;
  std::size_t length_ = 0;
  std::span<const std::byte> bytes_;
};

}  // namespace safestructures::inline v0::platform
