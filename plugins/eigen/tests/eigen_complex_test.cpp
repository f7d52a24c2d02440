/// \file
/// Real numbers load into complex types and complex ones into real types, never as their parts.
#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <safestructures/codecs/map.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/plugins/eigen.hpp>
#include <safestructures/plugins/eigen_tensor.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

namespace ss = safestructures;
using ss::Value;

namespace {

template <class T>
std::string error_of(const Value& value) {
  try {
    static_cast<void>(value.as<T>());
  } catch (const ss::Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "no error";
}

template <class T>
std::string refused(const std::string& found, const Value& value) {
  const std::string expected =
      "type_mismatch: at /: the numbers are complex, and the target's are real: expected real "
      "numbers, found " +
      found + ". Load it into a type of std::complex, and take its real() and imag() from there.";
  const std::string text = error_of<T>(value);
  return text == expected ? "" : text;
}

}  // namespace

TEST_CASE_TEMPLATE("real numbers load into complex types", C, std::complex<float>,
                   std::complex<double>) {
  using Matrix = Eigen::Matrix<C, Eigen::Dynamic, Eigen::Dynamic>;
  using Matrix2 = Eigen::Matrix<C, 2, 2>;
  using Vector = Eigen::Matrix<C, Eigen::Dynamic, 1>;
  const Eigen::Matrix2d real{{1, 2}, {3, 4}};
  const Matrix2 expected{{C(1), C(2)}, {C(3), C(4)}};
  CHECK(ss::load<Matrix2>(ss::save(real)) == expected);
  const Value value = Value::from(real);
  CHECK(value.as<Matrix>() == expected);
  CHECK(
      (value.as<Eigen::Array<C, 2, Eigen::Dynamic, Eigen::RowMajor>>() == expected.array()).all());
  CHECK(Value::from(Eigen::Vector3i(1, 2, 3)).as<Vector>() == Eigen::Matrix<C, 3, 1>(1, 2, 3));
  CHECK(value.as<std::vector<Eigen::Matrix<C, 2, 1>>>()[1] == Eigen::Matrix<C, 2, 1>(3, 4));
  const auto tensor = value.as<Eigen::Tensor<C, 2>>();
  CHECK(tensor(0, 1) == C(2));
  CHECK(tensor(1, 0) == C(3));
  // Two numbers are one complex number where the mark says so, and only there.
  CHECK(
      error_of<Eigen::Matrix<C, 2, 1>>(value) ==
      "shape_mismatch: at /: the tensor has the wrong shape: expected shape [2], found tensor F64 "
      "[2, 2]. Load it as a matrix.");
  CHECK(error_of<Eigen::Tensor<C, 1>>(value).find("rank 1") != std::string::npos);
  // Integers that no part holds are refused as for real targets.
  const Eigen::Matrix<std::int64_t, 1, 1> large((std::int64_t{1} << 53) + 1);
  CHECK(error_of<Matrix>(Value::from(Eigen::Matrix<std::int64_t, 1, 2>(large(0), 1))) !=
        "no error");
}

TEST_CASE("complex numbers are refused by real types that would lose their imaginary parts") {
  const Eigen::MatrixXcf narrow = Eigen::MatrixXcf::Constant(2, 2, {1, 2});
  CHECK(refused<Eigen::MatrixXf>("tensor C64 [2, 2]", Value::from(narrow)).empty());
  CHECK(refused<Eigen::Matrix2d>("tensor C64 [2, 2]", Value::from(narrow)).empty());
  CHECK(refused<Eigen::Tensor<float, 2>>("tensor C64 [2, 2]", Value::from(narrow)).empty());
  CHECK(refused<std::vector<Eigen::Vector2f>>("tensor C64 [2, 2]", Value::from(narrow)).empty());
  const Eigen::VectorXcd wide = narrow.col(0).cast<std::complex<double>>();
  const std::string found = "tensor F64 [2, 2] of complex numbers";
  CHECK(refused<Eigen::MatrixXd>(found, Value::from(wide)).empty());
  CHECK(refused<Eigen::Tensor<double, 2>>(found, Value::from(wide)).empty());
  CHECK(refused<std::vector<Eigen::Vector2d>>(found, Value::from(wide)).empty());
  CHECK(error_of<Eigen::Vector3f>(Value::from(narrow)).find("expected shape [3]") !=
        std::string::npos);
}

TEST_CASE("complex numbers without imaginary parts load into real types of any size") {
  for (const Eigen::Index columns : {1, 2, 3}) {
    CAPTURE(columns);
    const Eigen::MatrixXf real = Eigen::MatrixXf::Random(3, columns);
    const Eigen::MatrixXcf complex = real.cast<std::complex<float>>();
    CHECK(Value::from(complex).as<Eigen::MatrixXf>() == real);
    CHECK(Value::from(complex).as<Eigen::Tensor<float, 2>>()(2, 0) == real(2, 0));
  }
}

TEST_CASE("pairs whose mark a file without a schema does not hold load as real numbers") {
  using Named = std::map<std::string, Eigen::VectorXcd>;
  const std::complex<double> one(1, 2);
  const std::complex<double> two(3, 4);
  const Named named = {{"a", Eigen::Vector2cd(one, two)}};
  const auto bytes = ss::save(named, {.schema = false});
  CHECK(ss::load<std::map<std::string, Eigen::MatrixXd>>(bytes)["a"] ==
        Eigen::Matrix2d{{1, 2}, {3, 4}});
  CHECK_THROWS_AS(static_cast<void>(ss::load<Named>(bytes)), ss::Error);
  CHECK(ss::load<Named>(ss::save(named)) == named);
}
