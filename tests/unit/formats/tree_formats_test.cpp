/// \file
/// What JSON, MessagePack and CBOR have in common: nothing that a Value holds is lost, options are
/// honoured, and files are told by option, extension and content. What is malformed in the binary
/// ones is in binary_malformed_test.cpp.
#include <doctest/doctest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/codecs/chrono.hpp>
#include <safestructures/formats/burn.hpp>
#include <safestructures/safestructures.hpp>
#include "support/binary_files.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"
#include "support/json_values.hpp"

namespace ss = safestructures;
using ss::test::binary_formats;
using ss::test::error_of;
using ss::test::FormatPointer;
using ss::test::read_as;
using ss::test::saved_as;
using ss::test::tree_formats;

namespace {

std::string save_exactly(const ss::Value& value, const FormatPointer& format) {
  return saved_as(value, format, {.precision = ss::Precision::preserve});
}

/// What is loaded of what is saved, which must be equal and be saved as the same bytes.
ss::Value again(const ss::Value& value, const FormatPointer& format) {
  const std::string bytes = save_exactly(value, format);
  ss::Value loaded = read_as(bytes, format).root;
  CHECK(loaded == value);
  CHECK(save_exactly(loaded, format) == bytes);
  return loaded;
}

struct Layer {
  std::string name;
  std::vector<float> weight;
  std::optional<float> dropout;
  bool operator==(const Layer&) const = default;
};
struct Model {
  std::vector<Layer> layers;
  std::map<std::int64_t, std::string> labels;
  bool operator==(const Model&) const = default;
};
const Model model{{{"a", std::vector<float>(300, 1.5F), 0.5F}, {"b", {}, std::nullopt}},
                  {{-1, "cat"}, {7, "dog"}}};

}  // namespace

TEST_CASE("random structures come back through each tree format, and are saved as the same bytes") {
  for (const FormatPointer& format : tree_formats()) {
    CAPTURE(format->name());
    ss::test::RandomValues random(3);
    for (int i = 0; i < 300; ++i) {
      CAPTURE(i);
      again(random.value(), format);
    }
  }
}

TEST_CASE("a structure goes from each tree format to each other and back without a change") {
  ss::test::RandomValues random(5);
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    const ss::Value value = random.value();
    for (const FormatPointer& first : tree_formats())
      for (const FormatPointer& second : tree_formats()) {
        CAPTURE(first->name());
        CAPTURE(second->name());
        const std::string bytes = save_exactly(value, first);
        const std::string between = save_exactly(read_as(bytes, first).root, second);
        const ss::Value there = read_as(between, second).root;
        CHECK(save_exactly(there, first) == bytes);
      }
  }
}

TEST_CASE("every dtype comes back bit for bit, in memory, mapped and by position") {
  const ss::test::Folder folder;
  for (const FormatPointer& format : tree_formats()) {
    CAPTURE(format->name());
    for (unsigned index = 0; index < ss::dtype_count; ++index) {
      const auto dtype = static_cast<ss::DType>(index);
      CAPTURE(ss::to_string(dtype));
      ss::Value all = ss::Value::dict();
      for (const ss::Shape& shape :
           {ss::Shape{8}, ss::Shape{0, 3}, ss::Shape{600}, ss::Shape{2, 4}}) {
        ss::Tensor tensor = ss::Tensor::allocate(dtype, shape);
        unsigned next = 1;
        for (std::byte& byte : tensor.mutable_bytes())
          byte = static_cast<std::byte>(next = next * 5 + 3);
        all.insert(ss::to_string(shape), std::move(tensor));
      }
      again(all, format);
      const std::filesystem::path path = folder / ("x" + std::string(format->extensions()[0]));
      ss::save_file(all, path, {.precision = ss::Precision::preserve});
      for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory})
        CHECK(ss::load_file(path, {.access = access}) == all);
    }
  }
}

