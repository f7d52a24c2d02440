/// \file
/// Contiguous numbers are one tensor that borrows their memory; loading converts what fits.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <list>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <safestructures/codecs/deque.hpp>
#include <safestructures/codecs/list.hpp>
#include <safestructures/codecs/span.hpp>
#include <safestructures/codecs/vector.hpp>

#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::load_error;
using codec_test::round_trip;
using codec_test::to_value;
using ss::DType;
using ss::Kind;
using ss::Shape;
using ss::Tensor;
using ss::Value;

namespace {

template <class T>
Value tensor(std::vector<T> values, Shape shape) {
  return Value(Tensor::own(std::move(values), std::move(shape)));
}

}  // namespace

TEST_CASE_TEMPLATE("a vector of numbers is a tensor of their dtype", T, std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, int, unsigned, std::int64_t, std::uint64_t, float,
                   double, std::complex<float>) {
  const std::vector<T> vector{T(0), T(1), T(100)};
  const Value value = Value::from(vector);
  REQUIRE(value.kind() == Kind::tensor);
  CHECK(value.tensor().dtype() == ss::dtype_of<T>);
  CHECK(value.tensor().shape() == Shape{3});
  CHECK(value.tensor().origin() == reinterpret_cast<const std::byte*>(vector.data()));
  CHECK(value.as<std::vector<T>>() == vector);
  CHECK(round_trip(std::vector<T>()).empty());
  CHECK(round_trip(std::array<T, 3>{T(1), T(2), T(3)}) == std::array<T, 3>{T(1), T(2), T(3)});
}

