/// \file
/// Every dense Eigen type is saved row-major without copying and comes back equal.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/codecs/numbers.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/plugins/eigen.hpp>

namespace ss = safestructures;

namespace {

// Distinct small numbers that every scalar type holds.
template <class T>
T counted(Eigen::Index rows, Eigen::Index columns) {
  using Scalar = typename T::Scalar;
  T result;
  result.resize(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) {
      const auto number = static_cast<int>(i * columns + j);
      if constexpr (std::is_same_v<Scalar, bool>) result(i, j) = number % 3 == 1;
      else if constexpr (Eigen::NumTraits<Scalar>::IsComplex)
        result(i, j) = Scalar(static_cast<typename Scalar::value_type>(number),
                              static_cast<typename Scalar::value_type>(-number - 1));
      else result(i, j) = static_cast<Scalar>(static_cast<float>(number));
    }
  }
  return result;
}

template <class T>
void check_round_trip(const T& object, ss::DType dtype, const ss::Shape& shape) {
  const ss::Value value = ss::Value::from(object);
  REQUIRE(value.kind() == ss::Kind::tensor);
  CHECK(value.tensor().dtype() == dtype);
  CHECK(value.tensor().shape() == shape);
  if (object.size() != 0) {
    CHECK(value.tensor().origin() == reinterpret_cast<const std::byte*>(object.data()));
  }
  const T again = value.template as<T>();
  CHECK(again.rows() == object.rows());
  CHECK(again.cols() == object.cols());
  CHECK((again.array() == object.array()).all());
  // As it comes from a file: row-major.
  ss::Value stored = value;
  stored.set_tensor(value.tensor().clone());
  const T loaded = stored.template as<T>();
  CHECK((loaded.array() == object.array()).all());
}

template <class T>
std::string error_of(ss::ErrorCode code, const ss::Value& value) {
  try {
    static_cast<void>(value.as<T>());
  } catch (const ss::Error& error) {
    CHECK(error.code() == code);
    return error.what();
  }
  return "no error";
}

ss::Value numbers(ss::Shape shape) {
  ss::Tensor tensor = ss::Tensor::allocate(ss::DType::F32, std::move(shape));
  float next = 0;
  for (float& number : tensor.mutable_data<float>()) number = next++;
  return ss::Value(tensor);
}

template <class T, int Rows, int Columns, int Options, int MaxRows, int MaxColumns>
using Any = Eigen::Matrix<T, Rows, Columns, Options, MaxRows, MaxColumns>;

}  // namespace

TEST_CASE_TEMPLATE("every scalar type goes through matrices, arrays and vectors of both orders", S,
                   bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, float, double, Eigen::half,
                   Eigen::bfloat16, std::complex<float>) {
  constexpr ss::DType dtype = ss::BlockLayout<S>::dtype;
  using Dynamic = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
  using RowMajor = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  check_round_trip(counted<Dynamic>(5, 7), dtype, {5, 7});
  check_round_trip(counted<RowMajor>(5, 7), dtype, {5, 7});
  check_round_trip(counted<Eigen::Matrix<S, 3, 4>>(3, 4), dtype, {3, 4});
  check_round_trip(counted<Eigen::Matrix<S, 2, 2, Eigen::RowMajor>>(2, 2), dtype, {2, 2});
  check_round_trip(counted<Any<S, Eigen::Dynamic, Eigen::Dynamic, 0, 4, 5>>(3, 5), dtype, {3, 5});
  check_round_trip(counted<Eigen::Array<S, Eigen::Dynamic, 3>>(6, 3), dtype, {6, 3});
  check_round_trip(counted<Eigen::Matrix<S, Eigen::Dynamic, 1>>(9, 1), dtype, {9});
  check_round_trip(counted<Eigen::Matrix<S, 1, Eigen::Dynamic>>(1, 9), dtype, {9});
  check_round_trip(counted<Eigen::Matrix<S, 4, 1>>(4, 1), dtype, {4});
  check_round_trip(counted<Dynamic>(0, 7), dtype, {0, 7});
  check_round_trip(counted<Dynamic>(1, 7), dtype, {1, 7});
}

