/// \file
/// A variant comes back with the alternative that was saved, exactly.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::load_error;
using codec_test::round_trip;
using codec_test::to_value;
using ss::Kind;
using ss::Tensor;
using ss::Value;

namespace {

struct Circle {
  double radius = 0;
  friend bool operator==(const Circle&, const Circle&) = default;
};
struct Square {
  double side = 0;
  friend bool operator==(const Square&, const Square&) = default;
};
struct Named {
  int number = 0;
  friend bool operator==(const Named&, const Named&) = default;
};
struct OtherNamed {
  int number = 0;
  friend bool operator==(const OtherNamed&, const OtherNamed&) = default;
};

template <class Variant, std::size_t... I>
void check_all(std::index_sequence<I...>) {
  const auto check = [](const Variant& variant) {
    const Variant loaded = round_trip(variant);
    CHECK(loaded.index() == variant.index());
    CHECK(loaded == variant);
  };
  (check(Variant(std::in_place_index<I>)), ...);
}

/// Each alternative's default value comes back.
template <class... Ts>
void check_alternatives() {
  check_all<std::variant<Ts...>>(std::index_sequence_for<Ts...>());
}

}  // namespace

template <>
struct safestructures::Codec<Named> {
  static constexpr std::string_view type_name = "test.Named";
  static Value encode(const Named& named, Encoder&) { return Value(named.number); }
  static Named decode(const Value& value, Decoder& decoder) { return {decoder.decode<int>(value)}; }
};
template <>
struct safestructures::Codec<OtherNamed> {
  static constexpr std::string_view type_name = "test.OtherNamed";
  static Value encode(const OtherNamed& named, Encoder&) { return Value(named.number); }
  static OtherNamed decode(const Value& value, Decoder& decoder) {
    return {decoder.decode<int>(value)};
  }
};

TEST_CASE("alternatives of every mixture come back by index") {
  check_alternatives<std::monostate, bool, std::int64_t, double, std::complex<double>, std::string,
                     std::vector<float>, std::vector<std::string>, std::map<int, int>, Circle,
                     Named>();
  check_alternatives<int, long, short, unsigned>();
  check_alternatives<float, double, ss::half>();
  check_alternatives<std::string, std::filesystem::path, char>();
  check_alternatives<std::vector<float>, std::vector<double>, std::vector<float>>();
  check_alternatives<std::vector<std::string>, std::vector<std::vector<float>>, std::list<int>>();
  check_alternatives<Circle, Square, Circle, std::map<std::string, double>>();
  check_alternatives<Named, OtherNamed, Named, int>();
  check_alternatives<std::monostate, std::optional<int>, std::monostate>();
  check_alternatives<std::variant<int, std::string>, std::string, int>();
  check_alternatives<std::variant<std::vector<float>, std::vector<double>>, std::vector<double>,
                     std::variant<std::monostate, std::vector<double>>>();
  check_alternatives<std::map<std::string, int>, std::unordered_map<std::string, int>>();
  check_alternatives<std::vector<std::byte>, std::vector<std::uint8_t>, std::vector<char>>();
  check_alternatives<Value, int, std::string>();
}

TEST_CASE("what its kind tells needs no tag") {
  using Variant = std::variant<std::monostate, std::int64_t, std::string, std::vector<float>>;
  CHECK(Value::from(Variant()).is_none());
  CHECK(Value::from(Variant(std::int64_t{5})) == Value(5));
  CHECK(Value::from(Variant("a")) == Value("a"));
  const Value numbers = Value::from(Variant(std::vector<float>{1}));
  CHECK(numbers.attribute("variant") == nullptr);
  CHECK(numbers.kind() == Kind::tensor);
}

TEST_CASE("the later of two alternatives of one kind carries a tag") {
  using Scalars = std::variant<int, long>;
  CHECK(Value::from(Scalars(std::in_place_index<0>, 5)) == Value(5));
  CHECK(Value::from(Scalars(std::in_place_index<1>, 5)) ==
        Value::dict({{"variant", 1}, {"value", 5}}));
  const Value tensor =
      Value::from(std::variant<std::vector<float>, std::vector<int>>(std::vector{1, 2}));
  CHECK(tensor.kind() == Kind::tensor);
  CHECK(*tensor.attribute("variant") == Value(1));
  const Value square = Value::from(std::variant<Circle, Square>(Square{2}));
  CHECK(square.attribute("variant") == nullptr);  // Its name tells.
}

TEST_CASE("a dict that looks like a tag is not taken for one") {
  using Variant = std::variant<std::map<std::string, int>, std::string>;
  const Variant variant(std::map<std::string, int>{{"variant", 1}, {"value", 2}});
  CHECK(round_trip(variant) == variant);
}

TEST_CASE("without a tag the kind decides, then what can be loaded") {
  using Variant = std::variant<std::string, double, std::vector<float>, Circle>;
  CHECK(Value(5).as<Variant>() == Variant(5.0));
  CHECK(Value::list({1, 2}).as<Variant>() == Variant(std::vector<float>{1, 2}));
  CHECK(Value::dict({{"radius", 2}}).as<Variant>() == Variant(Circle{2}));
  using Shapes = std::variant<Circle, Square>;
  CHECK(Value::structure("Square", {{"side", 2.0}}).as<Shapes>() == Shapes(Square{2}));
  CHECK(load_error<Shapes>(Value::structure("Cube", {{"edge", 2.0}})).starts_with("missing_field"));
}

