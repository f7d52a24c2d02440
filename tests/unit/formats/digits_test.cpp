/// \file
/// The contract of `Limits::digits`: what is refused when it is saved is refused when it is loaded,
/// where 64 bits hold the number, too.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/safestructures.hpp>
#include "support/binary_files.hpp"
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::test::error_of;

namespace {

std::string too_many(std::uint32_t most, std::size_t found) {
  return "limit_exceeded: at /n: an int has too many digits: expected at most " +
         std::to_string(most) + " (Limits::digits), found " + std::to_string(found);
}

}  // namespace

TEST_CASE("a limit of digits holds for small numbers, saved and loaded, in each format") {
  std::vector<ss::test::FormatPointer> formats = ss::test::tree_formats();
  formats.push_back(ss::formats::safestructures());
  for (const ss::test::FormatPointer& format : formats) {
    CAPTURE(format->name());
    for (const std::string number :
         {"7", "-123456", "9223372036854775807", "-9223372036854775808", "18446744073709551615"}) {
      CAPTURE(number);
      const ss::Value value = ss::Value::dict({{"n", ss::Value::integer(number)}});
      const auto digits = static_cast<std::uint32_t>(number.size() - (number[0] == '-' ? 1 : 0));
      const auto saved = [&](std::uint32_t most) {
        return ss::save(value, {.format = format, .limits = {.digits = most}});
      };
      const std::vector<std::byte> bytes = saved(digits);
      const auto loaded = [&](std::uint32_t most) {
        return ss::load(bytes, {.format = format, .limits = {.digits = most}});
      };
      CHECK(loaded(digits) == value);
      CHECK(error_of([&] { return saved(digits - 1); }) == too_many(digits - 1, digits) + ".");
      // Where the formats have offsets, they follow.
      CHECK(error_of([&] { return loaded(digits - 1); }).starts_with(too_many(digits - 1, digits)));
    }
  }
}

TEST_CASE("the digits of a schema count as Python would write them, however they are spelled") {
  const auto read = [](std::string_view n, std::uint32_t digits) {
    const std::string node = R"({"data_type":"int","value":)" + std::string(n) + "}";
    const std::string text =
        R"({"data_type":"SafestructuresDataclass","value":{"n":)" + node + "}}";
    return error_of([&] {
      return ss::schema::read(text, ss::schema::TensorLookup(), ss::Limits{.digits = digits});
    });
  };
  for (const std::string number : {"1234", "\"1234\"", "\"-1234\"", "-1234", "\" 001234\""}) {
    CAPTURE(number);
    CHECK(read(number, 4) == "no error");
    CHECK(read(number, 3) == too_many(3, 4) + ".");
  }
  for (const std::string number : {"-0", "\"-0\"", "\"00\""}) {
    CAPTURE(number);
    CHECK(read(number, 1) == "no error");
  }
}
