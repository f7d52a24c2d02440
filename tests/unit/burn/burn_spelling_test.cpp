/// \file
/// Burn's own spelling of a tensor in MessagePack is read at once, every other token by token: both
/// give the same, limits and errors included. What looks like a parameter and is none, and numbers
/// in JSON.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include <safestructures/safestructures.hpp>
#include "support/burn_records.hpp"
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::test::error_of;
using ss::test::messagepack_record;
using ss::test::view_of;
using namespace std::string_literals;

namespace {

/// How the pieces of a tensor are spelled.
struct Spelling {
  std::string what;
  bool is_long_name = false;   // Names as str8.
  char bytes_mark = '\xC4';    // bin8
  std::string size = "\x02";   // of a dimension
  std::string shape = "\x91";  // an array of one
  bool is_shape_first = false;
};

std::string text(const Spelling& spelling, std::string_view name) {
  const auto size = static_cast<char>(name.size());
  const std::string mark =
      spelling.is_long_name ? "\xD9"s + size : std::string(1, static_cast<char>(size | '\xA0'));
  return mark + std::string(name);
}

std::string data(const Spelling& spelling, std::size_t byte_count, std::string_view dtype) {
  const std::string bytes = "abcdefgh"s.substr(0, byte_count);
  std::string announced(1, static_cast<char>(byte_count));
  if (spelling.bytes_mark == '\xC5') announced.insert(0, 1, '\0');
  if (spelling.bytes_mark == '\xC6') announced.insert(0, 3, '\0');
  const std::string elements = text(spelling, "bytes") + spelling.bytes_mark + announced + bytes;
  const std::string shape = text(spelling, "shape") + spelling.shape + spelling.size;
  return "\x83" + (spelling.is_shape_first ? shape + elements : elements + shape) +
         text(spelling, "dtype") + text(spelling, dtype);
}

std::string param(const Spelling& spelling, std::size_t byte_count, std::string_view dtype) {
  return "\x82" + text(spelling, "id") + text(spelling, "72d17eukbtkma") + text(spelling, "param") +
         data(spelling, byte_count, dtype);
}

const std::vector<Spelling>& spellings() {
  static const std::vector<Spelling> all = {
      {.what = "Burn's"},
      {.what = "names in str8", .is_long_name = true},
      {.what = "bytes in bin16", .bytes_mark = '\xC5'},
      {.what = "bytes in bin32", .bytes_mark = '\xC6'},
      {.what = "a size in 8 bits", .size = "\xCC\x02"},
      {.what = "a size in 16 bits", .size = "\xCD\0\x02"s},
      {.what = "a size in 32 bits", .size = "\xCE\0\0\0\x02"s},
      {.what = "a size in 64 bits", .size = "\xCF\0\0\0\0\0\0\0\x02"s},
      {.what = "a size with a sign", .size = "\xD0\x02"},
      {.what = "the shape in array16", .shape = "\xDC\0\x01"s},
      {.what = "the shape first", .is_shape_first = true},
  };
  return all;
}

ss::Value load(const std::string& bytes, const ss::Limits& limits = {}) {
  return ss::load(view_of(bytes), {.format = ss::formats::burn(), .limits = limits});
}

}  // namespace

TEST_CASE("a tensor is the same however its record spells it") {
  const std::string in_map = "\x81\xA1w";
  for (const auto spell : {data, param}) {
    for (const std::string_view dtype : {"F32", "I32", "Flex32"}) {
      const ss::Value expected =
          load(messagepack_record(in_map + spell(spellings().front(), 8, dtype)));
      REQUIRE(expected["w"].kind() == ss::Kind::tensor);
      for (const Spelling& one : spellings()) {
        CAPTURE(one.what);
        CHECK(load(messagepack_record(in_map + spell(one, 8, dtype))) == expected);
      }
    }
  }
}

