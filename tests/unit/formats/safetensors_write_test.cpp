// Files are written byte for byte as the format and the Rust crate say.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safetensors.hpp>

#include "support/platform_folder.hpp"

namespace safestructures {
namespace {

using safetensors::File;
using safetensors::Item;
using safetensors::WriteOptions;

using Items = std::vector<Item>;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::string written(const Items& items, const Metadata& metadata = {}) {
  return text_of(safetensors::to_bytes(items, metadata));
}
// Only the header, without its length and padding.
std::string header_of(const std::string& file) {
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  std::string header = file.substr(8, length);
  header.resize(header.find_last_not_of(' ') + 1);
  return header;
}

TEST_CASE("a file without tensors is an empty object") {
  CHECK(written({}) == std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
}

TEST_CASE("a tensor is written byte for byte") {
  const std::vector<std::int32_t> values{1, -2, 3, 256};
  const Tensor tensor = Tensor::of<std::int32_t>(values, {2, 2});
  const std::string expected =
      std::string("\x40\0\0\0\0\0\0\0", 8) +
      R"({"test":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]}}    )" +
      std::string("\x01\0\0\0\xFE\xFF\xFF\xFF\x03\0\0\0\0\x01\0\0", 16);
  CHECK(written({{"test", tensor}}) == expected);
}

TEST_CASE("metadata stands first, sorted and escaped") {
  const std::string file = written(
      {}, {{"b", "\"quoted\" \\ \b\t\n\f\r\x01\x1F\x7F/\xC3\xA9"}, {"a", std::string("nul\0", 4)}});
  CHECK(header_of(file) ==
        R"({"__metadata__":{"a":"nul\u0000","b":"\"quoted\" \\ \b\t\n\f\r\u0001\u001f)"
        "\x7F/\xC3\xA9\"}}");
  const File again = File::from_bytes(std::as_bytes(std::span(file)), nullptr);
  CHECK(again.metadata("b") == "\"quoted\" \\ \b\t\n\f\r\x01\x1F\x7F/\xC3\xA9");
  CHECK(again.metadata("a") == std::string("nul\0", 4));
}

TEST_CASE("escapes are right wherever they are in a text") {
  for (std::size_t before = 0; before < 20; ++before) {
    for (const std::string special : {"\"", "\\", "\x01", "\n", "\xC3\xA9", "\xF0\x9F\x98\x80"}) {
      const std::string text = std::string(before, 'x') + special + special + "yyyyyyyyy";
      const std::string file = written({}, {{text, text}});
      const File again = File::from_bytes(std::as_bytes(std::span(file)), nullptr);
      CHECK(again.metadata(text) == text);
    }
  }
}

TEST_CASE("tensors come by descending dtype and then name") {
  const std::vector<std::byte> bytes(8);
  const auto make = [&](DType dtype) {
    return Tensor::borrow(dtype, {8}, std::span(bytes).first(bit_width(dtype)));
  };
  const Tensor u64 = Tensor::borrow(DType::U64, {1}, bytes);
  const Tensor f32 = Tensor::borrow(DType::F32, {1}, std::span(bytes).first(4));
  const Tensor u32 = Tensor::borrow(DType::U32, {1}, std::span(bytes).first(4));
  const Tensor u8 = make(DType::U8);
  const Tensor f4 = make(DType::F4);
  const std::string file = written({{"d", f4},
                                    {"b", f32},
                                    {"c", u64},
                                    {"a", u8},
                                    {"aa", f32},
                                    {"z", u32},
                                    {"layer.10", u8},
                                    {"layer.9", u8}});
  CHECK(header_of(file) == R"({"c":{"dtype":"U64","shape":[1],"data_offsets":[0,8]},)"
                           R"("aa":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},)"
                           R"("b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]},)"
                           R"("z":{"dtype":"U32","shape":[1],"data_offsets":[16,20]},)"
                           R"("a":{"dtype":"U8","shape":[8],"data_offsets":[20,28]},)"
                           R"("layer.10":{"dtype":"U8","shape":[8],"data_offsets":[28,36]},)"
                           R"("layer.9":{"dtype":"U8","shape":[8],"data_offsets":[36,44]},)"
                           R"("d":{"dtype":"F4","shape":[8],"data_offsets":[44,48]}})");
}

