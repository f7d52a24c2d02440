/// \file
/// Malformed records of Burn, each with its exact error, and records that are cut short anywhere.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include "support/burn_records.hpp"
#include "support/errors.hpp"

namespace ss = safestructures;
namespace burn = ss::burn;
using ss::test::bincode_record;
using ss::test::error_of;
using ss::test::json_record;
using ss::test::linear;
using ss::test::messagepack_record;
using ss::test::view_of;
using namespace std::string_literals;

namespace {

struct Case {
  std::string name;
  std::string bytes;
  std::string error;
};

/// What follows the metadata in the records of these tests.
std::size_t item_of_mpk() { return messagepack_record("").size() - 4; }
std::size_t item_of_bin() { return bincode_record("").size(); }

std::string at(std::size_t offset) { return " (byte " + std::to_string(offset) + ")."; }

}  // namespace

TEST_CASE("malformed MessagePack is refused") {
  const std::size_t item = item_of_mpk();
  const std::vector<Case> cases = {
      {"an extension type", messagepack_record("\xC7\x01\x05\x01"),
       "invalid_header: at /: a value has a type that records do not have: expected no "
       "extension, found type 5" +
           at(item)},
      {"a byte that begins nothing", messagepack_record("\xC1"),
       "invalid_header: at /: a byte cannot begin a value of MessagePack: expected a value, found "
       "byte "
       "193" +
           at(item)},
      {"a key that is no text", messagepack_record("\x81\x90\x01"),
       "invalid_header: at /: a key is not a text: expected a string, found an array" +
           at(item + 1)},
      {"a key twice",
       messagepack_record("\x82\xA1"
                          "a\x01\xA1"
                          "a\x02"),
       "duplicate_name: at /a: a map contains a key twice" + at(item + 4)},
      {"bytes behind the record", messagepack_record("\x01") + "\xC0",
       "invalid_header: at /: there are bytes after the record: expected the end of the file, "
       "found 1 byte" +
           at(item + 5)},
      {"a list longer than the file", messagepack_record("\xDD\xFF\xFF\xFF\xFF"),
       "truncated: at /: the file ends before the items that it announces: expected 4294967295 "
       "items, found 4 bytes" +
           at(item).substr(0, at(item).size() - 1) + ". Copy the file again, or save it again."},
      {"bytes longer than the file", messagepack_record("\xC6\xFF\xFF\xFF\xFF"),
       "truncated: at /: the file ends before the bytes that it announces: expected 4294967295 "
       "bytes, found 4" +
           at(item + 5).substr(0, at(item + 5).size() - 1) +
           ". Copy the file again, or save it again."},
      {"a text that is not UTF-8", messagepack_record("\xA2\xC3\x28"),
       "invalid_utf8: at /: a text of the record is not UTF-8" +
           at(item).substr(0, at(item).size() - 1) +
           ". The file is damaged, or was not written by Burn: save the record again."},
      {"too few bytes for the shape",
       messagepack_record("\x81\xA1w\x83\xA5"
                          "bytes\xC4\x04"
                          "abcd\xA5shape\x91\x02\xA5"
                          "dtype\xA3"
                          "F32"s),
       "shape_mismatch: at /w: a tensor's data do not fit its shape: expected 8 bytes for F32 [2], "
       "found 4."},
      {"bytes as integers of which one is no byte",
       messagepack_record("\x81\xA1w\x83\xA5"
                          "bytes\x92\x01\xCD\x01\x90\xA5shape\x91\x02\xA5"
                          "dtype\xA2"
                          "U8"s),
       "invalid_header: at /w: a tensor's bytes hold something that is not a byte: expected "
       "integers from 0 to "
       "255, found int 400 at index 1. The file is damaged: copy it again, or save it again."},
      {"a dtype that is none",
       messagepack_record("\x83\xA5"
                          "bytes\xC4\0\xA5shape\x91\0\xA5"
                          "dtype\xA2"
                          "F8"s),
       "unknown_dtype: at /: a tensor has an unknown dtype: expected a dtype of Burn, found str "
       "\"F8\"."},
      {"a size that is negative",
       messagepack_record("\x83\xA5"
                          "bytes\xC4\0\xA5shape\x91\xFF\xA5"
                          "dtype\xA3"
                          "F32"s),
       "invalid_shape: at /: a shape holds something that is not a size: expected an integer, 0 or "
       "larger, found int "
       "-1."},
      {"booleans that are stored in an unknown way",
       messagepack_record("\x83\xA5"
                          "bytes\xC4\x01\x01\xA5shape\x91\x01\xA5"
                          "dtype\x81\xA4"
                          "Bool\xA3U16"s),
       "unknown_dtype: at /: a tensor has an unknown dtype: expected a dtype of Burn, found Bool "
       "of str \"U16\"."},
      {"a key of the metadata twice",
       "\x82\xA8metadata\x82\xA5"
       "float\xA1x\xA5"
       "float\xA1y\xA4item\x01"s,
       "duplicate_name: at /: the metadata of a record contain a key twice: found 'float'" +
           at(19)},
      {"no item", "\x81\xA8metadata\x80"s,
       "invalid_header: at /: the file is not a record of Burn: expected 'item' in its map, found "
       "none" +
           at(11)},
      {"no map", "\x93\xC0\xC0\xC0"s,
       "invalid_header: at /: the file is not a record of Burn: expected a map with metadata and "
       "item, "
       "found an array" +
           at(0)},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    CHECK(error_of([&] { return ss::load(view_of(one.bytes), {.format = ss::formats::burn()}); }) ==
          one.error);
  }
}