TEST_CASE("what is wrong with a tensor has the same error however its record spells it") {
  const Spelling plain = spellings().front();
  const Spelling other = {.what = {}, .is_long_name = true};
  for (const auto spell : {data, param}) {
    for (const auto& one : {std::pair{4U, "F32"}, {8U, "F64"}, {8U, "F8"}, {0U, "U8"}}) {
      const std::size_t size = one.first;
      const std::string_view dtype = one.second;
      const auto error = [&](const Spelling& spelling) {
        const std::string bytes = messagepack_record("\x81\xA1w" + spell(spelling, size, dtype));
        return error_of([&] { static_cast<void>(load(bytes)); });
      };
      CAPTURE(dtype);
      CHECK(error(plain) == error(other));
      CHECK(error(plain) != "no error");
    }
  }
}

TEST_CASE("limits are the same for every spelling of a tensor") {
  for (const auto spell : {data, param}) {
    const std::string plain =
        messagepack_record("\x81\xA1w" + spell(spellings().front(), 8, "F32"));
    const std::string other =
        messagepack_record("\x81\xA1w" + spell({.what = {}, .is_long_name = true}, 8, "F32"));
    int refused = 0;
    const auto check = [&](const ss::Limits& limits) {
      // Where in the record the limit is passed differs.
      const auto code = [&](const std::string& bytes) {
        const std::string error = error_of([&] { static_cast<void>(load(bytes, limits)); });
        return error.substr(0, error.find(':'));
      };
      refused += code(plain) == "no error" ? 0 : 1;
      CHECK(code(plain) == code(other));
    };
    for (std::uint64_t nodes = 1; nodes < 12; ++nodes) check({.nodes = nodes});
    for (std::uint32_t depth = 1; depth < 8; ++depth) check({.depth = depth});
    for (std::uint32_t rank = 0; rank < 3; ++rank) check({.rank = rank});
    CHECK(refused >= 6);
  }
}

namespace {

struct Tagged {
  std::string id;
  ss::burn::Param<> param;
};
struct Noted {
  std::string id;
  ss::burn::Bare<> param;
};

}  // namespace

TEST_CASE("a struct whose fields have the names of a parameter's is kept") {
  const Tagged tagged{"first", {ss::Tensor::own<float>({1, 2}), "72d17eukbtkma"}};
  const Noted noted{"second", {ss::Tensor::own<float>({3})}};
  for (const auto encoding : {ss::burn::Encoding::messagepack, ss::burn::Encoding::pretty_json}) {
    const ss::SaveOptions options = {.format = ss::formats::burn({.encoding = encoding})};
    const auto bytes = ss::save(std::tuple(tagged, noted), options);
    const ss::Value dynamic = ss::load(bytes);
    CHECK(dynamic[0]["id"] == ss::Value("first"));
    CHECK(*dynamic[0]["param"].attribute("burn.id") == ss::Value("72d17eukbtkma"));
    CHECK(ss::save(dynamic, options) == bytes);
    const auto [first, second] = ss::load<std::tuple<Tagged, Noted>>(bytes);
    CHECK(first.id == "first");
    CHECK(first.param.id == "72d17eukbtkma");
    CHECK(second.id == "second");
    CHECK(second.param.value.to_vector<float>() == std::vector<float>{3});
  }
}

TEST_CASE("floats have an exponent in JSON where those of Burn have one") {
  const auto spelled = [](auto number) {
    const auto bytes =
        ss::save(number, {.format = ss::formats::burn({.encoding = ss::burn::Encoding::json})});
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t begin = text.find("\"item\":") + 7;
    return text.substr(begin, text.find(",\"_b\"") - begin);
  };
  // As burn-core 0.21 wrote them, with serde_json.
  for (const auto& [number, f64, f32] : std::vector<std::tuple<double, std::string, std::string>>{
           {1e-7, "1e-7", "1e-7"},
           {1.234e-6, "1.234e-6", "0.000001234"},
           {1e-5, "0.00001", "0.00001"},
           {1e12, "1000000000000.0", "1000000000000.0"},
           {1e13, "10000000000000.0", "1e+13"},
           {1.5e15, "1500000000000000.0", "1.5e+15"},
           {1e16, "1e+16", "1e+16"},
           {123456789012345680.0, "1.2345678901234568e+17", "1.2345679e+17"},
           {-0.0, "-0.0", "-0.0"},
           {-1e-10, "-1e-10", "-1e-10"}}) {
    CHECK(spelled(number) == f64);
    CHECK(spelled(static_cast<float>(number)) == f32);
  }
}
