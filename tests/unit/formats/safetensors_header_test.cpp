// What a valid header may look like, and what is read from it.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safetensors/header.hpp>

#include "support/errors.hpp"

namespace safestructures {
namespace {

using safetensors::Header;
using safetensors::TensorInfo;

Header parse(std::string_view json, std::uint64_t data_size = 0) {
  return Header::parse(std::as_bytes(std::span(json)), data_size);
}

TEST_CASE("a header without tensors is read") {
  const Header header = parse("{}");
  CHECK(header.size() == 0);
  CHECK(header.metadata().empty());
  CHECK_FALSE(header.find("").has_value());
}

TEST_CASE("a header gives names, dtypes, shapes and places in the order of the bytes") {
  const Header header = parse(R"({"b":{"dtype":"F32","shape":[2,1],"data_offsets":[1,9]},)"
                              R"("a":{"dtype":"U8","shape":[],"data_offsets":[0,1]},)"
                              R"("c":{"data_offsets":[9,9],"shape":[5,0,7],"dtype":"I64"}})",
                              9);
  REQUIRE(header.size() == 3);
  CHECK(header.name(0) == "a");
  const TensorInfo a = header.info(0);
  CHECK(a.dtype == DType::U8);
  CHECK(a.shape == Shape{});
  CHECK(a.begin == 0);
  CHECK(a.end == 1);
  const TensorInfo b = header.info(1);
  CHECK(b.name == "b");
  CHECK(b.dtype == DType::F32);
  CHECK(b.shape == Shape{2, 1});
  CHECK(b.begin == 1);
  CHECK(b.end == 9);
  CHECK(header.info(2).shape == Shape{5, 0, 7});
  CHECK(header.find("c") == std::optional<std::size_t>(2));
  CHECK(header.find("b") == std::optional<std::size_t>(1));
  CHECK_FALSE(header.find("d").has_value());
}

TEST_CASE("every dtype is known by its name") {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    const std::string name(to_string(dtype));
    CAPTURE(name);
    // Eight elements are whole bytes in every dtype.
    const std::string size = std::to_string(bit_width(dtype));
    const Header header =
        parse(R"({"x":{"dtype":")" + name + R"(","shape":[8],"data_offsets":[0,)" + size + "]}}",
              bit_width(dtype));
    CHECK(header.info(0).dtype == dtype);
  }
}

TEST_CASE("elements narrower than a byte fill whole bytes, whoever reads the header") {
  const auto error_of = [](const std::string& dtype, int count, int bytes,
                           const std::string& blank) {
    const std::string end = std::to_string(bytes);
    try {
      parse("{" + blank + R"("x":{"dtype":")" + dtype + R"(","shape":[)" + std::to_string(count) +
                R"(],"data_offsets":[0,)" + end + "]}}",
            static_cast<std::uint64_t>(bytes));
      return std::string("read");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  for (const std::string blank : {"", " "})
    for (const auto& of : {std::pair<std::string, int>{"F4", 4}, {"F6_E2M3", 6}, {"F6_E3M2", 6}})
      for (int count = 0; count < 20; ++count)
        for (int bytes = 0; bytes < 16; ++bytes) {
          const std::string& dtype = of.first;
          const int width = of.second;
          CAPTURE(dtype);
          CAPTURE(count);
          CAPTURE(bytes);
          const std::string error = error_of(dtype, count, bytes, blank);
          if (count * width % 8 != 0)
            CHECK(error ==
                  "at x: the elements do not fill whole bytes: expected a number of "
                  "elements of " +
                      std::to_string(width) + " bits that makes a multiple of 8 bits, found " +
                      dtype + " [" + std::to_string(count) + "].");
          else CHECK((error == "read") == (count * width == 8 * bytes));
        }
}

TEST_CASE("a header may be as long as Limits::header_bytes, and no byte longer") {
  const std::string text = R"({"__metadata__":{"k":"v"}})";
  const auto bytes = std::as_bytes(std::span(text));
  const Header longest = Header::parse(bytes, 0, {.header_bytes = text.size()});
  CHECK(longest.metadata().size() == 1);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(Header::parse(bytes, 0, {.header_bytes = text.size() - 1})),
      "the header is too large: expected at most 25 bytes (Limits::header_bytes), found 26.",
      Error);
}

TEST_CASE("escapes in keys, names and texts are decoded") {
  const Header header = parse(
      R"({"\u005f_metadata__":{"k\n":"\"\\\/\b\f\n\r\t\u0000\u00E9\u20ac\ud83d\uDE00"},)"
      R"("n\u0061me\ud83d\ude00":{"d\u0074ype":"\u0046\u00332","shape":[1],"data_offsets":[0,4]}})",
      4);
  CHECK(header.name(0) == "name\xF0\x9F\x98\x80");
  CHECK(header.info(0).dtype == DType::F32);
  REQUIRE(header.metadata().size() == 1);
  CHECK(header.metadata()[0].key == "k\n");
  CHECK(header.metadata("k\n") ==
        std::string_view("\"\\/\b\f\n\r\t\0\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 18));
  CHECK(header.find("name\xF0\x9F\x98\x80").has_value());
}

TEST_CASE("escapes are decoded wherever they are in a text") {
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      const std::string json = R"({"__metadata__":{"k":")" + std::string(before, 'x') +
                               R"(\u00e9\\)" + std::string(after, 'y') + "\"}}";
      const Header header = parse(json);
      CHECK(header.metadata("k") ==
            std::string(before, 'x') + "\xC3\xA9\\" + std::string(after, 'y'));
    }
  }
}

