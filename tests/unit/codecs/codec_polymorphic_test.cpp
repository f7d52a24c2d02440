/// \file
/// Objects behind base pointers and in std::any are saved as what they are.
#include <doctest/doctest.h>

#include <any>
#include <complex>
#include <initializer_list>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::error_of;
using codec_test::load_error;
using codec_test::to_value;
using ss::Kind;
using ss::Tensor;
using ss::Value;

namespace shapes {

struct Shape {
  Shape() = default;
  Shape(const Shape&) = default;
  Shape(Shape&&) = default;
  Shape& operator=(const Shape&) = default;
  Shape& operator=(Shape&&) = default;
  virtual ~Shape() = default;
  [[nodiscard]] virtual double area() const = 0;
};
struct Label {
  virtual ~Label() = default;
  std::string text = "label";
};
// Shape is not its first base: pointers to it point into its middle.
struct Square : Label, Shape {
  explicit Square(double length) : side(length) {}
  [[nodiscard]] double area() const override { return side * side; }
  double side;
};
struct Mesh : Shape {
  explicit Mesh(std::vector<float> values) : points(std::move(values)) {}
  [[nodiscard]] double area() const override { return static_cast<double>(points.size()); }
  std::vector<float> points;
};
struct Unknown : Shape {
  [[nodiscard]] double area() const override { return 0; }
};

/// A base that has a codec of its own.
struct Animal {
  virtual ~Animal() = default;
  int age = 0;
};
struct Dog : Animal {
  int tricks = 0;
};

/// Bases that are structs, and what is derived from both.
struct Part {
  virtual ~Part() = default;
  int id = 1;
};
struct Weighted {
  virtual ~Weighted() = default;
  double scale = 2;
};
struct Layer : Part, Weighted {
  std::vector<float> weight = {1, 2};
};
struct Last final : Part {
  int steps = 3;
};
/// Its codec looks at names itself.
struct Free {
  virtual ~Free() = default;
  std::string name;
};

namespace other {
/// Of the same name in files as the base, but with more to it.
struct Part : shapes::Part {
  int more = 4;
};
}  // namespace other

}  // namespace shapes

template <>
struct safestructures::Rules<shapes::Part> {
  static constexpr auto members = std::tuple{ss::member("id", &shapes::Part::id).alias("number")};
};
template <>
struct safestructures::Rules<shapes::Weighted> {
  static constexpr std::string_view name = "shapes.Weighted";
  static constexpr auto members = std::tuple{ss::member("scale", &shapes::Weighted::scale)};
};
template <>
struct safestructures::Rules<shapes::Layer> {
  static constexpr auto members =
      std::tuple{ss::member("id", &shapes::Layer::id), ss::member("scale", &shapes::Layer::scale),
                 ss::member("weight", &shapes::Layer::weight)};
};
template <>
struct safestructures::Rules<shapes::Last> {
  static constexpr auto members = std::tuple{ss::member("steps", &shapes::Last::steps)};
};
template <>
struct safestructures::Rules<shapes::other::Part> {
  static constexpr auto members = std::tuple{ss::member("id", &shapes::other::Part::id),
                                             ss::member("more", &shapes::other::Part::more)};
};
template <>
struct safestructures::Codec<shapes::Free> {
  static constexpr KindSet kinds = Kind::custom;
  static Value encode(const shapes::Free& free, Encoder&) {
    return Value::custom(free.name, Value(1));
  }
  static shapes::Free decode(const Value& value, Decoder&) {
    shapes::Free free;
    free.name = value.type_name();
    return free;
  }
};

template <>
struct safestructures::Codec<shapes::Square> {
  static constexpr std::string_view type_name = "shapes.Square";
  static Value encode(const shapes::Square& square, Encoder&) { return Value(square.side); }
  static shapes::Square decode(const Value& value, Decoder& decoder) {
    return shapes::Square(decoder.decode<double>(value));
  }
};
template <>
struct safestructures::Codec<shapes::Mesh> {
  static constexpr std::string_view type_name = "shapes.Mesh";
  static Value encode(const shapes::Mesh& mesh, Encoder& encoder) {
    return encoder.encode(mesh.points);
  }
  static shapes::Mesh decode(const Value& value, Decoder& decoder) {
    return shapes::Mesh(decoder.decode<std::vector<float>>(value));
  }
};
template <>
struct safestructures::Codec<shapes::Animal> {
  static constexpr std::string_view type_name = "shapes.Animal";
  static Value encode(const shapes::Animal& animal, Encoder&) { return Value(animal.age); }
  static shapes::Animal decode(const Value& value, Decoder& decoder) {
    shapes::Animal animal;
    animal.age = decoder.decode<int>(value);
    return animal;
  }
};
template <>
struct safestructures::Codec<shapes::Dog> {
  static constexpr std::string_view type_name = "shapes.Dog";
  static Value encode(const shapes::Dog& dog, Encoder&) { return Value(dog.tricks); }
  static shapes::Dog decode(const Value& value, Decoder& decoder) {
    shapes::Dog dog;
    dog.tricks = decoder.decode<int>(value);
    return dog;
  }
};