TEST_CASE("complex numbers of two doubles have a last dimension of 2 and a mark") {
  const auto matrix = counted<Eigen::MatrixXcd>(3, 2);
  const ss::Value value = ss::Value::from(matrix);
  CHECK(value.tensor().dtype() == ss::DType::F64);
  CHECK(value.tensor().shape() == ss::Shape{3, 2, 2});
  CHECK(value.attribute("complex")->as_bool());
  CHECK(value.tensor().to_vector<double>() ==
        std::vector<double>{0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6});
  CHECK(value.as<Eigen::MatrixXcd>() == matrix);
  CHECK(value.as<Eigen::MatrixXcf>() == matrix.cast<std::complex<float>>());
  const Eigen::MatrixXcf narrow = matrix.cast<std::complex<float>>();
  CHECK(ss::Value::from(narrow).as<Eigen::MatrixXcd>() == matrix);
  const Eigen::VectorXcd vector = matrix.col(1);
  CHECK(ss::Value::from(vector).tensor().shape() == ss::Shape{3, 2});
  CHECK(ss::Value::from(vector).as<Eigen::VectorXcd>() == vector);
}

TEST_CASE("views are saved without copying, whatever their strides") {
  const auto matrix = counted<Eigen::MatrixXf>(6, 5);
  const auto row_major =
      counted<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(6, 5);
  const auto check = [](const auto& view, const ss::Shape& shape) {
    const ss::Value value = ss::Value::from(view);
    CHECK(value.tensor().origin() == reinterpret_cast<const std::byte*>(view.data()));
    CHECK_FALSE(value.tensor().is_owned());
    CHECK(value.tensor().shape() == shape);
    const Eigen::MatrixXf expected = view;
    if (shape.size() == 2) {
      CHECK(value.as<Eigen::MatrixXf>() == expected);
    } else {
      CHECK(value.as<Eigen::VectorXf>() == expected.reshaped());
    }
  };
  const auto block = matrix.block(1, 2, 3, 2);
  check(block, {3, 2});
  const auto fixed = row_major.topLeftCorner<2, 3>();
  check(fixed, {2, 3});
  const auto row = matrix.row(4);
  check(row, {5});
  const auto column = row_major.col(4);
  check(column, {6});
  const auto transposed = matrix.transpose();
  check(transposed, {5, 6});
  const auto diagonal = matrix.diagonal();
  check(diagonal, {5});
  const Eigen::Map<const Eigen::MatrixXf, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>> map(
      matrix.data(), 2, 3, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(12, 2));
  check(map, {2, 3});
  const Eigen::Ref<const Eigen::MatrixXf> ref(matrix);
  check(ref, {6, 5});
}

TEST_CASE("an expression without memory is evaluated and owned") {
  const auto matrix = counted<Eigen::MatrixXf>(3, 4);
  const auto sum = matrix + matrix;
  const ss::Value value = ss::Value::from(sum);
  CHECK(value.tensor().is_owned());
  CHECK(value.as<Eigen::MatrixXf>() == 2 * matrix);
}

TEST_CASE("dtypes are converted as the target asks, and loss is refused") {
  const auto matrix = counted<Eigen::MatrixXd>(40, 30);
  const ss::Value value = ss::Value::from(matrix);
  CHECK(value.as<Eigen::MatrixXf>() == matrix.cast<float>());
  CHECK(value.as<Eigen::MatrixXi>() == matrix.cast<int>());
  CHECK(error_of<Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>>(
            ss::ErrorCode::out_of_range, value) != "no error");
  ss::DecodeOptions saturate;
  saturate.overflow = ss::Overflow::saturate;
  const auto bytes =
      value.as<Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>>(saturate);
  CHECK(bytes(8, 15) == 255);
  CHECK(bytes(8, 14) == 254);
  ss::Tensor packed = numbers({2, 4}).tensor().to(ss::DType::F4, ss::Overflow::saturate);
  CHECK(ss::Value(packed).as<Eigen::MatrixXf>()(1, 0) == 4);
  ss::Tensor flags = ss::Tensor::allocate(ss::DType::BOOL, {2});
  flags.mutable_bytes()[0] = std::byte{1};
  flags.mutable_bytes()[1] = std::byte{7};
  CHECK(error_of<Eigen::Array<bool, Eigen::Dynamic, 1>>(ss::ErrorCode::out_of_range,
                                                        ss::Value(flags)) != "no error");
}