TEST_CASE_TEMPLATE("small floats keep their bits", T, ss::half, ss::bfloat16, ss::float8_e4m3,
                   ss::float8_e5m2, ss::float8_e8m0, ss::float8_e4m3fnuz, ss::float8_e5m2fnuz) {
  const std::vector<T> vector{T(1.0F), T(4.0F), std::numeric_limits<T>::max()};
  const std::vector<T> loaded = round_trip(vector);
  REQUIRE(loaded.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(loaded[i].bits() == vector[i].bits());
}

TEST_CASE("a vector of bool is a BOOL tensor") {
  const std::vector<bool> vector{true, false, false, true};
  const Value value = Value::from(vector);
  CHECK(value.tensor().dtype() == DType::BOOL);
  CHECK(value.tensor().is_owned());
  CHECK(value.as<std::vector<bool>>() == vector);
  CHECK(round_trip(std::array{true, false}) == std::array{true, false});
  CHECK(Value::list({true, false}).as<std::vector<bool>>() == std::vector{true, false});
  CHECK(tensor<std::uint8_t>({1, 0}, {2}).as<std::vector<bool>>() == std::vector{true, false});
}

TEST_CASE("a truth value that is neither 0 nor 1 is refused wherever it is read") {
  const std::array<std::uint8_t, 2> bytes{1, 2};
  const Value value(Tensor::borrow(DType::BOOL, Shape{2}, std::as_bytes(std::span(bytes))));
  const std::string error =
      "out_of_range: at /: element 1 is not a truth value: expected 0 or 1, found 2.";
  CHECK(load_error<std::vector<bool>>(value) == error);
  CHECK(load_error<std::array<bool, 2>>(value) == error);
}

TEST_CASE("arrays in arrays and in vectors are dimensions of one tensor") {
  const std::array<std::array<float, 3>, 2> matrix{{{1, 2, 3}, {4, 5, 6}}};
  CHECK(Value::from(matrix).tensor().shape() == Shape{2, 3});
  CHECK(round_trip(matrix) == matrix);
  const std::vector<std::array<std::array<std::int16_t, 2>, 1>> blocks{{{{1, 2}}}, {{{3, 4}}}};
  CHECK(Value::from(blocks).tensor().shape() == Shape{2, 1, 2});
  CHECK(round_trip(blocks) == blocks);
  CHECK(Value::list({tensor<double>({1, 2, 3}, {3}), Value::tuple({4, 5, 6})})
            .as<std::array<std::array<float, 3>, 2>>() == matrix);
}

TEST_CASE("vectors in vectors are a list of tensors, and load from one of rank 2 as well") {
  const std::vector<std::vector<float>> rows{{1, 2}, {}, {3}};
  const Value value = Value::from(rows);
  CHECK(value.kind() == Kind::list);
  CHECK(value[1].tensor().shape() == Shape{0});
  CHECK(round_trip(rows) == rows);
  CHECK(tensor<std::int8_t>({1, 2, 3, 4}, {2, 2}).as<std::vector<std::vector<float>>>() ==
        std::vector<std::vector<float>>{{1, 2}, {3, 4}});
}

TEST_CASE("complex doubles are pairs in an F64 tensor") {
  const std::vector<std::complex<double>> vector{{1, 2}, {3, -4}};
  const Value value = Value::from(vector);
  CHECK(value.tensor().dtype() == DType::F64);
  CHECK(value.tensor().shape() == Shape{2, 2});
  CHECK(*value.attribute("complex") == Value(true));
  CHECK(value.as<std::vector<std::complex<double>>>() == vector);
  CHECK(value.as<std::vector<std::complex<float>>>() ==
        std::vector<std::complex<float>>{{1, 2}, {3, -4}});
  const std::array<std::complex<double>, 2> array{{{1, 2}, {3, -4}}};
  CHECK(value.as<std::array<std::complex<double>, 2>>() == array);
  CHECK(
      tensor<std::complex<float>>({{1, 2}, {3, -4}}, {2}).as<std::vector<std::complex<double>>>() ==
      vector);
  CHECK(Value::list({std::complex<double>(1, 2), std::complex<double>(3, -4)})
            .as<std::vector<std::complex<double>>>() == vector);
}

TEST_CASE("bytes are bytes") {
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{255}};
  CHECK(Value::from(bytes) == Value::bytes(bytes));
  CHECK(round_trip(bytes) == bytes);
  CHECK(round_trip(std::array<std::byte, 1>{std::byte{7}}) ==
        std::array<std::byte, 1>{std::byte{7}});
  CHECK(round_trip(std::vector<std::byte>()).empty());
  CHECK(round_trip(std::array<std::byte, 0>()).empty());
  CHECK(tensor<std::uint8_t>({0, 255}, {2}).as<std::vector<std::byte>>() == bytes);
  CHECK(Value::bytes(bytes).as<std::vector<std::uint8_t>>() == std::vector<std::uint8_t>{0, 255});
  // As programs without a type for bytes write them.
  CHECK(Value::list({0, 255}).as<std::vector<std::byte>>() == bytes);
  CHECK(Value::tuple({7}).as<std::array<std::byte, 1>>() == std::array<std::byte, 1>{std::byte{7}});
  CHECK(load_error<std::vector<std::byte>>(Value::list({0, 256})) ==
        "out_of_range: at /1: a number is out of range: expected an int from 0 to 255, found int "
        "256. Load it into a wider type, or choose Overflow::saturate.");
  CHECK(load_error<std::vector<std::byte>>(Value::list({"a"})) ==
        "type_mismatch: at /0: a value has the wrong type: expected int, found str \"a\".");
  CHECK(load_error<std::vector<std::byte>>(Value("text")) ==
        "type_mismatch: at /: a value has the wrong type: expected bytes, found str \"text\".");
  CHECK(load_error<std::array<std::byte, 3>>(Value::bytes(bytes)) ==
        "shape_mismatch: at /: bytes have the wrong length: expected 3 bytes, found 2.");
}

TEST_CASE("spans and C arrays are saved as vectors are") {
  const std::array<float, 3> numbers{1, 2, 3};
  const Value expected = Value::from(std::vector<float>{1, 2, 3});
  CHECK(Value::from(std::span(numbers)) == expected);
  const std::span<const float> view(numbers);
  CHECK(Value::from(view).tensor().origin() == reinterpret_cast<const std::byte*>(numbers.data()));
  const float array[3] = {1, 2, 3};
  CHECK(Value::from(array) == expected);
  const int matrix[2][2] = {{1, 2}, {3, 4}};
  CHECK(Value::from(matrix) == tensor<int>({1, 2, 3, 4}, {2, 2}));
  const std::array<std::string, 2> words{"a", "b"};
  CHECK(Value::from(std::span(words)) == Value::list({"a", "b"}));
  const std::array<std::byte, 1> bytes{std::byte{1}};
  CHECK(Value::from(std::span(bytes)) == Value::bytes(bytes));
  static_assert(!ss::Decodable<std::span<float>> && !ss::Decodable<float[3]>);
}