namespace {

const ss::Registry& registry() {
  static const ss::Registry types = [] {
    ss::Registry made;
    made.add<shapes::Square, shapes::Shape>().add<shapes::Mesh, shapes::Shape>();
    made.add<shapes::Dog, shapes::Animal>();
    return made;
  }();
  return types;
}

const ss::EncodeOptions encode_options{.registry = &registry()};
const ss::DecodeOptions decode_options{.registry = &registry()};

}  // namespace

TEST_CASE_TEMPLATE("a base pointer is saved as the class it points to", Pointer,
                   std::unique_ptr<shapes::Shape>, std::shared_ptr<shapes::Shape>) {
  std::vector<Pointer> list;
  list.push_back(std::make_unique<shapes::Square>(3));
  list.push_back(std::make_unique<shapes::Mesh>(std::vector<float>{1, 2}));
  list.push_back(nullptr);
  const Value value = Value::from(list, encode_options);
  CHECK(value[0] == Value::custom("shapes.Square", 3.0));
  CHECK(value[1].type_name() == "shapes.Mesh");
  CHECK(value[2].is_none());
  const auto loaded = value.as<std::vector<Pointer>>(decode_options);
  CHECK(loaded[0]->area() == 9);
  CHECK(dynamic_cast<const shapes::Square*>(loaded[0].get())->text == "label");
  CHECK(dynamic_cast<const shapes::Mesh*>(loaded[1].get())->points == std::vector<float>{1, 2});
  CHECK(!loaded[2]);
}

TEST_CASE("an object shared through pointers to its bases is one again") {
  const auto mesh = std::make_shared<shapes::Mesh>(std::vector<float>{1, 2});
  const std::vector<std::shared_ptr<shapes::Shape>> list{mesh, mesh};
  const auto loaded = Value::from(list, encode_options)
                          .as<std::vector<std::shared_ptr<shapes::Shape>>>(decode_options);
  CHECK(loaded[0] == loaded[1]);
}

TEST_CASE("a base with a codec of its own never slices a derived object") {
  shapes::Dog dog;
  dog.tricks = 4;
  std::unique_ptr<shapes::Animal> animal = std::make_unique<shapes::Dog>(dog);
  CHECK(Value::from(animal, encode_options) == Value::custom("shapes.Dog", 4));
  CHECK(error_of([&] { return Value::from(animal); }).starts_with("unknown_type"));
  animal = std::make_unique<shapes::Animal>();
  animal->age = 5;
  const Value value = Value::from(animal);
  CHECK(value == Value::custom("shapes.Animal", 5));
  CHECK(value.as<std::unique_ptr<shapes::Animal>>()->age == 5);
}

TEST_CASE("a class that nobody registered is an error that says which and how") {
  const std::unique_ptr<shapes::Shape> shape = std::make_unique<shapes::Unknown>();
  CHECK(
      error_of([&] { return Value::from(shape, encode_options); }) ==
      "unknown_type: at /: an object behind a pointer to shapes::Shape has a type without a codec: "
      "found shapes::Unknown. Add it with registry.add<shapes::Unknown, "
      "shapes::Shape>(\"a name in files\"), and pass the registry in the options.");
  CHECK(load_error<std::unique_ptr<shapes::Shape>>(Value::custom("shapes.Torus", 1),
                                                   decode_options) ==
        "unknown_type: at /: no codec is registered for a type that is named in the file: expected "
        "the name of a type derived from shapes::Shape, found 'shapes.Torus'. Add the type of that "
        "name with registry.add<T, shapes::Shape>(name), and pass the registry in the options "
        "(LoadOptions::registry).");
  CHECK(
      load_error<std::shared_ptr<shapes::Shape>>(Value(5), decode_options) ==
      "type_mismatch: at /: a value has the wrong type: expected a custom value of a type derived "
      "from shapes::Shape, found int 5.");
  CHECK(
      load_error<std::unique_ptr<shapes::Shape>>(Value::custom("shapes.Dog", 1), decode_options) ==
      "unknown_type: at /: the type 'shapes.Dog' was added without the base that is loaded: "
      "expected a type added with the base shapes::Shape. Add it with registry.add<T, "
      "shapes::Shape>(name).");
}

