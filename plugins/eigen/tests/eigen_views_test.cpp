/// \file
/// Views and expressions of all kinds are saved as Eigen evaluates them.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <vector>

#include <safestructures/codecs/vector.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/plugins/eigen.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

namespace ss = safestructures;

namespace {

using Eigen::Dynamic;
using Eigen::Index;
using RowMajor = Eigen::Matrix<float, Dynamic, Dynamic, Eigen::RowMajor>;
using AnyStride = Eigen::Stride<Dynamic, Dynamic>;
enum class Memory { borrowed, owned };

template <class E>
void check(const E& expression, Memory memory) {
  using Plain = typename E::PlainObject;
  // Element by element, as Eigen's own assignment of some asks for their memory, too.
  const Plain expected =
      expression.unaryExpr([](const typename E::Scalar& number) { return number; });
  const ss::Value value = ss::Value::from(expression);
  CHECK(value.tensor().is_owned() == (memory == Memory::owned));
  const Plain loaded = value.as<Plain>();
  REQUIRE(loaded.rows() == expected.rows());
  REQUIRE(loaded.cols() == expected.cols());
  CHECK((loaded.array() == expected.array()).all());
}

// Each expression is a type to be compiled: no more of them than differ in what they tell.
template <class M>
void check_views(const M& matrix, Memory memory, Memory diagonal) {
  check(matrix, memory);
  check(matrix.diagonal(), diagonal);
  check(matrix.diagonal(-1).transpose(), diagonal);
  check(matrix.transpose().diagonal(), diagonal);
  check(matrix.row(1).transpose(), memory);
  check(matrix.col(1).tail(2), memory);
  check(matrix.array().transpose(), memory);
  check(matrix(Eigen::seq(0, matrix.rows() - 1, 2), Eigen::all), Memory::owned);
}

std::vector<float> counted() {
  std::vector<float> numbers(400);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  return numbers;
}

}  // namespace

TEST_CASE("views of matrices of both orders, and views of those") {
  std::vector<float> numbers = counted();
  Eigen::MatrixXf matrix = Eigen::Map<Eigen::MatrixXf>(numbers.data(), 5, 6);
  check_views(matrix, Memory::borrowed, Memory::borrowed);
  RowMajor row_major = matrix;
  check_views(row_major.block(1, 1, 3, 4), Memory::borrowed, Memory::borrowed);
  const Eigen::Matrix<float, 5, 6> fixed = matrix;
  check_views(fixed.transpose(), Memory::borrowed, Memory::borrowed);
  const Eigen::Ref<const Eigen::MatrixXf> ref(matrix);
  check_views(ref, Memory::borrowed, Memory::borrowed);
  check(matrix.diagonal(-1).segment(1, 2), Memory::borrowed);
  check(matrix.reverse(), Memory::owned);
  check(matrix.colwise().sum(), Memory::owned);
  check(matrix(std::vector<int>{1, 0}, Eigen::lastN(2)), Memory::owned);
  check(matrix(Eigen::all, Eigen::seq(5, 0, Eigen::fix<-1>)), Memory::owned);
  check(matrix(Eigen::seqN(0, 2), Eigen::seqN(1, 2)), Memory::borrowed);  // A Block.
}

TEST_CASE("diagonals of maps whose inner stride is not 1 are those that Eigen sees") {
  std::vector<float> numbers = counted();
  Eigen::Map<Eigen::MatrixXf, 0, AnyStride> map(numbers.data(), 5, 6, AnyStride(31, 2));
  CHECK(ss::Value::from(map.diagonal()).as<Eigen::VectorXf>() ==
        Eigen::Matrix<float, 5, 1>(0, 33, 66, 99, 132));
  check_views(map, Memory::borrowed, Memory::owned);
  check(map.diagonal(-1).reverse(), Memory::owned);
  check_views(map.block(1, 1, 3, 4).transpose(), Memory::borrowed, Memory::owned);
  Eigen::Map<RowMajor, 0, AnyStride> row_major(numbers.data(), 5, 6, AnyStride(31, 2));
  check_views(row_major, Memory::borrowed, Memory::owned);
  Eigen::Map<const Eigen::Matrix<float, 4, 4>, 0, Eigen::InnerStride<3>> fixed(numbers.data());
  check_views(fixed, Memory::borrowed, Memory::owned);
  Eigen::Map<Eigen::MatrixXf, 0, Eigen::OuterStride<>> outer(numbers.data(), 5, 6,
                                                             Eigen::OuterStride<>(9));
  check_views(outer, Memory::borrowed, Memory::borrowed);
  Eigen::Ref<Eigen::MatrixXf, 0, AnyStride> ref(map);
  check_views(ref, Memory::borrowed, Memory::owned);
}

