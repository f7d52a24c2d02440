/// \file
/// Malformed MessagePack and CBOR, with what is said of them.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/binary_files.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using namespace std::string_literals;
using ss::test::binary_formats;
using ss::test::error_of;
using ss::test::FormatPointer;
using ss::test::read_as;
using ss::test::saved_as;

namespace {

struct Case {
  std::string bytes;
  std::string error;
};

std::string read_error(std::string_view bytes, const FormatPointer& format,
                       const ss::Limits& limits = {}) {
  return error_of([&] { return read_as(bytes, format, {.limits = limits}); });
}

void check(const FormatPointer& format, const std::vector<Case>& cases) {
  for (const Case& test : cases) {
    std::string hex;
    for (const char byte : test.bytes) {
      constexpr std::string_view digits = "0123456789ABCDEF";
      hex += digits[static_cast<unsigned char>(byte) >> 4U];
      hex += digits[static_cast<unsigned char>(byte) & 15U];
    }
    CAPTURE(hex);
    CHECK(read_error(test.bytes, format) == test.error);
  }
}

std::string cut(std::string_view expected, std::string_view found, std::string_view offset) {
  return "truncated: at /: the file ends before the bytes that it announces: expected " +
         std::string(expected) + ", found " + std::string(found) + " (byte " + std::string(offset) +
         "). Copy the file again, or save it again.";
}

/// A text of both formats, up to 23 bytes.
std::string text(const FormatPointer& format, std::string_view text) {
  return static_cast<char>((format->name() == "cbor" ? 0x60U : 0xA0U) | text.size()) +
         std::string(text);
}
/// The head of a map or an array.
char map(const FormatPointer& format, unsigned entries) {
  return static_cast<char>((format->name() == "cbor" ? 0xA0U : 0x80U) | entries);
}
char array(const FormatPointer& format, unsigned items) {
  return static_cast<char>((format->name() == "cbor" ? 0x80U : 0x90U) | items);
}
std::string bytes(const FormatPointer& format, std::string_view content) {
  if (format->name() == "cbor")
    return static_cast<char>(0x40U | content.size()) + std::string(content);
  return "\xC4" + std::string(1, static_cast<char>(content.size())) + std::string(content);
}

}  // namespace

TEST_CASE("input that is not MessagePack is refused with its place") {
  check(ss::formats::messagepack(),
        {{"", cut("1 byte", "0", "0")},
         {"\xC1",
          "invalid_schema: at /: a byte cannot begin a value of MessagePack: expected a value, "
          "found byte 193 (byte 0)."},
         {"\x91\xC1",
          "invalid_schema: at /: a byte cannot begin a value of MessagePack: expected a "
          "value, found byte 193 (byte 1)."},
         {"\x01\x02\x03",
          "invalid_schema: at /: there are bytes after the structure: expected "
          "the end of the file, found 2 bytes (byte 1)."},
         {"\xA3"
          "ab",
          cut("3 bytes", "2", "1")},
         {"\xC6\xFF\xFF\xFF\xFF", cut("4294967295 bytes", "0", "5")},
         {"\xCB\0"s, cut("8 bytes", "1", "1")},
         {"\xC9\xFF\xFF\xFF\xFF\x05", cut("4294967295 bytes", "0", "6")},
         {"\xDD\xFF\xFF\xFF\xFF",
          "truncated: at /: the file ends before the items that it "
          "announces: expected 4294967295 items, found 0 bytes (byte 0). "
          "Copy the file again, or save it again."},
         {"\xDF\0\0\0\x01\xA1"s,
          "truncated: at /: the file ends before the items that it "
          "announces: expected 1 entries, found 1 bytes (byte 0). "
          "Copy the file again, or save it again."},
         {"\x81\x90\x01",
          "invalid_argument: at /list: a value of this type cannot be a dict key: expected "
          "a type that Python can hash, not a list, dict, set or tensor, found list of 0 "
          "(byte 1)."}});
}