TEST_CASE("each tensor has its own description, whatever the one before has") {
  const std::vector<std::uint8_t> values{1, 0};
  const auto tensor = [&](Shape shape) { return Tensor::of<std::uint8_t>(values, shape); };
  const std::string_view header = R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                                  R"("b\"":{"dtype":"U8","shape":[2],"data_offsets":[2,4]},)"
                                  R"("c":{"dtype":"U8","shape":[2,1],"data_offsets":[4,6]},)"
                                  R"("d":{"dtype":"U8","shape":[2,1],"data_offsets":[6,8]},)"
                                  R"("e":{"dtype":"BOOL","shape":[2,1],"data_offsets":[8,10]}})";
  const std::vector<Tensor> tensors{
      tensor({2}), tensor({2}), tensor({2, 1}), tensor({2, 1}),
      Tensor::borrow(DType::BOOL, {2, 1}, std::as_bytes(std::span(values)))};
  CHECK(header_of(written({{"a", tensors[0]},
                           {"b\"", tensors[1]},
                           {"c", tensors[2]},
                           {"d", tensors[3]},
                           {"e", tensors[4]}})) == header);
}

TEST_CASE("names sort as bytes, whatever their common beginning and length") {
  const Tensor tensor = Tensor::allocate(DType::U8, {0});
  const std::vector<std::string> sorted{"",         std::string(1, '\0'), std::string(2, '\0'), "a",
                                        "a.b",      "aaaaaaaaaaaaaaaaa",  "aaaaaaaaaaaaaaaab",  "b",
                                        "\xC3\xA9", "\xC3\xA9\xC3\xA9",   "\xF0\x9F\x98\x80"};
  Items items;
  for (auto name = sorted.rbegin(); name != sorted.rend(); ++name)
    items.emplace_back(*name, tensor);
  const std::string bytes = written(items);
  const File file = File::from_bytes(std::as_bytes(std::span(bytes)), nullptr);
  REQUIRE(file.size() == sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) CHECK(file.name(i) == sorted[i]);
}

TEST_CASE("many names sort as bytes within their dtype") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::array<DType, 3> dtypes = {DType::F64, DType::F32, DType::BOOL};
  const std::array<Tensor, 3> tensors = {Tensor::allocate(dtypes[0], {0}),
                                         Tensor::allocate(dtypes[1], {0}),
                                         Tensor::allocate(dtypes[2], {0})};
  for (const std::string shared : {"", "layers."}) {
    // Numbers, longer ones, and some that begin alike for longer than a sort key.
    std::map<std::string, std::size_t> taken;
    for (unsigned i = 0; i < 3000; ++i) {
      std::string name = shared + std::to_string(random() % 1000);
      if (i % 3 == 0) name += ".a_weight_" + std::to_string(random() % 10);
      if (i % 3 == 1) name += std::string(random() % 3, static_cast<char>('#' + random() % 50));
      taken.emplace(name, random() % dtypes.size());
    }
    std::vector<std::pair<std::size_t, std::string>> sorted;
    for (const auto& [name, dtype] : taken) sorted.emplace_back(dtype, name);
    std::vector<std::pair<std::size_t, std::string>> shuffled = sorted;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    Items items;
    for (const auto& [dtype, name] : shuffled) items.emplace_back(name, tensors[dtype]);
    std::sort(sorted.begin(), sorted.end());
    std::string expected;
    for (const auto& [dtype, name] : sorted)
      expected += (expected.empty() ? "{\"" : ",\"") + name + R"(":{"dtype":")" +
                  std::string(to_string(dtypes[dtype])) + R"(","shape":[0],"data_offsets":[0,0]})";
    CHECK(header_of(written(items)) == expected + "}");
  }
}

TEST_CASE("the order of the items does not matter") {
  const std::vector<float> values{1, 2, 3};
  const Tensor one = Tensor::of<float>(std::span(values).first(1));
  const Tensor two = Tensor::of<float>(std::span(values).first(2));
  CHECK(written({{"a", one}, {"b", two}}) == written({{"b", two}, {"a", one}}));
}

TEST_CASE("scalars, empty and high-rank tensors are written and read") {
  const std::vector<double> value{2.5};
  const Tensor scalar = Tensor::of<double>(value, {});
  const Tensor empty = Tensor::allocate(DType::F32, {3, 0, 2});
  const std::vector<std::uint64_t> ones(64, 1);
  const Tensor deep = scalar.reshape(Shape(std::span<const std::uint64_t>(ones)));
  const std::string bytes = written({{"scalar", scalar}, {"empty", empty}, {"deep", deep}});
  const File file = File::from_bytes(std::as_bytes(std::span(bytes)), nullptr);
  CHECK(file.tensor("scalar") == scalar);
  CHECK(file.tensor("empty").shape() == Shape{3, 0, 2});
  CHECK(file.tensor("deep") == deep);
}

