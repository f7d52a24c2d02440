// A part of an open file is loaded by the options with which it was opened, and its errors name the
// file and the place in it.
#include <doctest/doctest.h>

#include <any>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using ss::Value;
using ss::test::error_of;

namespace document_part_test {

struct Layer {
  std::string name;
  std::int64_t width = 0;
};
struct Narrow {
  std::int8_t width = 0;
};
struct Shape {
  virtual ~Shape() = default;
};
struct Circle : Shape {
  double radius = 0;
};

}  // namespace document_part_test

template <>
struct safestructures::Codec<document_part_test::Circle> {
  static constexpr std::string_view type_name = "test.Circle";
  static Value encode(const document_part_test::Circle& circle, Encoder&) {
    return Value(circle.radius);
  }
  static document_part_test::Circle decode(const Value& value, Decoder& decoder) {
    document_part_test::Circle circle;
    circle.radius = decoder.decode<double>(value);
    return circle;
  }
};

namespace {

using document_part_test::Circle;
using document_part_test::Layer;
using document_part_test::Narrow;
using document_part_test::Shape;

template <class Options>
concept AsksForTypes = requires(Options options) { options.registry; } ||
                       requires(Options options) { options.refuse_unknown_fields; };

Value model() {
  return Value::structure(
      "Model", {{"layers", Value::list({Value::structure("Layer", {{"name", "a"}, {"width", 300}}),
                                        Value::structure("Layer", {{"name", 5}, {"width", 1}})})},
                {"shape", Value::custom("test.Circle", 2.5)}});
}

}  // namespace

TEST_CASE("a part of a file is loaded by the options with which the file was opened") {
  const ss::test::Folder folder;
  const auto path = folder / "m.safetensors";
  ss::save_file(model(), path);
  CHECK(ss::open(path).at("/layers/0").as<Layer>().width == 300);
  const ss::Document saturating = ss::open(path, {.overflow = ss::Overflow::saturate});
  CHECK(saturating.at("/layers/0").as<Narrow>().width == 127);
  ss::Registry registry;
  registry.add<Circle, Shape>();
  const ss::Document known = ss::open(path, {.registry = &registry});
  const auto shape = known.at("/shape").as<std::unique_ptr<Shape>>();
  CHECK(dynamic_cast<Circle&>(*shape).radius == 2.5);
  CHECK(std::any_cast<Circle>(known.at("/shape").as<std::any>()).radius == 2.5);
}

TEST_CASE("the errors of a part name the file and the whole path") {
  const ss::test::Folder folder;
  const auto path = folder / "m.safetensors";
  ss::save_file(model(), path);
  const ss::Document document = ss::open(path, {.refuse_unknown_fields = true});
  const auto text = [&](const std::string& rest) { return path.string() + ": " + rest; };
  CHECK(error_of([&] { return document.at("/layers/1").as<Layer>(); }) ==
        "type_mismatch: " +
            text("at /layers/1/name: a value has the wrong type: expected str, found int 5."));
  CHECK(error_of([&] {
          return document.at("/layers/0/width").as<std::int8_t>();
        }).starts_with("out_of_range: " + text("at /layers/0/width: a number is out of range: ")));
  CHECK(
      error_of([&] {
        return document.at("layers").at("/0").as<Narrow>();
      }).starts_with("unknown_field: " + text("at /layers/0: struct Narrow has no such field: ")));
  CHECK(error_of([&] { return document.at("/layers/0").at("depth"); }) ==
        "not_found: " +
            text("at /layers/0: there is no 'depth': found struct Layer: name, width."));
  CHECK(error_of([&] { return document.at("/layers/0/name").tensor(); }) ==
        "type_mismatch: " +
            text("at /layers/0/name: a value has the wrong type: expected a tensor, found str "
                 "\"a\"."));
  CHECK(error_of([&] {
          return document.at("/a~2");
        }).starts_with("invalid_argument: " + text("a path has '~' without 0 or 1")));
  const auto bytes = ss::save(model());
  CHECK(error_of(
            [&] { return ss::Document::from_bytes(bytes, nullptr).at("/layers/1").as<Layer>(); }) ==
        "type_mismatch: at /layers/1/name: a value has the wrong type: expected str, found int 5.");
}

TEST_CASE("a part keeps its file open, and says where it is") {
  const auto bytes = ss::save(model());
  const ss::Node layer = ss::Document::from_bytes(bytes, nullptr).at("layers").at("1");
  CHECK(layer.path() == "/layers/1");
  CHECK(layer.value()["width"] == Value(1));
  CHECK(layer.at("width").as<int>() == 1);
  CHECK(layer.at("/").path() == "/layers/1");
}

TEST_CASE("dynamic loading honours every option that it has") {
  static_assert(AsksForTypes<ss::LoadOptions> && !AsksForTypes<ss::ReadOptions>);
  const ss::test::Folder folder;
  const auto path = folder / "m.safetensors";
  ss::save_file(model(), path, {.checksums = true});
  CHECK(ss::load_file(path, {.access = ss::Access::memory, .verify_checksums = true}) == model());
  CHECK(error_of([&] {
          return ss::load_file(path, {.limits = {.depth = 1}});
        }).find("Limits::depth") != std::string::npos);
  CHECK(error_of([&] { return ss::load_file(path, {.format = ss::formats::json()}); }) !=
        "no error");
}