TEST_CASE("shapes that do not fit are refused with what would fit and what to do") {
  const struct {
    std::string error;
    std::string text;
  } cases[] = {
      {error_of<Eigen::Matrix3d>(ss::ErrorCode::shape_mismatch, numbers({3, 4})),
       "shape [3, 3], found tensor F32 [3, 4]. Load it as a type of dynamic size if it may have "
       "any."},
      {error_of<Eigen::MatrixXf>(ss::ErrorCode::shape_mismatch, numbers({4})),
       "shape [any, any], found tensor F32 [4]. Load it as an Eigen vector, or save it with two "
       "dimensions."},
      {error_of<Eigen::Matrix<float, Eigen::Dynamic, 3>>(ss::ErrorCode::shape_mismatch,
                                                         numbers({3, 4})),
       "shape [any, 3], found tensor F32 [3, 4]."},
      {error_of<Eigen::VectorXf>(ss::ErrorCode::shape_mismatch, numbers({2, 3})),
       "shape [any], found tensor F32 [2, 3]. Load it as a matrix."},
      {error_of<Eigen::Vector3f>(ss::ErrorCode::shape_mismatch, numbers({4})),
       "shape [3], found tensor F32 [4]. Load it as a type of dynamic size if it may have any."},
      {error_of<Any<float, Eigen::Dynamic, Eigen::Dynamic, 0, 4, 5>>(ss::ErrorCode::shape_mismatch,
                                                                     numbers({5, 5})),
       "shape [at most 4, at most 5], found tensor F32 [5, 5]."},
      {error_of<Eigen::MatrixXf>(ss::ErrorCode::shape_mismatch, numbers({2, 3, 4})),
       "shape [any, any], found tensor F32 [2, 3, 4]. Load it as a Tensor and take slices of two "
       "dimensions."},
      {error_of<Eigen::MatrixXf>(ss::ErrorCode::shape_mismatch, numbers({})),
       "shape [any, any], found tensor F32 []."},
  };
  for (const auto& one : cases) {
    CHECK(one.error == "at /: the tensor has the wrong shape: expected " + one.text);
  }
  CHECK(numbers({3, 1}).as<Eigen::VectorXf>() == Eigen::Vector3f(0, 1, 2));
  CHECK(numbers({1, 3}).as<Eigen::RowVector3f>() == Eigen::RowVector3f(0, 1, 2));
  CHECK(error_of<Eigen::MatrixXf>(ss::ErrorCode::type_mismatch, ss::Value("text")) != "no error");
}

TEST_CASE("more elements than Eigen's Index counts are refused before memory is taken for them") {
  const std::byte number{};
  const std::vector<std::int64_t> strides(2, 0);
  const std::uint64_t half = std::uint64_t{1} << 31U;
  const ss::Value value(
      ss::Tensor::strided(ss::DType::I8, ss::Shape{half, half}, strides, &number, nullptr));
  CHECK(
      error_of<Eigen::MatrixXd>(ss::ErrorCode::shape_mismatch, value) ==
      "at /: the tensor has the wrong shape: expected at most 1152921504606846975 elements, which "
      "its Index counts, found tensor I8 [2147483648, 2147483648]. Load a part of it, or load it "
      "as a type with a wider Index.");
  const ss::Value none(
      ss::Tensor::strided(ss::DType::I8, ss::Shape{0, half}, strides, &number, nullptr));
  CHECK(none.as<Eigen::ArrayXXf>().cols() == static_cast<Eigen::Index>(half));
}

TEST_CASE("lists of numbers load where a small vector or matrix is asked for") {
  const auto list = [](auto... items) { return ss::Value::list({ss::Value(items)...}); };
  CHECK(list(1, 2.5, 3).as<Eigen::Vector3d>() == Eigen::Vector3d(1, 2.5, 3));
  CHECK(list(1, 2).as<Eigen::RowVectorXf>() == Eigen::RowVector2f(1, 2));
  Eigen::Matrix<int, 2, 3> expected;
  expected << 1, 2, 3, 4, 5, 6;
  CHECK(list(list(1, 2, 3), list(4, 5, 6)).as<Eigen::MatrixXi>() == expected);
  CHECK(list(list(1, 2, 3), list(4, 5, 6)).as<Eigen::Matrix<int, 2, 3>>() == expected);
  CHECK(list().as<Eigen::MatrixXf>().size() == 0);
  CHECK(list(numbers({2}), numbers({2})).as<Eigen::MatrixXf>() == Eigen::Matrix2f{{0, 1}, {0, 1}});
  CHECK(error_of<Eigen::Vector3d>(ss::ErrorCode::shape_mismatch, list(1, 2)) ==
        "at /: the list has the wrong length: expected items for shape [3], found list of 2.");
  CHECK(error_of<Eigen::Matrix3f>(ss::ErrorCode::shape_mismatch, list(list(1, 2, 3))) ==
        "at /: the list has the wrong length: expected items for shape [3, 3], found list of 1.");
  CHECK(error_of<Eigen::MatrixXd>(ss::ErrorCode::shape_mismatch, list(list(1, 2), list(3))) ==
        "at /1: a row does not have the length of the first: expected 2 numbers, found list of 1.");
  CHECK(error_of<Eigen::Vector2d>(ss::ErrorCode::type_mismatch, list(1, "two")).substr(0, 6) ==
        "at /1:");
}

