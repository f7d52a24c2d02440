// Columns of enums: numbers, with their names next to them.
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;

namespace enum_columns_test {

enum class Color : std::uint8_t { red, green, blue };
struct Event {
  Color color = Color::red;
  float at = 0;
  friend bool operator==(const Event&, const Event&) = default;
};

/// The same in a later program, which has sorted the names and added one.
enum class LaterColor : std::int16_t { black, blue, green, red = 300 };
struct LaterEvent {
  LaterColor color = LaterColor::black;
  float at = 0;
  friend bool operator==(const LaterEvent&, const LaterEvent&) = default;
};

/// A later program that has lost one.
enum class FewerColor : std::uint8_t { green, red };
struct FewerEvent {
  FewerColor color = FewerColor::red;
  float at = 0;
};

enum class Flags : std::uint64_t { none, first, second, all = ~std::uint64_t{0} };
struct Flagged {
  Flags flags = Flags::none;
  friend bool operator==(const Flagged&, const Flagged&) = default;
};

enum class Wide : std::int32_t { one = 1, other = 257, third = 513 };
struct OfWide {
  Wide wide = Wide::one;
  friend bool operator==(const OfWide&, const OfWide&) = default;
};

enum class NarrowFlags : std::int8_t { first = 50 };
struct Narrow {
  NarrowFlags flags = NarrowFlags::first;
};

enum class Twins : std::int8_t { one = -1, other = 5 };
struct OfTwins {
  Twins twins = Twins::one;
  friend bool operator==(const OfTwins&, const OfTwins&) = default;
};

/// What a type without a vector's own codec sees.
struct Migrated {
  std::string color;
  friend bool operator==(const Migrated&, const Migrated&) = default;
};

}  // namespace enum_columns_test

template <>
struct ss::EnumNames<enum_columns_test::LaterColor> {
  using Color = enum_columns_test::LaterColor;
  static constexpr std::pair<Color, std::string_view> values[] = {
      {Color::black, "black"}, {Color::blue, "blue"}, {Color::green, "green"}, {Color::red, "red"}};
};

template <>
struct ss::EnumNames<enum_columns_test::Flags> {
  static constexpr bool any_number = true;
};

template <>
struct ss::EnumNames<enum_columns_test::NarrowFlags> {
  static constexpr bool any_number = true;
};

template <>
struct ss::EnumNames<enum_columns_test::Wide> {
  using Wide = enum_columns_test::Wide;
  static constexpr std::pair<Wide, std::string_view> values[] = {
      {Wide::one, "one"}, {Wide::other, "other"}, {Wide::third, "third"}};
};

template <>
struct ss::EnumNames<enum_columns_test::Twins> {
  using Twins = enum_columns_test::Twins;
  static constexpr std::pair<Twins, std::string_view> values[] = {{Twins::one, "twin"},
                                                                  {Twins::other, "twin"}};
};

template <>
struct ss::Rules<enum_columns_test::Migrated> {
  static constexpr unsigned version = 1;
  static void migrate(ss::Value& value, unsigned) {
    value["color"] = "dark " + value["color"].as_string();
    value.erase("at");
  }
};

using namespace enum_columns_test;
using ss::test::error_of;

namespace {

const std::vector<Event> events = {
    {Color::green, 1}, {Color::red, 2}, {Color::red, 3}, {Color::green, 4}};
const ss::SaveOptions in_columns{.columns = true};

}  // namespace

TEST_CASE("a column of an enum notes the names that occur, in the order of their numbers") {
  const ss::Value value = ss::load(ss::save(events, in_columns));
  const ss::Value& column = value["color"];
  CHECK(column.tensor().dtype() == ss::DType::U8);
  CHECK(column.tensor().to_vector<int>() == std::vector<int>{1, 0, 0, 1});
  CHECK(*column.attribute("names") == ss::Value::dict({{"red", 0}, {"green", 1}}));
  CHECK(ss::to_string(value) ==
        "struct Event, columns of 4 items\n"
        "├─ color: U8 [4]  \"green\", \"red\", \"red\", \"green\"\n"
        "└─ at: F32 [4]  1.0, 2.0, 3.0, 4.0\n");
  CHECK(ss::load(ss::save(std::vector<Event>{}, in_columns))["color"].attributes().empty());
}

TEST_CASE("a column of an enum loads by its names when the enum is reordered") {
  const std::vector<LaterEvent> later = {
      {LaterColor::green, 1}, {LaterColor::red, 2}, {LaterColor::red, 3}, {LaterColor::green, 4}};
  const auto bytes = ss::save(events, in_columns);
  CHECK(ss::load<std::vector<LaterEvent>>(bytes) == later);
  CHECK(ss::load<std::deque<LaterEvent>>(bytes) ==
        std::deque<LaterEvent>(later.begin(), later.end()));
  CHECK(ss::load<std::vector<Event>>(ss::save(later, in_columns)) == events);
  CHECK(ss::load<std::vector<Migrated>>(bytes) ==
        std::vector<Migrated>{{"dark green"}, {"dark red"}, {"dark red"}, {"dark green"}});
}

TEST_CASE("the names of a column of enums pass through every format of this library") {
  const std::map<Color, float> by_color = {{Color::red, 1.5F}, {Color::blue, 2.5F}};
  const std::map<LaterColor, float> later = {{LaterColor::blue, 2.5F}, {LaterColor::red, 1.5F}};
  const std::shared_ptr<const ss::Format> formats[] = {
      ss::formats::safestructures(), ss::formats::json(), ss::formats::messagepack(),
      ss::formats::cbor()};
  for (const auto& format : formats) {
    CAPTURE(format->name());
    const auto bytes = ss::save(by_color, {.format = format, .columns = true});
    CHECK(ss::load<std::map<LaterColor, float>>(bytes, {.format = format}) == later);
  }
}

