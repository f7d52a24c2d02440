/// \file
/// What other programs write has no tags, and no more kinds than JSON: what a value holds chooses
/// between the alternatives of a variant.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/Core>

#include <safestructures/plugins/eigen.hpp>
#include <safestructures/safestructures.hpp>
#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::load_error;
using ss::Tensor;
using ss::Value;

namespace {

struct Point {
  int x = 0;
  float y = 0;
};
struct Label {
  std::string x;
};
struct Renamed {
  int number = 0;
};
struct Lenient {
  int number = 0;
  int more = 0;
};
enum class Color { red, green };
enum class Fruit { apple, banana };

}  // namespace

template <>
struct safestructures::Rules<Renamed> {
  static constexpr auto fields = ss::fields(ss::field("number").alias("old"));
};
template <>
struct safestructures::Rules<Lenient> {
  static constexpr auto fields = ss::fields(ss::field("more").optional());
};

namespace {

template <class... Ts>
std::size_t index_of(const std::string& text) {
  CAPTURE(text);
  return ss::load<std::variant<Ts...>>(std::as_bytes(std::span(text)),
                                       {.format = ss::formats::json()})
      .index();
}

}  // namespace

TEST_CASE("arrays of JSON are tensors or lists, by what is in them") {
  const auto numbers_or_texts = index_of<std::vector<double>, std::vector<std::string>>;
  CHECK(numbers_or_texts("[1, 2.5]") == 0);
  CHECK(numbers_or_texts(R"(["a"])") == 1);
  const auto whole_or_not = index_of<std::vector<int>, std::vector<double>>;
  CHECK(whole_or_not("[1, 2]") == 0);
  CHECK(whole_or_not("[1, 2.5]") == 1);
  const auto flat_or_nested = index_of<std::vector<double>, std::vector<std::vector<double>>>;
  CHECK(flat_or_nested("[1]") == 0);
  CHECK(flat_or_nested("[[1], [2, 3]]") == 1);
  const auto sizes = index_of<std::array<float, 3>, std::array<float, 4>>;
  CHECK(sizes("[1, 2, 3]") == 0);
  CHECK(sizes("[1, 2, 3, 4]") == 1);
  const auto numbers_or_points = index_of<std::vector<float>, std::vector<Point>>;
  CHECK(numbers_or_points("[1]") == 0);
  CHECK(numbers_or_points(R"([{"x": 1, "y": 1}])") == 1);
}

TEST_CASE("bytes are lists of small numbers, as many as their type has") {
  const auto bytes = index_of<std::array<std::byte, 2>, std::vector<std::byte>, std::vector<int>>;
  CHECK(bytes("[1, 255]") == 0);
  CHECK(bytes("[1, 2, 255]") == 1);
  CHECK(bytes("[1, 256]") == 2);
  CHECK(bytes("[1, -1]") == 2);
}

TEST_CASE("matrices are told apart by rank and by whether their numbers are whole") {
  const auto ranks = index_of<Eigen::VectorXf, Eigen::MatrixXf, std::string>;
  CHECK(ranks("[1.5, 2]") == 0);
  CHECK(ranks("[[1.5, 2]]") == 1);
  CHECK(ranks(R"("a")") == 2);
  const auto dtypes = index_of<Eigen::MatrixXi, Eigen::MatrixXf>;
  CHECK(dtypes("[[1, 2]]") == 0);
  CHECK(dtypes("[[1.5, 2]]") == 1);
  CHECK(dtypes("[[]]") == 0);
  using Parts = std::variant<Eigen::MatrixXf, Eigen::MatrixXcf>;
  CHECK(Value::list({Value::list({std::complex<double>(1, 2)})}).as<Parts>().index() == 1);
  using Texts = std::variant<Eigen::VectorXf, std::deque<std::string>>;
  CHECK(Value::list({"a"}).as<Texts>().index() == 1);
}

TEST_CASE("objects of JSON are structs or dicts, also within containers") {
  const auto structs = index_of<std::vector<Point>, std::vector<Label>>;
  CHECK(structs(R"([{"x": 1, "y": 1}])") == 0);
  CHECK(structs(R"([{"x": "a"}])") == 1);
  const auto one_or_many = index_of<std::vector<Point>, Point>;
  CHECK(one_or_many(R"([{"x": 1, "y": 1}])") == 0);
  CHECK(one_or_many(R"({"x": 1, "y": 1})") == 1);
  const auto held = index_of<std::optional<Point>, std::unique_ptr<Label>>;
  CHECK(held("null") == 0);
  CHECK(held(R"({"x": 1, "y": 1})") == 0);
  CHECK(held(R"({"x": "a"})") == 1);
  const auto nested = index_of<std::variant<int, Point>, std::variant<bool, Label>>;
  CHECK(nested(R"({"x": 1, "y": 1})") == 0);
  CHECK(nested(R"({"x": "a"})") == 1);
  const auto dicts = index_of<std::map<std::string, std::string>, std::map<std::string, Point>>;
  CHECK(dicts(R"({"k": "v"})") == 0);
  CHECK(dicts(R"({"k": {"x": 1, "y": 1}})") == 1);
  const auto many = index_of<std::optional<std::vector<Point>>, std::map<std::string, Point>>;
  CHECK(many(R"([{"x": 1, "y": 1}])") == 0);
  CHECK(many(R"({"k": {"x": 1, "y": 1}})") == 1);
}