TEST_CASE("a class that was registered without the base of its pointer is refused when saved") {
  ss::Registry registry;
  registry.add<shapes::Layer>("acme.Layer");
  const std::unique_ptr<shapes::Part> part = std::make_unique<shapes::Layer>();
  CHECK(error_of([&] { return Value::from(part, {.registry = &registry}); }) ==
        "unknown_type: at /: an object behind a pointer to shapes::Part has a type that was added "
        "without that base: found shapes::Layer. Add it with registry.add<shapes::Layer, "
        "shapes::Part>(\"a name in files\"), and pass the registry in the options.");
  // A pointer to the class itself needs no base.
  const std::unique_ptr<shapes::Layer> layer = std::make_unique<shapes::Layer>();
  CHECK(Value::from(layer, {.registry = &registry}).type_name() == "acme.Layer");
}

TEST_CASE_TEMPLATE("an object of a class that loading does not know is refused, never sliced",
                   Pointer, std::unique_ptr<shapes::Part>, std::shared_ptr<shapes::Part>) {
  ss::Registry layers;
  layers.add<shapes::Layer, shapes::Part>("acme.Layer");
  std::vector<Pointer> list;
  list.push_back(std::make_unique<shapes::Layer>());
  const Value value = to_value(list, {.registry = &layers});
  CHECK(
      load_error<std::vector<Pointer>>(value) ==
      "unknown_type: at /0: there is no registry for a type that is named in the file: expected "
      "'Part' or the name of a type derived from shapes::Part, found 'acme.Layer'. Add the type "
      "of that name with registry.add<T, shapes::Part>(name), and pass the registry in the options "
      "(LoadOptions::registry).");
  CHECK(load_error<std::vector<Pointer>>(value, decode_options) ==
        "unknown_type: at /0: no codec is registered for a type that is named in the file: "
        "expected 'Part' or the name of a type derived from shapes::Part, found 'acme.Layer'. Add "
        "the type of that name with registry.add<T, shapes::Part>(name), and pass the registry in "
        "the "
        "options (LoadOptions::registry).");
  const auto loaded = value.as<std::vector<Pointer>>({.registry = &layers});
  CHECK(dynamic_cast<const shapes::Layer&>(*loaded[0]).weight == std::vector<float>{1, 2});
}

TEST_CASE("a base whose codec has a name refuses those of other classes as such") {
  CHECK(
      load_error<std::unique_ptr<shapes::Animal>>(Value::custom("shapes.Dog", 4)) ==
      "unknown_type: at /: there is no registry for a type that is named in the file: expected "
      "'shapes.Animal' or the name of a type derived from shapes::Animal, found 'shapes.Dog'. "
      "Add the type of that name with registry.add<T, shapes::Animal>(name), and pass the registry "
      "in the options (LoadOptions::registry).");
}

TEST_CASE("an object of the base itself loads by every name that is its own, or none") {
  using Pointer = std::unique_ptr<shapes::Part>;
  const auto id = [](const Value& value, const ss::DecodeOptions& options = {}) {
    return value.as<Pointer>(options)->id;
  };
  const std::initializer_list<ss::Entry> five = {{"id", 5}};
  CHECK(id(to_value(std::make_unique<shapes::Part>())) == 1);
  CHECK(id(Value::dict(five)) == 5);
  CHECK(id(Value::structure("", five)) == 5);
  CHECK(id(Value::structure("models.Part", five)) == 5);  // A dataclass of Python, or renamed.
  CHECK(id(Value::custom("Part", Value::dict(five))) == 5);
  CHECK(id(Value::custom("collections.namedtuple", Value::dict(five))) == 5);
  // Saved through a registry that has a name for the base, and loaded without.
  ss::Registry named;
  named.add<shapes::Part>("acme.Part");
  const Value saved = to_value(std::make_unique<shapes::Part>(), {.registry = &named});
  CHECK(saved.type_name() == "acme.Part");
  CHECK(id(saved) == 1);
  CHECK(id(saved, {.registry = &named}) == 1);
  CHECK(id(Value::custom("acme.Part", Value::structure("Part", {{"number", 7}}))) == 7);
  CHECK(Value::custom("shapes.Weighted", Value::structure("shapes.Weighted", {{"scale", 3.0}}))
            .as<std::shared_ptr<shapes::Weighted>>()
            ->scale == 3);
}