TEST_CASE("malformed JSON is refused") {
  const std::size_t item = json_record("").size() - 11;
  const std::string damaged = ". The file is damaged: copy it again, or save it again.";
  const auto lone = [](std::size_t offset) {
    return " (byte " + std::to_string(offset) +
           "). The file is damaged, or was not written by Burn: save the record again.";
  };
  const std::vector<Case> cases = {
      {"no JSON", json_record("[1,]"),
       "invalid_header: at /: the record is not JSON: expected a value, found ']'" + at(item + 3)},
      {"bytes that are none", json_record(R"({"bytes":[1,256],"shape":[2],"dtype":"U8"})"),
       "invalid_header: at /: a tensor's bytes hold something that is not a byte: expected "
       "integers from 0 to "
       "255, found int 256 at index 1" +
           damaged},
      {"a negative byte",
       json_record(R"({"w":{"bytes":[1,-1],"shape":[2],"dtype":{"Bool":"Native"}}})"),
       "invalid_header: at /w: a tensor's bytes hold something that is not a byte: expected "
       "integers from 0 to "
       "255, found int -1 at index 1" +
           damaged},
      {"a byte that is none in a parameter",
       json_record(
           R"({"w":{"id":"a","param":{"bytes":[true],"shape":[1],"dtype":{"QFloat":{"a":1}}}}})"),
       "invalid_header: at /w/param: a tensor's bytes hold something that is not a byte: expected "
       "integers from "
       "0 to 255, found bool True at index 0" +
           damaged},
      {"no bytes at all", json_record(R"({"shape":[1],"bytes":null,"dtype":"F32"})"),
       "invalid_header: at /: a tensor's bytes hold something that is not a byte: expected "
       "integers from 0 to "
       "255, found None" +
           damaged},
      {"a float beyond the range", json_record(R"({"x":1e400})"),
       "out_of_range: at /x: a number is too large for a float: expected at most 1.8e308, found "
       "1e400" +
           at(item + 5)},
      {"a negative one", json_record(R"({"x":[0,-1e400]})"),
       "out_of_range: at /x/1: a number is too large for a float: expected at most 1.8e308, found "
       "-1e400" +
           at(item + 8)},
      {"one in a tensor of 0.13", json_record(R"({"value":[0.5,1e400],"shape":[2]})", "0.13.2"),
       "out_of_range: at /: a number is too large for a float: expected at most 1.8e308, "
       "found 1e400" +
           at(item + 14)},
      {"half a surrogate pair", json_record(R"({"x":"a\ud800"})"),
       "invalid_utf8: at /: a text of the record is not UTF-8: expected pairs of surrogates, "
       "found an escape of half a pair" +
           lone(item + 5)},
      {"one in a key", json_record(R"({"a\udc00":1})"),
       "invalid_utf8: at /: a text of the record is not UTF-8: expected pairs of surrogates, found "
       "an escape of half a pair" +
           lone(item + 1)},
      {"a whole one", json_record(R"({"x":"\ud83e\udd80"})"), "no error"},
      {"what is no tensor but looks like one",
       json_record(R"([{"bytes":[256],"shape":[1],"dtype":"F8"},)"
                   R"({"bytes":[256],"shape":[-1],"dtype":"F32"},)"
                   R"({"bytes":[256],"shape":[1],"dtype":"F32","more":1}])"),
       "no error"},
      {"too many bytes for the shape",
       json_record(R"({"w":{"bytes":[1,2],"shape":[1],"dtype":"U8"}})"),
       "shape_mismatch: at /w: a tensor's data do not fit its shape: expected 1 bytes for U8 [1], "
       "found 2."},
      {"a bool of four bytes that is neither",
       json_record(R"({"bytes":[2,0,0,0],"shape":[1],"dtype":{"Bool":"U32"}})"),
       "out_of_range: at /: a bool is neither true nor false: expected 0 or 1, found 2."},
      {"too many numbers of 0.13", json_record(R"({"value":[1.5,2.5],"shape":[1]})", "0.13.2"),
       "shape_mismatch: at /: a tensor's data do not fit its shape: expected 4 bytes for F32 [1], "
       "found 8."},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    CHECK(error_of([&] {
            return ss::load(view_of(one.bytes),
                            {.format = ss::formats::burn({.encoding = burn::Encoding::json})});
          }) == one.error);
  }
}

