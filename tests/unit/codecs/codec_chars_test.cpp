/// \file
/// Ranges of char are text where they are text, and a U8 tensor where they are not.
#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::load_error;
using codec_test::round_trip;
using codec_test::to_value;
using ss::DType;
using ss::Kind;
using ss::Value;

namespace {

struct Record {
  char name[16] = {};
  std::array<char, 4> tag{};
  std::vector<char> note;
};

template <std::size_t N>
std::array<char, N> chars(const char (&text)[N]) {
  return std::to_array(text);
}

}  // namespace

TEST_CASE("chars that are text are a str") {
  Record record;
  std::strcpy(record.name, "caf\xC3\xA9");
  std::memcpy(record.tag.data(), "abcd", 4);
  record.note = {'h', 'i'};
  const Value value = to_value(record);
  CHECK(value["name"] == Value("caf\xC3\xA9"));
  CHECK(value["tag"] == Value("abcd"));
  CHECK(value["note"] == Value("hi"));
  CHECK(to_value(std::span<const char>(record.note)) == Value("hi"));
  CHECK(to_value(std::vector<char>()) == Value(""));
  CHECK(to_value(std::array<char, 3>()) == Value(""));
  CHECK(to_value(chars("ab\0")) == Value("ab"));

  const auto again = ss::load<Record>(ss::save(record));
  CHECK(std::strcmp(again.name, record.name) == 0);
  CHECK(again.tag == record.tag);
  CHECK(again.note == record.note);
}

TEST_CASE("chars that are not text are a U8 tensor, which every program can read") {
  const std::vector<std::vector<char>> raw = {{'a', '\xFF'}, {'a', '\0', 'b'}, {'\0'}};
  for (const std::vector<char>& bytes : raw) {
    const Value value = to_value(bytes);
    REQUIRE(value.kind() == Kind::tensor);
    CHECK(value.tensor().dtype() == DType::U8);
    CHECK(ss::load<std::vector<char>>(ss::save(bytes)) == bytes);
  }
  CHECK(to_value(chars("a\0b")).kind() == Kind::tensor);
  CHECK(round_trip(chars("a\0b")) == chars("a\0b"));
  CHECK(round_trip(chars("\xFF")) == chars("\xFF"));
  Record record;
  record.name[0] = '\xFF';
  record.name[5] = 'x';
  const auto again = ss::load<Record>(ss::save(record));
  CHECK(std::memcmp(again.name, record.name, sizeof record.name) == 0);
  const auto narrow = ss::save(raw, {.precision = {.floats = {}, .integers = DType::I64}});
  CHECK(ss::load<std::vector<std::vector<char>>>(narrow) == raw);
}

TEST_CASE("a char[N] is text up to its first zero, as everywhere in C") {
  Record record;
  std::memcpy(record.name, "ab\0garbage", 11);
  CHECK(to_value(record)["name"] == Value("ab"));
}

TEST_CASE("a fixed array of chars takes shorter text and refuses longer") {
  using Tag = std::array<char, 4>;
  CHECK(Value("ab").as<Tag>() == Tag{'a', 'b'});
  CHECK(load_error<Tag>(Value("abcde")) ==
        "shape_mismatch: at /: the characters do not fill their array: expected at most 4 "
        "bytes, found 5.");
  CHECK(load_error<Tag>(Value::bytes(std::as_bytes(std::span("ab", 2)))) ==
        "shape_mismatch: at /: the characters do not fill their array: expected 4 bytes, "
        "found 2.");
  CHECK(load_error<Tag>(Value(5)) ==
        "type_mismatch: at /: a value has the wrong type: expected str, found int 5.");
  CHECK(load_error<std::vector<char>>(Value(ss::Tensor::own<int>({300})))
            .starts_with("out_of_range: at /: "));
}
