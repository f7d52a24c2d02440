/// \file
/// A registry knows types by their name in files and by their C++ type.
#include <doctest/doctest.h>

#include <any>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/registry.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::Value;
using ss::test::error_of_void;

namespace {

struct Shape {
  virtual ~Shape() = default;
  int id = 1;
};
struct Tagged {
  virtual ~Tagged() = default;
  int tag = 2;
};
struct Circle : Shape, Tagged {
  explicit Circle(int r) : radius(r) {}
  int radius;
};
struct Square {
  explicit Square(int s) : side(std::make_unique<int>(s)) {}
  std::unique_ptr<int> side;
};

}  // namespace

template <>
struct ss::Codec<Circle> {
  static constexpr std::string_view type_name = "acme.Circle";
  static Value encode(const Circle& circle, Encoder&) { return Value(circle.radius); }
  static Circle decode(const Value& value, Decoder&) {
    return Circle(static_cast<int>(value.as_int64().value()));
  }
};
template <>
struct ss::Codec<Square> {
  static constexpr std::string_view type_name = "acme.Square";
  static Value encode(const Square& square, Encoder&) { return Value(*square.side); }
  static Square decode(const Value& value, Decoder&) {
    return Square(static_cast<int>(value.as_int64().value()));
  }
};

TEST_CASE("a registered type is found by name and by type, and encodes and decodes") {
  ss::Registry registry;
  CHECK(registry.find("acme.Circle") == nullptr);
  registry.add<Circle, Shape, Tagged>().add<Square>();
  const ss::Registry::Type* type = registry.find("acme.Circle");
  REQUIRE(type != nullptr);
  CHECK(type == registry.find(typeid(Circle)));
  CHECK(type->name == "acme.Circle");
  CHECK_FALSE(type->overrides);
  CHECK(registry.find("acme.circle") == nullptr);
  CHECK(registry.find(typeid(Shape)) == nullptr);

  const Circle circle(5);
  ss::Encoder encoder;
  const Value value = encoder.encode_registered(*type, &circle);
  CHECK(value == Value::custom("acme.Circle", 5));
  ss::Decoder decoder;
  const std::shared_ptr<void> object = decoder.decode_registered(*type, value);
  CHECK(static_cast<Circle*>(object.get())->radius == 5);
}

TEST_CASE("a registered type is reached through each of its bases") {
  ss::Registry registry;
  registry.add<Circle, Shape, Tagged>();
  const ss::Registry::Type& type = *registry.find("acme.Circle");
  Circle circle(5);
  REQUIRE(type.bases.size() == 2);
  CHECK(type.bases[0].first == typeid(Shape));
  CHECK(static_cast<Shape*>(type.bases[0].second(&circle))->id == 1);
  CHECK(type.bases[1].first == typeid(Tagged));
  CHECK(static_cast<Tagged*>(type.bases[1].second(&circle))->tag == 2);
  const std::unique_ptr<Circle> moved(static_cast<Circle*>(type.move_to_heap(&circle)));
  CHECK(moved->radius == 5);
}

TEST_CASE("std::any holds types that can be copied, and only those") {
  ss::Registry registry;
  registry.add<Circle>().add<Square>();
  const ss::Registry::Type& circle_type = *registry.find("acme.Circle");
  Circle circle(7);
  const std::any any = circle_type.move_to_any(&circle);
  CHECK(static_cast<const Circle*>(circle_type.in_any(any))->radius == 7);
  CHECK(circle_type.in_any(std::any(1)) == nullptr);
  CHECK((registry.find("acme.Square")->in_any == nullptr));
  CHECK((registry.find("acme.Square")->move_to_any == nullptr));
}

TEST_CASE("a name or a type is registered once, and a refused one changes nothing") {
  ss::Registry registry;
  registry.add<Circle>();
  CHECK(error_of_void([&] { registry.add<Circle>(); }) ==
        "duplicate_name: two types are registered under one name: found 'acme.Circle'. Give each "
        "type its own name.");
  const auto encode = [](const Square&, ss::Encoder&) { return Value(1); };
  const auto decode = [](const Value&, ss::Decoder&) { return Square(1); };
  CHECK(error_of_void([&] {
          registry.add<Square>("acme.Circle", encode, decode);
        }).starts_with("duplicate_name: two types"));
  CHECK(registry.find(typeid(Square)) == nullptr);
  registry.add<Square>("acme.Box", encode, decode);
  CHECK(error_of_void([&] { registry.add<Square>(); }) ==
        "duplicate_name: a type is registered twice: found 'acme.Square' and 'acme.Box'. Add each "
        "type once.");
  CHECK(registry.find("acme.Square") == nullptr);
  CHECK(registry.find("acme.Box")->overrides);
}

TEST_CASE("a copy of a registry is its own") {
  ss::Registry registry;
  registry.add<Circle>();
  ss::Registry copy = registry;
  copy.add<Square>();
  CHECK(registry.find("acme.Square") == nullptr);
  CHECK(copy.find("acme.Circle") == registry.find("acme.Circle"));
}

