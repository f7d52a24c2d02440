/// \file
/// Tensors in JSON: their elements bit for bit, their names, and what is shared.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/json_cases.hpp"

namespace ss = safestructures;
using ss::test::again;
using ss::test::compact;
using ss::test::load_json;
using ss::test::save_json;
using ss::test::saved;

TEST_CASE("tensors without a shape have that of their lists") {
  const auto shape_of = [](const std::string& data, const std::string& dtype = "F32") {
    const ss::Value value = load_json(R"({"$tensor": ")" + dtype + R"(", "data": )" + data + "}");
    return ss::to_string(value.tensor().shape());
  };
  CHECK(shape_of("1") == "[]");
  CHECK(shape_of("[]") == "[0]");
  CHECK(shape_of("[[], []]") == "[2, 0]");
  CHECK(shape_of("[[1, 2, 3], [4, 5, 6]]") == "[2, 3]");
  CHECK(shape_of("[1, 2]", "C64") == "[]");
  CHECK(shape_of("[[1, 2], [3, 4], [5, 6]]", "C64") == "[3]");
  CHECK(shape_of("[[[1, 2]], [[3, 4]], [[5, 6]]]", "C64") == "[3, 1]");
  // The shape may come last, as tools that sort members put it.
  CHECK(load_json(R"({"$tensor": "U8", "data": [[1, 2]], "shape": [1, 2]})").tensor() ==
        ss::Tensor::own<std::uint8_t>({1, 2}, {1, 2}));
  CHECK(load_json(R"({"$tensor": "U8", "data": [], "shape": [3, 0, 7]})").tensor().shape() ==
        ss::Shape{3, 0, 7});
}

TEST_CASE("tensors of every dtype are kept bit for bit") {
  std::mt19937 random(1);
  for (std::size_t code = 0; code < ss::dtype_count; ++code) {
    const auto dtype = static_cast<ss::DType>(code);
    CAPTURE(ss::to_string(dtype));
    const unsigned width = ss::bit_width(dtype);
    // All codes of narrow dtypes, random bits of wide ones; BOOL bytes above 1 too.
    const std::uint64_t count = width <= 16 ? std::uint64_t{1} << width : 4096;
    ss::Tensor tensor = ss::Tensor::allocate(dtype, {count});
    const std::span<std::byte> bytes = tensor.mutable_bytes();
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(random());
    if (width == 8) {
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
    } else if (width == 16) {
      for (std::size_t i = 0; i < bytes.size(); i += 2) {
        bytes[i] = static_cast<std::byte>(i / 2);
        bytes[i + 1] = static_cast<std::byte>(i / 512);
      }
    } else if (width == 4) {
      for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(0x20 * i + 0x10 + 2 * i);
    }
    if (dtype == ss::DType::F64 || dtype == ss::DType::F32) {
      // NaNs with signs and payloads, infinities, subnormal numbers.
      for (std::size_t i = 0; i < bytes.size() / 2; i += 8) {
        bytes[i + width / 8 - 1] |= std::byte{0x7F};
        bytes[i + width / 8 - 2] |= std::byte{0xF0};
      }
      bytes.back() = std::byte{0};
    }
    again(ss::Value(tensor));
  }
}

