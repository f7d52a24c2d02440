/// \file
/// Metadata and names of tensors beside the structure that are not UTF-8: JSON, MessagePack and
/// CBOR say of them what the default format says.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/binary_files.hpp"
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::test::error_of;

TEST_CASE("a text beside the structure that is not UTF-8 is no place in it, in each format") {
  std::vector<ss::test::FormatPointer> formats = ss::test::tree_formats();
  formats.push_back(ss::formats::safestructures());
  for (const ss::test::FormatPointer& format : formats) {
    CAPTURE(format->name());
    CHECK(error_of([&] {
            return ss::save(1, {.format = format, .metadata = {{"run", "\xFF"}}});
          }) == "invalid_utf8: the metadata of key \"run\" is not valid UTF-8.");
    CHECK(error_of([&] {
            return ss::save(1, {.format = format, .metadata = {{"k\x80", "42"}}});
          }) == "invalid_utf8: a key of the metadata is not valid UTF-8: found \"k\\x80\".");
    CHECK(error_of([&] {
            return ss::save(1, {.format = format, .extra_tensors = {{"a\xFF", ss::Tensor()}}});
          }) == "invalid_utf8: the name of a tensor is not valid UTF-8: found \"a\\xff\".");
  }
}