TEST_CASE("a tensor of another dtype converts where nothing is lost") {
  CHECK(tensor<double>({1, -2}, {2}).as<std::vector<std::int8_t>>() ==
        std::vector<std::int8_t>{1, -2});
  CHECK(tensor<std::uint8_t>({1, 200}, {2}).as<std::vector<float>>() == std::vector<float>{1, 200});
  CHECK(tensor<ss::half>({ss::half(0.5F)}, {1}).as<std::array<double, 1>>()[0] == 0.5);
  CHECK(
      load_error<std::vector<std::uint8_t>>(tensor<int>({1, 300}, {2})) ==
      "out_of_range: at /: element 1 cannot be converted from I32 to U8: expected a number from 0 "
      "to 255, found 300. Choose a dtype of wider range, or let numbers saturate "
      "(Overflow::saturate, or convert --overflow in the tool).");
  CHECK(load_error<std::array<std::uint8_t, 2>>(tensor<int>({1, 300}, {2}))
            .starts_with("out_of_range: at /: element 1 cannot be converted from I32 to U8"));
  CHECK(load_error<std::vector<int>>(tensor<float>({0.5F}, {1}))
            .starts_with("lossy_conversion: at /: element 0"));
  CHECK(tensor<int>({-1, 300}, {2})
            .as<std::vector<std::uint8_t>>({.overflow = ss::Overflow::saturate}) ==
        std::vector<std::uint8_t>{0, 255});
}

TEST_CASE("doubles in a tensor are rounded to the floats that they load into") {
  CHECK(to_value(std::vector<double>{0.1, 1 + 0x1p-40}).as<std::vector<float>>() ==
        std::vector<float>{0.1F, 1});
}