TEST_CASE("input that is not CBOR is refused with its place") {
  const auto no_value = [](std::string_view place, unsigned byte, std::string_view offset) {
    return "invalid_schema: at " + std::string(place) +
           ": a byte cannot begin a value of CBOR: expected a value, found byte " +
           std::to_string(byte) + " (byte " + std::string(offset) + ").";
  };
  check(ss::formats::cbor(),
        {{"", cut("1 byte", "0", "0")},
         {"\xD9\xD9\xF7", cut("1 byte", "0", "3")},
         {"\x1C", no_value("/", 0x1C, "0")},
         {"\x5E", no_value("/", 0x5E, "0")},
         {"\x1F", no_value("/", 0x1F, "0")},
         {"\xF8\xFF", no_value("/", 0xF8, "0")},
         {"\xE0", no_value("/", 0xE0, "0")},
         {"\xFF", no_value("/", 0xFF, "0")},
         {"\x82\x01\xFF", no_value("/", 0xFF, "2")},
         {"\xBF\x61\x61\xFF", no_value("/", 0xFF, "3")},
         {"\xDF\x01", no_value("/", 0xDF, "0")},
         {"\x01\x02",
          "invalid_schema: at /: there are bytes after the structure: expected the "
          "end of the file, found 1 byte (byte 1)."},
         {"\x9F\x01", cut("1 byte", "0", "2")},
         {"\x5F\x61\x61\xFF",
          "invalid_schema: at /: a piece of a text or of bytes has another type: expected bytes, "
          "found byte 97 (byte 0)."},
         {"\x7F\x7F\xFF\xFF",
          "invalid_schema: at /: a piece of a text or of bytes has another type: expected text, "
          "found byte 127 (byte 0)."},
         {"\x7B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", cut("18446744073709551615 bytes", "0", "9")},
         {"\x9B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
          "truncated: at /: the file ends before the items that it announces: expected "
          "18446744073709551615 items, found 0 bytes (byte 0). "
          "Copy the file again, or save it again."},
         {"\xC2\x01",
          "invalid_schema: at /: a big integer has the wrong form: expected bytes, "
          "found byte 1 (byte 0)."},
         {"\xC2\x5A\xFF\xFF\xFF\xFF",
          "limit_exceeded: at /: an int has too many digits: expected "
          "at most 4300 (Limits::digits), found 4294967295 bytes "
          "(byte 0)."},
         {"\xC6", cut("1 byte", "0", "1")}});
}

TEST_CASE("the bytes of a big integer of CBOR may be in pieces, and its digits count") {
  const FormatPointer& cbor = ss::formats::cbor();
  const std::string zeros(8, '\0');
  for (const std::string& bytes :
       {"\xC2\x49\x01" + zeros, "\xC2\x5F\x41\x01\x40\x48" + zeros + "\xFF",
        "\xC3\x48" + std::string(8, '\xFF')}) {
    const bool is_negative = bytes.starts_with('\xC3');
    CHECK(read_as(bytes, cbor).root ==
          ss::Value::integer(is_negative ? "-18446744073709551616" : "18446744073709551616"));
    CHECK(read_error(bytes, cbor, {.digits = 20}) == "no error");
    CHECK(read_error(bytes, cbor, {.digits = 19}) ==
          "limit_exceeded: at /: an int has too many digits: expected at most 19 (Limits::digits), "
          "found 20 (byte 0).");
  }
}

TEST_CASE("a text that is not UTF-8 and a key that is there twice are refused with their place") {
  for (const FormatPointer& format : binary_formats()) {
    CAPTURE(format->name());
    const std::string advice = "). Store binary data as bytes.";
    check(format, {{text(format, "\xC3\x28"),
                    "invalid_utf8: at /: a text of the structure is not UTF-8 (byte 0" + advice},
                   {array(format, 1) + text(format, "\xED\xA0\x80\xED\xB0\x80"),
                    "invalid_utf8: at /: a text of the structure is not UTF-8 (byte 1" + advice},
                   {map(format, 2) + text(format, "a") + "\x01" + text(format, "a") + "\x02",
                    "duplicate_name: at /a: a dict contains a key twice: found a (byte 4)."},
                   {map(format, 2) + "\x07\x01\x07\x02"s,
                    "duplicate_name: at /7: a dict contains a key twice: found 7 (byte 3)."}});
  }
}