TEST_CASE("malformed bincode is refused") {
  struct Item {
    std::optional<std::uint16_t> number;
    std::vector<float> list;
  };
  const std::size_t item = item_of_bin();
  const std::string advice =
      ". Check that the C++ type has the fields of the record, in its order.";
  const auto offset = [](std::size_t byte) { return " (byte " + std::to_string(byte) + ")"; };
  const std::vector<Case> cases = {
      {"a tag that is none", bincode_record("\x02"),
       "invalid_header: at /number: a tag is neither 0 nor 1: expected 0 or 1, found 2" +
           offset(item + 1) + advice},
      {"an integer of 128 bits", bincode_record("\x01\xFE"),
       "invalid_header: at /number: a byte cannot begin an integer: expected a byte up to 253, "
       "found "
       "254" +
           offset(item + 1) + advice},
      {"an integer too large for its type", bincode_record("\x01\xFC\0\0\x01\0"s),
       "out_of_range: at /number: an integer does not fit its type: expected u16, found 65536" +
           at(item + 6)},
      {"more numbers than the file has", bincode_record("\0\xFC\xFF\xFF\xFF\xFF"s),
       "truncated: at /list: the file ends before the items that it announces: expected 4294967295 "
       "items, found 0 bytes" +
           offset(item + 6) + advice},
      {"bytes behind the record", bincode_record("\0\0\0"s),
       "invalid_header: at /: there are bytes after the record: expected the end of the file, "
       "found 1 byte" +
           offset(item + 2) + ". Check that the C++ type has all fields of the record."},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    CHECK(error_of([&] { return ss::load<Item>(view_of(one.bytes)); }) == one.error);
  }
}

TEST_CASE("what bincode takes for a tensor of another type is refused with what to check") {
  struct Item {
    burn::Bare<> w;
  };
  const std::string advice =
      ". Check that the C++ type has the fields of the record, in its order.";
  const std::string size = "\xFD\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F";
  const std::vector<Case> cases = {
      {"too few bytes for the shape",
       bincode_record("\x04"
                      "abcd\x01\x02\x01"),
       "shape_mismatch: at /w: a tensor's data do not fit its shape: expected 8 bytes for F32 [2], "
       "found 4" +
           advice},
      {"a shape too large", bincode_record("\0\x02"s + size + size + "\x01"),
       "invalid_shape: at /w: the shape is too large: expected at most 9223372036854775807 "
       "elements, sizes of 0 not counted, found [9223372036854775807, 9223372036854775807]" +
           advice},
      {"too many dimensions", bincode_record("\0\x41"s + std::string(65, '\1') + "\x01"),
       "limit_exceeded: at /w: a tensor has too many dimensions: expected at most 64 "
       "(Limits::rank), found 65 (byte " +
           std::to_string(item_of_bin() + 2) + ")" + advice},
      {"too many numbers of 0.13", bincode_record("\x01\0\0\0\0\x01\x02"s, "0.13.2"),
       "shape_mismatch: at /w: a tensor's data do not fit its shape: expected 8 bytes for F32 [2], "
       "found 4" +
           advice},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    CHECK(error_of([&] { return ss::load<Item>(view_of(one.bytes)); }) == one.error);
  }
}

