// error: Rules<T>::columns is for structs that can be columns
// absent: cannot (save|load) this type|can save this type, but not
#include <cstddef>
#include <vector>

#include <safestructures/safestructures.hpp>

namespace ss = safestructures;

struct Named {
#ifdef SHOULD_FAIL
  std::vector<int> name;
#else
  float name = 0;
#endif
};

template <>
struct ss::Rules<Named> {
  static constexpr bool columns = true;
};

std::vector<std::byte> save(const std::vector<Named>& all) { return ss::save(all); }
std::vector<Named> load(const std::vector<std::byte>& bytes) {
  return ss::load<std::vector<Named>>(bytes);
}