TEST_CASE("floating elements have the fewest digits of their dtype") {
  const auto digits = [](auto number) {
    using T = decltype(number);
    const ss::Tensor tensor = ss::Tensor::of(std::span<const T>(&number, 1), ss::Shape{});
    const std::string text = save_json(tensor, compact, {.precision = ss::Precision::preserve});
    const std::size_t begin = text.find("\"data\":") + 7;
    return text.substr(begin, text.size() - begin - 1);
  };
  CHECK(digits(0.1) == "0.1");
  CHECK(digits(0.1F) == "0.1");
  CHECK(digits(ss::half(0.1)) == "0.1");
  CHECK(digits(ss::bfloat16(0.1)) == "0.1");
  CHECK(digits(ss::half(65504.0)) == "65500");
  CHECK(digits(ss::float8_e4m3(0.1)) == "0.1");
  CHECK(digits(ss::float8_e8m0(1024.0)) == "1024");
  CHECK(digits(0.0F) == "0");
  // Without the point Python's json would make the integer 0 of it, which has no sign.
  CHECK(digits(-0.0) == "-0.0");
  CHECK(digits(-0.0F) == "-0.0");
  CHECK(digits(ss::half(-0.0)) == "-0.0");
  CHECK(digits(ss::float8_e4m3(-0.0)) == "-0.0");
  CHECK(digits(std::complex<float>(-0.0F, -0.0F)) == "[-0.0,-0.0]");
  CHECK(digits(std::numeric_limits<float>::denorm_min()) == "1e-45");
  CHECK(digits(std::bit_cast<float>(0x7fc00000U)) == "\"nan\"");
  CHECK(digits(std::bit_cast<float>(0xffc00000U)) == "\"-nan\"");
  CHECK(digits(std::bit_cast<float>(0x7f800001U)) == "\"0x7f800001\"");
  CHECK(digits(ss::half::from_bits(0xfc00)) == "\"-inf\"");
  CHECK(digits(std::complex<float>(1, -2)) == "[1,-2]");
  CHECK(digits(true) == "true");
  CHECK(digits(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
}

TEST_CASE("a minus zero is read with a point and without") {
  for (const std::string zero : {"-0", "-0.0"}) {
    CAPTURE(zero);
    for (const std::string dtype : {"F64", "F32", "F16", "F8_E4M3"}) {
      CAPTURE(dtype);
      const ss::Value value =
          load_json(R"({"$tensor":")" + dtype + R"(","shape":[],"data":)" + zero + "}");
      CHECK(std::to_integer<int>(value.tensor().bytes().back()) == 0x80);
    }
    const auto number =
        load_json(R"({"$complex":[)" + zero + "," + zero + "]}").as<std::complex<double>>();
    CHECK(std::signbit(number.real()));
    CHECK(std::signbit(number.imag()));
  }
}

TEST_CASE("NaN and infinities are read as Python's json spells them, too") {
  const auto bytes_of = [](const std::string& dtype, const std::string& data) {
    const ss::Tensor tensor =
        load_json(R"({"$tensor":")" + dtype + R"(","data":)" + data + "}").tensor();
    return std::vector<std::byte>(tensor.bytes().begin(), tensor.bytes().end());
  };
  for (const std::string dtype : {"F64", "F32", "F16", "BF16", "F8_E5M2"})
    CHECK(bytes_of(dtype, "[NaN,Infinity,-Infinity]") ==
          bytes_of(dtype, R"(["nan","inf","-inf"])"));
  CHECK(bytes_of("C64", "[[NaN,-Infinity]]") == bytes_of("C64", R"([["nan","-inf"]])"));
  for (const std::string dtype : {"F8_E4M3", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "F8_E8M0"})
    CHECK(bytes_of(dtype, "[NaN]") == bytes_of(dtype, R"(["nan"])"));
}

TEST_CASE("a shared tensor of a name stays shared, and names survive") {
  ss::Value first(ss::Tensor::own<float>({1, 2}));
  first.set_tensor_name("w");
  const ss::Value value = ss::Value::list({first, first});
  CHECK(saved(value) ==
        R"([{"$tensor":"F32","$name":"w","shape":[2],"data":[1,2]},{"$tensor":{"same":"w"}}])");
  const ss::Value loaded = again(value);
  CHECK(loaded[0].tensor_name() == "w");
  CHECK(loaded[1].tensor_name() == "w");
  CHECK(loaded[0].tensor().identity() == loaded[1].tensor().identity());

  // Another tensor of that name gets one of its own.
  ss::Value other(ss::Tensor::own<float>({1, 2}));
  other.set_tensor_name("w");
  CHECK(load_json(saved(ss::Value::list({first, other})))[1].tensor_name() == "w#2");
}

TEST_CASE("a tensor without a name gets that of its place") {
  const ss::Tensor tensor = ss::Tensor::own<float>({1});
  const ss::Value value =
      ss::Value::dict({{"a", ss::Value::list({tensor})}, {"a.0", tensor}, {1, tensor}});
  const ss::Value loaded = load_json(saved(value));
  CHECK(loaded.at("/a/0").tensor_name() == "a.0");
  CHECK(loaded.find("a.0")->tensor_name() == "a.0#2");
  CHECK(loaded.at("/1").tensor_name() == "1");
  CHECK(load_json(saved(tensor)).tensor_name() == "tensor");
  CHECK(saved(ss::Value::list({tensor}), {.tensor_names = ss::TensorNames::numbers}) ==
        R"([{"$tensor":"F32","shape":[1],"data":[1]}])");
  CHECK(saved(ss::Value::dict({{"a", tensor}}), {.tensor_names = ss::TensorNames::numbers}) ==
        R"({"a":{"$tensor":"F32","$name":"0","shape":[1],"data":[1]}})");
  // In keys there is no place that would tell two apart.
  const ss::Value bytes = ss::Value::bytes(std::as_bytes(std::span("ab", 2)));
  CHECK(
      saved(ss::Value::dict({{bytes, bytes}})) ==
      R"json({"$dict":[[{"$bytes":"YWI=","$name":"b'ab'"},{"$bytes":"YWI=","$name":"b'ab'#2"}]]})json");
}

TEST_CASE("strided tensors are written in their own order") {
  const ss::Tensor matrix = ss::Tensor::own<std::int32_t>({1, 2, 3, 4, 5, 6}, {2, 3});
  const std::array<std::size_t, 2> order = {1, 0};
  CHECK(saved(matrix.permute(order)) ==
        R"({"$tensor":"I32","shape":[3,2],"data":[[1,4],[2,5],[3,6]]})");
}

TEST_CASE("a tensor within its own attributes is written twice: readers do not know it there yet") {
  ss::Value inner(ss::Tensor::own<float>({1, 2}));
  inner.set_tensor_name("w");
  ss::Value outer = inner;
  outer.set_attribute("note", inner);
  const ss::Value loaded = again(outer);
  REQUIRE(loaded.attribute("note") != nullptr);
  CHECK(loaded.attribute("note")->tensor() == inner.tensor());
  CHECK(loaded.attribute("note")->tensor_name() == "w#2");
}