TEST_CASE("the data of more than 1 MiB starts on a page") {
  for (const std::size_t size : {std::size_t{1} << 20U, (std::size_t{1} << 20U) + 1}) {
    const Tensor tensor = Tensor::allocate(DType::U8, {size});
    const std::string bytes = written({{"a", tensor}});
    const File file = File::from_bytes(std::as_bytes(std::span(bytes)), nullptr);
    CHECK(file.file_offset(0) % 8 == 0);
    CHECK((file.file_offset(0) % 4096 == 0) == (size > std::size_t{1} << 20U));
  }
}

TEST_CASE("file, stream and memory get the same bytes") {
  const platform_test::Folder folder;
  std::vector<float> values(100'000);
  std::iota(values.begin(), values.end(), 0.F);
  const std::vector<double> doubles(70'001, 0.25);
  const Tensor large = Tensor::of<float>(values);
  const Tensor small = Tensor::of<float>(std::span(values).first(3));
  const Tensor converted = Tensor::of<double>(doubles);
  const Items items{{"large", large}, {"small", small}, {"converted", converted, DType::F16}};
  const Metadata metadata{{"k", "v"}};
  const std::vector<std::byte> bytes = safetensors::to_bytes(items, metadata);
  std::ostringstream stream;
  CHECK(safetensors::write(stream, items, metadata).bytes == bytes.size());
  CHECK(stream.str() == text_of(bytes));
  const auto path = folder / "x.safetensors";
  for (const bool durable : {false, true}) {
    const SaveReport report =
        safetensors::write_file(path, items, metadata, WriteOptions{.durable = durable});
    CHECK(report.bytes == bytes.size());
    std::ifstream in(path, std::ios::binary);
    CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == text_of(bytes));
  }
}

TEST_CASE("a tensor is converted while it is written, in blocks") {
  std::vector<double> values(300'001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) / 8 - 1000;
  const Tensor tensor = Tensor::of<double>(values);
  for (const DType dtype : {DType::F32, DType::BF16, DType::F64}) {
    const std::string bytes = written({{"a", tensor, dtype}});
    const File file = File::from_bytes(std::as_bytes(std::span(bytes)), nullptr);
    CHECK(file.tensor("a") == tensor.to(dtype));
  }
}

TEST_CASE("every dtype is converted from and to in whole groups") {
  const std::vector<float> ones(4096 * 5 + 8, 1.F);
  const Tensor tensor = Tensor::of<float>(ones);
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    CAPTURE(to_string(dtype));
    const std::string bytes = written({{"a", tensor, dtype}});
    const File file = File::from_bytes(std::as_bytes(std::span(bytes)), nullptr);
    CHECK(file.tensor("a") == tensor.to(dtype));
    const Tensor stored = file.tensor("a");
    const std::string back = written({{"a", stored, DType::F32}});
    CHECK(File::from_bytes(std::as_bytes(std::span(back)), nullptr).tensor("a") == tensor);
  }
}

TEST_CASE("a strided tensor is written row-major") {
  std::vector<std::int16_t> values(600 * 700);
  std::iota(values.begin(), values.end(), std::int16_t{0});
  const Tensor column_major =
      Tensor::strided(DType::I16, {700, 600}, std::array<std::int64_t, 2>{2, 1400},
                      reinterpret_cast<const std::byte*>(values.data()), nullptr);
  const std::string bytes = written({{"a", column_major}, {"b", column_major, DType::F32}});
  const File file = File::from_bytes(std::as_bytes(std::span(bytes)), nullptr);
  CHECK(file.tensor("a") == column_major.contiguous());
  CHECK(file.tensor("b") == column_major.contiguous().to(DType::F32));
}

TEST_CASE("a conversion that loses says so, and by default is refused with the tensor's name") {
  const std::vector<double> values{1, 1e30, 2};
  const Tensor bad = Tensor::of<double>(values);
  const Tensor good = Tensor::of<double>(std::span(values).first(1));
  const Items items{{"good", good, DType::F16}, {"bad", bad, DType::F16}};
  try {
    static_cast<void>(safetensors::to_bytes(items));
    FAIL("it was written");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::out_of_range);
    CHECK(error.details().path == "bad");
  }
  std::ostringstream out;
  const SaveReport report =
      safetensors::write(out, items, {}, WriteOptions{.overflow = Overflow::saturate});
  REQUIRE(report.conversions.size() == 1);
  CHECK(report.conversions[0].name == "bad");
  CHECK(report.conversions[0].report.overflow == 1);
  CHECK(report.conversions[0].report.first_overflow == 1);
}

