// Malformed containers are refused, each with its own words, and nothing worse happens.
#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safetensors.hpp>

#include "malformed/safetensors_cases.hpp"

namespace safestructures {
namespace {

using safetensors::File;
using safetensors::Header;

File open(const std::string& bytes, const Limits& limits = {}) {
  return File::from_bytes(std::as_bytes(std::span(bytes)), nullptr, limits);
}

// Reads all there is: whatever passed validation must be readable.
std::size_t touch(const File& file) {
  std::size_t sum = 0;
  for (const auto& [key, value] : file.metadata()) sum += key.size() + value.size();
  for (std::size_t i = 0; i < file.size(); ++i) {
    sum += file.info(i).name.size();
    const Tensor tensor = file.tensor(i);
    for (const std::byte byte : tensor.bytes()) sum += static_cast<std::size_t>(byte);
  }
  return sum;
}

// Loads or throws Error: nothing else. The memory ends with the bytes, so that ASan sees any read
// behind them.
bool loads(const std::string& bytes) {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  try {
    touch(File::from_bytes(std::as_bytes(std::span(exact)), nullptr));
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string good_file() {
  return malformed::container(
      R"({"__metadata__":{"format":"pt","note":"a\"b\\\u00e9\ud83d\ude00"},)"
      R"("bias":{"dtype":"F16","shape":[3],"data_offsets":[0,6]},)"
      R"("w\u00e9ight":{"dtype":"I32","shape":[2,2],"data_offsets":[6,22]},)"
      R"("none":{"dtype":"F4","shape":[0,7],"data_offsets":[22,22]},)"
      R"("one":{"dtype":"U64","shape":[],"data_offsets":[22,30],"extra":[1.5,null,{"a":true}]}}   )",
      30);
}

TEST_CASE("every malformed container is refused with its exact error") {
  for (const malformed::Case& test : malformed::safetensors_cases()) {
    CAPTURE(test.name);
    try {
      touch(open(test.bytes));
      FAIL("it was accepted");
    } catch (const Error& error) {
      CHECK(to_string(error.code()) == to_string(test.code));
      CHECK(std::string(error.what()) == test.text);
    }
  }
}

TEST_CASE("a good file cut at any byte is refused") {
  const std::string good = good_file();
  REQUIRE(loads(good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(loads(good.substr(0, size)));
  }
}

TEST_CASE("a good file with any bit of its header flipped loads or is refused") {
  const std::string good = good_file();
  const std::size_t header_end = good.size() - 30;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < header_end; ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ (1U << bit));
      if (!loads(bad)) ++refused;
    }
  }
  // Most flips break the syntax or the layout; those within names and texts do not.
  CHECK(refused > header_end * 8 / 2);
}

TEST_CASE(
    "a good file with any byte of its header replaced by a structural one loads or is refused") {
  const std::string good = good_file();
  std::size_t refused = 0;
  for (std::size_t i = 8; i < good.size() - 30; ++i) {
    for (const char c : std::string("{}[]:,\"\\ 0-e\n", 13)) {
      std::string bad = good;
      bad[i] = c;
      if (!loads(bad)) ++refused;
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("a name twice among a million is found") {
  std::string header = "{";
  const std::size_t count = 1'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    header += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
              R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  }
  const std::string good = malformed::container(header + "}", 0);
  CHECK(open(good).size() == count);
  const std::string bad = malformed::container(
      header + R"(,"123456":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})", 0);
  CHECK_THROWS_WITH_AS(open(bad), "at 123456: two tensors have the same name.", Error);
}

TEST_CASE("limits are held") {
  const std::string two =
      malformed::container(R"({"a":{"dtype":"U8","shape":[1,1,1],"data_offsets":[0,1]},)"
                           R"("b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                           2);
  CHECK(open(two).size() == 2);
  CHECK_THROWS_WITH_AS(
      open(two, {.header_bytes = 50}),
      "the header is too large: expected at most 50 bytes (Limits::header_bytes), found 109.",
      Error);
  CHECK_THROWS_WITH_AS(open(two, {.tensors = 1}),
                       "there are too many tensors: expected at most 1 (Limits::tensors).", Error);
  CHECK_THROWS_WITH_AS(open(two, {.rank = 2}),
                       "at a: a tensor has too many dimensions: expected at most 2 (Limits::rank), "
                       "found [1,1,1] (byte 35).",
                       Error);
  const std::string ranks =
      malformed::container(R"({"a":{"dtype":"U8","shape":[1)" + malformed::repeated(",1", 63) +
                               R"(],"data_offsets":[0,1]}})",
                           1);
  CHECK(open(ranks).info(0).shape.size() == 64);
}

TEST_CASE("a header of the largest size that the format allows is read") {
  const std::string header = "{}" + std::string(99'999'998, ' ');
  CHECK(open(malformed::container(header, 0)).size() == 0);
}

TEST_CASE("Header::parse refuses what File refuses") {
  const std::string text = R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,1]}})";
  CHECK_THROWS_WITH_AS(
      static_cast<void>(Header::parse(std::as_bytes(std::span(text)), 1)),
      "at a: dtype and shape do not fit the byte range: expected 2 bytes for U8 [2], found [0, 1].",
      Error);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(Header::parse(std::as_bytes(std::span(text)), 1, {.header_bytes = 10})),
      "the header is too large: expected at most 10 bytes (Limits::header_bytes), found 53.",
      Error);
  const std::string twice = R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                            R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})";
  CHECK_THROWS_WITH_AS(static_cast<void>(Header::parse(std::as_bytes(std::span(twice)), 0)),
                       "at a: two tensors have the same name.", Error);
}

}  // namespace
}  // namespace safestructures