TEST_CASE("errors in a large tensor name the element, whatever piece it is in") {
  std::vector<std::int32_t> numbers(300'001, 7);
  numbers[300'000] = 1000;
  CHECK(load_error<std::vector<std::uint8_t>>(tensor<std::int32_t>(numbers, {300'001}))
            .starts_with("out_of_range: at /: element 300000 cannot be converted from I32 to U8"));
  numbers[300'000] = 9;
  const auto loaded = tensor<std::int32_t>(numbers, {300'001}).as<std::vector<double>>();
  CHECK(loaded.size() == 300'001);
  CHECK(loaded.back() == 9);
  CHECK(std::accumulate(loaded.begin(), loaded.end(), 0.0) == 300'000.0 * 7 + 9);
}

TEST_CASE("items of odd size are never cut by a piece") {
  constexpr std::size_t count = 50'000;
  std::vector<std::int16_t> numbers(count * 7);
  std::iota(numbers.begin(), numbers.end(), std::int16_t{-30000});
  const auto loaded =
      tensor<std::int16_t>(numbers, {count, 7}).as<std::vector<std::array<std::int32_t, 7>>>();
  REQUIRE(loaded.size() == count);
  for (std::size_t i = 0; i < count * 7; ++i)
    if (loaded[i / 7][i % 7] != numbers[i]) FAIL("element " << i);
}

TEST_CASE("strided and misaligned tensors load as well") {
  const std::array<float, 4> numbers{1, 2, 3, 4};
  const std::array<std::int64_t, 1> backwards{-8};
  const auto* last = reinterpret_cast<const std::byte*>(&numbers[3]);
  const Value strided(Tensor::strided(DType::F32, Shape{2}, backwards, last, nullptr));
  CHECK(strided.as<std::vector<float>>() == std::vector<float>{4, 2});
  std::array<std::byte, 9> raw{};
  std::memcpy(raw.data() + 1, numbers.data(), 8);
  const Value misaligned(
      Tensor::borrow(DType::F32, Shape{2}, std::span<const std::byte>(raw).subspan(1)));
  CHECK(misaligned.as<std::vector<float>>() == std::vector<float>{1, 2});
}

TEST_CASE("numbers packed below a byte load in whole groups") {
  // 0x21: two F4 numbers, 0.5 in the low nibble and 1 in the high one.
  const std::vector<std::byte> packed(100'000, std::byte{0x21});
  const Value value(Tensor::borrow(DType::F4, Shape{200'000}, packed));
  const auto loaded = value.as<std::vector<float>>();
  REQUIRE(loaded.size() == 200'000);
  CHECK(loaded[0] == 0.5F);
  CHECK(loaded[199'999] == 1.0F);
}

TEST_CASE("numbers packed below a byte load item by item, wherever in a group a row begins") {
  std::vector<std::vector<float>> rows(8);
  std::vector<float> all;
  for (std::vector<float>& row : rows)
    for (int i = 0; i < 5; ++i) {
      all.push_back(std::array{0.0F, 0.5F, 1.0F, -1.5F, 2.0F, 3.0F, -1.0F}[all.size() % 7]);
      row.push_back(all.back());
    }
  for (const DType dtype : {DType::F4, DType::F6_E2M3, DType::F6_E3M2}) {
    CAPTURE(to_string(dtype));
    const Tensor matrix = Tensor::own(std::vector(all), Shape{8, 5}).to(dtype);
    CHECK(Value(matrix).as<std::vector<std::vector<float>>>() == rows);
    const auto values = Value(matrix).as<std::list<Value>>();
    REQUIRE(values.size() == 8);
    CHECK(values.back().tensor().to_vector<float>() == rows.back());
    const Value flat(matrix.reshape(Shape{40}));
    CHECK(flat.as<std::list<float>>() == std::list<float>(all.begin(), all.end()));
    CHECK(flat.as<std::deque<double>>() == std::deque<double>(all.begin(), all.end()));
  }
}

TEST_CASE("a list, tuple or set of numbers loads into a vector, item by item") {
  CHECK(Value::list({1, 2.5}).as<std::vector<float>>() == std::vector<float>{1, 2.5F});
  CHECK(Value::tuple({1, 2}).as<std::array<int, 2>>() == std::array{1, 2});
  CHECK(Value::set({7}).as<std::vector<int>>() == std::vector{7});
  CHECK(load_error<std::vector<std::uint8_t>>(Value::list({1, 300})) ==
        "out_of_range: at /1: a number is out of range: expected an int from 0 to 255, found int "
        "300. Load it into a wider type, or choose Overflow::saturate.");
  CHECK(
      load_error<std::array<int, 3>>(Value::list({1})) ==
      "shape_mismatch: at /: a sequence has the wrong length: expected 3 items, found list of 1.");
}

TEST_CASE("another shape is an error that says what to do") {
  const Value matrix = tensor<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  CHECK(load_error<std::vector<float>>(matrix) ==
        "shape_mismatch: at /: a tensor has the wrong shape: expected a tensor of rank 1, found "
        "tensor "
        "F32 [2, 3]. Load it as a Tensor, or as a std::vector of std::vector.");
  CHECK(load_error<std::vector<std::array<float, 2>>>(matrix) ==
        "shape_mismatch: at /: a tensor has the wrong shape: expected a tensor of rank 2 that ends "
        "in "
        "[2], found tensor F32 [2, 3].");
  CHECK(load_error<std::array<float, 6>>(matrix) ==
        "shape_mismatch: at /: a tensor has the wrong shape: expected shape [6], found tensor F32 "
        "[2, "
        "3].");
  CHECK(load_error<std::vector<float>>(tensor<float>({1}, {})).starts_with("shape_mismatch"));
  CHECK(
      load_error<std::vector<float>>(Value(5)) ==
      "type_mismatch: at /: a value has the wrong type: expected a tensor, or a list, tuple or set "
      "of numbers, found int 5.");
}

TEST_CASE("a shape that takes no bytes takes no memory") {
  const Value value(Tensor::borrow(DType::F32, Shape{1ULL << 60U, 0}, {}));
  CHECK(
      load_error<std::vector<std::vector<float>>>(value) ==
      "shape_mismatch: at /: a tensor without elements has no items: expected list, tuple, set, or "
      "a tensor with elements, found tensor F32 [1152921504606846976, 0].");
  CHECK(load_error<std::vector<float>>(value).starts_with("shape_mismatch"));
}

TEST_CASE("a Tensor and a Value are themselves") {
  const Tensor numbers = Tensor::own(std::vector<float>{1, 2});
  CHECK(Value::from(numbers).tensor().origin() == numbers.origin());
  CHECK(round_trip(numbers) == numbers);
  const Value value = Value::list({1, "two"});
  CHECK(Value::from(value) == value);
  CHECK(value.as<Value>() == value);
  CHECK(load_error<Tensor>(value) ==
        "type_mismatch: at /: a value has the wrong type: expected a tensor, or nested lists of "
        "numbers, found list of 2.");
}

TEST_CASE("nested lists of numbers are a Tensor of the dtype that holds them all") {
  constexpr std::uint64_t large = std::numeric_limits<std::uint64_t>::max();
  const auto row = [](std::vector<Value> items) { return Value::list(std::move(items)); };
  const std::pair<Value, Tensor> cases[] = {
      {row({1, -2}), Tensor::own<std::int64_t>({1, -2})},
      {row({1, large}), Tensor::own<std::uint64_t>({1, large})},
      {row({1, 2.5}), Tensor::own<double>({1, 2.5})},
      {row({2.5, 1}), Tensor::own<double>({2.5, 1})},
      {Value::tuple({row({1, 2}), row({3, 4.5})}), Tensor::own<double>({1, 2, 3, 4.5}, {2, 2})},
      {row({}), Tensor::own<double>({})},
      {row({row({}), row({})}), Tensor::own<double>({}, {2, 0})}};
  for (const auto& [value, tensor] : cases) {
    const std::string text = ss::to_string(value);
    CAPTURE(text);
    CHECK(value.as<Tensor>() == tensor);
  }
  const Tensor truth = row({true, false}).as<Tensor>();
  CHECK(truth.dtype() == DType::BOOL);
  CHECK(truth.to_vector<int>() == std::vector<int>{1, 0});

  const std::string no_numbers =
      "type_mismatch: at /: a value has the wrong type: expected a tensor, or nested lists of "
      "numbers, found list of 2.";
  const std::pair<Value, std::string> wrong[] = {
      {row({row({1}), row({2, 3})}),
       "shape_mismatch: at /1: a row does not have the length of the first: expected 1 item, found "
       "list of 2."},
      {row({1, true}),
       "type_mismatch: at /1: a value has the wrong type: expected int, found bool True."},
      {row({-1, large}),
       "out_of_range: at /0: a number is out of range: expected an int from 0 to "
       "18446744073709551615, found int -1. Load it into a wider type, or choose "
       "Overflow::saturate."},
      {row({std::complex<double>(1, 2), 1}), no_numbers},
      // Two layers are no matrix.
      {row({Tensor::own<float>({1}), Tensor::own<float>({2})}), no_numbers}};
  for (const auto& [value, problem] : wrong) CHECK(load_error<Tensor>(value) == problem);
  Value deep(1);
  for (int i = 0; i < 65; ++i) deep = Value::list({std::move(deep)});
  CHECK(load_error<Tensor>(deep) ==
        "limit_exceeded: at /: a tensor has too many dimensions: expected at most 64 "
        "(Limits::rank), found 65.");
  CHECK(deep[0].as<Tensor>().rank() == 64);
}

TEST_CASE("integers load into floating-point memory only where it holds them exactly") {
  const std::vector<std::int64_t> exact = {16777216, -16777216, 1LL << 40};
  CHECK(to_value(exact).as<std::vector<float>>() ==
        std::vector<float>{16777216, -16777216, static_cast<float>(1LL << 40)});
  std::vector<std::int64_t> rounded(100'000, 1);
  rounded[70'001] = 16777217;
  CHECK(load_error<std::vector<float>>(to_value(rounded)) ==
        "lossy_conversion: at /: a floating-point type cannot hold an int exactly: expected ints "
        "that F32 holds exactly, found 16777217 at element 70001. Load it into an integer type, or "
        "choose Overflow::saturate.");
  CHECK(to_value(rounded).as<std::vector<double>>()[70'001] == 16777217);
  const ss::DecodeOptions nearest = {.overflow = ss::Overflow::saturate};
  CHECK(to_value(rounded).as<std::vector<float>>(nearest)[70'001] == 16777216);
  CHECK(load_error<std::array<double, 1>>(to_value(std::vector<std::uint64_t>{~0ULL}))
            .find("found 18446744073709551615 at element 0.") != std::string::npos);
  CHECK(load_error<std::vector<float>>(Value::list({1, 16777217}))
            .starts_with("lossy_conversion: at /1: "));
}
