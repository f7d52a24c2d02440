/// \file
/// Objects behind base pointers and in std::any are saved as what they are.
#include <doctest/doctest.h>

#include <any>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::error_of;
using codec_test::load_error;
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

}  // namespace shapes

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
      "unknown_type: at /: an object behind a pointer to shapes::Shape is of a type without codec: "
      "found shapes::Unknown. Add it with registry.add<shapes::Unknown, "
      "shapes::Shape>(\"a name in files\"), and pass the registry in the options.");
  CHECK(load_error<std::unique_ptr<shapes::Shape>>(Value::custom("shapes.Torus", 1),
                                                   decode_options) ==
        "unknown_type: at /: no codec is registered for a type that is named in the file: expected "
        "the name of a type derived from shapes::Shape, found 'shapes.Torus'. Add the type of that "
        "name with registry.add<T, shapes::Shape>(), and pass the registry in the options.");
  CHECK(
      load_error<std::shared_ptr<shapes::Shape>>(Value(5), decode_options) ==
      "type_mismatch: at /: a value is of another kind: expected a custom value of a type derived "
      "from shapes::Shape, found int 5.");
  CHECK(
      load_error<std::unique_ptr<shapes::Shape>>(Value::custom("shapes.Dog", 1), decode_options) ==
      "unknown_type: at /: the type 'shapes.Dog' was added without the base that is loaded: "
      "expected a type added with the base shapes::Shape. Add it with registry.add<T, "
      "shapes::Shape>().");
}

TEST_CASE("std::any keeps the types that a Value has, and registered ones") {
  const auto round_trip = [](const std::any& any) {
    return Value::from(any, encode_options).as<std::any>(decode_options);
  };
  CHECK(!round_trip({}).has_value());
  CHECK(std::any_cast<bool>(round_trip(true)));
  CHECK(std::any_cast<std::int64_t>(round_trip(std::int64_t{-5})) == -5);
  CHECK(std::any_cast<double>(round_trip(0.5)) == 0.5);
  CHECK(std::any_cast<std::complex<double>>(round_trip(std::complex<double>(1, 2))).imag() == 2);
  CHECK(std::any_cast<std::string>(round_trip(std::string("a"))) == "a");
  const Tensor tensor = Tensor::own(std::vector<int>{1});
  CHECK(std::any_cast<Tensor>(round_trip(tensor)) == tensor);
  const Value list = Value::list({1});
  CHECK(std::any_cast<Value>(round_trip(list)) == list);
  CHECK(std::any_cast<shapes::Square>(round_trip(shapes::Square(2))).side == 2);
  CHECK(std::any_cast<Value>(Value::custom("x.Y", 1).as<std::any>()) == Value::custom("x.Y", 1));
  CHECK(error_of([] { return Value::from(std::any(5.0F)); }) ==
        "unknown_type: at /: a std::any holds a type without codec: expected a registered type, "
        "bool, std::int64_t, double, std::complex<double>, std::string, Tensor or Value, found "
        "float. Add it with registry.add<float>(\"a name in files\"), and pass the registry in the "
        "options.");
}