TEST_CASE("numbers and texts come back bit for bit") {
  using Double = std::numeric_limits<double>;
  for (const FormatPointer& format : tree_formats()) {
    CAPTURE(format->name());
    for (const double number :
         {0.0, -0.0, 1.0, 0.1, 1e300, Double::denorm_min(), Double::max(), Double::infinity(),
          -Double::infinity(), Double::quiet_NaN(), -Double::quiet_NaN(), 65504.0, 65505.0,
          static_cast<double>(std::numeric_limits<float>::max())}) {
      CAPTURE(number);
      const double back = again(number, format).as_double();
      CHECK(std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(number));
      const std::complex<double> both =
          again(std::complex<double>(number, -number), format).as_complex();
      CHECK(std::bit_cast<std::uint64_t>(both.real()) == std::bit_cast<std::uint64_t>(number));
      CHECK(std::bit_cast<std::uint64_t>(both.imag()) == std::bit_cast<std::uint64_t>(-number));
    }
    for (const char* digits : {"0",
                               "-1",
                               "23",
                               "24",
                               "-24",
                               "-25",
                               "-32",
                               "-33",
                               "127",
                               "128",
                               "255",
                               "256",
                               "-128",
                               "-129",
                               "65535",
                               "65536",
                               "-32768",
                               "-32769",
                               "4294967295",
                               "4294967296",
                               "-2147483649",
                               "9223372036854775807",
                               "9223372036854775808",
                               "18446744073709551615",
                               "18446744073709551616",
                               "-9223372036854775808",
                               "-9223372036854775809",
                               "-18446744073709551616",
                               "-18446744073709551617",
                               "340282366920938463463374607431768211456",
                               "-340282366920938463463374607431768211456"}) {
      CAPTURE(digits);
      CHECK(again(ss::Value::integer(digits), format).integer_text() == digits);
    }
    const std::string longest(4300, '9');
    again(ss::Value::integer(longest), format);
    again(ss::Value::integer("-" + longest), format);
    for (const std::size_t size : {0U, 1U, 23U, 24U, 31U, 32U, 255U, 256U, 65535U, 65536U}) {
      CAPTURE(size);
      again(std::string(size, 'x'), format);
      again(ss::Value::bytes(std::vector<std::byte>(size, std::byte{7})), format);
    }
    again("a\xED\xA0\x80z\xED\xB0\x80 \xF0\x9F\x98\x80", format);
    for (const std::size_t count : {15U, 16U, 23U, 24U, 255U, 256U, 65535U, 65536U}) {
      CAPTURE(count);
      again(ss::Value::list(std::vector<ss::Value>(count)), format);
      ss::Value dict = ss::Value::dict();
      for (std::size_t i = 0; i < count; ++i) dict.insert(i, nullptr);
      again(dict, format);
    }
  }
}

TEST_CASE("keys of every kind come back, with their order and their labels") {
  ss::Value key = ss::Value::tuple({1, "x"});
  key.set_key_label("Point(1, 'x')");
  for (const FormatPointer& format : tree_formats()) {
    CAPTURE(format->name());
    for (const ss::Value& dict :
         {ss::Value::dict(
              {{"1", 0}, {1, 1}, {-5, 2}, {ss::Value::integer("18446744073709551615"), 3}}),
          ss::Value::dict({{1, 0}, {1.5, 1}, {true, 2}, {nullptr, 3}, {"a", 4}}),
          ss::Value::dict({{"$tensor", 1}}), ss::Value::dict({{"a", 1}, {"$b", 2}}),
          ss::Value::dict({{ss::Value::bytes(std::vector<std::byte>(3)), 1}, {key, 2}}),
          ss::Value::dict({{ss::Value::integer("99999999999999999999"), 1}})}) {
      const ss::Value loaded = again(dict, format);
      CHECK(loaded.entries().back().key.key_label() == dict.entries().back().key.key_label());
    }
  }
}

TEST_CASE("objects load typed from each tree format, as they do by default") {
  const ss::test::Folder folder;
  for (const FormatPointer& format : tree_formats()) {
    CAPTURE(format->name());
    const std::filesystem::path path = folder / ("m" + std::string(format->extensions()[0]));
    ss::save_file(model, path);
    CHECK(ss::load_file<Model>(path) == model);
    const ss::Document document = ss::open(path);
    CHECK(document.format().name() == format->name());
    CHECK(document.at("/layers/0").as<Layer>() == model.layers[0]);
    CHECK(document.at("/labels/7").as<std::string>() == "dog");
    CHECK(ss::load_file(path) == ss::Value::from(model));
    const ss::VerifyReport report = ss::verify_file(path);
    CHECK(report.tensor_count == 2);
    // By content, whatever the name.
    std::filesystem::rename(path, folder / "x");
    CHECK(ss::open(folder / "x").format().name() == format->name());
    CHECK(ss::load_file<Model>(folder / "x") == model);
  }
}