TEST_CASE("a map that stands for something must have its form in binary formats too") {
  for (const FormatPointer& format : binary_formats()) {
    CAPTURE(format->name());
    const std::string one_map(1, map(format, 1));
    const std::string tensor = map(format, 3) + text(format, "$tensor") + text(format, "U8");
    const std::string shape = text(format, "shape");
    const std::string data = text(format, "data");
    check(
        format,
        {{one_map + text(format, "$tuple") + "\x01",
          "invalid_schema: at /: a $tuple has the wrong form: expected an array, found a number "
          "(byte 8)."},
         {one_map + text(format, "$complex") + array(format, 1) + "\x01",
          "invalid_schema: at /: a $complex has the wrong form: expected a number, found the end "
          "of the array (byte 12)."},
         {one_map + text(format, "$bytes") + "\x01",
          "invalid_schema: at /: a $bytes has the wrong form: expected bytes, or {\"same\": name}, "
          "found a number (byte 8)."},
         {one_map + text(format, "$int") + text(format, "1x"),
          "invalid_schema: at /: a $int has the wrong form: expected its digits in a string, found "
          "a string (byte 6)."},
         {map(format, 2) + text(format, "$list") + array(format, 0) + "\x01\x01",
          "unknown_field: at /: a $list has a member that it must not have: found a number "
          "(byte 8)."},
         {map(format, 2) + text(format, "$struct") + text(format, "A") + "\x01\x01",
          "unknown_field: at /: a $struct has a member that it must not have: found a number "
          "(byte 11)."},
         {one_map + text(format, "$custom") + text(format, "A"),
          "invalid_schema: at /: a $custom has no value (byte 11)."},
         {one_map + text(format, "$tensor") + text(format, "X9"),
          "unknown_dtype: at /: a tensor has an unknown dtype: found 'X9' (byte 9)."},
         {one_map + text(format, "$tensor") + text(format, "U8"),
          "invalid_schema: at /: a tensor has no data (byte 12)."},
         {map(format, 2) + text(format, "$tensor") + text(format, "U8") + data + bytes(format, "x"),
          "invalid_schema: at /: a tensor has no shape (byte " +
              std::string(format->name() == "cbor" ? "19" : "20") + ")."},
         {tensor + shape + array(format, 1) + "\x02" + data + bytes(format, "x"),
          "shape_mismatch: at /: the data of a tensor do not have its shape: expected 2 bytes, "
          "found 1 (byte 25)."},
         {tensor + shape + "\x02" + data + bytes(format, "x"),
          "invalid_shape: at /: a shape has the wrong form: expected an array of ints from 0 to "
          "9223372036854775807, found a number (byte 18)."},
         {tensor + shape + array(format, 1) + (format->name() == "cbor" ? "\x20" : "\xFF") + data +
              bytes(format, "x"),
          "invalid_shape: at /: a shape has the wrong form: expected an array of ints from 0 to "
          "9223372036854775807, found int -1 (byte 19)."},
         {tensor + shape + array(format, 1) + (format->name() == "cbor" ? "\x1B" : "\xCF") +
              std::string(8, '\xFF') + data + bytes(format, "x"),
          "invalid_shape: at /: a shape has the wrong form: expected an array of ints from 0 to "
          "9223372036854775807, found int 18446744073709551615 (byte 19)."},
         {tensor + shape + array(format, 1) + "\x01" + data + bytes(format, "xy"),
          "shape_mismatch: at /: the data of a tensor do not have its shape: expected 1 byte, "
          "found 2 (byte 25)."},
         {tensor + shape + array(format, 1) + "\x01" + data + array(format, 1) + "\x01",
          "invalid_schema: at /: the data of a tensor have the wrong form: expected bytes, found "
          "an array (byte 25)."},
         {tensor + text(format, "pad") + "\x01" + data + bytes(format, "x"),
          "invalid_schema: at /: a $tensor has the wrong form: expected bytes as its 'pad', found "
          "a number (byte 16)."},
         {map(format, 2) + text(format, "$safestructures") + map(format, 1) + "\x01\x01" +
              text(format, "root") + "\x01",
          "invalid_schema: at /: a $safestructures has the wrong form: expected metadata and "
          "tensors only, found a number (byte 18)."}});
  }
}

