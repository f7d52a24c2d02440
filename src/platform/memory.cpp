#include "platform/memory.hpp"

#include <atomic>
#include <cstring>
#include <new>

#include "platform/os.hpp"
#include "platform/parallel.hpp"

namespace safestructures::platform {
namespace {

// Large enough that starting a piece costs nothing, small enough that both threads end together.
constexpr std::size_t piece_size = std::size_t{8} << 20U;

}  // namespace

std::shared_ptr<std::byte> allocate_buffer(std::size_t size) {
  const auto alignment = std::align_val_t{size < huge_page ? buffer_alignment : huge_page};
  auto* memory = static_cast<std::byte*>(::operator new(size, alignment));
  std::shared_ptr<std::byte> buffer(
      memory, [alignment](std::byte* address) { ::operator delete(address, alignment); });
  advise_huge(memory, size);
  return buffer;
}

void advise_huge(void* memory, std::size_t size) noexcept {
  if (size >= huge_page) os::advise_huge_pages(memory, size);
}

void prefault(void* memory, std::size_t size) {
  if (size < two_threads_from) return;
  auto* bytes = static_cast<std::byte*>(memory);
  std::atomic<bool> supported{true};
  in_pieces(size, piece_size, [&](std::size_t offset, std::size_t piece) {
    if (supported && !os::populate(bytes + offset, piece)) supported = false;
  });
}

void copy(std::byte* to, const std::byte* from, std::size_t size) {
  if (size == 0) return;
  in_pieces(size, size < two_threads_from ? size : piece_size,
            [&](std::size_t offset, std::size_t piece) {
              std::memcpy(to + offset, from + offset, piece);
            });
}

}  // namespace safestructures::platform
