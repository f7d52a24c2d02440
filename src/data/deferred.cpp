#include "data/deferred.hpp"

#include <utility>

#include <safestructures/data/error.hpp>

#include "platform/memory.hpp"

namespace safestructures::inline v0::detail {

DeferredBytes::DeferredBytes(std::shared_ptr<const Source> source, std::uint64_t offset,
                             std::uint64_t size, std::string name)
    : source_(std::move(source)), offset_(offset), size_(size), name_(std::move(name)) {}

const std::byte* DeferredBytes::get() const {
  if (const std::byte* bytes = loaded_.load(std::memory_order_acquire)) return bytes;
  const std::lock_guard lock(mutex_);
  if (memory_) return memory_.get();
  std::shared_ptr<std::byte> memory = platform::allocate_buffer(static_cast<std::size_t>(size_));
  read(0, {memory.get(), static_cast<std::size_t>(size_)});
  memory_ = std::move(memory);
  loaded_.store(memory_.get(), std::memory_order_release);
  return memory_.get();
}

void DeferredBytes::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (const std::byte* bytes = loaded_.load(std::memory_order_acquire)) {
    platform::copy(into.data(), bytes + offset, into.size());
    return;
  }
  try {
    source_->read(offset_ + offset, into);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::truncated) {
      ErrorDetails details = error.details();
      details.path = name_;
      throw Error(ErrorCode::truncated, "the file ends inside a tensor", std::move(details));
    }
    throw error.with_path(name_).with_file(source_->name());
  }
}

}  // namespace safestructures::inline v0::detail
