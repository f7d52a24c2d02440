// error: deleted
#include <array>
#include <vector>

#include <safestructures/data/tensor.hpp>

namespace ss = safestructures;

std::uint64_t size() {
#ifdef SHOULD_FAIL
  return ss::Tensor::of<float>(std::vector<float>{1, 2}).size();
#else
  const std::vector<float> values{1, 2};
  return ss::Tensor::of<float>(values).size();
#endif
}
