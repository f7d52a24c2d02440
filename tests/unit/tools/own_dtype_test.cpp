// What is stored in another dtype comes back in its own, loaded typed or not.
#include <doctest/doctest.h>

#include <list>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <safestructures/data/walk.hpp>
#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::DType;
using ss::Tensor;
using ss::Value;
using ss::test::error_of;

namespace own_dtype_test {

struct Part {
  Tensor weight;
  Value any;
};
struct Model {
  Tensor tensor;
  Value value;
  std::map<std::string, Tensor> map;
  std::optional<Tensor> optional;
  std::variant<std::string, Tensor> variant;
  std::vector<Tensor> list;
  std::list<Value> values;
  std::vector<Part> parts;
  std::pair<int, Tensor> pair;
};

}  // namespace own_dtype_test

namespace {

using own_dtype_test::Model;

Tensor doubles() { return Tensor::own<double>({1, 2.5, -3}); }

Model model() {
  Value marked(doubles());
  marked.set_attribute("scale", doubles());
  Value marked_struct = Value::structure("S", {{"x", Tensor::own<std::int64_t>({1})}});
  marked_struct.set_attribute("zero", Value::list({doubles()}));
  return {.tensor = doubles(),
          .value = marked,
          .map = {{"a", doubles()}, {"b", Tensor::own<ss::half>({ss::half(1)})}},
          .optional = doubles(),
          .variant = doubles(),
          .list = {doubles(), Tensor::own<int>({1, 2})},
          .values = {marked_struct, Value(doubles())},
          .parts = {{doubles(), doubles()}},
          .pair = {1, doubles()}};
}

/// The dtypes of all tensors, attributes' included, by their path; what is noted of them too.
std::map<std::string, std::string> dtypes(const Value& root) {
  std::map<std::string, std::string> result;
  walk(root, [&](const ss::Place& place) {
    const Value& value = place.value();
    if (value.kind() == ss::Kind::tensor)
      result[place.path().to_string()] =
          std::string(to_string(value.tensor().dtype())) +
          (value.attribute("dtype") == nullptr ? "" : ", with a note");
    return ss::Next::into;
  });
  return result;
}

}  // namespace

TEST_CASE("typed and dynamic loading give every tensor the dtype that was saved") {
  const Value before = Value::from(model());
  const auto bytes = ss::save(model());
  const ss::Document document = ss::Document::from_bytes(bytes, nullptr);
  REQUIRE(dtypes(document.root()).at("/tensor") == "F32, with a note");
  const Value dynamic = ss::load(bytes);
  const auto typed = ss::load<Model>(bytes);
  CHECK(dtypes(before).size() == 15);
  CHECK(dtypes(dynamic) == dtypes(before));
  CHECK(dtypes(Value::from(typed)) == dtypes(before));
  CHECK(Value::from(typed) == dynamic);
  CHECK(typed.tensor.data<double>()[1] == 2.5);
  CHECK(document.at("/tensor").as<Tensor>() == doubles());
  CHECK(ss::load<Value>(bytes) == dynamic);
}

TEST_CASE("a tensor that was converted is found wherever it is, and alone") {
  Value marked = Value::list({1});
  marked.set_attribute("scale", doubles());
  const Value one(doubles());
  for (const Value& before :
       {one, Value::list({1, one}), Value::tuple({Value::list({one})}), Value::dict({{"a", one}}),
        Value::structure("S", {{"x", 1}, {"y", one}}), Value::custom("a.B", Value::list({one})),
        marked}) {
    CAPTURE(before);
    REQUIRE(dtypes(before).size() == 1);
    CHECK(dtypes(ss::load(ss::save(before))) == dtypes(before));
  }
}

TEST_CASE("what was loaded typed is saved as the same bytes again") {
  const auto bytes = ss::save(model());
  CHECK(ss::save(ss::load<Model>(bytes)) == bytes);
  CHECK(ss::save(ss::load(bytes)) == bytes);
}

TEST_CASE("a tensor that is met twice is converted back once") {
  const Tensor shared = doubles();
  Value one(shared);
  one.set_tensor_name("shared");
  const auto bytes = ss::save(Value::list({one, one}));
  const auto typed = ss::load<std::vector<Tensor>>(bytes);
  CHECK(typed[0].origin() == typed[1].origin());
  const Value dynamic = ss::load(bytes);
  CHECK(dynamic[0].tensor().origin() == dynamic[1].tensor().origin());
}

TEST_CASE("the rows of a tensor have the dtype that it had") {
  const auto bytes = ss::save(Tensor::own<double>({1, 2, 3, 4}, {2, 2}));
  const auto rows = ss::load<std::vector<Tensor>>(bytes);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1] == Tensor::own<double>({3, 4}));
}

TEST_CASE("a dtype that cannot be given back is an error with the path on both ways") {
  Value small(Tensor::own<float>({300}));
  small.set_attribute("dtype", "U8");
  const auto bytes = ss::save(Value::structure("", {{"a", Value::list({small})}}));
  const std::string expected =
      "out_of_range: at /a/0: element 0 cannot be converted from F32 to U8: ";
  CHECK(error_of([&] { return ss::load(bytes); }).starts_with(expected));
  using Typed = std::map<std::string, std::vector<Value>>;
  CHECK(error_of([&] { return ss::load<Typed>(bytes); }).starts_with(expected));
  using Tensors = std::map<std::string, std::vector<Tensor>>;
  CHECK(error_of([&] { return ss::load<Tensors>(bytes); }).starts_with(expected));
  // The advice can be followed on both ways.
  const Value saturated = ss::load(bytes, {.overflow = ss::Overflow::saturate});
  CHECK(saturated.at("/a/0").tensor().to_vector<int>() == std::vector<int>{255});
  CHECK(ss::load<Typed>(bytes, {.overflow = ss::Overflow::saturate}).at("a")[0].tensor() ==
        saturated.at("/a/0").tensor());
}
