// The part that knows v0; it loads what v1 saved.
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>

namespace ss = safestructures::v0;

std::vector<std::byte> saved_by_v1();
bool v1_throws_its_own_error();

int main() {
  const std::map<std::string, std::vector<float>> expected{{"bias", {1.0F, 2.0F}}};
  if (saved_by_v1() != ss::save(expected) ||
      ss::load<std::map<std::string, std::vector<float>>>(saved_by_v1()) != expected) {
    std::puts("two versions that differ in nothing do not agree");
    return 1;
  }
  if (!v1_throws_its_own_error()) {
    std::puts("v1 threw something that it does not know itself");
    return 1;
  }
  std::puts("two versions in one process");
}
