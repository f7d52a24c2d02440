// The library's side of the sweep over tensor sizes: one file of equal square tensors is saved or
// loaded, once. `sweep ACTION DTYPE KIND FILE TENSOR_BYTES COUNT`, where TENSOR_BYTES is what one
// tensor takes in the file, as F32.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <safestructures/plugins/eigen.hpp>
#include <safestructures/safestructures.hpp>
#include "worker.hpp"

namespace bench {
namespace {

struct Job {
  Path file;
  std::size_t tensor_bytes;
  std::size_t count;

  [[nodiscard]] std::size_t elements() const { return tensor_bytes / sizeof(float); }
  [[nodiscard]] std::size_t side() const {
    return static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(elements()))));
  }
  /// What has to be there for source, target and page cache of elements of that size.
  [[nodiscard]] std::size_t memory(std::size_t element_bytes) const {
    return count * (tensor_bytes + elements() * element_bytes);
  }
};

/// Exact in every dtype of the sweep.
template <class Scalar>
Scalar number(std::size_t tensor) {
  return static_cast<Scalar>(static_cast<float>(tensor % 251));
}

/// How a kind of tensor is made, and what its first element is.
template <class Scalar>
struct Vectors {
  using Tensor = std::vector<Scalar>;
  static Tensor make(std::size_t side, Scalar value) { return Tensor(side * side, value); }
  static Scalar last(const Tensor& tensor) { return tensor.back(); }
};

template <class Scalar, int Order>
struct Matrices {
  using Tensor = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Order>;
  static Tensor make(std::size_t side, Scalar value) {
    const auto size = static_cast<Eigen::Index>(side);
    return Tensor::Constant(size, size, value);
  }
  static Scalar last(const Tensor& tensor) { return tensor(tensor.rows() - 1, tensor.cols() - 1); }
};

template <class Scalar>
struct Views {
  using Tensor = ss::Tensor;
  static Tensor make(std::size_t side, Scalar value) {
    const std::vector<Scalar> elements(side * side, value);
    return ss::Tensor::of<Scalar>(elements).clone();
  }
  static Scalar last(const Tensor& tensor) { return tensor.template data<Scalar>().back(); }
};

template <class Kind, class Scalar>
std::vector<typename Kind::Tensor> tensors(const Job& job, std::size_t count) {
  std::vector<typename Kind::Tensor> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(Kind::make(job.side(), number<Scalar>(i)));
  return result;
}

template <class Kind, class Scalar>
void run(std::string_view action, const Job& job) {
  const Job tiny{job.file, 1024, 1};
  const auto small = tensors<Kind, Scalar>(tiny, 1);
  const std::size_t memory = job.memory(sizeof(Scalar));
  if (action == "save") {
    save(small, tensors<Kind, Scalar>(job, job.count), job.file, memory);
    return;
  }
  require(action == "load", "sweep: an action is save or load");
  using All = std::vector<typename Kind::Tensor>;
  // What is mapped and kept as it is would not be read; what is converted gets memory of its own.
  constexpr bool is_view = std::is_same_v<Kind, Views<float>>;
  const ss::LoadOptions options{.access = is_view ? ss::Access::memory : ss::Access::map};
  load(small, job.file, memory / 2, options, [&](const All& loaded) {
    return loaded.size() == job.count && Kind::last(loaded.back()) == number<Scalar>(job.count - 1);
  });
}

template <class Own, class OfEigen>
void run_kind(std::string_view kind, std::string_view action, const Job& job) {
  if (kind == "vector") return run<Vectors<Own>, Own>(action, job);
  if (kind == "row") return run<Matrices<OfEigen, Eigen::RowMajor>, OfEigen>(action, job);
  if (kind == "column") return run<Matrices<OfEigen, Eigen::ColMajor>, OfEigen>(action, job);
  require(kind == "tensor", "sweep: a kind is vector, row, column or tensor");
  run<Views<Own>, Own>(action, job);
}

void run_dtype(std::string_view dtype, std::string_view kind, std::string_view action,
               const Job& job) {
  if (dtype == "f32") return run_kind<float, float>(kind, action, job);
  if (dtype == "f64") return run_kind<double, double>(kind, action, job);
  if (dtype == "f16") return run_kind<ss::half, Eigen::half>(kind, action, job);
  require(dtype == "bf16", "sweep: a dtype is f32, bf16, f16 or f64");
  run_kind<ss::bfloat16, Eigen::bfloat16>(kind, action, job);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using namespace bench;
  require(argc == 7, "usage: sweep ACTION DTYPE KIND FILE TENSOR_BYTES COUNT");
  try {
    run_dtype(
        argv[2], argv[3], argv[1],
        {.file = argv[4], .tensor_bytes = std::stoull(argv[5]), .count = std::stoull(argv[6])});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
