// Custom types through a plugin: a codec at compile time, and a registry for types that are known
// only at run time.
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>
namespace ss = safestructures;

namespace acme {

/// A class with invariants: it cannot be reflected, so it gets a codec.
class Quaternion {
 public:
  explicit Quaternion(const std::array<float, 4>& coefficients) : coefficients_(coefficients) {}
  [[nodiscard]] const std::array<float, 4>& coefficients() const { return coefficients_; }
  friend bool operator==(const Quaternion&, const Quaternion&) = default;

 private:
  std::array<float, 4> coefficients_;
};

struct Sensor {
  virtual ~Sensor() = default;
  [[nodiscard]] virtual std::string name() const = 0;
};
struct Camera : Sensor {
  explicit Camera(std::int64_t w) : width(w) {}
  [[nodiscard]] std::string name() const override { return "camera " + std::to_string(width); }
  std::int64_t width;
};

}  // namespace acme

template <>
struct ss::Codec<acme::Quaternion> {
  static constexpr std::string_view type_name = "acme.Quaternion";
  static ss::Value encode(const acme::Quaternion& q, ss::Encoder& encoder) {
    return encoder.encode(q.coefficients());
  }
  static acme::Quaternion decode(const ss::Value& value, ss::Decoder& decoder) {
    return acme::Quaternion(decoder.decode<std::array<float, 4>>(value));
  }
};

template <>
struct ss::Codec<acme::Camera> {
  static constexpr std::string_view type_name = "acme.Camera";
  static ss::Value encode(const acme::Camera& camera, ss::Encoder&) { return camera.width; }
  static acme::Camera decode(const ss::Value& value, ss::Decoder& decoder) {
    return acme::Camera(decoder.decode<std::int64_t>(value));
  }
};

struct Robot {
  acme::Quaternion pose;
  std::vector<std::unique_ptr<acme::Sensor>> sensors;
};

int main() {
  ss::Registry registry;
  registry.add<acme::Quaternion>().add<acme::Camera, acme::Sensor>();

  Robot robot{acme::Quaternion({1, 0, 0, 0}), {}};
  robot.sensors.push_back(std::make_unique<acme::Camera>(640));
  ss::save_file(robot, "robot.safetensors", {.registry = &registry});

  const Robot again = ss::load_file<Robot>("robot.safetensors", {.registry = &registry});
  const auto pose = ss::load_file("robot.safetensors")["pose"].as<acme::Quaternion>();
  std::cout << "the pose is " << (pose == robot.pose ? "the same" : "another") << ", the sensor a "
            << again.sensors.at(0)->name() << "\n\n"
            << ss::load_file("robot.safetensors");
  return again.pose == robot.pose && again.sensors.at(0)->name() == "camera 640" ? 0 : 1;
}