TEST_CASE("a value that no alternative loads is an error with the kinds") {
  CHECK(load_error<std::variant<std::string, std::int64_t>>(Value(0.5)) ==
        "type_mismatch: at /: no alternative of a variant can load the value: expected one of int, "
        "str, "
        "found float 0.5.");
  CHECK(
      load_error<std::variant<int, long>>(Value::dict({{"variant", 2}, {"value", 5}})) ==
      "out_of_range: at /: a variant has no such alternative: expected an index from 0 to 1, found "
      "int 2.");
}

TEST_CASE("an optional variant with an empty alternative keeps both kinds of nothing") {
  using Variant = std::optional<std::variant<std::monostate, int>>;
  for (const Variant& variant : {Variant(), Variant(std::monostate()), Variant(5)})
    CHECK(round_trip(variant) == variant);
}

TEST_CASE("without name and tag, as Python saves it, dtype, range and fields decide") {
  const auto untagged = [](Value value) {
    value.erase_attribute("variant");
    return value;
  };
  using Numbers = std::variant<std::vector<float>, std::vector<std::int32_t>, std::vector<double>>;
  CHECK(untagged(to_value(Numbers(std::vector<std::int32_t>{1}))).as<Numbers>().index() == 1);
  CHECK(untagged(to_value(Numbers(std::vector<double>{1}))).as<Numbers>().index() == 2);
  Value noted(Tensor::own<float>({1}));
  noted.set_attribute("dtype", "F64");
  CHECK(noted.as<Numbers>().index() == 2);
  using Ranks = std::variant<std::vector<float>, std::vector<std::array<float, 3>>, Tensor>;
  CHECK(Value(Tensor::own<float>({1, 2, 3}, {1, 3})).as<Ranks>().index() == 1);
  CHECK(Value(Tensor::own<float>({1, 2}, {1, 2})).as<Ranks>().index() == 2);
  using Structs = std::variant<Circle, Square, std::map<std::string, int>>;
  CHECK(Value::structure("", {{"side", 2.0}}).as<Structs>() == Structs(Square{2}));
  CHECK(Value::structure("", {{"side", 2.0}, {"new", 1}}).as<Structs>() == Structs(Square{2}));
  CHECK(Value::dict({{"side", 2}}).as<Structs>().index() == 2);
  using Dicts = std::variant<Circle, Square>;
  CHECK(Value::dict({{"side", 2.0}}).as<Dicts>() == Dicts(Square{2}));
  using Widths = std::variant<std::int8_t, std::uint8_t, std::int64_t>;
  CHECK(Value(-1).as<Widths>().index() == 0);
  CHECK(Value(200).as<Widths>().index() == 1);
  CHECK(Value(-300).as<Widths>().index() == 2);
  using Lists =
      std::variant<std::vector<std::string>, std::list<int>, std::tuple<int, std::string>>;
  CHECK(Value::list({1, 2}).as<Lists>().index() == 1);
  CHECK(Value::list({"a"}).as<Lists>().index() == 0);
  CHECK(Value::tuple({1, "a"}).as<Lists>().index() == 2);
  using Maps = std::variant<std::map<std::string, int>, std::map<int, std::string>>;
  CHECK(Value::dict({{1, "a"}}).as<Maps>().index() == 1);
}

TEST_CASE("an alternative accepts what it accepts alone") {
  const Value scalar(Tensor::own<double>({2.5}, {}));
  CHECK(std::get<1>(scalar.as<std::variant<std::string, double>>()) == 2.5);
  CHECK(std::get<1>(Value(Tensor::own<int>({7}, {})).as<std::variant<std::string, int>>()) == 7);
  const Value pairs = Value::list({Value::tuple({1, 2})});
  using Map = std::map<int, int>;
  CHECK(std::get<Map>(pairs.as<std::variant<std::string, Map>>()) == Map{{1, 2}});
  const Value columns = Value::structure("", {{"radius", Tensor::own<double>({1, 2})}});
  using Circles = std::vector<Circle>;
  CHECK(std::get<Circles>(columns.as<std::variant<std::string, Circles>>()).size() == 2);
  using Deque = std::list<Circle>;
  CHECK(std::get<Deque>(columns.as<std::variant<std::string, Deque>>()).size() == 2);
  const Value raw = Value::bytes(std::as_bytes(std::span("a\xFF", 2)));
  CHECK(std::get<1>(raw.as<std::variant<int, std::vector<char>>>()).size() == 2);
  using Bytes = std::vector<std::byte>;
  CHECK(std::get<Bytes>(Value::list({1, 2}).as<std::variant<std::string, Bytes>>()).size() == 2);
  CHECK(std::get<1>(Value::list({1}).as<std::variant<std::string, Tensor>>()).size() == 1);
}
