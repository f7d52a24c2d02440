// What is read directly and what is read in general is the same, and so is what is refused.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "malformed/safetensors_cases.hpp"
#include "support/spelling.hpp"

namespace ss = safestructures;
using ss::test::read_header;
using ss::test::read_schema;
using ss::test::with_blank;

namespace {

constexpr std::uint64_t data_size = 30;

const std::string header = R"({"__metadata__":{"format":"pt","note":"a\"b\\\u00e9\ud83d\ude00"},)"
                           R"("bias":{"dtype":"F16","shape":[3],"data_offsets":[0,6]},)"
                           "\"w\xC3\xA9ight\""
                           R"(:{"dtype":"I32","shape":[2,2],"data_offsets":[6,22]},)"
                           R"("none":{"dtype":"F6_E2M3","shape":[0,7],"data_offsets":[22,22]},)"
                           R"("one":{"dtype":"U64","shape":[],"data_offsets":[22,30]}}   )";

const std::string schema =
    R"json({"data_type": "tuple", "value": [{"data_type": "dict", "value": {)json"
    R"json("a": {"data_type": "list", "value": [)json"
    R"json({"data_type": "int", "value": "-12"}, {"data_type": "float", "value": "1e-05"}, )json"
    R"json({"data_type": "complex", "value": "(1+2j)"}, )json"
    R"json({"data_type": "str", "value": "x\n\u00e9\"y"}, )json"
    R"json({"data_type": "bool", "value": true}, {"data_type": "NoneType", "value": null}]}, )json"
    R"json("7": {"data_type": "set", "value": []}, )json"
    R"json("(1, 2)": {"data_type": "builtins.list", "value": []}}, )json"
    R"json("keys": {"a": {"data_type": "str", "value": "a"}, )json"
    R"json("7": {"data_type": "int", "value": "7"}, "(1, 2)": {"data_type": "tuple", "value": [)json"
    R"json({"data_type": "int", "value": "1"}, {"data_type": "int", "value": "2"}]}}}, )json"
    R"json({"data_type": "SafestructuresDataclass", "value": {"w": {"data_type": "numpy.ndarray", )json"
    R"json("value": "f0", "dtype": "F64"}, "b": {"data_type": "bytes", "value": "b1"}}, )json"
    R"json("class": "Layer"}, {"data_type": "torch.Tensor", "value": "f2"}]})json";

// Dicts, structures and lists like those before them, and some that are not.
const std::string alike = [] {
  const auto integer = [](int i) {
    return R"({"data_type": "int", "value": ")" + std::to_string(i) + "\"}";
  };
  const auto list = [&](int i) {
    return R"({"data_type": "list", "value": [)" + integer(i) + ", " + integer(-i) + "]}";
  };
  const auto dict = [](const std::string& a, const std::string& b, const std::string& names) {
    const std::string keys = names == "ab" ? R"("a": {"data_type": "str", "value": "a"}, )"
                                             R"("b": {"data_type": "str", "value": "b"})"
                                           : R"("a": {"data_type": "str", "value": "a"})";
    return R"({"data_type": "dict", "value": {"a": )" + a + (b.empty() ? "" : ", \"b\": ") + b +
           "}, \"keys\": {" + keys + "}}";
  };
  return R"({"data_type": "list", "value": [)" + dict(integer(1), list(1), "ab") + ", " +
         dict(integer(2), list(2), "ab") + ", " + dict(list(3), list(3), "ab") + ", " +
         dict(integer(4), "", "a") + "]}";
}();

std::optional<ss::Tensor> lookup(std::string_view name) {
  static constexpr std::array<std::uint8_t, 3> bytes = {1, 2, 3};
  static constexpr std::array<float, 2> floats = {1, 2};
  if (name.size() != 2) return std::nullopt;
  if (name.front() == 'b') return ss::Tensor::of<std::uint8_t>(bytes);
  if (name.front() == 'f') return ss::Tensor::of<float>(floats);
  return std::nullopt;
}

void check_header(std::string_view text, std::uint64_t size) {
  if (text.empty() || text.front() != '{') return;
  CAPTURE(std::string(text));
  CHECK(read_header(text, size, 0) == read_header(with_blank(text), size, 1));
}

void check_schema(std::string_view text) {
  if (text.empty() || text.front() != '{') return;
  CAPTURE(std::string(text));
  CHECK(read_schema(text, lookup) == read_schema(with_blank(text), lookup));
}

/// Calls `check` with every beginning of a text, every bit of it flipped, every byte of it left
/// out, all from one bracket or comma to another left out, and with random bytes put in.
template <class Check>
void spoil(const std::string& good, const Check& check) {
  for (std::size_t i = 0; i < good.size(); ++i) {
    check(good.substr(0, i));
    check(std::string(good).erase(i, 1));
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ (1U << bit));
      check(bad);
    }
  }
  const std::string_view marks = "{}[],";
  for (std::size_t from = 1; from < good.size(); ++from) {
    if (marks.find(good[from]) == marks.npos) continue;
    for (std::size_t to = from + 1; to < good.size(); ++to)
      if (marks.find(good[to]) != marks.npos) check(good.substr(0, from) + good.substr(to));
  }
  const unsigned seed = std::random_device()();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  const std::string_view bytes = "{}[]:,\"\\ \n\t019-e.tfnu";
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 2; ++k)
      bad.insert(1 + random() % good.size(), 1, bytes[random() % bytes.size()]);
    check(bad);
  }
}

}  // namespace

