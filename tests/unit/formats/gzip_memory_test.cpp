/// \file
/// What packing and unpacking cost, by counting what the allocator is asked for.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/sink.hpp>
#include <safestructures/formats/gzip.hpp>
#include "support/counting_memory.hpp"
#include "support/errors.hpp"
#include "support/gzip_cases.hpp"

namespace {

/// A sink that keeps nothing.
class Counted final : public safestructures::Sink {
 public:
  void write(std::span<const std::byte> bytes) override { position_ += bytes.size(); }
  [[nodiscard]] std::uint64_t position() const noexcept override { return position_; }

 private:
  std::uint64_t position_ = 0;
};

}  // namespace

TEST_CASE("packing takes 24 MiB at most, however much there is") {
  namespace ss = safestructures;
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> numbers(std::size_t{4} << 20U);
  for (std::uint64_t& number : numbers) number = random();
  const std::size_t peak = counting_memory::peak_of([&] {
    Counted target;
    ss::gzip::Packer packer(target);
    packer.write(std::as_bytes(std::span(numbers)));
    packer.finish();
    CHECK(target.position() > sizeof(std::uint64_t) * numbers.size());
  });
  CHECK(peak < std::size_t{24} << 20U);
}

TEST_CASE("unpacking takes what is there, and not what is announced") {
  namespace ss = safestructures;
  using ss::test::GzipMember;
  const GzipMember good{std::string(1000, 'x')};
  // Four gigabytes less a byte, in a file of 1,023.
  const std::string text = good.header + good.stored() + good.checksum() + "\xFF\xFF\xFF\xFF";
  const std::vector<std::byte> bytes = ss::test::bytes_of(text);
  const auto source = ss::Source::of(bytes, nullptr);
  counting_memory::largest = 0;
  const std::string error = ss::test::error_of([&] { return ss::gzip::unpacked(source); });
  CHECK(counting_memory::largest <= 1032 * text.size() + 4096);
  CHECK(error ==
        "damaged: a gzip member does not have the length that it states: expected 4294967295 "
        "bytes, found "
        "1000 (byte 1019).");
}
