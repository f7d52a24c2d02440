// The part that knows v1.
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>

namespace other = safestructures::v1;

std::vector<std::byte> saved_by_v1() {
  return other::save(std::map<std::string, std::vector<float>>{{"bias", {1.0F, 2.0F}}});
}

bool v1_throws_its_own_error() {
  try {
    static_cast<void>(other::load(std::vector<std::byte>(4)));
  } catch (const other::Error&) {
    return true;
  }
  return false;
}
