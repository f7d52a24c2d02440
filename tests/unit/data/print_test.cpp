/// \file
/// A tree is printed a line for each node, and nothing in it can steer a terminal.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <locale>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/minifloat.hpp>
#include <safestructures/data/value.hpp>

namespace ss = safestructures;
using ss::Value;

namespace {

const std::array<float, 8> numbers = {1, -0.5F, 0.1F, 1e-10F, 1e20F, 6, 7, 8};

}  // namespace

TEST_CASE("a tree is drawn with a line for each node") {
  Value set = Value::set({2});
  Value torch(ss::Tensor::of(std::span<const float>(numbers), {2, 4}));
  const Value root = Value::dict({
      {"name", "tiny \"model\""},
      {3, Value::list({1, 2.5, Value()})},
      {Value::tuple({1, "x"}), set},
      {"pose", Value::structure("acme::Pose", {{"x", true}, {"y", std::complex<double>(1, -2)}})},
      {"w", torch},
      {"blob", Value::bytes(std::as_bytes(std::span(numbers)))},
      {"q", Value::custom("acme.Q", Value::list({1}).plain())},
      {"empty", Value::tuple()},
  });
  const std::string expected =
      "dict of 8\n"
      "├─ \"name\": \"tiny \\\"model\\\"\"\n"
      "├─ 3: list of 3\n"
      "│  ├─ 0: 1\n"
      "│  ├─ 1: 2.5\n"
      "│  └─ 2: None\n"
      "├─ (1, 'x'): set of 1\n"
      "│  └─ 2\n"
      "├─ \"pose\": struct acme::Pose\n"
      "│  ├─ x: True\n"
      "│  └─ y: (1-2j)\n"
      "├─ \"w\": F32 [2, 4]  1.0, -0.5, 0.1, 1e-10, 1e+20, 6.0, ...\n"
      "├─ \"blob\": bytes of 32\n"
      "├─ \"q\": custom acme.Q\n"
      "│  └─ list of 1\n"
      "│     └─ 0: 1\n"
      "└─ \"empty\": tuple of 0\n";
  CHECK(ss::to_string(root) == expected);
  std::ostringstream out;
  out << root;
  CHECK(out.str() == expected);
}

TEST_CASE("long lists, texts, tensors and integers are cut, and say so") {
  std::vector<Value> items(14, 7);
  const ss::PrintOptions options{.items = 3, .text = 5, .elements = 2, .depth = 2};
  CHECK(ss::to_string(Value::list(items), options) ==
        "list of 14\n├─ 0: 7\n├─ 1: 7\n├─ 2: 7\n└─ ... 11 more\n");
  items.resize(4);  // One more than the limit is shown rather than counted.
  CHECK(ss::to_string(Value::list(items), options).find("more") == std::string::npos);
  CHECK(ss::to_string(Value("abcdefgh"), options) == "\"abcde\"... (8 bytes)\n");
  CHECK(ss::to_string(Value("abcdé"), options) == "\"abcd\"... (6 bytes)\n");
  CHECK(ss::to_string(Value(1234567), options) == "12345... (7 digits)\n");
  CHECK(ss::to_string(Value(ss::Tensor::of(std::span<const float>(numbers))), options) ==
        "F32 [8]  1.0, -0.5, ...\n");
  CHECK(ss::to_string(Value(ss::Tensor::of(std::span<const float>(numbers))), {.elements = 0}) ==
        "F32 [8]\n");
  CHECK(ss::to_string(Value::list({Value::list({Value::list({1})})}), options) ==
        "list of 1\n└─ 0: list of 1\n   └─ 0: list of 1\n      └─ ...\n");
}

TEST_CASE("a tensor that was stored in another dtype than its own says so in a tree") {
  Value value(ss::Tensor::of(std::span<const float>(numbers)));
  value.set_attribute("dtype", "F64");
  CHECK(ss::to_string(value, {.elements = 1}) == "F32, was F64 [8]  1.0, ...\n");
  CHECK(ss::to_string(value, {.elements = 0}) == "F32 [8]\n");
  CHECK(ss::describe(value) == "tensor F32 [8]");
  value.set_attribute("dtype", std::string("\x1b[2J") + std::string(100, 'x'));
  CHECK(ss::to_string(value, {.elements = 1}) ==
        "F32, was \\x1b[2J" + std::string(16, 'x') + " [8]  1.0, ...\n");
}