TEST_CASE("a refused conversion leaves the old file as it was") {
  const platform_test::Folder folder;
  const auto path = folder / "x.safetensors";
  const std::vector<double> values{1e300};
  const Tensor tensor = Tensor::of<double>(values);
  safetensors::write_file(path, Items{{"a", tensor}});
  try {
    safetensors::write_file(path, Items{{"b", tensor, DType::F32}});
    FAIL("it was written");
  } catch (const Error& error) {
    CHECK(error.details().file == path.string());
    CHECK(error.details().path == "b");
  }
  CHECK(File::open(path).tensor("a") == tensor);
  CHECK(folder.names() == std::vector<std::string>{"x.safetensors"});
}

TEST_CASE("a file that could not be read again is not written") {
  const Tensor tensor = Tensor::allocate(DType::U8, {0});
  const Tensor other = Tensor::allocate(DType::U16, {0});
  struct Case {
    Items items;
    Metadata metadata;
    Limits limits;
    ErrorCode code;
    std::string text;
  };
  const Tensor rank3 = Tensor::allocate(DType::U8, {0, 0, 0});
  const std::vector<float> threes(3, 1.F);
  const Tensor three = Tensor::of<float>(threes);
  const Case cases[] = {
      {{{"a", tensor}, {"a", tensor}},
       {},
       {},
       ErrorCode::duplicate_name,
       "at a: two tensors have the same name. Give each tensor a name of its own."},
      {{{"a", tensor}, {"b", tensor}, {"a", other}, {"b", other}},
       {},
       {},
       ErrorCode::duplicate_name,
       "at a: two tensors have the same name. Give each tensor a name of its own."},
      {{{"__metadata__", tensor}},
       {},
       {},
       ErrorCode::invalid_argument,
       "no tensor can be named \"__metadata__\": the format takes it for the metadata."},
      {{{"a\xFF", tensor}},
       {},
       {},
       ErrorCode::invalid_utf8,
       "the name of a tensor is not valid UTF-8: found \"a\\xff\"."},
      {{{"\xED\xA0\x80", tensor}},
       {},
       {},
       ErrorCode::invalid_utf8,
       "the name of a tensor is not valid UTF-8: found \"\\ud800\"."},
      {{},
       {{"k\x80", "v"}},
       {},
       ErrorCode::invalid_utf8,
       "a key of the metadata is not valid UTF-8: found \"k\\x80\"."},
      {{},
       {{"k", "\xC3"}},
       {},
       ErrorCode::invalid_utf8,
       "the metadata of key \"k\" is not valid UTF-8."},
      {{{"a", three, DType::F4}},
       {},
       {},
       ErrorCode::invalid_shape,
       "at a: the elements do not fill whole bytes: expected a number of elements of 4 bits that "
       "makes a multiple of 8 bits, found F4 [3]."},
      {{{"a", rank3}},
       {},
       {.rank = 2},
       ErrorCode::limit_exceeded,
       "at a: a tensor has too many dimensions: expected at most 2 (Limits::rank), found 3."},
      {{{"a", tensor}, {"b", tensor}},
       {},
       {.tensors = 1},
       ErrorCode::limit_exceeded,
       "there are too many tensors: expected at most 1 (Limits::tensors), found 2."},
      {{{"a", tensor}},
       {},
       {.header_bytes = 48},
       ErrorCode::limit_exceeded,
       "the header would be too large: expected at most 48 bytes (Limits::header_bytes), found 56. "
       "Save fewer tensors or "
       "less metadata in one file."},
      {{},
       {{"k", std::string(1000, 'v')}},
       {.header_bytes = 48},
       ErrorCode::limit_exceeded,
       "the header would be too large: expected at most 48 bytes (Limits::header_bytes), found at "
       "least 1001. Save fewer "
       "tensors or less metadata in one file."},
  };
  for (const Case& test : cases) {
    CAPTURE(test.text);
    try {
      static_cast<void>(
          safetensors::to_bytes(test.items, test.metadata, WriteOptions{.limits = test.limits}));
      FAIL("it was written");
    } catch (const Error& error) {
      CHECK(to_string(error.code()) == to_string(test.code));
      CHECK(std::string(error.what()) == test.text);
    }
  }
}

TEST_CASE("a failing stream is an error") {
  const Tensor tensor = Tensor::allocate(DType::U8, {0});
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  try {
    safetensors::write(out, Items{{"a", tensor}});
    FAIL("it was written");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::cannot_write);
  }
}

}  // namespace
}  // namespace safestructures
