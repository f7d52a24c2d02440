/// \file
/// What unpacking costs, by counting what the allocator is asked for.
#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <string>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/gzip.hpp>
#include "support/counting_memory.hpp"
#include "support/errors.hpp"
#include "support/gzip_cases.hpp"

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
        "damaged: a gzip member has another length than it says: expected 4294967295 bytes, found "
        "1000 (byte 1019).");
}
