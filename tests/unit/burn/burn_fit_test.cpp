/// \file
/// What only the C++ type says of a record's values: halves and NaN in rows of numbers and under
/// former names; and lists that look like the numbers of a tensor, but are none.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include <safestructures/safestructures.hpp>
#include "support/burn_records.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
namespace burn = ss::burn;
using ss::test::error_of;
using ss::test::json_record;
using ss::test::view_of;

namespace {

constexpr burn::Encoding encodings[] = {burn::Encoding::messagepack, burn::Encoding::bincode,
                                        burn::Encoding::json};

struct Renamed {
  ss::half scale;
};

}  // namespace

template <>
struct ss::Rules<Renamed> {
  static constexpr auto fields = ss::fields(ss::field("scale").alias("gain").alias("r#scale"));
};

TEST_CASE("rows of halves come back as they are, and rows of floats with their NaNs") {
  using Halves = std::vector<std::array<ss::half, 2>>;
  using Floats = std::vector<std::array<std::array<float, 1>, 2>>;
  const Halves halves = {{ss::half(1.5F), ss::half(-2.0F)}, {ss::half(0.0F), ss::half(65504.0F)}};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const burn::Encoding encoding : encodings) {
    CAPTURE(static_cast<int>(encoding));
    const auto format = ss::formats::burn({.encoding = encoding});
    CHECK(ss::load<Halves>(ss::save(halves, {.format = format}), {.format = format}) == halves);
    const auto floats =
        ss::load<Floats>(ss::save(Floats{{{{1}, {nan}}}}, {.format = format}), {.format = format});
    REQUIRE(floats.size() == 1);
    CHECK(floats[0][0][0] == 1);
    CHECK(std::isnan(floats[0][1][0]));
  }
}

TEST_CASE("a half under a former name of its field is a half") {
  for (const std::string name : {"scale", "gain", "r#scale"}) {
    CAPTURE(name);
    const std::string text = json_record("{\"" + name + "\":15872}");
    CHECK(static_cast<float>(ss::load<Renamed>(view_of(text)).scale) == 1.5F);
  }
  // As in every format, the field's own name comes first.
  const std::string both = json_record(R"({"gain":0,"scale":15872})");
  CHECK(static_cast<float>(ss::load<Renamed>(view_of(both)).scale) == 1.5F);
}

TEST_CASE("a list that is no tensor keeps its integers and nulls, whatever its name") {
  struct Item {
    std::vector<std::optional<float>> value;
  };
  for (const std::string version : {"0.13.2", "0.21.0"}) {
    CAPTURE(version);
    const auto value = [&](const std::string& list) {
      return ss::load(view_of(json_record("{\"value\":" + list + "}", version)))["value"];
    };
    const ss::Value none;
    CHECK(value("[null,null]") == ss::Value::list({none, none}));
    CHECK(value("[1,null,2.5,3,4.5]") == ss::Value::list({1, none, 2.5, 3, 4.5}));
    CHECK(value("[0.5,1]") == ss::Value::list({0.5, 1}));
    CHECK(value("[0.5,9007199254740993]") ==
          ss::Value::list({0.5, std::int64_t{9007199254740993}}));
    CHECK(value("[0.5,18446744073709551615]") == ss::Value::list({0.5, UINT64_MAX}));
    const std::string text = json_record(R"({"value":[null,1.5]})", version);
    const Item item = ss::load<Item>(view_of(text));
    REQUIRE(item.value.size() == 2);
    CHECK_FALSE(item.value[0]);
    CHECK(item.value[1] == 1.5F);
  }
  // In a tensor they are numbers.
  const std::string text = json_record(R"({"value":[1,null,0.5],"shape":[3]})", "0.13.2");
  const std::vector<float> numbers = ss::load(view_of(text)).tensor().to_vector<float>();
  CHECK(numbers[0] == 1);
  CHECK(std::isnan(numbers[1]));
  CHECK(numbers[2] == 0.5F);
}

TEST_CASE("numbers of 0.13 that their dtype cannot hold are handled as the options say") {
  const auto load = [](const std::string& list, ss::Overflow overflow) {
    const std::string text = json_record(R"({"value":)" + list + R"(,"shape":[1]})", "0.13.2");
    return ss::load(view_of(text), {.overflow = overflow}).tensor();
  };
  CHECK(error_of([&] { return load("[1e39]", ss::Overflow::error); }) ==
        "out_of_range: at /: element 0 cannot be converted from F64 to F32: expected a number from "
        "-3.4028235e+38 to 3.4028235e+38, found 1e+39. Choose a dtype of wider "
        "range, or let numbers saturate (Overflow::saturate, or convert --overflow in the tool).");
  CHECK(load("[1e39]", ss::Overflow::allow).to_vector<float>()[0] ==
        std::numeric_limits<float>::infinity());
  CHECK(load("[3000000000]", ss::Overflow::saturate).to_vector<std::int32_t>()[0] ==
        std::numeric_limits<std::int32_t>::max());
}