TEST_CASE("maps and blocks of what is not const are borrowed, in containers too") {
  std::vector<float> numbers = counted();
  const auto* const first = reinterpret_cast<const std::byte*>(numbers.data());
  Eigen::Map<Eigen::MatrixXf> map(numbers.data(), 5, 6);
  CHECK(ss::Value::from(map).tensor().origin() == first);
  auto block = map.block(0, 0, 3, 4);
  CHECK(ss::Value::from(block).tensor().origin() == first);
  std::vector<Eigen::Map<Eigen::MatrixXf>> maps = {map};
  CHECK(ss::Value::from(maps).items()[0].tensor().origin() == first);
}

TEST_CASE("reshaped objects are borrowed where they lie behind one another") {
  std::vector<float> numbers = counted();
  const Eigen::Map<Eigen::MatrixXf> matrix(numbers.data(), 4, 6);
  check(matrix.reshaped(), Memory::borrowed);
  check(matrix.reshaped(3, 8), Memory::borrowed);
  check(matrix.reshaped(3, 8).transpose(), Memory::borrowed);
  check(matrix.reshaped(3, 8).diagonal(), Memory::borrowed);
  check(matrix.reshaped<Eigen::RowMajor>(3, 8), Memory::owned);
  check(matrix.block(0, 0, 2, 6).reshaped(3, 4), Memory::owned);
  const RowMajor row_major = matrix;
  check(row_major.reshaped<Eigen::RowMajor>(8, 3), Memory::borrowed);
  check(row_major.reshaped<Eigen::RowMajor>(), Memory::borrowed);
  check(row_major.reshaped(8, 3), Memory::owned);
  const Eigen::Map<Eigen::VectorXf, 0, Eigen::InnerStride<2>> strided(numbers.data(), 12);
  check(strided, Memory::borrowed);
  check(strided.reshaped(3, 4), Memory::owned);
  check(strided.reshaped(3, 4).diagonal(), Memory::owned);
}

TEST_CASE_TEMPLATE("parts of complex matrices and their views are evaluated", C,
                   std::complex<float>, std::complex<double>) {
  // Of an object that is not const real() is a view, else an expression.
  Eigen::Matrix<C, 3, 3> matrix = Eigen::Matrix<C, 3, 3>::Random();
  check(matrix.diagonal(), Memory::borrowed);
  check_views(matrix.real(), Memory::owned, Memory::owned);
  check(matrix.imag().diagonal(), Memory::owned);
  check(matrix.diagonal().imag(), Memory::owned);
  check(matrix.block(1, 1, 2, 2).real(), Memory::owned);
  check(matrix.adjoint(), Memory::owned);
}

TEST_CASE("expressions that Eigen gives no memory of are saved into files and bytes") {
  const Eigen::MatrixXf matrix = Eigen::MatrixXf::Random(5, 4);
  const auto rows = matrix(Eigen::seq(0, 4, 2), Eigen::all);
  CHECK(ss::load<Eigen::MatrixXf>(ss::save(rows)) == rows);
  Eigen::Matrix3cf complex = Eigen::Matrix3cf::Random();
  CHECK(ss::load<Eigen::VectorXf>(ss::save(complex.real().diagonal())) ==
        complex.diagonal().real());
}

TEST_CASE("diagonals and views of nothing") {
  const Eigen::MatrixXf none(0, 0);
  CHECK(ss::Value::from(none.diagonal()).tensor().shape() == ss::Shape{0});
  const Eigen::MatrixXf matrix = Eigen::MatrixXf::Ones(2, 3);
  CHECK(ss::Value::from(matrix.diagonal(3)).tensor().shape() == ss::Shape{0});
  CHECK(ss::Value::from(matrix.topRows(0).transpose()).tensor().shape() == ss::Shape{3, 0});
}
