/// \file
/// xtensor's arrays, tensors and views are saved row-major without copying and come back equal.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <xtensor/xadapt.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xview.hpp>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/plugins/xtensor.hpp>

namespace ss = safestructures;
using ss::Value;

namespace {

template <class T>
T counted(const std::vector<std::size_t>& shape) {
  T array;
  array.resize(shape);
  int next = 0;
  // In row-major order, whatever the layout.
  for (auto it = array.template begin<xt::layout_type::row_major>();
       it != array.template end<xt::layout_type::row_major>(); ++it)
    *it = static_cast<typename T::value_type>(static_cast<float>(next++ % 7));
  return array;
}

template <class T>
std::string error_of(const Value& value) {
  try {
    static_cast<void>(value.as<T>());
  } catch (const ss::Error& error) {
    return error.what();
  }
  return "no error";
}

/// As it comes from a file: row-major, in memory of its own.
Value stored(Value value) {
  value.set_tensor(value.tensor().clone());
  return value;
}

}  // namespace

TEST_CASE_TEMPLATE("every scalar type goes through arrays of all layouts", S, bool, std::int8_t,
                   std::uint16_t, std::int32_t, std::uint64_t, float, double, std::complex<float>,
                   std::complex<double>) {
  const auto check = [](const auto& array, bool is_pair) {
    using T = std::decay_t<decltype(array)>;
    const Value value = Value::from(array);
    CHECK(value.tensor().origin() == reinterpret_cast<const std::byte*>(array.data()));
    CHECK(value.tensor().rank() == (is_pair ? 4 : 3));
    CHECK(value.template as<T>() == array);
    CHECK(stored(value).template as<T>() == array);
  };
  constexpr bool is_pair = std::is_same_v<S, std::complex<double>>;
  check(counted<xt::xarray<S>>({2, 3, 4}), is_pair);
  check(counted<xt::xarray<S, xt::layout_type::column_major>>({2, 3, 4}), is_pair);
  check(counted<xt::xarray<S, xt::layout_type::dynamic>>({2, 1, 4}), is_pair);
  check(counted<xt::xtensor<S, 3>>({2, 3, 1}), is_pair);
  check(counted<xt::xtensor<S, 3, xt::layout_type::column_major>>({1, 3, 4}), is_pair);
}

TEST_CASE("column-major arrays are row-major in the file") {
  const auto array = counted<xt::xtensor<int, 2, xt::layout_type::column_major>>({2, 3});
  CHECK(Value::from(array).tensor().shape() == ss::Shape{2, 3});
  CHECK(Value::from(array).tensor().to_vector<int>() == std::vector<int>{array(0, 0), array(0, 1),
                                                                         array(0, 2), array(1, 0),
                                                                         array(1, 1), array(1, 2)});
}

TEST_CASE("arrays without dimensions or elements work") {
  const xt::xarray<float> scalar(5.0F);
  CHECK(Value::from(scalar).tensor().shape().empty());
  CHECK(Value::from(scalar).as<xt::xarray<float>>() == scalar);
  const auto empty = xt::xtensor<float, 2>::from_shape({0, 4});
  CHECK(Value::from(empty).tensor().shape() == ss::Shape{0, 4});
  CHECK(Value::from(empty).as<xt::xtensor<float, 2>>().shape(1) == 4);
}

TEST_CASE("a fixed shape must be that of the file") {
  using Fixed = xt::xtensor_fixed<float, xt::xshape<2, 3>>;
  const Fixed fixed{{1, 2, 3}, {4, 5, 6}};
  CHECK(Value::from(fixed).as<Fixed>() == fixed);
  CHECK(Value::from(fixed).as<xt::xarray<double>>() == fixed);
  CHECK(error_of<Fixed>(Value::from(xt::xtensor<float, 2>::from_shape({3, 2}))) ==
        "at /: the tensor has another shape: expected shape [2, 3], found tensor F32 [3, 2].");
  CHECK(
      error_of<xt::xtensor<float, 3>>(Value::from(fixed)) ==
      "at /: the tensor has another shape: expected a tensor of rank 3, found tensor F32 [2, 3].");
  CHECK(error_of<xt::xarray<std::uint8_t>>(Value::from(xt::xarray<int>{1, 300})).find("300") !=
        std::string::npos);
}

TEST_CASE("views and adaptors are saved without copying, expressions evaluated") {
  const auto array = counted<xt::xtensor<float, 2>>({4, 6});
  const auto view = xt::view(array, xt::range(1, 3), xt::range(0, 6, 2));
  const Value value = Value::from(view);
  CHECK(value.tensor().shape() == ss::Shape{2, 3});
  CHECK(value.tensor().origin() == reinterpret_cast<const std::byte*>(&array(1, 0)));
  CHECK(value.as<xt::xarray<float>>() == view);
  const auto strided = xt::strided_view(array, {xt::all(), xt::newaxis(), 2});
  CHECK(Value::from(strided).as<xt::xarray<float>>() == strided);
  std::vector<int> memory = {1, 2, 3, 4};
  const auto adaptor = xt::adapt(memory, std::vector<std::size_t>{2, 2});
  CHECK(Value::from(adaptor).tensor().origin() == reinterpret_cast<std::byte*>(memory.data()));
  const auto sum = array + array;
  CHECK(Value::from(sum).tensor().is_owned());
  CHECK(Value::from(sum).as<xt::xarray<float>>() == 2 * array);
}

TEST_CASE("nested lists of numbers load where an array is asked for") {
  const auto list = [](auto... items) { return Value::list({Value(items)...}); };
  const xt::xtensor<double, 2> expected{{1, 2.5}, {3, 4}};
  const Value rows = list(list(1, 2.5), list(3, 4));
  CHECK(rows.as<xt::xtensor<double, 2>>() == expected);
  CHECK(rows.as<xt::xarray<double>>() == expected);
  CHECK(rows.as<xt::xtensor<double, 2, xt::layout_type::column_major>>() == expected);
  CHECK(list(Value::from(expected), Value::from(expected)).as<xt::xarray<double>>().dimension() ==
        3);
  CHECK(error_of<xt::xarray<double>>(list(list(1, 2), list(3))) ==
        "at /1: a row has another length than the first: expected 2 items, found list of 1.");
}

TEST_CASE("arrays are members of structures, and are described") {
  using Parts = std::map<std::string, std::optional<xt::xarray<float>>>;
  const Parts parts = {{"a", xt::xarray<float>{1, 2}}, {"b", std::nullopt}};
  CHECK(Value::from(parts).as<Parts>().at("a") == parts.at("a"));
  CHECK(to_string(ss::type_info<xt::xarray<float>>()) == "tensor F32");
  CHECK(to_string(ss::type_info<xt::xtensor<float, 2>>()) == "tensor F32 [any, any]");
  CHECK(to_string(ss::type_info<xt::xtensor_fixed<int, xt::xshape<2, 3>>>()) ==
        "tensor I32 [2, 3]");
  CHECK(to_string(ss::type_info<xt::xtensor<std::complex<double>, 1>>()) == "tensor F64 [any, 2]");
  CHECK(is_state_dict(ss::type_info<std::map<std::string, xt::xarray<float>>>()));
}
