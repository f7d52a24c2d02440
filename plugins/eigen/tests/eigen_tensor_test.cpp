/// \file
/// Eigen::Tensor is saved row-major without copying and comes back equal.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <safestructures/plugins/eigen_tensor.hpp>

namespace ss = safestructures;

namespace {

template <class T>
T counted(typename T::Index a, typename T::Index b, typename T::Index c) {
  using Index = typename T::Index;
  T tensor(a, b, c);
  int next = 0;
  for (Index i = 0; i < a; ++i) {
    for (Index j = 0; j < b; ++j) {
      for (Index k = 0; k < c; ++k) tensor(i, j, k) = static_cast<typename T::Scalar>(next++);
    }
  }
  return tensor;
}

template <class T>
bool equal(const T& a, const T& b) {
  if (a.dimensions() != b.dimensions()) return false;
  return std::vector(a.data(), a.data() + a.size()) == std::vector(b.data(), b.data() + b.size());
}

}  // namespace

TEST_CASE_TEMPLATE("tensors of both layouts are row-major in the file", T, Eigen::Tensor<float, 3>,
                   Eigen::Tensor<float, 3, Eigen::RowMajor>, Eigen::Tensor<std::int32_t, 3>,
                   Eigen::Tensor<double, 3, 0, int>) {
  const T tensor = counted<T>(3, 4, 5);
  const ss::Value value = ss::Value::from(tensor);
  CHECK(value.tensor().shape() == ss::Shape{3, 4, 5});
  CHECK(value.tensor().origin() == reinterpret_cast<const std::byte*>(tensor.data()));
  const std::vector<double> elements = value.tensor().template to_vector<double>();
  for (std::size_t i = 0; i < elements.size(); ++i) REQUIRE(elements[i] == static_cast<double>(i));
  CHECK(equal(value.template as<T>(), tensor));
  ss::Value stored = value;
  stored.set_tensor(value.tensor().clone());
  CHECK(equal(stored.template as<T>(), tensor));
}

TEST_CASE("a map of memory is saved as it is, and another rank is refused") {
  std::vector<float> memory = {0, 1, 2, 3, 4, 5};
  const Eigen::TensorMap<Eigen::Tensor<float, 2>> map(memory.data(), 2, 3);
  const ss::Value value = ss::Value::from(map);
  CHECK(value.tensor().to_vector<float>() == std::vector<float>{0, 2, 4, 1, 3, 5});
  std::string text;
  try {
    static_cast<void>(value.as<Eigen::Tensor<float, 3>>());
  } catch (const ss::Error& error) {
    text = error.what();
  }
  CHECK(
      text ==
      "at /: the tensor has another shape: expected a tensor of rank 3, found tensor F32 [2, 3].");
}

TEST_CASE("tensors without dimensions or elements work, complex ones too") {
  Eigen::Tensor<float, 0> scalar;
  scalar() = 7;
  CHECK(ss::Value::from(scalar).tensor().shape().empty());
  CHECK(ss::Value::from(scalar).as<Eigen::Tensor<float, 0>>()() == 7);
  const Eigen::Tensor<float, 2> empty(0, 4);
  CHECK(ss::Value::from(empty).as<Eigen::Tensor<float, 2>>().dimension(1) == 4);
  Eigen::Tensor<std::complex<double>, 2> complex(2, 3);
  complex.setZero();
  complex(1, 2) = {1, -2};
  const ss::Value value = ss::Value::from(complex);
  CHECK(value.tensor().shape() == ss::Shape{2, 3, 2});
  CHECK(equal(value.as<Eigen::Tensor<std::complex<double>, 2>>(), complex));
}