TEST_CASE("former names and fields that may be missing count") {
  const auto renamed = index_of<Label, Renamed>;
  CHECK(renamed(R"({"old": 1})") == 1);
  CHECK(renamed(R"({"number": 1})") == 1);
  const auto lenient = index_of<Label, Point, Lenient>;
  CHECK(lenient(R"({"number": 1})") == 2);
  CHECK(lenient(R"({"number": 1, "more": 2, "new": 3})") == 2);
}

TEST_CASE("keys and values of dicts are looked at, all of them") {
  const auto values = index_of<std::map<std::string, int>, std::map<std::string, double>>;
  CHECK(values(R"({"a": 1, "b": 2})") == 0);
  CHECK(values(R"({"a": 1, "b": 2.5})") == 1);
  const auto keys = index_of<std::map<int, std::string>, std::map<std::string, std::string>>;
  CHECK(keys(R"({"a": "v"})") == 1);
  // Keys of JSON are texts, from which numbers are loaded only if no other alternative will do.
  CHECK(keys(R"({"1": "v"})") == 1);
  CHECK(index_of<std::map<std::string, int>, std::map<int, std::string>>(R"({"1": "v"})") == 1);
  CHECK(index_of<std::map<int, int>, std::map<double, int>>(R"({"1.5": 1})") == 1);
  CHECK(index_of<std::map<int, int>, std::map<bool, int>>(R"({"true": 1})") == 1);
  const auto pairs = index_of<std::map<int, int>, std::vector<std::pair<std::string, int>>>;
  CHECK(pairs("[[1, 2]]") == 0);
  CHECK(pairs(R"([["a", 1]])") == 1);
}

TEST_CASE("tuples are told apart by their lengths and items") {
  const auto order = index_of<std::tuple<int, std::string>, std::tuple<std::string, int>>;
  CHECK(order(R"([1, "a"])") == 0);
  CHECK(order(R"(["a", 1])") == 1);
  const auto lengths = index_of<std::pair<int, int>, std::tuple<int, int, int>>;
  CHECK(lengths("[1, 2]") == 0);
  CHECK(lengths("[1, 2, 3]") == 1);
  const auto lists = index_of<std::deque<int>, std::tuple<int, double, std::string>>;
  CHECK(lists("[1, 2]") == 0);
  CHECK(lists(R"([1, 2.5, "a"])") == 1);
  const auto structs = index_of<std::array<Point, 2>, std::array<Point, 3>, std::vector<Point>>;
  const std::string point = R"({"x": 1, "y": 1})";
  CHECK(structs("[" + point + "," + point + "]") == 0);
  CHECK(structs("[" + point + "," + point + "," + point + "]") == 1);
  CHECK(structs("[" + point + "]") == 2);
}

TEST_CASE("texts are told apart by the names of enums and by their lengths") {
  const auto enums = index_of<Color, Fruit, std::string>;
  CHECK(enums(R"("red")") == 0);
  CHECK(enums(R"("banana")") == 1);
  CHECK(enums(R"("plum")") == 2);
  const auto lists = index_of<std::vector<Color>, std::vector<Fruit>>;
  CHECK(lists(R"(["banana"])") == 1);
  CHECK(index_of<Color, std::int64_t>("1") == 0);
  const auto characters = index_of<char, std::string>;
  CHECK(characters(R"("a")") == 0);
  CHECK(characters(R"("ab")") == 1);
}

TEST_CASE("columns and tensors are sequences, of what they can hold") {
  const Value columns =
      Value::structure("", {{"x", Tensor::own<int>({1, 2})}, {"y", Tensor::own<float>({1, 2})}});
  CHECK(columns.as<std::variant<Point, std::deque<Point>>>().index() == 1);
  using Others = std::variant<std::vector<Lenient>, std::vector<Point>>;
  CHECK(columns.as<Others>().index() == 1);
  const Value matrix(Tensor::own<int>({1, 2}, {1, 2}));
  using Rows = std::variant<std::deque<Point>, std::deque<int>, std::deque<std::vector<int>>>;
  CHECK(matrix.as<Rows>().index() == 2);
  CHECK(Value(Tensor::own<int>({1, 2})).as<Rows>().index() == 1);
}

TEST_CASE("what fits no alternative is an error of the first that could be it") {
  CHECK(load_error<std::variant<std::vector<Point>, std::vector<Label>>>(
            Value::list({Value::dict({{"x", 0.5}})})) ==
        "type_mismatch: at /0/x: a value has the wrong type: expected int, found float 0.5.");
  CHECK(load_error<std::variant<std::uint8_t, double>>(Value(300)).starts_with("out_of_range"));
}
