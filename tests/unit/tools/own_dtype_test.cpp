// What is stored in another dtype comes back in its own, loaded typed or not.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <safestructures/data/walk.hpp>
#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

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

Value part_of(double number) { return Value::custom("a.B", Tensor::own<double>({1, 2, number})); }

/// A key as files hold it: in F32, with a note of its own dtype.
Value noted(float number, const char* dtype) {
  Value tensor(Tensor::own<float>({number}));
  tensor.set_attribute("dtype", dtype);
  return Value::custom("a.B", std::move(tensor));
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

TEST_CASE("objects that were loaded typed are saved as the same bytes") {
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

TEST_CASE("every number of F16 that is stored as BF16 comes back as the nearest one of F16") {
  // From 65,408 on, BF16's nearest number is 65,536, which F16 does not have.
  std::vector<ss::half> all(1U << 16U);
  std::vector<ss::half> nearest(all.size());
  for (std::uint32_t bits = 0; bits < all.size(); ++bits) {
    const ss::half number = all[bits] = ss::half::from_bits(static_cast<std::uint16_t>(bits));
    const float rounded(ss::bfloat16(static_cast<float>(number)));
    constexpr float most = 65504;
    nearest[bits] = ss::half(
        std::isinf(static_cast<float>(number)) ? rounded : std::clamp(rounded, -most, most));
  }
  const Tensor expected = Tensor::own(std::vector<ss::half>(nearest));
  const ss::test::Folder folder;
  const auto is_nearest = [&](const auto& found) {
    return Value(Tensor::own(std::vector<ss::half>(found.begin(), found.end()))) == Value(expected);
  };
  for (const auto& format : {ss::formats::safestructures(), ss::formats::json(),
                             ss::formats::messagepack(), ss::formats::cbor()}) {
    CAPTURE(format->name());
    const auto bytes = ss::save(all, {.format = format, .precision = ss::Precision::bf16});
    const ss::ReadOptions options{.format = format};
    CHECK(ss::load(bytes, options) == Value(expected));
    CHECK(ss::load<Tensor>(bytes, options) == expected);
    CHECK(is_nearest(ss::load<std::vector<ss::half>>(bytes, options)));
    CHECK(is_nearest(ss::load<std::list<ss::half>>(bytes, options)));
    const auto array = ss::load<std::unique_ptr<std::array<ss::half, 1U << 16U>>>(bytes, options);
    CHECK(is_nearest(*array));
    CHECK(ss::load<std::vector<float>>(bytes, options)[0x7BFF] == 65536);
    ss::save_file(all, folder / "all", {.format = format, .precision = ss::Precision::bf16});
    CHECK_NOTHROW(ss::verify_file(folder / "all", {.format = format}));
  }
}

TEST_CASE("a number of BF16 that none of F16 is near is an error, though its note says F16") {
  for (const float number : {66048.0F, -66048.0F, 3e38F}) {
    std::vector<ss::bfloat16> numbers(5000, ss::bfloat16(65536.0F));
    numbers[4998] = ss::bfloat16(number);
    numbers[4999] = ss::bfloat16(std::numeric_limits<float>::infinity());
    Value tensor(Tensor::own(std::move(numbers)));
    tensor.set_attribute("dtype", "F16");
    const auto bytes =
        ss::save(Value::dict({{"a", tensor}}), {.precision = ss::Precision::preserve});
    const std::string expected =
        "out_of_range: at /a: element 0 cannot be converted from BF16 to F16: expected a number "
        "from -65504 to 65504, found 65536. Choose a dtype of wider range, or let numbers saturate "
        "(Overflow::saturate, or convert --overflow in the tool).";
    CHECK(error_of([&] { return ss::load(bytes); }) == expected);
    using Typed = std::map<std::string, std::vector<ss::half>>;
    CHECK(error_of([&] { return ss::load<Typed>(bytes); }) == expected);
    const auto saturated = ss::load<Typed>(bytes, {.overflow = ss::Overflow::saturate});
    CHECK(std::abs(static_cast<float>(saturated.at("a")[4998])) == 65504);
    CHECK(std::isinf(static_cast<float>(saturated.at("a")[4999])));
  }
  // Without the note, nothing says that it was a number of F16.
  const auto bytes = ss::save(std::vector<ss::bfloat16>{ss::bfloat16(65536.0F)},
                              {.precision = ss::Precision::preserve});
  CHECK(
      error_of([&] { return ss::load<std::vector<ss::half>>(bytes); }).starts_with("out_of_range"));
}

TEST_CASE("tensors within members of sets have their own dtype, and are found as keys") {
  const Value before = Value::set({part_of(3), part_of(4)});
  for (const auto& format : {ss::formats::safestructures(), ss::formats::messagepack()}) {
    const Value value = ss::load(ss::save(before, {.format = format}), {.format = format});
    CHECK(value == before);
    const Value& key = value.items()[0];
    REQUIRE(key == part_of(3));
    Value dict = Value::dict();
    dict.insert(key, 1);
    CHECK(dict.find_key(part_of(3)) != nullptr);
    CHECK(error_of([&] {
            return dict.insert(part_of(3), 2);
          }).starts_with("duplicate_name: a dict contains a key twice"));
  }
}

TEST_CASE("tensors within keys have their own dtype, and the keys are found") {
  // A small dict scans, a large one has an index. Keys within keys: the last is in the payload.
  for (const int count : {1, 3, 100}) {
    CAPTURE(count);
    Value before = Value::dict({{"a", doubles()}, {Value::tuple({1, 2}), "two"}});
    for (int i = 0; i < count; ++i) before.insert(part_of(i), i);
    const Value outer = Value::structure("S", {{"x", Value::custom("a.C", before)}});
    before.insert(outer, Value::set({Value::custom("a.D", before)}));
    for (const Value& tree : {before, Value::list({0, before}), Value::custom("a.E", before)}) {
      const Value value = ss::load(ss::save(tree));
      CHECK(value == tree);
      for (const auto& [path, dtype] : dtypes(value)) CHECK(dtype == "F64");
      const Value& dict = tree.is_mapping()    ? value
                          : tree.is_sequence() ? value[1]
                                               : value.payload();
      for (int i = 0; i < count; ++i) {
        REQUIRE(dict.find_key(part_of(i)) != nullptr);
        CHECK(*dict.find_key(part_of(i)) == Value(i));
      }
      REQUIRE(dict.find_key(outer) != nullptr);
      const Value* const inner = &dict.entries().back().key["x"].payload();
      CHECK(inner->find_key(part_of(0)) != nullptr);
      CHECK(dict.find_key(Value::tuple({1, 2})) != nullptr);
      CHECK(ss::load(ss::save(value)) == tree);
    }
    using Typed = std::map<std::string, Value>;
    CHECK(ss::load<Typed>(ss::save(Typed{{"v", before}})).at("v") == before);
  }
}

TEST_CASE("keys and members of sets that are one in their own dtype are refused with the path") {
  // Neither number is one of F16, and both are 1 there.
  const Value one = noted(1.0001F, "F16");
  const Value other = noted(1.0002F, "F16");
  const auto error_for = [](const Value& value) {
    const auto bytes = ss::save(value, {.precision = ss::Precision::preserve});
    return error_of([&] { return ss::load(bytes); });
  };
  const Value dict = Value::dict({{one, 1}, {other, 2}});
  CHECK(error_for(Value::list({0, dict}))
            .starts_with("duplicate_name: at /1: a dict contains a key"));
  CHECK(error_for(dict).starts_with("duplicate_name: at /: a dict contains a key twice"));
  CHECK(error_for(Value::list({0, Value::set({one, other})}))
            .starts_with("duplicate_name: at /1/1: a set contains an item twice"));
  CHECK(error_for(Value::dict({{Value::custom("a.C", dict), 1}}))
            .find("a dict contains a key twice") != std::string::npos);
  CHECK(error_for(Value::dict({{"x", 1}, {noted(1e6F, "F16"), 1}})).find("cannot be converted") !=
        std::string::npos);
}
