/// \file
/// Eigen::Tensor is saved row-major without copying and comes back equal.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/tensor.hpp>
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
  CHECK(text ==
        "at /: the tensor has the wrong shape: expected a tensor of rank 3, found tensor F32 [2, "
        "3].");
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

TEST_CASE("more elements than the Index counts are refused before memory is taken for them") {
  // Of one number, repeated by strides of 0; or of none.
  const std::byte number{7};
  const auto repeated = [&](ss::Shape shape) {
    const std::vector<std::int64_t> strides(shape.size(), 0);
    return ss::Value(
        ss::Tensor::strided(ss::DType::I8, std::move(shape), strides, &number, nullptr));
  };
  const auto error_of = []<class T>(std::in_place_type_t<T>, const ss::Value& value) {
    try {
      static_cast<void>(value.as<T>());
    } catch (const ss::Error& error) {
      return std::string(to_string(error.code())) + ": " + error.what();
    }
    return std::string("no error");
  };
  const std::string problem = "shape_mismatch: at /: the tensor has the wrong shape: expected ";
  const std::string advice = ". Load a part of it, or load it as a type with a wider Index.";
  using Narrow = std::in_place_type_t<Eigen::Tensor<std::int8_t, 2, 0, int>>;
  using RowMajor = std::in_place_type_t<Eigen::Tensor<std::int8_t, 2, Eigen::RowMajor, int>>;
  using Wide = std::in_place_type_t<Eigen::Tensor<double, 2>>;
  // 2^32 + 65536, of which an int holds 65536.
  CHECK(error_of(Narrow(), repeated({65536, 65537})) ==
        problem +
            "at most 2147483647 elements, which its Index counts, found tensor I8 [65536, 65537]" +
            advice);
  CHECK(error_of(RowMajor(), repeated({65537, 65536})) ==
        problem +
            "at most 2147483647 elements, which its Index counts, found tensor I8 [65537, 65536]" +
            advice);
  CHECK(error_of(RowMajor(), repeated({2, 32768})) == "no error");
  CHECK(error_of(RowMajor(), repeated({std::uint64_t{1} << 31U, 1})) != "no error");
  const std::uint64_t half = std::uint64_t{1} << 31U;
  CHECK(error_of(Wide(), repeated({half, half})) ==
        problem +
            "at most 1152921504606846975 elements, which its Index counts, found tensor I8 "
            "[2147483648, 2147483648]" +
            advice);
  // Sizes of 0 make no product that overflows on the way to them right.
  CHECK(error_of(Wide(), repeated({half * half, 0})).find("at most") != std::string::npos);
  CHECK(error_of(std::in_place_type<Eigen::Tensor<std::int8_t, 3, 0, int>>,
                 repeated({65536, 65537, 0}))
            .find("at most") != std::string::npos);
  CHECK(error_of(Narrow(), repeated({65536, 0})) == "no error");
  const ss::Value rows = ss::Value::list(std::vector<ss::Value>(65536, repeated({65537})));
  CHECK(error_of(Narrow(), rows) ==
        "shape_mismatch: at /: the list has the wrong shape: expected at most 2147483647 elements, "
        "which its Index counts, found list of 65536" +
            advice);
  // The first list of each level has the size that all would have.
  ss::Value list(0);
  for (int level = 0; level < 4; ++level) {
    std::vector<ss::Value> items(std::size_t{1} << 16U, ss::Value(0));
    items[0] = list;
    list = ss::Value::list(std::move(items));
  }
  CHECK(error_of(std::in_place_type<Eigen::Tensor<std::int8_t, 4>>, list) ==
        "type_mismatch: at /0/0/1: a value has the wrong type: expected list, tuple or set, found "
        "int 0.");
}
