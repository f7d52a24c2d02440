/// \file
/// What unpacking costs, by counting what the allocator is asked for.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/gzip.hpp>
#include "support/errors.hpp"
#include "support/gzip_cases.hpp"

namespace {

std::size_t largest = 0;  // What was asked for at once.

void* allocate(std::size_t size, std::size_t alignment) {
  largest = size > largest ? size : largest;
  void* memory = nullptr;
  if (::posix_memalign(&memory, alignment, size == 0 ? 1 : size) != 0) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

TEST_CASE("unpacking takes what is there, and not what is announced") {
  namespace ss = safestructures;
  using ss::test::GzipMember;
  const GzipMember good{std::string(1000, 'x')};
  // Four gigabytes less a byte, in a file of 1,023.
  const std::string text = good.header + good.stored() + good.checksum() + "\xFF\xFF\xFF\xFF";
  const std::vector<std::byte> bytes = ss::test::bytes_of(text);
  const auto source = ss::Source::of(bytes, nullptr);
  largest = 0;
  const std::string error = ss::test::error_of([&] { return ss::gzip::unpacked(source); });
  CHECK(largest <= 1032 * text.size() + 4096);
  CHECK(error ==
        "damaged: a gzip member has another length than it says: expected 4294967295 bytes, found "
        "1000 (byte 1019).");
}