TEST_CASE("a tensor that the settings of a recorder cannot hold is refused by its whole path") {
  struct Layer {
    ss::Tensor w;
  };
  using Item = std::map<std::string, std::vector<Layer>>;
  using Values = std::map<std::string, ss::Value>;
  const Item item = {{"layers", {{ss::Tensor::own<float>({1})}, {ss::Tensor::own<float>({1e6F})}}}};
  const std::vector<std::byte> bytes = burn::NamedMpkBytesRecorder<>().record(item);
  const burn::NamedMpkBytesRecorder<burn::HalfPrecisionSettings> half;
  const std::string problem =
      "out_of_range: at /layers/1/w: element 0 cannot be converted from F32 to F16: expected a "
      "number from -65504 to 65504, found 1000000. Choose a dtype of wider range, or let numbers "
      "saturate (Overflow::saturate, or convert --overflow in the tool).";
  const auto told = [](const std::string& error) { return error.substr(0, error.find(" It was")); };
  CHECK(told(error_of([&] { return half.load<Item>(bytes); })) == problem);
  CHECK(told(error_of([&] { return half.load<Values>(bytes); })) == problem);
}

TEST_CASE("what does not fit its C++ type is left to the codec, which says so") {
  using Halves = std::vector<ss::half>;
  using Raw = std::vector<std::byte>;
  using Pair = std::tuple<int, int>;
  using Choice = burn::Enum<burn::Case<"Lin", burn::Linear>, burn::Case<"Act">>;
  const auto check = []<class T>(std::type_identity<T>, const std::string& value,
                                 const std::string& error) {
    CAPTURE(value);
    const std::string text = json_record("{\"v\":" + value + "}");
    CHECK(error_of([&] { return ss::load<std::map<std::string, T>>(view_of(text)); }) == error);
  };
  const std::string type = "type_mismatch: at /v: a value has the wrong type: expected ";
  const std::string variant = "out_of_range: at /v: an enum has no such variant: expected one of ";
  check(std::type_identity<Halves>(), "[1,65536]",
        "out_of_range: at /v/1: a number is out of range: expected a number that F16 can hold, "
        "found int 65536. Load it into a wider type, or choose Overflow::saturate.");
  const std::string no_byte =
      "out_of_range: at /v/1: a number is out of range: expected an int from 0 to 255, found int ";
  const std::string wider = ". Load it into a wider type, or choose Overflow::saturate.";
  check(std::type_identity<Raw>(), "[1,256]", no_byte + "256" + wider);
  check(std::type_identity<Raw>(), "[1,-1]", no_byte + "-1" + wider);
  check(std::type_identity<Raw>(), R"([1,"a"])",
        "type_mismatch: at /v/1: a value has the wrong type: expected int, found str \"a\".");
  check(std::type_identity<Pair>(), "[1,2,3]",
        "shape_mismatch: at /v: a sequence has the wrong length: expected 2 items, found list of "
        "3.");
  check(std::type_identity<Pair>(), "5", type + "list, tuple or set, found int 5.");
  check(std::type_identity<Choice>(), R"({"Conv":null})", variant + "Lin, Act, found 'Conv'.");
  check(std::type_identity<Choice>(), R"("Conv")", variant + "Lin, Act, found 'Conv'.");
  check(std::type_identity<Choice>(), R"("Act")", "no error");
  const std::string choice = type + "a map of one variant, or its name, found ";
  check(std::type_identity<Choice>(), R"({"Lin":null,"Act":null})", choice + "dict of 2.");
  check(std::type_identity<Choice>(), "5", choice + "int 5.");
}

TEST_CASE("lists take no time for a text with escapes before them") {
  const auto ticks = [](const std::string& first) {
    std::string item = "[\"" + first + std::string(8'000'000, 'x') + "\"";
    for (int i = 0; i < 80'000; ++i) item += R"(,{"bytes":[1,2]})";
    const std::string text = json_record(item + "]");
    const std::clock_t begin = std::clock();
    CHECK(ss::load(view_of(text)).size() == 80'001);
    return std::clock() - begin;
  };
  // Copied for each list, it took two hundred times as long.
  CHECK(ticks("\\n") < 20 * (ticks("n") + 1));
}

TEST_CASE("null is NaN in a part of a record in JSON as in the whole, whatever the options say") {
  const ss::test::Folder folder;
  std::ofstream(folder / "item.json") << json_record(R"({"x":null})");
  const auto format = ss::formats::burn();  // MessagePack, for writing.
  struct Item {
    double x;
  };
  CHECK(std::isnan(ss::load_file<Item>(folder / "item.json", {.format = format}).x));
  const ss::Document document = ss::open(folder / "item.json", {.format = format});
  CHECK(std::isnan(document.at("/x").as<double>()));
  CHECK(std::isnan(document.as<Item>().x));
}