TEST_CASE("fixed-size members work in optionals, vectors and smart pointers") {
  const std::optional<Eigen::Matrix3d> some = counted<Eigen::Matrix3d>(3, 3);
  CHECK(ss::Value::from(some).as<std::optional<Eigen::Matrix3d>>() == some);
  CHECK_FALSE(ss::Value().as<std::optional<Eigen::Matrix3d>>().has_value());
  const auto shared = std::make_shared<Eigen::Vector4f>(1, 2, 3, 4);
  CHECK(*ss::Value::from(shared).as<std::shared_ptr<Eigen::Vector4f>>() == *shared);
  const std::vector<Eigen::MatrixXf> list = {counted<Eigen::MatrixXf>(2, 3), Eigen::MatrixXf(0, 0)};
  const ss::Value value = ss::Value::from(list);
  CHECK(value.kind() == ss::Kind::list);
  CHECK(value.as<std::vector<Eigen::MatrixXf>>()[0] == list[0]);
}

TEST_CASE("a vector of fixed-size objects is one tensor, not copied") {
  std::vector<Eigen::Vector4f> points;
  std::vector<Eigen::Matrix<double, 2, 3>> poses;
  for (int i = 0; i < 5; ++i) {
    points.emplace_back(Eigen::Vector4f::Constant(static_cast<float>(i)));
    poses.emplace_back(counted<Eigen::Matrix<double, 2, 3>>(2, 3) * i);
  }
  const ss::Value cloud = ss::Value::from(points);
  CHECK(cloud.tensor().shape() == ss::Shape{5, 4});
  CHECK(cloud.tensor().is_contiguous());
  CHECK(cloud.tensor().origin() == reinterpret_cast<const std::byte*>(points.data()));
  CHECK(cloud.as<std::vector<Eigen::Vector4f>>() == points);
  const ss::Value turned = ss::Value::from(poses);
  CHECK(turned.tensor().shape() == ss::Shape{5, 2, 3});
  CHECK(turned.tensor().to_vector<double>()[7] == 1);  // Row-major.
  CHECK(turned.as<std::vector<Eigen::Matrix<double, 2, 3>>>() == poses);
  const std::vector<Eigen::Vector3d> none;
  CHECK(ss::Value::from(none).tensor().shape() == ss::Shape{0, 3});
  CHECK(ss::Value::from(none).as<std::vector<Eigen::Vector3d>>().empty());
  CHECK(ss::Value::list({numbers({4}), numbers({4})}).as<std::vector<Eigen::Vector4f>>().size() ==
        2);
  CHECK(error_of<std::vector<Eigen::Vector3d>>(ss::ErrorCode::shape_mismatch, numbers({5, 4})) ==
        "at /: the tensor has the wrong shape: expected shape [any, 3], found tensor F32 [5, 4].");
}

