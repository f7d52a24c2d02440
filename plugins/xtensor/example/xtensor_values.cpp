// xtensor's arrays as values: what a file would hold, and how it comes back in another type.
#include <iostream>

#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/plugins/xtensor.hpp>

namespace ss = safestructures;

int main() {
  const xt::xtensor<double, 2> weight{{1, 2, 3}, {4, 5, 6}};

  // A view of every second column: nothing is copied, and a file would hold it row-major.
  const auto columns = xt::view(weight, xt::all(), xt::range(0, 3, 2));
  const ss::Value value = ss::Value::from(columns);
  std::cout << ss::describe(value) << '\n';

  const auto narrow = value.as<xt::xarray<float>>();
  try {
    static_cast<void>(value.as<xt::xtensor<double, 1>>());
    return 1;
  } catch (const ss::Error& error) {
    std::cout << error.what() << '\n';
  }
  return narrow == columns ? 0 : 1;
}