TEST_CASE("a deep tree is cut") {
  Value deep;
  for (int i = 0; i < 100'000; ++i) {
    std::vector<Value> items;
    items.push_back(std::move(deep));
    deep = Value::list(std::move(items));
  }
  CHECK(ss::to_string(deep).ends_with("└─ ...\n"));
  Value chain;
  for (int i = 0; i < 100'000; ++i) chain = Value::custom("a.B", std::move(chain));
  CHECK(ss::to_string(chain).ends_with("└─ ...\n"));
}

TEST_CASE("no control character in a tree reaches the terminal") {
  const std::string nasty = "\x1b[31m\a\n\r\t\x7f\xc2\x9b\xe2\x80\xae\xed\xa0\x80\xff";
  const std::string escaped = R"(\x1b[31m\x07\n\r\t\x7f\u009b\u202e\ud800\xff)";
  CHECK(ss::to_string(Value(nasty)) == "\"" + escaped + "\"\n");
  CHECK(ss::to_string(Value::structure(nasty, {{nasty, 1}})) ==
        "struct " + escaped + "\n└─ " + escaped + ": 1\n");
  CHECK(ss::to_string(Value::custom(nasty, 1)) == "custom " + escaped + "\n└─ 1\n");
  for (const Value& value :
       {Value::dict({{nasty, 1}}), Value::dict({{Value::tuple({nasty}), 1}})}) {
    const std::string text = ss::to_string(value);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("\xe2\x80\xae") == std::string::npos);
  }
}

TEST_CASE("elements of every dtype are shown as numbers") {
  const auto shown = [](const ss::Tensor& tensor) { return ss::to_string(Value(tensor)); };
  const std::array<std::uint8_t, 2> flags = {1, 0};
  CHECK(shown(ss::Tensor::borrow(ss::DType::BOOL, {2}, std::as_bytes(std::span(flags)))) ==
        "BOOL [2]  true, false\n");
  const std::array<std::uint64_t, 1> large = {std::numeric_limits<std::uint64_t>::max()};
  CHECK(shown(ss::Tensor::of(std::span<const std::uint64_t>(large))) ==
        "U64 [1]  18446744073709551615\n");
  const std::array<std::int8_t, 2> small = {-128, 5};
  CHECK(shown(ss::Tensor::of(std::span<const std::int8_t>(small))) == "I8 [2]  -128, 5\n");
  const std::array<double, 2> doubles = {0.1, std::numeric_limits<double>::infinity()};
  CHECK(shown(ss::Tensor::of(std::span<const double>(doubles))) == "F64 [2]  0.1, inf\n");
  const std::array<std::complex<float>, 1> complex = {std::complex<float>(0.1F, -2)};
  CHECK(shown(ss::Tensor::of(std::span<const std::complex<float>>(complex))) ==
        "C64 [1]  (0.1-2j)\n");
  const std::array<std::uint16_t, 1> half = {0x3e00};
  CHECK(shown(ss::Tensor::borrow(ss::DType::F16, {}, std::as_bytes(std::span(half)))) ==
        "F16 []  1.5\n");
  const std::array<std::uint8_t, 1> packed = {0x21};
  CHECK(shown(ss::Tensor::borrow(ss::DType::F4, {2}, std::as_bytes(std::span(packed)))) ==
        "F4 [2]  0.5, 1.0\n");
  // Codes 0 to 11, of which six are shown, or those of both groups.
  const std::array<std::uint8_t, 6> codes = {0x10, 0x32, 0x54, 0x76, 0x98, 0xba};
  const ss::Tensor twelve =
      ss::Tensor::borrow(ss::DType::F4, {12}, std::as_bytes(std::span(codes)));
  CHECK(shown(twelve) == "F4 [12]  0.0, 0.5, 1.0, 1.5, 2.0, 3.0, ...\n");
  CHECK(ss::to_string(ss::Value(twelve), {.elements = 20}) ==
        "F4 [12]  0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5\n");
  const ss::Tensor six =
      ss::Tensor::own(std::vector<float>{1, -0.25, 0.5, 2}).to(ss::DType::F6_E3M2);
  CHECK(shown(six) == "F6_E3M2 [4]  1.0, -0.25, 0.5, 2.0\n");
  CHECK(shown(ss::Tensor()) == "F32 [0]\n");
}

TEST_CASE("a value is described in a few words") {
  CHECK(ss::describe(Value()) == "None");
  CHECK(ss::describe(Value(300)) == "int 300");
  CHECK(ss::describe(Value("a\nb")) == "str \"a\\nb\"");
  CHECK(ss::describe(Value(std::string(100, 'a'))) ==
        "str \"" + std::string(40, 'a') + "\"... (100 bytes)");
  CHECK(ss::describe(Value(ss::Tensor::of(std::span<const float>(numbers), {2, 4}))) ==
        "tensor F32 [2, 4]");
  CHECK(ss::describe(Value::list({1, 2})) == "list of 2");
  CHECK(ss::describe(Value::structure("A")) == "struct A");
  Value columns = Value::structure("A", {{"x", ss::Tensor::own(std::vector<float>{1, 2})}});
  CHECK(ss::describe(columns) == "struct A");
  columns.set_attribute(ss::attributes::columns, 2);
  CHECK(ss::describe(columns) == "struct A, columns of 2 items");
  CHECK(to_string(columns) == "struct A, columns of 2 items\n└─ x: F32 [2]  1.0, 2.0\n");
  // Another program's attribute of that name.
  for (const Value& other : {Value(3), Value("two")}) {
    columns.set_attribute(ss::attributes::columns, other);
    CHECK(ss::describe(columns) == "struct A");
  }
}

