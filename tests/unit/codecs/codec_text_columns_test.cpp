// Columns of texts: their bytes one after another, and where each ends.
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;

namespace text_columns_test {

struct Named {
  std::string name;
  float weight = 0;
  friend bool operator==(const Named&, const Named&) = default;
};
struct Weighed {
  float weight = 0;
  std::string name;
};

struct Inner {
  std::string name;
  bool flag = false;
};
struct Nested {
  Inner inner;
};

}  // namespace text_columns_test

using ss::test::error_of;
using text_columns_test::Named;
using text_columns_test::Nested;
using text_columns_test::Weighed;

namespace {

const std::vector<Named> saved = {{"a", 1}, {"", 2}, {"caf\xC3\xA9", 3}};

template <class T>
std::string error_of_loading(const ss::Value& value) {
  return error_of([&] { return ss::load<T>(ss::save(value)); });
}

}  // namespace

TEST_CASE("texts are columns of their bytes and of where each ends") {
  const auto bytes = ss::save(saved, {.columns = true});
  const ss::Value value = ss::load(bytes);
  CHECK(value["name"]["text"].tensor().size() == 6);
  CHECK(value["name"]["ends"].tensor().to_vector<int>() == std::vector<int>{1, 1, 6});
  CHECK(ss::load<std::vector<Named>>(bytes) == saved);
  const auto list = ss::load<std::list<Named>>(bytes);
  CHECK(std::vector<Named>(list.begin(), list.end()) == saved);
  const auto plain = ss::save(saved, {.extensions = false, .columns = true});
  CHECK(ss::load<std::vector<Named>>(plain) == saved);
  CHECK(ss::load<std::vector<Named>>(ss::save(std::vector<Named>(), {.columns = true})).empty());
}

TEST_CASE("a text that is not valid UTF-8 is refused, saved or loaded") {
  const std::vector<Named> broken = {{"a", 1}, {"\xFF", 2}};
  CHECK(error_of([&] { return ss::save(broken, {.columns = true}); }) ==
        "invalid_utf8: at /name: a text is not valid UTF-8: found invalid bytes in item 1. Store "
        "bytes in a std::vector<std::byte>.");
  ss::Value changed = ss::load(ss::save(saved, {.columns = true}));
  changed["name"]["text"].set_tensor(ss::Tensor::own(std::vector<std::uint8_t>(6, 0xFF)));
  CHECK(error_of_loading<std::vector<Named>>(changed) ==
        "invalid_utf8: at /name: a text is not valid UTF-8: found invalid bytes in item 0.");
}

TEST_CASE("ends of texts that are not in order, or no ends, are refused") {
  using Numbers = std::vector<std::int64_t>;
  const std::pair<ss::Tensor, std::string> cases[] = {
      {ss::Tensor::own(Numbers{2, 1, 6}),
       "out_of_range: at /name: the ends of texts are not in order: expected ascending ends, up to "
       "6, found 1."},
      {ss::Tensor::own(Numbers{1, 1, 7}),
       "out_of_range: at /name: the ends of texts are not in order: expected ascending ends, up to "
       "6, found 7."},
      {ss::Tensor::own(Numbers{-1, 1, 6}),
       "out_of_range: at /name: the ends of texts are not in order: expected ascending ends, up to "
       "6, found -1."},
      {ss::Tensor::own(std::vector<double>{1, 1.5, 6}),
       "lossy_conversion: at /name: element 1 cannot be converted from F64 to I64: expected a "
       "whole "
       "number, found 1.5. Choose a floating-point dtype, or cut fractions off with "
       "Overflow::saturate (in C++)."},
  };
  const ss::Value value = ss::load(ss::save(saved, {.columns = true}));
  for (const auto& [ends, problem] : cases) {
    ss::Value changed = value;
    changed["name"]["ends"].set_tensor(ends);
    const auto bytes = ss::save(changed, {.precision = ss::Precision::preserve});
    CHECK(error_of([&] { return ss::load<std::vector<Named>>(bytes); }) == problem);
    CHECK(error_of([&] { return ss::load<std::list<Named>>(bytes); }) == problem);
  }
  ss::Value changed = value;
  changed["name"]["ends"].set_tensor(ss::Tensor::own(Numbers{1, 1, 6}, {3, 1}));
  CHECK(error_of_loading<std::vector<Named>>(changed) ==
        "type_mismatch: at /name: a value has the wrong type: expected a column of texts: a struct "
        "of text and ends, found struct.");
}

TEST_CASE("what a column does not hold is reported at its field, wherever the columns are") {
  const std::vector<Nested> nested(2);
  ss::Value value = ss::Value::dict({{"all", ss::load(ss::save(nested, {.columns = true}))}});
  using All = std::map<std::string, std::list<Nested>>;
  CHECK(ss::load<All>(ss::save(value)).at("all").size() == 2);
  ss::Value texts = value;
  texts["all"]["inner"]["name"]["ends"].set_tensor(ss::Tensor::own(std::vector<int>{0, -1}));
  CHECK(error_of_loading<All>(texts) ==
        "out_of_range: at /all/inner/name: the ends of texts are not in order: expected ascending "
        "ends, up to 0, found -1.");
  ss::Value flags = value;
  const auto two = std::make_shared<std::vector<std::byte>>(2, std::byte{2});
  flags["all"]["inner"]["flag"].set_tensor(
      ss::Tensor::share(ss::DType::BOOL, ss::Shape{2}, *two, two));
  CHECK(
      error_of_loading<All>(flags) ==
      "out_of_range: at /all/0/inner/flag: element 0 is not a truth value: expected 0 or 1, found "
      "2.");
}

TEST_CASE("a column of texts has as many as the first column") {
  ss::Value value = ss::load(ss::save(std::vector<Weighed>(3), {.columns = true}));
  value["name"] = ss::load(ss::save(saved, {.columns = true}))["name"];
  CHECK(ss::load<std::vector<Weighed>>(ss::save(value))[2].name == "caf\xC3\xA9");
  value["weight"].set_tensor(ss::Tensor::own(std::vector<float>{1, 2}));
  CHECK(error_of_loading<std::vector<Weighed>>(value) ==
        "shape_mismatch: at /name: a column does not have the length of the first: expected 2, "
        "found 3.");
  value["name"] = ss::Value(ss::Tensor::own(std::vector<float>{1, 2}));
  CHECK(error_of_loading<std::vector<Weighed>>(value) ==
        "type_mismatch: at /name: a value has the wrong type: expected a column of texts: a struct "
        "of text and ends, found tensor F32 [2].");
  CHECK(error_of_loading<std::list<Weighed>>(value) ==
        "type_mismatch: at /0/name: a value has the wrong type: expected str, found float 1.0.");
}