TEST_CASE("without names, as files of earlier versions are, a column of enums loads by numbers") {
  ss::Value value = ss::load(ss::save(events, in_columns));
  value["color"].erase_attribute("names");
  const auto bytes = ss::save(value);
  CHECK(ss::load<std::vector<Event>>(bytes) == events);
  CHECK(ss::load<std::vector<LaterEvent>>(bytes)[0].color == LaterColor::blue);
}

TEST_CASE("names that are not in order, or no names at all, are not used") {
  for (const ss::Value& names :
       {ss::Value("red"), ss::Value::dict({{"green", 1}, {"red", 0}, {"blue", 2}}),
        ss::Value::dict({{"red", "0"}, {"green", 1.0}})}) {
    CAPTURE(ss::to_string(names));
    ss::Value value = ss::load(ss::save(events, in_columns));
    value["color"].set_attribute("names", names);
    const auto bytes = ss::save(value);
    CHECK(ss::load<std::vector<Event>>(bytes) == events);
    CHECK(ss::load<std::deque<Event>>(bytes).front() == events.front());
  }
}

TEST_CASE("numbers without a name, and of names given twice, are kept") {
  const std::vector<Flagged> flags = {{Flags::second},
                                      {static_cast<Flags>(3)},
                                      {Flags::all},
                                      {static_cast<Flags>(std::uint64_t{1} << 63U)},
                                      {Flags::none}};
  const auto bytes = ss::save(flags, in_columns);
  CHECK(ss::load<std::vector<Flagged>>(bytes) == flags);
  CHECK(ss::load<std::deque<Flagged>>(bytes) == std::deque<Flagged>(flags.begin(), flags.end()));
  const ss::Value column = ss::load(bytes)["flags"];
  CHECK(*column.attribute("names") == ss::Value::dict({{"none", 0}, {"second", 2}}));

  const std::vector<OfTwins> twins = {{Twins::other}, {Twins::one}};
  CHECK(ss::load<std::vector<OfTwins>>(ss::save(twins, in_columns)) == twins);
}

TEST_CASE("numbers that differ in their highest bits alone are told apart") {
  std::vector<OfWide> wide;
  for (int i = 0; i < 20; ++i)
    for (const Wide one : {Wide::one, Wide::third, Wide::other}) wide.push_back({one});
  const auto bytes = ss::save(wide, in_columns);
  CHECK(ss::load<std::vector<OfWide>>(bytes) == wide);
  const ss::Value column = ss::load(bytes)["wide"];
  CHECK(*column.attribute("names") ==
        ss::Value::dict({{"one", 1}, {"other", 257}, {"third", 513}}));
}

TEST_CASE("numbers without a name are refused by an enum whose type is too narrow for them") {
  using Large = std::vector<Flagged>;
  const auto error_of_number = [](std::uint64_t number) {
    const Large flags = {{Flags::first}, {static_cast<Flags>(number)}};
    return error_of([&] { return ss::load<std::vector<Narrow>>(ss::save(flags, in_columns)); });
  };
  CHECK(error_of_number(127) == "no error");
  for (const std::uint64_t number :
       {std::uint64_t{128}, std::uint64_t{255}, std::uint64_t{1} << 40U,
        std::numeric_limits<std::uint64_t>::max() - 1}) {
    CAPTURE(number);
    CHECK(error_of_number(number) ==
          "out_of_range: at /flags: a number is not a value of the enum: expected numbers of I8, "
          "found " +
              std::to_string(number) + ".");
  }
}

TEST_CASE("a number above those of I64 is not taken for the negative one with the same bits") {
  ss::Value value = ss::load(ss::save(std::vector<Narrow>(1), in_columns));
  value["flags"].set_tensor(
      ss::Tensor::own(std::vector{std::numeric_limits<std::uint64_t>::max()}));
  value["flags"].set_attribute("names", ss::Value::dict({{"first", -1}}));
  CHECK(error_of([&] { return ss::load<std::vector<Narrow>>(ss::save(value)); }) ==
        "out_of_range: at /flags: a number is not a value of the enum: expected numbers of I8, "
        "found 18446744073709551615.");
}

TEST_CASE("a column of an enum holds only its values") {
  std::vector<Event> wrong(2);
  wrong[1].color = static_cast<Color>(9);
  const std::string refused =
      "out_of_range: at /color: an enum's value has no name: expected 'red', 'green', 'blue', "
      "found 9. Name it "
      "in "
      "EnumNames, or set EnumNames::any_number if every number is a value, as in flags.";
  CHECK(error_of([&] { return ss::save(wrong, in_columns); }) == refused);
  wrong[1].color = Color::green;
  ss::Value value = ss::load(ss::save(wrong, in_columns));
  value["color"].set_tensor(ss::Tensor::own(std::vector<std::uint8_t>{0, 9}));
  const auto error_of_loading = []<class Events>(const auto& bytes, const Events&) {
    return error_of([&] { return ss::load<Events>(bytes); });
  };
  CHECK(error_of_loading(ss::save(value), wrong) == refused);

  const std::vector<Event> blue = {{Color::blue, 1}};
  CHECK(error_of_loading(ss::save(blue, in_columns), std::vector<FewerEvent>()) ==
        "out_of_range: at /color: an enum has no value of that name: expected 'green', 'red', "
        "found str \"blue\".");
  CHECK(error_of_loading(ss::save(blue, in_columns), std::deque<FewerEvent>()) ==
        "out_of_range: at /0/color: an enum has no value of that name: expected 'green', 'red', "
        "found str "
        "\"blue\".");
}
