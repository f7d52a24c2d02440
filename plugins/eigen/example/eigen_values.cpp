// Eigen objects as values: what a file would hold, and how it comes back in another type.
#include <iostream>

#include <Eigen/Core>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/plugins/eigen.hpp>

namespace ss = safestructures;

int main() {
  const Eigen::Matrix<double, 2, 3> weight{{1, 2, 3}, {4, 5, 6}};

  // A view of the matrix: nothing is copied, and a file would hold it row-major.
  const ss::Value value = ss::Value::from(weight);
  std::cout << ss::describe(value) << '\n';

  const Eigen::MatrixXf narrow = value.as<Eigen::MatrixXf>();
  std::cout << narrow << '\n';

  try {
    static_cast<void>(value.as<Eigen::Matrix3d>());
    return 1;
  } catch (const ss::Error& error) {
    std::cout << error.what() << '\n';
  }
  return narrow == weight.cast<float>() ? 0 : 1;
}