TEST_CASE("every place where a binary file may be cut short is refused") {
  ss::Value tensor(ss::Tensor::own<float>(std::vector<float>(100, 1.5F), {100}));
  tensor.set_attribute("unit", "m");
  const ss::Value value = ss::Value::structure(
      "A",
      {{"w", tensor},
       {"t", ss::Value::tuple({1, 300, 70000, -1, 1.5, "text", std::string(40, 'x')})},
       {"d", ss::Value::dict({{7, nullptr}, {"b", ss::Value::bytes(std::vector<std::byte>(300))}})},
       {"i", ss::Value::integer("123456789012345678901234567890")}});
  for (const FormatPointer& format : binary_formats()) {
    CAPTURE(format->name());
    const std::string whole = saved_as(value, format, {.metadata = {{"run", "42"}}});
    CHECK(read_error(whole, format) == "no error");
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(size);
      const std::string error = read_error(std::string_view(whole).substr(0, size), format);
      CHECK(error.starts_with("truncated: "));
    }
    CHECK(read_error(whole + "\x01", format).starts_with("invalid_schema: at /: there are bytes"));
  }
}

TEST_CASE("limits hold for binary trees before memory is taken") {
  for (const FormatPointer& format : binary_formats()) {
    CAPTURE(format->name());
    const std::string deep(5000, array(format, 1));
    CHECK(read_error(deep + "\x01", format, {.depth = 100})
              .find("a structure is nested too deeply: expected at most 100 levels") !=
          std::string::npos);
    CHECK(read_error(array(format, 5) + "\x01\x02\x03\x04\x05"s, format, {.nodes = 5})
              .starts_with("limit_exceeded: at /4: a structure has too many nodes"));
    std::string many(1, array(format, 3));
    for (int i = 0; i < 3; ++i) many += bytes(format, "x");
    CHECK(read_error(many, format, {.tensors = 2}).starts_with("limit_exceeded: at /2"));
    for (const std::string number : {"123456", "-123456"}) {
      const std::string big = map(format, 1) + text(format, "$int") + text(format, number);
      CHECK(read_error(big, format, {.digits = 6}) == "no error");
      CHECK(read_error(big, format, {.digits = 5}) ==
            "limit_exceeded: at /: an int has too many digits: expected at most 5 "
            "(Limits::digits), found 6 (byte 6).");
    }
    const std::string ranked = saved_as(ss::Tensor::own<float>({1}, {1, 1, 1, 1}), format,
                                        {.precision = ss::Precision::preserve});
    CHECK(read_error(ranked, format, {.rank = 3}).starts_with("limit_exceeded: at /"));
    // A tensor of 1 MiB that is there 1,024 times fills what is always allowed, and no more.
    const auto many_times = [&](unsigned count) {
      ss::Value tensor(ss::Tensor::allocate(ss::DType::U8, {1U << 20U}));
      tensor.set_tensor_name("w");
      const ss::Value list = ss::Value::list(std::vector<ss::Value>(1 + count, tensor));
      return read_error(saved_as(list, format, {.limits = {.repeats = 2000}}), format);
    };
    CHECK(many_times(1024) == "no error");
    CHECK(many_times(1025).starts_with("limit_exceeded: at /1025: "));
  }
  // Tags in tags take a level each.
  CHECK(read_error(std::string(5000, '\xC6') + "\x01", ss::formats::cbor(), {.depth = 100})
            .find("nested too deep") != std::string::npos);
  CHECK(read_error(std::string(999, '\xC6') + "\x01", ss::formats::cbor(), {.depth = 1000}) ==
        "no error");
  std::string self;
  for (int i = 0; i < 5000; ++i) self += "\xD9\xD9\xF7";
  CHECK(read_error(self + "\x01", ss::formats::cbor(), {.depth = 1}) == "no error");
}

TEST_CASE("what MessagePack has no length for is refused before it is written") {
  const ss::test::Folder folder;
  std::ofstream(folder / "huge").put('x');
  constexpr std::uint64_t size = std::uint64_t{1} << 32U;
  std::filesystem::resize_file(folder / "huge", size);
  const auto tensor = [&](std::uint64_t bytes) {
    return ss::Value::dict(
        {{"w", ss::Tensor::deferred(ss::DType::U8, ss::Shape{bytes},
                                    ss::Source::open(folder / "huge"), 0, "w")}});
  };
  CHECK(error_of([&] {
          ss::save_file(tensor(size), folder / "x.msgpack");
          return 0;
        }) ==
        "out_of_range: " + (folder / "x.msgpack").string() +
            ": at /w: a value is too large for MessagePack: expected at most 4294967295 "
            "bytes or items, found 4294967296. Save it in another format, such as safetensors.");
  CHECK(folder.names() == std::vector<std::string>{"huge"});
}
