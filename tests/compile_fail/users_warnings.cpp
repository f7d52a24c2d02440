// error: (useless-cast|shadow)
// Users' warnings that ours do not include: none in the headers, with either compiler.
#if defined(__clang__)
#pragma clang diagnostic error "-Wshadow-all"
#else
#pragma GCC diagnostic error "-Wuseless-cast"
#pragma GCC diagnostic error "-Wshadow"
#endif
#include <safestructures/burn/burn.hpp>
#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>

struct Layer {
  std::vector<float> weight;
};

std::span<float> of(safestructures::Tensor& tensor, std::size_t size) {
#if defined(SHOULD_FAIL)
  size = [](std::size_t size) { return static_cast<std::size_t>(size); }(size);
#endif
  return tensor.mutable_data<float>().first(size);
}
std::vector<std::byte> save(const Layer& layer) { return safestructures::save(layer); }
