/// \file
/// Aggregates of somebody else's that are numbers by their BlockLayout: tensors in ranges, numbers
/// alone, and never structs.
#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/type_info.hpp>
#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::load_error;
using codec_test::round_trip;
using codec_test::to_value;
using ss::Kind;
using ss::Value;

namespace acme {

/// Numbers that are no more than their layout says: no codec of their own.
struct Brain {
  std::uint16_t bits;
  friend bool operator==(const Brain&, const Brain&) = default;
};
struct Tick {
  std::int32_t count;
  friend bool operator==(const Tick&, const Tick&) = default;
};
struct Mask {
  std::uint8_t bits;
  friend bool operator==(const Mask&, const Mask&) = default;
};
struct Flag {
  unsigned char is_set;
  friend bool operator==(const Flag&, const Flag&) = default;
};
struct Wave {
  float real, imaginary;
  friend bool operator==(const Wave&, const Wave&) = default;
};
struct Frame {
  float axes[2][3];
  friend bool operator==(const Frame&, const Frame&) = default;
};
/// Not an aggregate, but a class with rules.
class Ratio {
 public:
  Ratio() = default;
  explicit Ratio(double value) : value_(value) {}
  friend bool operator==(const Ratio&, const Ratio&) = default;

 private:
  double value_ = 0;
  friend struct ss::Rules<Ratio>;
};
struct Sample {
  Brain brain{};
  Tick tick{};
  Frame frame{};
  Wave wave{};
  friend bool operator==(const Sample&, const Sample&) = default;
};

}  // namespace acme

namespace acme {

template <ss::DType type, std::uint64_t... sizes>
struct Numbers {
  static constexpr ss::DType dtype = type;
  static constexpr std::array<std::uint64_t, sizeof...(sizes)> dims{sizes...};
  static constexpr bool complex = false;
};

}  // namespace acme

template <>
struct ss::BlockLayout<acme::Brain> : acme::Numbers<ss::DType::BF16> {};
template <>
struct ss::BlockLayout<acme::Tick> : acme::Numbers<ss::DType::I32> {};
template <>
struct ss::BlockLayout<acme::Mask> : acme::Numbers<ss::DType::U8> {};
template <>
struct ss::BlockLayout<acme::Flag> : acme::Numbers<ss::DType::BOOL> {};
template <>
struct ss::BlockLayout<acme::Wave> : acme::Numbers<ss::DType::C64> {};
template <>
struct ss::BlockLayout<acme::Frame> : acme::Numbers<ss::DType::F32, 2, 3> {};
template <>
struct ss::BlockLayout<acme::Ratio> : acme::Numbers<ss::DType::F64> {};
template <>
struct ss::Rules<acme::Ratio> {
  static constexpr auto members = std::tuple{ss::member("value", &acme::Ratio::value_)};
};

TEST_CASE(
    "an aggregate that is numbers is a tensor in ranges, a number alone, and never a struct") {
  const std::vector<acme::Brain> brains = {{0x3f80}, {0xc000}};
  CHECK(to_value(brains).tensor().dtype() == ss::DType::BF16);
  CHECK(to_value(brains, {.columns = true}).kind() == Kind::tensor);
  CHECK(round_trip(brains) == brains);
  CHECK(Value::list({1, -2.0}).as<std::vector<acme::Brain>>() == brains);
  CHECK(to_value(acme::Brain{0xc000}) == Value(-2.0));
  CHECK(round_trip(acme::Brain{0xc000}) == acme::Brain{0xc000});
  CHECK(to_value(acme::Tick{-7}) == Value(-7));
  CHECK(round_trip(acme::Tick{-7}) == acme::Tick{-7});
  CHECK(round_trip(acme::Mask{255}) == acme::Mask{255});
  CHECK(to_value(acme::Flag{1}) == Value(true));
  CHECK(round_trip(acme::Flag{1}) == acme::Flag{1});
  CHECK(to_value(acme::Wave{1, 2}) == Value(std::complex<double>(1, 2)));
  CHECK(round_trip(acme::Wave{1, 2}) == acme::Wave{1, 2});
  CHECK(to_value(acme::Ratio(0.1)) == Value(0.1));
  CHECK(round_trip(acme::Ratio(0.1)) == acme::Ratio(0.1));
  CHECK(to_value(std::vector{acme::Ratio(0.1)}).tensor().dtype() == ss::DType::F64);
  using Either = std::variant<acme::Brain, acme::Tick, acme::Frame>;
  CHECK(round_trip(Either(acme::Tick{1})).index() == 1);
  CHECK(load_error<acme::Tick>(Value(std::int64_t{1} << 31)) ==
        "out_of_range: at /: a number is out of range: expected an int from -2147483648 to "
        "2147483647, found int 2147483648. Load it into a wider type, or choose "
        "Overflow::saturate.");
  CHECK(load_error<acme::Mask>(Value(-1)) ==
        "out_of_range: at /: a number is out of range: expected an int from 0 to 255, found int "
        "-1. Load it into a wider type, or choose Overflow::saturate.");
}

TEST_CASE("an aggregate that is an array of numbers is a tensor of its dimensions") {
  const acme::Frame frame = {{{1, 2, 3}, {4, 5, 6}}};
  CHECK(to_value(frame).tensor().shape() == ss::Shape{2, 3});
  CHECK(round_trip(frame) == frame);
  CHECK(to_value(std::vector{frame, frame}).tensor().shape() == ss::Shape{2, 2, 3});
  CHECK(round_trip(std::vector{frame, frame}) == std::vector{frame, frame});
  const Value rows = Value::list({Value::list({1, 2, 3}), to_value(std::vector{4, 5, 6})});
  CHECK(rows.as<acme::Frame>() == frame);
  CHECK(Value::list({rows, rows}).as<std::vector<acme::Frame>>() == std::vector{frame, frame});
  CHECK(load_error<acme::Frame>(Value::list({rows[0], Value::list({4, "five", 6})})) ==
        "type_mismatch: at /1/1: a value has the wrong type: expected float, found str \"five\".");
  CHECK(
      load_error<acme::Frame>(Value::list({rows[0]})) ==
      "shape_mismatch: at /: a sequence has the wrong length: expected 2 items, found list of 1.");
}

TEST_CASE("structs with such numbers are columns that have their dtype and dimensions") {
  const std::vector<acme::Sample> samples = {{{0x3f80}, {1}, {{{1, 2, 3}, {4, 5, 6}}}, {7, 8}}, {}};
  const Value columns = to_value(samples, {.columns = true});
  CHECK(columns["brain"].tensor().dtype() == ss::DType::BF16);
  CHECK(columns["frame"].tensor().shape() == ss::Shape{2, 2, 3});
  CHECK(columns.as<std::vector<acme::Sample>>() == samples);
  CHECK(round_trip(samples) == samples);
}

TEST_CASE("such aggregates are described as the numbers that they are") {
  const auto text = []<class T>(std::in_place_type_t<T>) { return to_string(ss::type_info<T>()); };
  CHECK(text(std::in_place_type<acme::Brain>) == "bf16");
  CHECK(text(std::in_place_type<acme::Tick>) == "i32");
  CHECK(text(std::in_place_type<acme::Mask>) == "u8");
  CHECK(text(std::in_place_type<acme::Flag>) == "bool");
  CHECK(text(std::in_place_type<acme::Wave>) == text(std::in_place_type<std::complex<float>>));
  CHECK(text(std::in_place_type<acme::Frame>) == "tensor F32 [2, 3]");
}
