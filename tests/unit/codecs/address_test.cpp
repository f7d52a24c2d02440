/// \file
/// Objects whose operator& is their own, as xtensor's is, are saved and loaded by their real
/// address.
#include <doctest/doctest.h>

#include <memory>
#include <string_view>
#include <vector>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

namespace ss = safestructures;

namespace {

struct NoAddress {
  int number = 0;
  std::vector<float> weights = {};
  void operator&() const = delete;
};

class NoAddressBase {
 public:
  explicit NoAddressBase(int number) : number_(number) {}
  NoAddressBase(const NoAddressBase&) = default;
  NoAddressBase& operator=(const NoAddressBase&) = default;
  virtual ~NoAddressBase() = default;
  void operator&() const = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

template <>
struct ss::Codec<NoAddressBase> {
  static constexpr std::string_view type_name = "acme.NoAddressBase";
  static Value encode(const NoAddressBase& object, Encoder& encoder) {
    return encoder.encode(object.number());
  }
  static NoAddressBase decode(const Value& value, Decoder& decoder) {
    return NoAddressBase(decoder.decode<int>(value));
  }
};

TEST_CASE("a struct without operator& is saved and loaded") {
  const NoAddress object{7, {1, 2}};
  const auto again = ss::load<NoAddress>(ss::save(object));
  CHECK(again.number == 7);
  CHECK(again.weights == object.weights);
  CHECK(ss::Value::from(object).as<NoAddress>().number == 7);
  const std::vector<NoAddress> list = {object, object};
  CHECK(ss::load<std::vector<NoAddress>>(ss::save(list))[1].weights == object.weights);
}

TEST_CASE("pointers to objects without operator& know which object is the same") {
  const auto object = std::make_shared<NoAddress>(NoAddress{7, {1, 2}});
  const std::vector<std::shared_ptr<NoAddress>> twice = {object, object};
  const auto again = ss::load<std::vector<std::shared_ptr<NoAddress>>>(ss::save(twice));
  CHECK(again[0] == again[1]);
  CHECK(again[0]->weights == object->weights);
  const auto base = std::make_shared<NoAddressBase>(8);
  CHECK(ss::load<std::shared_ptr<NoAddressBase>>(ss::save(base))->number() == 8);
  const auto unique = std::make_unique<NoAddressBase>(9);
  CHECK(ss::load<std::unique_ptr<NoAddressBase>>(ss::save(unique))->number() == 9);
}