TEST_CASE("a class of the same name in files that has more fields is another one") {
  ss::Registry types;
  types.add<shapes::other::Part, shapes::Part>("acme.Part");
  const std::unique_ptr<shapes::Part> part = std::make_unique<shapes::other::Part>();
  const Value saved = to_value(part, {.registry = &types});
  CHECK(saved.payload().type_name() == "Part");
  CHECK(load_error<std::unique_ptr<shapes::Part>>(saved).starts_with("unknown_type: at /: "));
}

TEST_CASE("a class from which nothing is derived, and a codec that looks at names, take any") {
  ss::Registry types;
  types.add<shapes::Last, shapes::Part>("acme.Last");
  const Value saved = to_value(std::make_unique<shapes::Last>(), {.registry = &types});
  CHECK(saved.type_name() == "acme.Last");
  CHECK(saved.as<std::unique_ptr<shapes::Last>>()->steps == 3);
  CHECK(Value::custom("acme.Free", 1).as<std::unique_ptr<shapes::Free>>()->name == "acme.Free");
}

TEST_CASE(
    "a struct of a class that is registered as another is refused for a pointer to its base") {
  ss::Registry types;
  types.add<shapes::Layer, shapes::Part>("Layer").add<shapes::Part>("Part");
  const Value layer = to_value(shapes::Layer());
  CHECK(load_error<std::unique_ptr<shapes::Part>>(layer, {.registry = &types}) ==
        "type_mismatch: at /: a struct is not of the pointer's class: expected "
        "shapes::Part, found a struct of 'Layer'. Load it as that type, or save it "
        "through a pointer to shapes::Part, with the registry in the options.");
  CHECK(layer.as<std::unique_ptr<shapes::Layer>>({.registry = &types})->scale == 2);
  CHECK(to_value(shapes::Part()).as<std::unique_ptr<shapes::Part>>({.registry = &types})->id == 1);
}

TEST_CASE("an object shared through pointers to two of its bases, and to itself, is one again") {
  ss::Registry types;
  types.add<shapes::Layer, shapes::Part, shapes::Weighted>("acme.Layer");
  const auto layer = std::make_shared<shapes::Layer>();
  using Pointers = std::tuple<std::shared_ptr<shapes::Part>, std::shared_ptr<shapes::Weighted>,
                              std::shared_ptr<shapes::Layer>, std::shared_ptr<shapes::Part>>;
  const Value value = Value::from(Pointers(layer, layer, layer, nullptr), {.registry = &types});
  const auto [part, weighted, whole, none] = value.as<Pointers>({.registry = &types});
  CHECK(part == whole);
  CHECK(weighted == whole);
  CHECK(weighted->scale == 2);
  CHECK(whole.use_count() == 3);
  CHECK_FALSE(none);
}

TEST_CASE("std::any keeps the types that a Value has, and registered ones") {
  const auto round_trip = [](const std::any& any) {
    return Value::from(any, encode_options).as<std::any>(decode_options);
  };
  CHECK(!round_trip({}).has_value());
  CHECK(std::any_cast<bool>(round_trip(true)));
  CHECK(std::any_cast<std::int64_t>(round_trip(std::int64_t{-5})) == -5);
  const Value large = Value::integer("18446744073709551616");
  CHECK(std::any_cast<Value>(round_trip(large)) == large);
  CHECK(std::any_cast<double>(round_trip(0.5)) == 0.5);
  CHECK(std::any_cast<std::complex<double>>(round_trip(std::complex<double>(1, 2))).imag() == 2);
  CHECK(std::any_cast<std::string>(round_trip(std::string("a"))) == "a");
  const Tensor tensor = Tensor::own(std::vector<int>{1});
  CHECK(std::any_cast<Tensor>(round_trip(tensor)) == tensor);
  const Value list = Value::list({1});
  CHECK(std::any_cast<Value>(round_trip(list)) == list);
  CHECK(std::any_cast<shapes::Square>(round_trip(shapes::Square(2))).side == 2);
  CHECK(std::any_cast<Value>(Value::custom("x.Y", 1).as<std::any>()) == Value::custom("x.Y", 1));
  CHECK(
      error_of([] { return Value::from(std::any(5.0F)); }) ==
      "unknown_type: at /: a std::any holds a type that has no codec: expected a registered type, "
      "bool, std::int64_t, double, std::complex<double>, std::string, Tensor or Value, found "
      "float. Add it with registry.add<float>(\"a name in files\"), and pass the registry in the "
      "options.");
}
