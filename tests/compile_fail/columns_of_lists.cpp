// error: Rules<T>::columns is for structs that can be columns
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