TEST_CASE("quaternions, transforms and diagonal matrices come back equal") {
  const Eigen::Quaterniond rotation(Eigen::AngleAxisd(0.5, Eigen::Vector3d(1, 2, 3).normalized()));
  CHECK(ss::Value::from(rotation).tensor().to_vector<double>() ==
        std::vector<double>{rotation.x(), rotation.y(), rotation.z(), rotation.w()});
  CHECK(ss::Value::from(rotation).as<Eigen::Quaterniond>().coeffs() == rotation.coeffs());

  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.rotate(rotation).pretranslate(Eigen::Vector3d(1, 2, 3));
  const ss::Value value = ss::Value::from(pose);
  CHECK(value.tensor().shape() == ss::Shape{4, 4});
  CHECK(value.tensor().to_vector<double>()[3] == 1);  // The translation is the last column.
  CHECK(value.as<Eigen::Isometry3d>().matrix() == pose.matrix());
  CHECK(value.as<Eigen::Affine3f>().matrix() == pose.matrix().cast<float>());
  CHECK(
      error_of<Eigen::Affine3d>(ss::ErrorCode::type_mismatch, numbers({4, 4})) ==
      "at /: the matrix is no affine transform: expected a last row of zeros that ends in 1, found "
      "tensor F32 [4, 4]. Load it as an Eigen::Projective transform or as a matrix.");
  const Eigen::AffineCompact2f compact(counted<Eigen::Matrix<float, 2, 3>>(2, 3));
  CHECK(ss::Value::from(compact).as<Eigen::AffineCompact2f>().matrix() == compact.matrix());

  const Eigen::DiagonalMatrix<float, 3> diagonal(1, 2, 3);
  CHECK(ss::Value::from(diagonal).as<Eigen::DiagonalMatrix<float, 3>>().diagonal() ==
        diagonal.diagonal());
}

TEST_CASE("numbers of Eigen's half and bfloat16 are floats") {
  CHECK(ss::Value::from(Eigen::half(1.5F)).as_double() == 1.5);
  CHECK(ss::Value(1.5).as<Eigen::half>() == Eigen::half(1.5F));
  CHECK(ss::Value::from(Eigen::bfloat16(1.5F)).as_double() == 1.5);
  CHECK(ss::Value(-2.0).as<Eigen::bfloat16>() == Eigen::bfloat16(-2.0F));
  const std::vector<Eigen::half> halves = {Eigen::half(1), Eigen::half(2)};
  CHECK(ss::Value::from(halves).tensor().dtype() == ss::DType::F16);
  CHECK(ss::Value::from(halves).as<std::vector<Eigen::half>>() == halves);
}

TEST_CASE("matrices of any size survive both orders") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 40; ++round) {
    const auto rows = static_cast<Eigen::Index>(random() % 70);
    const auto columns = static_cast<Eigen::Index>(random() % 70);
    CAPTURE(rows);
    CAPTURE(columns);
    const auto matrix = counted<Eigen::MatrixXf>(rows, columns);
    ss::Value value = ss::Value::from(matrix);
    value.set_tensor(value.tensor().clone());
    REQUIRE(value.as<Eigen::MatrixXf>() == matrix);
    using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    REQUIRE(value.as<RowMajor>() == matrix);
  }
}

TEST_CASE("Eigen's types are described by their sizes") {
  const auto text = []<class T>(std::in_place_type_t<T>) { return to_string(ss::type_info<T>()); };
  CHECK(text(std::in_place_type<Eigen::MatrixXf>) == "tensor F32 [any, any]");
  CHECK(text(std::in_place_type<Eigen::Matrix<double, 3, Eigen::Dynamic>>) ==
        "tensor F64 [3, any]");
  CHECK(text(std::in_place_type<Any<float, Eigen::Dynamic, Eigen::Dynamic, 0, 4, 5>>) ==
        "tensor F32 [at most 4, at most 5]");
  CHECK(text(std::in_place_type<Eigen::RowVector3i>) == "tensor I32 [3]");
  CHECK(text(std::in_place_type<Eigen::MatrixXcd>) == "tensor F64 [any, any, 2]");
  CHECK(text(std::in_place_type<Eigen::Map<Eigen::VectorXf>>) == "tensor F32 [any]");
  CHECK(text(std::in_place_type<std::vector<Eigen::Matrix<float, 2, 3>>>) ==
        "tensor F32 [any, 2, 3]");
  CHECK(ss::type_info<std::vector<Eigen::Vector3d>>().item == &ss::type_info<Eigen::Vector3d>());
  CHECK(text(std::in_place_type<Eigen::Quaterniond>) == "tensor F64 [4]");
  CHECK(text(std::in_place_type<Eigen::Isometry3f>) == "tensor F32 [4, 4]");
  CHECK(text(std::in_place_type<Eigen::DiagonalMatrix<float, 3>>) == "tensor F32 [3]");
  CHECK(text(std::in_place_type<Eigen::half>) == "f16");
}
