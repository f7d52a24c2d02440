/// \file
/// The use-site code of the design works as written there; plugins fail without harm.
#include <doctest/doctest.h>

#include <any>
#include <array>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using ss::test::error_of;
using ss::test::Folder;

namespace {

class Quaternion {
 public:
  explicit Quaternion(std::array<float, 4> coefficients) : coefficients_(coefficients) {}
  [[nodiscard]] const std::array<float, 4>& coefficients() const { return coefficients_; }

 private:
  std::array<float, 4> coefficients_;
};

struct Pose {
  std::string name;
  Quaternion rotation{{1, 0, 0, 0}};
};

struct Shape {
  virtual ~Shape() = default;
  [[nodiscard]] virtual double area() const = 0;
};
struct Square : Shape {
  explicit Square(double s) : side(s) {}
  [[nodiscard]] double area() const override { return side * side; }
  double side;
};

/// Fails when it is saved.
struct Unlucky {};
/// Has no memory.
struct Poor {};

}  // namespace

template <>
struct ss::Codec<Quaternion> {
  static constexpr std::string_view type_name = "acme.Quaternion";
  static ss::Value encode(const Quaternion& q, ss::Encoder& encoder) {
    return encoder.encode(q.coefficients());
  }
  static Quaternion decode(const ss::Value& value, ss::Decoder& decoder) {
    return Quaternion(decoder.decode<std::array<float, 4>>(value));
  }
};

template <>
struct ss::Codec<Square> {
  static constexpr std::string_view type_name = "acme.Square";
  static ss::Value encode(const Square& square, ss::Encoder& encoder) {
    return encoder.encode(square.side);
  }
  static Square decode(const ss::Value& value, ss::Decoder& decoder) {
    return Square(decoder.decode<double>(value));
  }
};

template <>
struct ss::Codec<Unlucky> {
  static constexpr std::string_view type_name = "acme.Unlucky";
  static ss::Value encode(const Unlucky&, ss::Encoder&) { throw std::logic_error("not today"); }
  static Unlucky decode(const ss::Value&, ss::Decoder&) { throw std::logic_error("nor tomorrow"); }
};

template <>
struct ss::Codec<Poor> {
  static constexpr std::string_view type_name = "acme.Poor";
  static ss::Value encode(const Poor&, ss::Encoder&) { throw std::bad_alloc(); }
  static Poor decode(const ss::Value&, ss::Decoder&) { throw std::bad_alloc(); }
};

TEST_CASE("a plugin's type is saved and loaded, typed and dynamic, as the design shows") {
  const Folder folder;
  const std::filesystem::path path = folder / "pose.safetensors";
  ss::save_file(std::map<std::string, Quaternion>{{"pose", Quaternion({1, 2, 3, 4})}}, path);
  ss::Registry registry;
  registry.add<Quaternion>();
  for (const Quaternion& pose :
       {ss::load_file(path)["pose"].as<Quaternion>(),
        ss::load_file(path)["pose"].as<Quaternion>({.registry = &registry}),
        ss::open(path, {.registry = &registry}).at("/pose").as<Quaternion>()})
    CHECK(pose.coefficients() == std::array<float, 4>{1, 2, 3, 4});
  const ss::Document document = ss::open(path);
  CHECK(document.at("/pose").value().type_name() == "acme.Quaternion");
  CHECK(document.at("/pose").value().payload().tensor().to_vector<float>() ==
        std::vector<float>{1, 2, 3, 4});
  CHECK(document.schema() ==
        R"({"data_type": "dict", "value": {"pose": {"data_type": "acme.Quaternion", "value": )"
        R"({"data_type": "numpy.ndarray", "value": "pose"}}}, "keys": {"pose": {"data_type": )"
        R"("str", "value": "pose"}}})");
}

TEST_CASE("a plugin's type is a member of structs and containers") {
  const std::vector<Pose> poses = {{"a", Quaternion({1, 2, 3, 4})},
                                   {"b", Quaternion({5, 6, 7, 8})}};
  const auto found = ss::load<std::vector<Pose>>(ss::save(poses));
  CHECK(found.at(1).name == "b");
  CHECK(found.at(1).rotation.coefficients() == std::array<float, 4>{5, 6, 7, 8});
}

TEST_CASE("a type that nobody registered is kept, and saved back unchanged") {
  const std::vector<std::byte> bytes = ss::save(Pose{"a", Quaternion({1, 2, 3, 4})});
  CHECK(ss::save(ss::load(bytes)) == bytes);
}

