// error: (deleted|dangl)
#include <array>
#include <cstddef>
#include <span>

#include <safestructures/data/tensor.hpp>

namespace ss = safestructures;

float first(const ss::Tensor& tensor) {
#ifdef SHOULD_FAIL
  return tensor.contiguous().data<float>().front();
#else
  const ss::Tensor copy = tensor.contiguous();
  return copy.data<float>().front();
#endif
}