TEST_CASE("if a recorder cannot load the file of another recorder, the error names the other") {
  struct Written {
    std::int32_t steps;
    std::int32_t epoch;
  };
  struct Read {
    std::int32_t steps;
  };
  const std::vector<std::byte> bytes =
      burn::BinBytesRecorder<burn::HalfPrecisionSettings>().record(Written{3, 4});
  const auto error = [&](const auto& recorder) {
    return error_of([&] { static_cast<void>(recorder.template load<Read>(bytes)); });
  };
  const std::string problem = error(burn::BinBytesRecorder<burn::HalfPrecisionSettings>());
  CHECK(problem ==
        "invalid_header: at /: there are bytes after the record: expected the end of the file, "
        "found 1 byte (byte " +
            std::to_string(bytes.size() - 1) +
            "). Check that the C++ type has all fields of the record.");
  const std::string advice =
      " It was recorded by "
      "burn_core::record::memory::BinBytesRecorder<burn_core::record::settings::"
      "HalfPrecisionSettings> of Burn 0.21.0: load it with that recorder, and those settings.";
  CHECK(error(burn::BinBytesRecorder<burn::FullPrecisionSettings>()) == problem + advice);
  CHECK(error(burn::NamedMpkBytesRecorder<burn::HalfPrecisionSettings>()) == problem + advice);
  // Where the error has no advice of its own, and where the recorder is not known.
  const std::string item = "out_of_range: at /: an integer does not fit its type: expected u16";
  const auto told = [&](std::string_view bin) {
    return error_of([&] {
      return burn::BinBytesRecorder<burn::HalfPrecisionSettings>().load<std::uint16_t>(
          view_of(bin));
    });
  };
  CHECK(told(bincode_record("\xFC\0\0\x01\0"s)) ==
        item + ", found 65536 (byte " + std::to_string(item_of_bin() + 5) +
            "). It was recorded by x of Burn 0.21.0: load it with that recorder, and those "
            "settings.");
  CHECK(told("\x03"
             "f32\x03")
            .starts_with("truncated: at /: "));
  CHECK(told("\x03"
             "f32\x03")
            .find("It was recorded") == std::string::npos);
}

TEST_CASE("a record that is cut short anywhere is an error, whatever the encoding") {
  const auto check = [](const std::vector<std::byte>& whole, burn::Encoding encoding) {
    static_cast<void>(ss::load<burn::Linear>(whole));
    const ss::LoadOptions options{.format = ss::formats::burn({.encoding = encoding})};
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(size);
      CHECK_THROWS_AS(
          static_cast<void>(ss::load<burn::Linear>(std::span(whole).first(size), options)),
          ss::Error);
    }
  };
  for (const std::string version : {"0.13", "0.17", "0.21"}) {
    const burn::RecorderOptions options{.burn_version = version};
    check(burn::NamedMpkBytesRecorder<>(options).record(linear()), burn::Encoding::messagepack);
    check(burn::BinBytesRecorder<>(options).record(linear()), burn::Encoding::bincode);
    check(ss::save(linear(), {.format = ss::formats::burn(
                                  {.encoding = burn::Encoding::json, .burn_version = version})}),
          burn::Encoding::json);
  }
}

TEST_CASE("items that take no bytes are not made because a record announces them") {
  using Units = std::vector<std::monostate>;
  CHECK(ss::load<Units>(view_of(bincode_record("\x03"))).size() == 3);
  const std::size_t item = item_of_bin();
  CHECK(
      error_of([&] { return ss::load<Units>(view_of(bincode_record("\xFC\xFF\xFF\xFF\xFF"))); }) ==
      "truncated: at /: the file ends before the items that it announces: expected 4294967295 "
      "items, found 0 bytes (byte " +
          std::to_string(item + 5) +
          "). Check that the C++ type has the fields of the record, in its order.");
}

TEST_CASE("limits hold for records") {
  const std::string deep = messagepack_record(std::string(600, '\x91') + "\xC0");
  CHECK(error_of([&] { return ss::load(view_of(deep)); }).starts_with("limit_exceeded: at /0"));
  const std::string nested = json_record(std::string(600, '[') + std::string(600, ']'));
  CHECK(error_of([&] { return ss::load(view_of(nested)); }).starts_with("limit_exceeded: at /0"));
  const std::string many = messagepack_record(
      "\xDC\x00\x10\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01"
      "\x01\x01\x01\x01\x01\x01"s);
  CHECK(error_of([&] {
          return ss::load(view_of(many), {.limits = {.nodes = 10}});
        }).starts_with("limit_exceeded: at /9: a structure has too many nodes"));
}