TEST_CASE("the header and the schema of this test are good") {
  CHECK(read_header(header, data_size, 0) ==
        "format=pt\nnote=a\"b\\\xC3\xA9\xF0\x9F\x98\x80\nbias F16 [3] 0 6\n"
        "w\xC3\xA9ight I32 [2, 2] 6 22\nnone F6_E2M3 [0, 7] 22 22\none U64 [] 22 30\n");
  const ss::Value value = ss::schema::read(schema, lookup);
  CHECK(value.size() == 3);
  CHECK(value[0].at("/a/3").as_string() == "x\n\xC3\xA9\"y");
  CHECK(value[1].type_name() == "Layer");
}

TEST_CASE("a header is read or refused in the same way directly and in general") {
  check_header(header, data_size);
  spoil(header, [](std::string_view text) { check_header(text, data_size); });
  for (const std::uint64_t size : {std::uint64_t{0}, data_size - 1, data_size + 1})
    check_header(header, size);
}

TEST_CASE("a tensor described as the one before is read or refused in the same way") {
  const std::string repeated = R"({"a":{"dtype":"U8","shape":[2,1],"data_offsets":[0,2]},)"
                               R"("b":{"dtype":"U8","shape":[2,1],"data_offsets":[2,4]},)"
                               R"("c":{"dtype":"I8","shape":[2,1],"data_offsets":[4,6]},)"
                               R"("d":{"dtype":"I8","shape":[2],"data_offsets":[6,8]},)"
                               R"("e":{"dtype":"I8","shape":[2],"data_offsets":[8,10]}})";
  CHECK(read_header(repeated, 10, 0) ==
        "a U8 [2, 1] 0 2\nb U8 [2, 1] 2 4\nc I8 [2, 1] 4 6\nd I8 [2] 6 8\ne I8 [2] 8 10\n");
  check_header(repeated, 10);
  spoil(repeated, [](std::string_view text) { check_header(text, 10); });
}

TEST_CASE("every malformed header is refused in the same way directly and in general") {
  std::size_t count = 0;
  for (const ss::malformed::Case& test : ss::malformed::safetensors_cases()) {
    if (test.bytes.size() < 8) continue;
    std::uint64_t length = 0;
    for (std::size_t i = 8; i-- > 0;)
      length = length << 8U | static_cast<unsigned char>(test.bytes[i]);
    // What is as large as a header may be has no room for a blank.
    if (length > test.bytes.size() - 8 || length >= 100'000'000) continue;
    CAPTURE(test.name);
    check_header(std::string_view(test.bytes).substr(8, static_cast<std::size_t>(length)),
                 test.bytes.size() - 8 - length);
    ++count;
  }
  CHECK(count > 50);
}

TEST_CASE("a schema is read or refused in the same way directly and in general") {
  check_schema(schema);
  spoil(schema, check_schema);
}

TEST_CASE("containers like those before are read or refused in the same way") {
  check_schema(alike);
  spoil(alike, check_schema);
}

TEST_CASE("labels and keys that are there twice are refused directly as in general") {
  const auto dict = [](const std::string& values, const std::string& keys) {
    return R"({"data_type": "dict", "value": {)" + values + "}, \"keys\": {" + keys + "}}";
  };
  const auto member = [](const std::string& label, const std::string& type,
                         const std::string& value) {
    return '"' + label + R"(": {"data_type": ")" + type + R"(", "value": ")" + value + "\"}";
  };
  const std::string a = member("a", "str", "a");
  const std::string b = member("b", "str", "b");
  const std::string a_is_1 = member("a", "int", "1");
  const std::string b_is_1 = member("b", "int", "1");
  for (const auto& [values, keys] : {std::pair{a + ", " + b, a + ", " + b},
                                     {a + ", " + b, b + ", " + a},
                                     {a + ", " + b, a_is_1 + ", " + b},
                                     {a + ", " + b, a_is_1 + ", " + b_is_1},
                                     {a + ", " + a, a + ", " + a},
                                     {a + ", " + a, a + ", " + a_is_1},
                                     {a + ", " + a, a_is_1 + ", " + a},
                                     {a, a + ", " + b},
                                     {a + ", " + b, a},
                                     {a, ""}})
    check_schema(dict(values, keys));
}

TEST_CASE("limits hold directly as in general") {
  const auto error_of = [](std::string_view text, const ss::Limits& limits) -> std::string {
    try {
      static_cast<void>(ss::schema::read(text, lookup, limits));
      return {};
    } catch (const ss::Error& error) {
      return error.what();
    }
  };
  std::size_t refused = 0;
  for (const std::string& text : {schema, alike})
    for (std::uint32_t limit = 0; limit < 40; ++limit)
      for (const ss::Limits& limits :
           {ss::Limits{.depth = limit}, {.nodes = limit}, {.attributes = limit}}) {
        CAPTURE(limit);
        const std::string error = error_of(text, limits);
        CHECK(error == error_of(with_blank(text), limits));
        if (!error.empty()) ++refused;
      }
  CHECK(refused > 10);

  const auto header_error = [](std::string_view text, const ss::Limits& limits) -> std::string {
    try {
      static_cast<void>(
          ss::safetensors::Header::parse(std::as_bytes(std::span(text)), data_size, limits));
      return {};
    } catch (const ss::Error& error) {
      return error.problem();
    }
  };
  for (std::uint32_t limit = 0; limit < 6; ++limit)
    for (const ss::Limits& limits : {ss::Limits{.tensors = limit}, {.rank = limit}}) {
      CAPTURE(limit);
      CHECK(header_error(header, limits) == header_error(with_blank(header), limits));
    }
}