namespace {

struct Point {
  int x = 0;
  int y = 0;
};
/// A class with a base, saved by its members.
class Disk : public Shape {
 public:
  Disk() = default;
  explicit Disk(double r) : radius_(r) { id = 7; }
  [[nodiscard]] double radius() const { return radius_; }

 private:
  double radius_ = 0;
  friend struct ss::Rules<Disk>;
};

}  // namespace

template <>
struct ss::Rules<Disk> {
  static constexpr auto members =
      std::tuple{ss::member("id", &Disk::id), ss::member("radius", &Disk::radius_)};
};

TEST_CASE("a plain struct is registered by a name, for std::any and nowhere else") {
  ss::Registry registry;
  registry.add<Point>("acme.Point");
  CHECK_FALSE(registry.find("acme.Point")->overrides);
  const ss::EncodeOptions encode{.registry = &registry};
  const ss::DecodeOptions decode{.registry = &registry};
  const std::vector<std::any> anything = {Point{1, 2}};
  const Value value = Value::from(anything, encode);
  CHECK(value == Value::list({Value::custom("acme.Point", Value::from(Point{1, 2}))}));
  CHECK(std::any_cast<Point>(value.as<std::vector<std::any>>(decode).at(0)).y == 2);
  CHECK(Value::from(Point{1, 2}, encode).kind() == ss::Kind::structure);
  // What was saved in a std::any loads as the struct as well.
  CHECK(value[0].as<Point>().y == 2);
}

TEST_CASE("a class without a name of its own is saved behind its base by a name given here") {
  ss::Registry registry;
  registry.add<Disk, Shape>("acme.Disk");
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Disk>(2.5));
  const Value value = Value::from(shapes, {.registry = &registry});
  CHECK(value[0] ==
        Value::custom("acme.Disk", Value::structure("Disk", {{"id", 7}, {"radius", 2.5}})));
  const auto again = value.as<std::vector<std::unique_ptr<Shape>>>({.registry = &registry});
  CHECK(again.at(0)->id == 7);
  CHECK(dynamic_cast<Disk&>(*again.at(0)).radius() == 2.5);
}

TEST_CASE("a name given here wins over that of the codec") {
  ss::Registry registry;
  registry.add<Circle, Shape>("acme.Round");
  const std::unique_ptr<Shape> shape = std::make_unique<Circle>(3);
  CHECK(Value::from(shape, {.registry = &registry}) == Value::custom("acme.Round", 3));
}

namespace {

enum class Level : std::uint8_t { low, high };
struct Grain {
  int x = 1;
  float y = 2;
  bool operator==(const Grain&) const = default;
};
struct Mark {
  Grain at;
  Level level = Level::low;
  std::string text;
  bool operator==(const Mark&) const = default;
};

/// What the registry's own codec of a T leaves, which no column would.
template <class T>
ss::Registry counting(int& calls, T back) {
  ss::Registry registry;
  registry.add<T>(
      "acme.Own",
      [&calls](const T&, ss::Encoder&) {
        ++calls;
        return Value("own");
      },
      [back](const Value&, ss::Decoder&) { return back; });
  return registry;
}

template <class Container>
Container again(const Container& container, const ss::Registry* registry) {
  const Value value = Value::from(container, {.registry = registry, .columns = true});
  CHECK((value.kind() == ss::Kind::structure) == (registry == nullptr));
  return value.as<Container>({.registry = registry});
}

}  // namespace

TEST_CASE("a codec given here is asked for items and all in them, columns or not") {
  const std::vector<Mark> marks(2);
  const std::vector<std::pair<Grain, int>> pairs(2);
  const std::map<int, Grain> grains = {{1, {}}, {2, {}}};
  const std::map<Level, int> levels = {{Level::low, 1}};
  CHECK(again(marks, nullptr) == marks);
  CHECK(again(pairs, nullptr) == pairs);
  CHECK(again(grains, nullptr) == grains);
  CHECK(again(levels, nullptr) == levels);

  int calls = 0;
  const ss::Registry of_grains = counting(calls, Grain{7, 8});
  CHECK(again(std::vector<Grain>(2), &of_grains)[1] == Grain{7, 8});
  CHECK(again(marks, &of_grains)[1].at == Grain{7, 8});
  CHECK(again(pairs, &of_grains)[1].first == Grain{7, 8});
  CHECK(again(grains, &of_grains).at(2) == Grain{7, 8});
  CHECK(calls == 8);
  const ss::Registry of_levels = counting(calls, Level::high);
  CHECK(again(marks, &of_levels)[0].level == Level::high);
  CHECK(again(levels, &of_levels).contains(Level::high));
  const ss::Registry of_texts = counting(calls, std::string("back"));
  CHECK(again(marks, &of_texts)[0].text == "back");
  CHECK(calls == 13);
  // Others stay columns.
  const ss::Registry of_doubles = counting(calls, 2.5);
  CHECK(Value::from(marks, {.registry = &of_doubles, .columns = true}).kind() ==
        ss::Kind::structure);
}
