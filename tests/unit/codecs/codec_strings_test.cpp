/// \file
/// Text is a str, byte for byte; views are saved but not loaded.
#include <doctest/doctest.h>

#include <filesystem>
#include <memory_resource>
#include <string>
#include <string_view>

#include <safestructures/codecs/strings.hpp>

#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::load_error;
using codec_test::round_trip;
using ss::Value;

TEST_CASE("strings come back byte for byte") {
  using namespace std::string_literals;
  for (const std::string& text : {""s, "a"s, "a string that is longer than the small one"s,
                                  "zero\0inside"s, "\xC3\xA9 \xF0\x9F\x98\x80"s}) {
    CHECK(Value::from(text) == Value(text));
    CHECK(round_trip(text) == text);
    const std::u8string text8(text.begin(), text.end());
    CHECK(Value::from(text8) == Value(text));
    CHECK(round_trip(text8) == text8);
    const std::pmr::string pooled(text);
    CHECK(round_trip(pooled) == pooled);
  }
}

TEST_CASE("views, literals and buffers are saved") {
  CHECK(Value::from(std::string_view("view")) == Value("view"));
  CHECK(Value::from("literal") == Value("literal"));
  const char buffer[8] = {'a', 'b'};
  CHECK(Value::from(buffer) == Value("ab"));
  const char full[2] = {'a', 'b'};
  CHECK(Value::from(full) == Value("ab"));
  const char* pointer = "pointer";
  CHECK(Value::from(pointer) == Value("pointer"));
  const char* null = nullptr;
  CHECK(Value::from(null).is_none());
  static_assert(!ss::Decodable<std::string_view> && !ss::Decodable<const char*>);
}

TEST_CASE("a path is its text") {
  const std::filesystem::path path("data/\xC3\xA9t\xC3\xA9.bin");
  CHECK(Value::from(path) == Value("data/\xC3\xA9t\xC3\xA9.bin"));
  CHECK(round_trip(path) == path);
  CHECK(round_trip(std::filesystem::path()).empty());
}

TEST_CASE("a value that is not a str is refused") {
  CHECK(load_error<std::string>(Value(5)) ==
        "type_mismatch: at /: a value has the wrong type: expected str, found int 5.");
  CHECK(load_error<std::filesystem::path>(
            Value::bytes(ss::Tensor::own(std::vector<std::uint8_t>()))) ==
        "type_mismatch: at /: a value has the wrong type: expected str, found bytes of 0.");
  CHECK(load_error<std::u8string>(Value()) ==
        "type_mismatch: at /: a value has the wrong type: expected str, found None.");
}