TEST_CASE("metadata comes by ascending key") {
  const Header header = parse(R"({"__metadata__":{"b":"2","":"0","a":"1"}})");
  REQUIRE(header.metadata().size() == 3);
  CHECK(header.metadata()[0].key.empty());
  CHECK(header.metadata("a") == std::string_view("1"));
  CHECK(header.metadata("b") == std::string_view("2"));
  CHECK_FALSE(header.metadata("c").has_value());
}

TEST_CASE("blanks around a header are read over, of every kind that JSON has") {
  for (const std::string blanks :
       {" ", "\n", "\t", "\r", " \r\n\t ", "        ", "           \n         "}) {
    CHECK(parse(blanks + "{}").size() == 0);
    CHECK(parse("{}" + blanks).size() == 0);
    CHECK(parse(blanks + R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})" + blanks, 1)
              .size() == 1);
  }
}

TEST_CASE("whatever the Rust crate accepts is read") {
  const Header without = parse(R"({"__metadata__":null})");
  CHECK(without.metadata().empty());
  CHECK(parse("{ \"a\" : {\n\t\"dtype\":\"U8\" , \"shape\" : [ 1 ] ,\r\n\"data_offsets\":[0 , 1]} "
              "}    ",
              1)
            .size() == 1);
  CHECK(parse(R"({"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1).find("") ==
        std::optional<std::size_t>(0));
  const Header unknown =
      parse(R"({"a":{"x":{"y":[1,-2.5e3,"\u0041",true,false,null,{}]},"dtype":"U8","shape":[1],)"
            R"("data_offsets":[0,1],"x":0}})",
            1);
  CHECK(unknown.info(0).shape == Shape{1});
}

TEST_CASE("unused parts may be nested as deeply as Limits::depth, and never beyond 1,000 levels") {
  const auto error_of_levels = [](std::size_t levels, std::uint32_t most) {
    const std::string text = R"({"a":{"x":)" + std::string(levels, '[') + std::string(levels, ']') +
                             R"(,"dtype":"U8","shape":[0],"data_offsets":[0,0]}})";
    return test::error_of(
        [&] { return Header::parse(std::as_bytes(std::span(text)), 0, {.depth = most}); });
  };
  for (const std::uint32_t most : {10U, 500U, 1000U}) {
    CAPTURE(most);
    CHECK(error_of_levels(most, most) == "no error");
    CHECK(error_of_levels(most + 1, most).starts_with("limit_exceeded: "));
  }
  CHECK(error_of_levels(1000, 5000) == "no error");
  CHECK(error_of_levels(1001, 5000).starts_with("limit_exceeded: "));
}

TEST_CASE("empty tensors that share a place keep the header's order") {
  const Header header = parse(R"({"full":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                              R"("z":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                              R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
                              1);
  CHECK(header.name(0) == "z");
  CHECK(header.name(1) == "a");
  CHECK(header.name(2) == "full");
}

TEST_CASE("a copy of a header keeps its names alive") {
  std::optional<Header> first(
      parse(R"({"name":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1));
  const Header second = *first;
  const std::string_view name = first->name(0);
  first.reset();
  CHECK(name == "name");
  CHECK(second.name(0).data() == name.data());
}

}  // namespace
}  // namespace safestructures
