// error: (deleted|dangl)
#include <array>
#include <cstddef>
#include <span>

#include <safestructures/data/tensor.hpp>

namespace ss = safestructures;

std::size_t size(const ss::Tensor& tensor) {
#ifdef SHOULD_FAIL
  return tensor.contiguous().bytes().size();
#else
  const ss::Tensor copy = tensor.contiguous();
  return copy.bytes().size();
#endif
}
