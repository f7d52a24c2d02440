/// \file
/// What a comparison costs in memory, by counting what the allocator is asked for.
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <malloc.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/compare/compare.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/recording/recorder.hpp>

#include "support/folder.hpp"

namespace {

namespace ss = safestructures;

std::atomic<std::size_t> held = 0;
std::atomic<std::size_t> most = 0;

// A block of 2 MiB that glibc maps for itself has up to 2 MiB more behind it, which nobody touches
// and which counts as usable: the third case held 14 to 20 MB by chance.
[[maybe_unused]] const int never_mapped = ::mallopt(M_MMAP_MAX, 0);

void* allocate(std::size_t size, std::size_t alignment) {
  void* memory = nullptr;
  if (::posix_memalign(&memory, alignment, size == 0 ? 1 : size) != 0) throw std::bad_alloc();
  const std::size_t now = held += ::malloc_usable_size(memory);
  for (std::size_t known = most; known < now && !most.compare_exchange_weak(known, now);) {
  }
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr) held -= ::malloc_usable_size(memory);
  std::free(memory);
}

/// Floats that count up, with one that does not, made when they are read.
class Floats final : public ss::Source {
 public:
  Floats(std::uint64_t count, std::uint64_t odd) : count_(count), odd_(odd) {}

  const std::string& name() const noexcept override { return name_; }
  std::uint64_t size() const noexcept override { return count_ * sizeof(float); }
  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    for (std::size_t i = 0; i < into.size(); i += sizeof(float)) {
      const std::uint64_t index = (offset + i) / sizeof(float);
      const float value = index == odd_ ? -1 : static_cast<float>(index % 1000);
      std::memcpy(into.data() + i, &value, sizeof(float));
    }
  }

 private:
  std::string name_ = "floats";
  std::uint64_t count_;
  std::uint64_t odd_;
};

}  // namespace

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
// std::stable_sort asks for its room like this.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return ::operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

TEST_CASE("tensors of 256 MiB are compared within 8 MiB, transposes looked for included") {
  constexpr std::uint64_t side = 8192;
  constexpr std::uint64_t count = side * side;
  constexpr std::uint64_t odd = count - 12345;
  const auto tensor = [&](std::uint64_t at) {
    return ss::Value(ss::Tensor::deferred(ss::DType::F32, {side, side},
                                          std::make_shared<const Floats>(count, at), 0, "x"));
  };
  const ss::Value a = tensor(odd);
  const ss::Value b = tensor(count);
  const std::size_t before = held;
  most = before;
  const ss::Comparison found = ss::compare(a, b);
  CHECK(most - before < std::size_t{8} << 20U);
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows.at(0).metrics->beyond == 1);
  CHECK(found.rows.at(0).metrics->worst->index == odd);
  CHECK(!a.tensor().is_loaded());
}

TEST_CASE("few records of 200 KiB behind many tiny ones are not read all at once") {
  const ss::test::Folder folder;
  for (const char* name : {"a", "b"}) {
    ss::ActivationRecorder recorder(folder / name);
    for (std::size_t i = 0; i < 20'000; ++i) recorder.record("tiny", std::vector<float>(4, 1));
    for (std::size_t i = 0; i < 200; ++i)
      recorder.record("large", std::vector<float>(50'000, name[0] == 'a' ? 1.0F : 2.0F));
    recorder.close();
  }
  const std::size_t before = held;
  most = before;
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  CHECK(most - before < std::size_t{20} << 20U);
  CHECK(found.rows.size() == 20'200);
  CHECK(found.differences() == 200);
}

TEST_CASE("20,000 small records are compared beside their noise within 16 MiB") {
  const ss::test::Folder folder;
  for (const std::string name : {"a", "b", "again"}) {
    ss::ActivationRecorder recorder(folder / name);
    for (std::size_t i = 0; i < 20'000; ++i)
      recorder.record("tiny", std::vector<float>(16, name == "a" ? 1.0F : 2.0F));
    recorder.close();
  }
  const std::size_t before = held;
  most = before;
  const ss::Comparison found =
      ss::compare_files(folder / "a", folder / "b", {.noise = {folder / "again"}});
  CHECK(most - before < std::size_t{16} << 20U);
  CHECK(found.differences() == 20'000);
  CHECK(found.coverage.without_noise == 0);
}