TEST_CASE("precision, overflow, lossless, names, metadata and extra tensors are honoured alike") {
  const ss::Value value = ss::Value::dict({{"w", ss::Tensor::own<double>({1, 2, 1e-9}, {3})}});
  for (const FormatPointer& format : tree_formats()) {
    CAPTURE(format->name());
    const ss::Content half =
        read_as(saved_as(value, format, {.precision = ss::Precision::f16}), format);
    CHECK(half.root["w"].tensor().dtype() == ss::DType::F16);
    CHECK(half.root["w"].attribute("dtype")->as_string() == "F64");
    CHECK(read_as(saved_as(value, format), format).root["w"].tensor().dtype() == ss::DType::F32);
    CHECK(error_of([&] {
            return saved_as(ss::Tensor::own<double>({1e300}), format,
                            {.precision = ss::Precision::f32});
          }).starts_with("out_of_range: at /: "));
    CHECK(error_of([&] {
            return saved_as(value, format, {.precision = ss::Precision::f16, .lossless = true});
          }).starts_with("lossy_conversion: at w"));
    const ss::Content full =
        read_as(saved_as(value, format,
                         {.metadata = {{"run", "42"}},
                          .tensor_names = ss::TensorNames::numbers,
                          .extra_tensors = {{"x", ss::Tensor::own<std::uint8_t>({7})}}}),
                format);
    CHECK(full.metadata == ss::Metadata{{"run", "42"}});
    REQUIRE(full.extra_tensors.size() == 1);
    CHECK(full.extra_tensors[0].first == "x");
    CHECK(full.root["w"].tensor_name() == "0");
    CHECK(full.tensor_count == 2);
    CHECK(full.tensor_bytes == 13);
  }
}

TEST_CASE("a tensor that is there twice is stored once in each tree format") {
  ss::Value weight(ss::Tensor::own<float>(std::vector<float>(1000, 2), {1000}));
  weight.set_tensor_name("shared");
  const ss::Value tied = ss::Value::dict({{"a", weight}, {"b", weight}});
  for (const FormatPointer& format : binary_formats()) {
    CAPTURE(format->name());
    const std::string bytes = save_exactly(tied, format);
    CHECK(bytes.size() < 4300);
    const ss::Value loaded = again(tied, format);
    CHECK(loaded["a"].tensor().bytes().data() == loaded["b"].tensor().bytes().data());
  }
}

TEST_CASE("options that a tree cannot honour are refused in each tree format") {
  for (const FormatPointer& format : binary_formats()) {
    const std::string name(format->name() == "cbor" ? "CBOR" : "MessagePack");
    const std::string problem =
        "invalid_argument: " + name + " does not support a save option: found ";
    const std::string advice = ". Leave the option out, or save as safestructures.";
    CHECK(error_of([&] { return saved_as(1, format, {.schema = false}); }) ==
          problem + "SaveOptions::schema = false" + advice);
    CHECK(error_of([&] { return saved_as(1, format, {.checksums = true}); }) ==
          problem + "SaveOptions::checksums" + advice);
    CHECK(error_of([&] { return saved_as(1, format, {.shard_size = 1000}); }) ==
          problem + "SaveOptions::shard_size" + advice);
    CHECK(error_of([&] {
            return read_as(save_exactly(1, format), format, {.verify_checksums = true});
          }) ==
          "checksum_mismatch: the file has no checksums. Save it as safestructures with "
          "SaveOptions::checksums, or load it without LoadOptions::verify_checksums.");
  }
}

TEST_CASE("what a tree format cannot spell is refused with its path when it is saved") {
  for (const FormatPointer& format : binary_formats()) {
    const ss::Value pair = ss::Value::dict({{"a", std::string("\xED\xA0\x80\xED\xB0\x80")}});
    CHECK(error_of([&] { return save_exactly(pair, format); }) ==
          "invalid_utf8: at /a: a string is not UTF-8: found a malformed sequence at byte 3 of the "
          "string. Store binary data as bytes, for example std::vector<std::byte>.");
    CHECK(error_of([&] { return save_exactly(ss::Value::dict({{"a", "x\xFF"}}), format); }) ==
          "invalid_utf8: at /a: a string is not UTF-8: found a malformed sequence at byte 1 of the "
          "string. Store binary data as bytes, for example std::vector<std::byte>.");
    CHECK(error_of([&] {
            return saved_as(ss::Value::integer(std::string(30, '9')), format,
                            {.limits = {.digits = 20}});
          }) ==
          "limit_exceeded: at /: an int has too many digits: expected at most 20 "
          "(Limits::digits), found 30.");
  }
}

TEST_CASE(
    "the data of large tensors are aligned in binary files, and are views of what is mapped") {
  const ss::test::Folder folder;
  for (const FormatPointer& format : binary_formats()) {
    CAPTURE(format->name());
    for (std::size_t shift = 0; shift < 9; ++shift) {
      CAPTURE(shift);
      const ss::Value value =
          ss::Value::dict({{"text", std::string(shift, 'x')},
                           {"w", ss::Tensor::own<double>(std::vector<double>(32, 1.5))},
                           {"v", ss::Tensor::own<double>(std::vector<double>(20000, 2.5))}});
      const std::filesystem::path path = folder / ("a" + std::string(format->extensions()[0]));
      ss::save_file(value, path, {.precision = ss::Precision::preserve});
      const ss::Document mapped = ss::open(path);
      for (const char* name : {"/w", "/v"}) {
        const ss::Tensor tensor = mapped.at(name).tensor();
        CHECK(tensor.is_loaded());
        CHECK(reinterpret_cast<std::uintptr_t>(tensor.bytes().data()) % 8 == 0);
      }
      const ss::Document positioned = ss::open(path, {.access = ss::Access::read});
      CHECK_FALSE(positioned.at("/v").tensor().is_loaded());
      CHECK(positioned.root() == value);
    }
  }
}