TEST_CASE("objects behind base pointers and in std::any go by the registry") {
  ss::Registry registry;
  registry.add<Square, Shape>();
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>(3));
  shapes.push_back(nullptr);
  const std::vector<std::byte> bytes = ss::save(shapes, {.registry = &registry});
  const auto found = ss::load<std::vector<std::unique_ptr<Shape>>>(bytes, {.registry = &registry});
  REQUIRE(found.size() == 2);
  CHECK(found[0]->area() == 9);
  CHECK(found[1] == nullptr);
  CHECK(error_of([&] { return ss::save(shapes); }).starts_with("unknown_type: at /0: "));
  CHECK(error_of([&] {
          return ss::load<std::vector<std::unique_ptr<Shape>>>(bytes).size();
        }).starts_with("unknown_type: at /0: "));

  const std::vector<std::any> anything = {Square(2), std::string("x"), std::any()};
  const auto any = ss::load<std::vector<std::any>>(ss::save(anything, {.registry = &registry}),
                                                   {.registry = &registry});
  CHECK(std::any_cast<Square>(any.at(0)).side == 2);
  CHECK(std::any_cast<std::string>(any.at(1)) == "x");
  CHECK_FALSE(any.at(2).has_value());
}

TEST_CASE("a builtin type is overridden at run time") {
  ss::Registry registry;
  registry.add<std::string>(
      "acme.Secret",
      [](const std::string& text, ss::Encoder&) {
        return ss::Value(std::string(text.rbegin(), text.rend()));
      },
      [](const ss::Value& value, ss::Decoder&) {
        const std::string& text = value.as_string();
        return std::string(text.rbegin(), text.rend());
      });
  const std::vector<std::string> texts = {"abc"};
  const std::vector<std::byte> bytes = ss::save(texts, {.registry = &registry});
  CHECK(ss::load(bytes)[0] == ss::Value::custom("acme.Secret", "cba"));
  CHECK(ss::load<std::vector<std::string>>(bytes, {.registry = &registry}) == texts);
}

TEST_CASE("an exception in a plugin leaves the old file as it was and reaches the caller") {
  const Folder folder;
  const std::filesystem::path path = folder / "x.safetensors";
  ss::save_file(std::vector<int>{1, 2}, path);
  const std::map<std::string, std::vector<Unlucky>> unlucky = {{"a", {Unlucky{}}}};
  bool is_nested = false;
  try {
    ss::save_file(unlucky, path);
    FAIL("nothing was thrown");
  } catch (const ss::Error& error) {
    CHECK(error.code() == ss::ErrorCode::plugin_failed);
    CHECK(error.details().file == path.string());
    CHECK(error.details().path == "/a/0");
    CHECK(error.details().found == "not today");
    try {
      std::rethrow_if_nested(error);
    } catch (const std::logic_error& nested) {
      is_nested = std::string_view(nested.what()) == "not today";
    }
  }
  CHECK(is_nested);
  CHECK(ss::load_file<std::vector<int>>(path) == std::vector<int>{1, 2});
  CHECK(folder.names() == std::vector<std::string>{"x.safetensors"});
  const ss::Value stored = ss::Value::list({ss::Value::custom("acme.Unlucky", 1)});
  ss::save_file(stored, path);
  const std::string load_error =
      error_of([&] { return ss::load_file<std::vector<Unlucky>>(path).size(); });
  CHECK(load_error == "plugin_failed: " + path.string() +
                          ": at /0: the codec of 'acme.Unlucky' failed: found nor tomorrow.");
}

TEST_CASE("a plugin that runs out of memory reaches the caller as std::bad_alloc") {
  const Folder folder;
  const std::filesystem::path path = folder / "x.safetensors";
  const ss::Value stored = ss::Value::list({ss::Value::custom("acme.Poor", 1)});
  ss::save_file(stored, path);
  CHECK_THROWS_AS(static_cast<void>(ss::save_file(std::vector<Poor>(1), path)), std::bad_alloc);
  CHECK(ss::load_file(path) == stored);
  CHECK(folder.names() == std::vector<std::string>{"x.safetensors"});
  CHECK_THROWS_AS(static_cast<void>(ss::load_file<std::vector<Poor>>(path)), std::bad_alloc);
  ss::Registry registry;
  registry.add<Poor>();
  CHECK_THROWS_AS(
      static_cast<void>(ss::load_file<std::vector<std::any>>(path, {.registry = &registry})),
      std::bad_alloc);
}

TEST_CASE("a custom type's text that is also a tensor's name is still the text") {
  ss::Registry registry;
  registry.add<std::string>(
      "acme.Word", [](const std::string& text, ss::Encoder&) { return ss::Value(text).plain(); },
      [](const ss::Value& value, ss::Decoder& decoder) {
        return ss::Codec<std::string>::decode(value, decoder);
      });
  const std::pair<std::string, std::vector<float>> pair = {"1", {2.0F}};
  const auto bytes = ss::save(pair, {.registry = &registry});  // The tensor's name is 1 as well.
  CHECK(ss::load<std::pair<std::string, std::vector<float>>>(bytes, {.registry = &registry}) ==
        pair);
}
