#include "compare/metrics/tensor_pair.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// Returns text such as `F32, was F16`.
std::string dtype_text(const SideDType& dtype) {
  std::string text(to_string(dtype.stored));
  if (dtype.recorded) text.append(", was ").append(to_string(*dtype.recorded));
  return text;
}

}  // namespace

std::string BothDTypes::difference_text() const {
  return a == b ? std::string() : dtype_text(a) + " and " + dtype_text(b);
}

}  // namespace safestructures::inline v0::comparing