TEST_CASE("gzip goes around binary files as around all others") {
  const ss::test::Folder folder;
  for (const std::string name : {"m.msgpack.gz", "m.cbor.gz"}) {
    CAPTURE(name);
    ss::save_file(model, folder / name);
    CHECK(ss::load_file<Model>(folder / name) == model);
    CHECK(ss::test::text_of_file(folder / name).starts_with("\x1F\x8B"));
    const ss::Document document = ss::open(folder / name);
    CHECK("." + std::string(document.format().name()) ==
          (name == "m.cbor.gz" ? ".cbor" : ".messagepack"));
  }
}

TEST_CASE("a record of Burn is read as one whatever it is called, and a plain map never") {
  const ss::test::Folder folder;
  const ss::Value module = ss::Value::dict({{"fc", ss::Tensor::own<float>({1, 2}, {2})}});
  ss::save_file(module, folder / "m.mpk");
  std::filesystem::rename(folder / "m.mpk", folder / "m.msgpack");
  CHECK(ss::open(folder / "m.msgpack").format().name() == "burn");
  const ss::Value plain = ss::Value::dict({{"metadata", 1}, {"item", 2}});
  ss::save_file(plain, folder / "p.msgpack");
  CHECK(ss::load_file(folder / "p.msgpack") == plain);
  CHECK(ss::formats::for_name("x.mpk")->name() == "burn");
  CHECK(ss::formats::for_name("x.MSGPACK")->name() == "messagepack");
  CHECK(ss::formats::for_name("x.cbor")->name() == "cbor");
}

TEST_CASE("convert to a tree format and back gives the same file") {
  const ss::test::Folder folder;
  ss::save_file(model, folder / "m.safetensors", {.metadata = {{"run", "42"}}});
  for (const FormatPointer& format : tree_formats()) {
    const std::string name = "m" + std::string(format->extensions()[0]);
    CAPTURE(name);
    ss::convert_file(ss::open(folder / "m.safetensors"), folder / name);
    ss::convert_file(ss::open(folder / name), folder / "again.safetensors");
    CHECK(ss::test::text_of_file(folder / "again.safetensors") ==
          ss::test::text_of_file(folder / "m.safetensors"));
  }
}

TEST_CASE("files of Python's msgpack and cbor2 load as what they hold") {
  const std::filesystem::path folder =
      std::filesystem::path(SAFESTRUCTURES_TEST_DATA) / "golden/trees";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") continue;
    CAPTURE(entry.path().filename().string());
    std::filesystem::path expected = entry.path();
    expected.replace_extension(".json");
    const ss::Value wanted = ss::load_file(expected);
    for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory})
      CHECK(ss::load_file(entry.path(), {.access = access}) == wanted);
    // A key that is there as a number is no text.
    again(ss::load_file(entry.path()), ss::formats::for_name(entry.path().string()));
    ++count;
  }
  CHECK(count == 11);
}

TEST_CASE("times of MessagePack and CBOR load as time points") {
  using Clock = std::chrono::system_clock;
  using std::chrono::nanoseconds;
  using std::chrono::seconds;
  const auto time = [](std::string_view bytes, const FormatPointer& format) {
    return ss::load<Clock::time_point>(ss::test::view_of(bytes), {.format = format});
  };
  const FormatPointer& messagepack = ss::formats::messagepack();
  CHECK(time({"\xD6\xFF\0\0\0\x09", 6}, messagepack) == Clock::time_point(seconds(9)));
  CHECK(time({"\xD7\xFF\0\0\0\x14\0\0\0\x09", 10}, messagepack) ==
        Clock::time_point(seconds(9) + nanoseconds(5)));
  CHECK(time({"\xC7\x0C\xFF\0\0\0\x05\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 15}, messagepack) ==
        Clock::time_point(seconds(-1) + nanoseconds(5)));
  CHECK(time("\xC1\x09", ss::formats::cbor()) == Clock::time_point(seconds(9)));
  // A nanosecond too many, and another length: bytes that say nothing.
  const ss::Value odd =
      read_as({"\x92\xD7\xFF\xEE\x6B\x28\0\0\0\0\x09\xD5\xFF\0\0", 15}, messagepack).root;
  CHECK(odd[0].type_name() == "messagepack.Extension");
  CHECK(odd[1].type_name() == "messagepack.Extension");
}
