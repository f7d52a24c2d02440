// The code of docs/plugins.md.
#include <any>
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>
namespace ss = safestructures;

class Money {
 public:
  explicit Money(std::int64_t cents) : cents_(cents) {}
  [[nodiscard]] std::int64_t cents() const { return cents_; }

 private:
  std::int64_t cents_;
};

template <>
struct ss::Codec<Money> {
  static constexpr std::string_view type_name = "acme.Money";
  static ss::Value encode(const Money& money, ss::Encoder& encoder) {
    return encoder.encode(money.cents());
  }
  static Money decode(const ss::Value& value, ss::Decoder& decoder) {
    return Money(decoder.decode<std::int64_t>(value));
  }
};

template <class T>
class Stack {
 public:
  void push(T item) { items_.push_back(std::move(item)); }
  [[nodiscard]] const std::vector<T>& items() const { return items_; }

 private:
  std::vector<T> items_;
};

template <class T>
struct ss::Codec<Stack<T>> {
  static ss::Value encode(const Stack<T>& stack, ss::Encoder& encoder) {
    ss::Value list = ss::Value::list();
    for (std::size_t i = 0; i < stack.items().size(); ++i)
      list.push_back(encoder.encode_at(i, stack.items()[i]));
    return list;
  }
  static Stack<T> decode(const ss::Value& value, ss::Decoder& decoder) {
    if (!value.is_sequence()) decoder.mismatch("a list", value);
    Stack<T> stack;
    for (std::size_t i = 0; i < value.size(); ++i)
      stack.push(decoder.decode_at<T>(i, value.items()[i]));
    return stack;
  }
};

class Image {
 public:
  Image(std::uint64_t height, std::uint64_t width)
      : height_(height), width_(width), pixels_(height * width) {}
  [[nodiscard]] ss::Shape shape() const { return {height_, width_}; }
  [[nodiscard]] const std::vector<std::uint8_t>& pixels() const { return pixels_; }
  [[nodiscard]] std::vector<std::uint8_t>& pixels() { return pixels_; }

 private:
  std::uint64_t height_, width_;
  std::vector<std::uint8_t> pixels_;
};

template <>
struct ss::Codec<Image> {
  static ss::Value encode(const Image& image, ss::Encoder&) {
    ss::Value tensor(ss::Tensor::of<std::uint8_t>(image.pixels(), image.shape()));
    tensor.set_attribute("layout", "grey");
    return tensor;
  }
  static Image decode(const ss::Value& value, ss::Decoder& decoder) {
    if (value.kind() != ss::Kind::tensor || value.tensor().rank() != 2)
      decoder.mismatch("a tensor of rank 2", value);
    const ss::Tensor& tensor = value.tensor();
    Image image(tensor.shape()[0], tensor.shape()[1]);
    tensor.copy_to(ss::DType::U8, std::as_writable_bytes(std::span(image.pixels())));
    return image;
  }
};

struct Camera {
  std::string name;
  float exposure = 0.01F;
  std::vector<float> cache;
};

template <>
struct ss::Rules<Camera> {
  static constexpr std::string_view name = "acme.Camera";
  static constexpr unsigned version = 2;
  static constexpr auto fields =
      ss::fields(ss::field("name").alias("label"),
                 ss::field("exposure").rename("exposure_s").optional(), ss::field("cache").skip());
  static void migrate(ss::Value& value, unsigned from_version) {
    if (from_version >= 2) return;
    // Version 1 stored milliseconds.
    if (const auto ms = value.erase("exposure_ms"))
      value.insert("exposure_s", ms->as_double() / 1000);
  }
};

struct Shape2 {
  virtual ~Shape2() = default;
};
struct Circle : Shape2 {
  explicit Circle(double r) : radius(r) {}
  double radius;
};

template <>
struct ss::Codec<Circle> {
  static constexpr std::string_view type_name = "acme.Circle";
  static ss::Value encode(const Circle& circle, ss::Encoder&) { return circle.radius; }
  static Circle decode(const ss::Value& value, ss::Decoder& decoder) {
    return Circle(decoder.decode<double>(value));
  }
};

namespace {

void check(bool right, const char* what) {
  if (right) return;
  std::cerr << "wrong: " << what << '\n';
  std::exit(1);
}

}  // namespace

int main() {
  ss::save_file(Money(1250), "money.safetensors");
  check(ss::load_file<Money>("money.safetensors").cents() == 1250, "money");

  Stack<std::string> stack;
  stack.push("a");
  check(ss::load<Stack<std::string>>(ss::save(stack)).items() == stack.items(), "stack");

  Image image(2, 3);
  image.pixels()[5] = 7;
  check(ss::load<Image>(ss::save(image)).pixels() == image.pixels(), "image");

  const auto old_camera =
      ss::Value::structure("acme.Camera", {{"label", "front"}, {"exposure_ms", 20.0}});
  const auto camera = old_camera.as<Camera>();
  check(camera.name == "front" && camera.exposure == 0.02F, "camera");

  ss::Registry registry;
  registry.add<Circle, Shape2>();
  std::vector<std::unique_ptr<Shape2>> shapes;
  shapes.push_back(std::make_unique<Circle>(2.0));
  ss::save_file(shapes, "shapes.safetensors", {.registry = &registry});
  const auto again = ss::load_file<std::vector<std::unique_ptr<Shape2>>>("shapes.safetensors",
                                                                         {.registry = &registry});
  check(dynamic_cast<Circle&>(*again.at(0)).radius == 2.0, "shapes");

  // A type that the library knows already, saved in a way of one's own.
  ss::Registry temperatures;
  temperatures.add<float>(
      "acme.Celsius", [](const float& kelvin, ss::Encoder&) { return ss::Value(kelvin - 273.15F); },
      [](const ss::Value& value, ss::Decoder&) {
        return static_cast<float>(value.as_double()) + 273.15F;
      });
  const auto bytes = ss::save(300.0F, {.registry = &temperatures});
  check(std::abs(ss::load<float>(bytes, {.registry = &temperatures}) - 300.0F) < 1e-3F, "float");
  std::cout << ss::load(bytes);
}
