#include "user.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>

namespace ss = safestructures;

struct Layer {
  std::string name;
  std::vector<float> bias;
};

ss::Value user_value() { return ss::load(ss::save(Layer{"first", {1.0F, 2.0F}})); }
void user_failure() { static_cast<void>(ss::load(std::vector<std::byte>(4))); }
