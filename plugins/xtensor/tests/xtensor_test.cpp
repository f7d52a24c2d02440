/// \file
/// xtensor's arrays, tensors and views are saved row-major without copying and come back equal.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <xtensor/xadapt.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xview.hpp>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/plugins/xtensor.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

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
        "at /: the tensor has the wrong shape: expected shape [2, 3], found tensor F32 [3, 2].");
  CHECK(error_of<xt::xtensor<float, 3>>(Value::from(fixed)) ==
        "at /: the tensor has the wrong shape: expected a tensor of rank 3, found tensor F32 [2, "
        "3].");
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

TEST_CASE("expressions that declare data() but have no memory are evaluated") {
  const auto array = counted<xt::xarray<int, xt::layout_type::column_major>>({2, 3});
  // Iterates over columns.
  const auto row_major = xt::ravel<xt::layout_type::row_major>(array);
  const Value raveled = Value::from(row_major);
  CHECK(raveled.tensor().is_owned());
  CHECK(raveled.as<std::vector<int>>() == std::vector<int>{0, 1, 2, 3, 4, 5});
  // In its own order it is a view.
  const auto column_major = xt::ravel<xt::layout_type::column_major>(array);
  const Value borrowed = Value::from(column_major);
  CHECK_FALSE(borrowed.tensor().is_owned());
  CHECK(borrowed.as<std::vector<int>>() == std::vector<int>{0, 3, 1, 4, 2, 5});
  // Its bools are bits.
  const std::vector<bool> bits = {true, false, true};
  CHECK(Value::from(xt::adapt(bits, std::vector<std::size_t>{3})).as<std::vector<bool>>() == bits);
}

TEST_CASE("views are saved into bytes and files, though xtensor overloads their address") {
  const auto array = counted<xt::xarray<float>>({4, 6});
  const auto check = [](const auto& view) {
    using Array = xt::xarray<float>;
    const Array expected = view;
    CHECK(ss::load<Array>(ss::save(view)) == expected);
    const std::string path = "xtensor_view.safetensors";
    ss::save_file(view, path);
    CHECK(ss::load_file<Array>(path) == expected);
    std::filesystem::remove(path);
  };
  check(xt::view(array, xt::range(1, 3), xt::range(0, 6, 2)));
  check(xt::row(array, 2));
  check(xt::col(array, 1));
}

TEST_CASE_TEMPLATE("real numbers load into complex ones, never as their parts", C,
                   std::complex<float>, std::complex<double>) {
  const xt::xtensor<double, 2> real{{1, 2}, {3, 4}};
  const xt::xarray<C> expected{{C(1), C(2)}, {C(3), C(4)}};
  const Value value = stored(Value::from(real));
  CHECK(value.as<xt::xarray<C>>() == expected);
  CHECK(value.as<xt::xtensor<C, 2, xt::layout_type::column_major>>() == expected);
  CHECK(value.as<xt::xtensor_fixed<C, xt::xshape<2, 2>>>() == expected);
  CHECK(ss::load<xt::xarray<C>>(ss::save(real)) == expected);
  CHECK(Value::from(xt::xarray<int>{1, 2, 3}).as<xt::xarray<C>>() ==
        xt::xarray<C>{C(1), C(2), C(3)});
  CHECK(Value::from(xt::xtensor<float, 2>::from_shape({0, 2})).as<xt::xarray<C>>().dimension() ==
        2);
  CHECK(error_of<xt::xtensor<C, 1>>(value) ==
        "at /: the tensor has the wrong shape: expected a tensor of rank 1, found tensor F64 [2, "
        "2].");
  const xt::xarray<std::int64_t> large{(std::int64_t{1} << 53U) + 1};
  CHECK(error_of<xt::xarray<C>>(Value::from(large)) != "no error");
}

TEST_CASE("complex numbers load into real ones where no imaginary part is lost") {
  const std::string advice =
      ". Load it into an array of std::complex, and take its xt::real and xt::imag.";
  const std::string problem =
      "at /: the numbers are complex, and the target's are real: expected real numbers, found ";
  xt::xarray<std::complex<float>> narrow =
      xt::cast<std::complex<float>>(xt::xarray<float>{{1, 2}, {3, 4}});
  CHECK(Value::from(narrow).as<xt::xtensor<double, 2>>() == xt::xarray<double>{{1, 2}, {3, 4}});
  narrow(1, 0) = {1, 1};
  CHECK(error_of<xt::xarray<float>>(Value::from(narrow)) == problem + "tensor C64 [2, 2]" + advice);
  const xt::xarray<std::complex<double>> wide = xt::cast<std::complex<double>>(narrow);
  CHECK(error_of<xt::xarray<double>>(Value::from(wide)) ==
        problem + "tensor F64 [2, 2, 2] of complex numbers" + advice);
}

TEST_CASE("more elements than can be counted are refused before memory is taken for them") {
  // The first list of each level has the size that all would have: 2^64 numbers, which are none
  // when one multiplies.
  Value list = Value(0);
  for (int level = 0; level < 4; ++level) {
    std::vector<Value> items(std::size_t{1} << 16U, Value(0));
    items[0] = list;
    list = Value::list(std::move(items));
  }
  CHECK(error_of<xt::xtensor<std::int8_t, 4>>(list) ==
        "at /0/0/1: a value has the wrong type: expected list, tuple or set, found int 0.");
  // Of one number, repeated by strides of 0; or of none.
  const std::byte number{};
  const auto repeated = [&](ss::Shape shape) {
    return Value(ss::Tensor::strided(ss::DType::I8, std::move(shape),
                                     std::vector<std::int64_t>(2, 0), &number, nullptr));
  };
  const std::uint64_t half = std::uint64_t{1} << 31U;
  CHECK(
      error_of<xt::xtensor<double, 2>>(repeated({half, half})) ==
      "at /: the tensor has the wrong shape: expected at most 1152921504606846975 elements, found "
      "tensor I8 [2147483648, 2147483648]. Load a part of it.");
  CHECK(error_of<xt::xarray<double>>(repeated({0, half * half})).find("at most") !=
        std::string::npos);
  CHECK(repeated({0, half}).as<xt::xarray<double>>().shape(1) == half);
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
        "at /1: a row does not have the length of the first: expected 2 items, found list of 1.");
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
}
