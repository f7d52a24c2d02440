// error: deleted
#include <cstddef>
#include <vector>

#include <safestructures/data/tensor.hpp>

namespace ss = safestructures;

std::uint64_t size() {
#ifdef SHOULD_FAIL
  return ss::Tensor::borrow(ss::DType::U8, {2}, std::vector<std::byte>(2)).size();
#else
  const std::vector<std::byte> bytes(2);
  return ss::Tensor::borrow(ss::DType::U8, {2}, bytes).size();
#endif
}