TEST_CASE("numbers in a column of enums are shown by their names, those without one as numbers") {
  Value column(ss::Tensor::own(std::vector<std::int16_t>{1, 0, 7, -1, 1, 0, 1}));
  column.set_attribute(ss::attributes::names,
                       Value::dict({{"\x1b[2J", -1}, {"red", 0}, {"light \"green\"", 1}}));
  Value columns = Value::structure("Event", {{"color", column}});
  columns.set_attribute(ss::attributes::columns, 7);
  CHECK(ss::to_string(columns) ==
        "struct Event, columns of 7 items\n"
        "└─ color: I16 [7]  \"light \\\"green\\\"\", \"red\", 7, \"\\x1b[2J\", "
        "\"light \\\"green\\\"\", \"red\", ...\n");
  CHECK(ss::to_string(column, {.text = 5, .elements = 2}) ==
        "I16 [7]  \"light\"... (13 bytes), \"red\", ...\n");
  CHECK(ss::to_string(column, {.elements = 0}) == "I16 [7]\n");
  CHECK(ss::describe(column) == "tensor I16 [7]");
}

TEST_CASE("only integers are shown by names, and only by those that a column can have") {
  const auto shown = [](Value column, Value names) {
    column.set_attribute(ss::attributes::names, std::move(names));
    return ss::to_string(column);
  };
  const Value names = Value::dict({{"minus", -1}, {"none", 0}, {"one", 1}});
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  CHECK(shown(ss::Tensor::own(std::vector<std::uint64_t>{largest, 1}), names) ==
        "U64 [2]  18446744073709551615, \"one\"\n");
  CHECK(shown(ss::Tensor::own(std::vector<float>{0, 1}), names) == "F32 [2]  0.0, 1.0\n");
  const std::array<std::uint8_t, 2> flags = {0, 1};
  CHECK(shown(ss::Tensor::borrow(ss::DType::BOOL, {2}, std::as_bytes(std::span(flags))), names) ==
        "BOOL [2]  false, true\n");
  // Another program's attribute of that name, such as those of dimensions.
  for (const Value& other : {Value("none"), Value::list({"none", "one"}), Value::dict({{0, 0}}),
                             Value::dict({{"none", "0"}, {"one", 1.0}})})
    CHECK(shown(ss::Tensor::own(std::vector<int>{0, 1}), other) == "I32 [2]  0, 1\n");
}

TEST_CASE("a BOOL byte above 1 is shown as it is") {
  const std::array<std::uint8_t, 5> bytes = {0, 1, 2, 255, 1};
  const Value tensor(ss::Tensor::borrow(ss::DType::BOOL, {5}, std::as_bytes(std::span(bytes))));
  CHECK(ss::to_string(Value::list({tensor, 1})) ==
        "list of 2\n"
        "├─ 0: BOOL [5]  false, true, 0x02, 0xff, true\n"
        "└─ 1: 1\n");
  const std::array<std::int64_t, 1> backwards = {-1};
  CHECK(ss::to_string(Value(ss::Tensor::strided(ss::DType::BOOL, {3}, backwards,
                                                std::as_bytes(std::span(bytes)).data() + 3,
                                                nullptr))) == "BOOL [3]  0xff, 0x02, true\n");
}

TEST_CASE("printing, reading and writing are the same in every locale") {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  std::vector<Value> many(5000, Value(1234567.25));
  const Value value = Value::list({Value::list(std::move(many)),
                                   Value(ss::Tensor::of(std::span<const float>(numbers))),
                                   std::complex<double>(1234.5, -0.5), 1234567});
  const std::string usual = ss::to_string(value);
  const std::locale before = std::locale::global(std::locale(std::locale(), new Comma));
  const std::string here = ss::to_string(value);
  std::ostringstream out;
  out << value;
  std::locale::global(before);
  CHECK(here == usual);
  CHECK(out.str() == usual);
  CHECK(usual.find("... 4988 more") != std::string::npos);
  CHECK(usual.find("1234567.25") != std::string::npos);
}
