/// \file
/// xtensor's types: arrays and tensors, views of them, and expressions.
///
/// - `xarray`, `xtensor` and `xtensor_fixed` of any layout are saved as a tensor of that shape.
/// They
///   load from such tensors and from nested lists of numbers.
/// - Views, adaptors and slices are saved the same way without a copy; other expressions such as
///   `a + b` are evaluated.
///
/// Scalars are those of `TensorScalar`. Loading converts between them by the rules of `convert`:
/// real numbers to complex ones, and `std::complex<float>` to real types if no imaginary part is
/// lost. `std::complex<double>` does not load into real types.
///
/// Files are always row-major.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <xtensor/xarray.hpp>
#include <xtensor/xexpression.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xutils.hpp>
#include <xtl/xsequence.hpp>

#include <safestructures/codecs/tensor_like.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/error.hpp>

namespace safestructures::inline v0 {
namespace detail {

template <class T>
concept Xtensor =
    std::is_class_v<T> && xt::is_xexpression<T>::value && TensorScalar<typename T::value_type>;

/// Types whose elements are not in memory although they declare data(): `ravel` of another order is
/// a tensor of iterators, and a `std::vector<bool>` has no bools.
template <class T>
concept XtensorWithoutMemory =
    requires(const T& object) { object.storage(); } && !requires(const T& object) {
      { object.storage().data() } -> std::convertible_to<const typename T::value_type*>;
    };

/// Types whose elements can be reached by address.
template <class T>
concept XtensorInMemory = Xtensor<T> && !XtensorWithoutMemory<T> && requires(const T& object) {
  object.strides();
  { object.data() + object.data_offset() } -> std::convertible_to<const typename T::value_type*>;
};

/// The shape of types of fixed rank, or of any rank.
template <class T>
struct XtensorShape {
  static std::optional<std::vector<Extent>> shape() {
    constexpr std::size_t rank = xt::get_rank<T>::value;
    if constexpr (rank == std::numeric_limits<std::size_t>::max()) return std::nullopt;
    else return std::vector<Extent>(rank);
  }
};
template <class Scalar, std::size_t... Sizes, xt::layout_type Layout, bool sharable, class Tag>
struct XtensorShape<
    xt::xfixed_container<Scalar, xt::fixed_shape<Sizes...>, Layout, sharable, Tag>> {
  static std::optional<std::vector<Extent>> shape() {
    return std::vector<Extent>{Extent::fixed(Sizes)...};
  }
};

template <class T>
struct XtensorAccess : XtensorShape<T> {
  using Scalar = typename T::value_type;
  static const Scalar* data(const T& object) { return object.data() + object.data_offset(); }
  static TensorLayout layout(const T& object) {
    TensorLayout layout;
    for (std::size_t i = 0; i < object.dimension(); ++i)
      layout.add(object.shape()[i], static_cast<std::int64_t>(object.strides()[i]) *
                                        static_cast<std::int64_t>(sizeof(Scalar)));
    return layout;
  }
};

template <class T>
struct XtensorMaker : XtensorAccess<T> {
  static T make(std::span<const std::uint64_t> sizes) {
    T object;
    using Shape = typename T::shape_type;
    // A type of fixed shape already has it. Using a vector as the shape of a fixed rank would be
    // copied with a warning of GCC 14, which does not know its length.
    if constexpr (requires(Shape& shape) {
                    shape[0] = std::size_t{};
                    object.resize(shape);
                  }) {
      Shape shape = xtl::make_sequence<Shape>(sizes.size());
      for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = sizes[i];
      object.resize(shape);
    }
    return object;
  }
};

/// The maximum number of elements of an array: xtensor multiplies sizes without checking for
/// overflow, and strides in bytes are multiplied here.
template <class S>
inline constexpr std::uint64_t xtensor_most_elements =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / sizeof(S);

inline constexpr const char* xtensor_complex_advice =
    "Load it into an array of std::complex, and take its xt::real and xt::imag";

/// The codec of arrays that own their memory.
template <class T>
struct XtensorCodec : TensorCodec<T, XtensorMaker<T>> {
  using Scalar = typename T::value_type;
  using Access = XtensorMaker<T>;
  static constexpr bool is_pair = BlockLayout<Scalar>::complex;
  static constexpr bool is_complex = is_pair || BlockLayout<Scalar>::dtype == DType::C64;
  static constexpr std::uint64_t most = xtensor_most_elements<Scalar>;

  static T decode(const Value& value, Decoder& decoder) {
    if (value.is_sequence()) {
      if (!count_fits(nested_sizes(value, Access::shape(), decoder), most))
        decoder.fail(
            ErrorCode::shape_mismatch, "the list has the wrong shape",
            {.expected = most_text(), .found = describe(value), .advice = "Load a part of it"});
      return TensorCodec<T, Access>::decode(value, decoder);
    }
    const bool is_numbers = value.has_tensor();
    const bool is_c64 = is_numbers && value.tensor().dtype() == DType::C64;
    const bool is_marked = is_numbers && is_marked_complex(value);
    if constexpr (is_pair) {
      // std::complex<double> would read real numbers in pairs.
      if (is_numbers && !is_c64 && !is_marked) return from_reals(value, decoder);
    } else if constexpr (!is_complex) {
      if (is_marked) refuse_complex(value, decoder, xtensor_complex_advice);
      // As `convert` does, and never as their parts.
      if (is_c64)
        return from_numbers<Scalar>(real_parts(value, decoder, xtensor_complex_advice), decoder);
    }
    return from_numbers<Scalar>(value, decoder);
  }

 private:
  static std::string most_text() { return "at most " + std::to_string(most) + " elements"; }

  /// Reads into the first elements of the new object's memory, or to the place that `place`
  /// returns.
  template <class S, class Place>
  static T read(const Value& value, const Decoder& decoder, const Place& place) {
    TensorSource source(std::in_place_type<S>, value, decoder, "a tensor, or a list of numbers");
    if (const auto shape = Access::shape()) source.expect_shape(*shape);
    if (!count_fits(source.dims(), most)) source.wrong_shape(most_text(), "Load a part of it");
    T object = Access::make(source.dims());
    // The containers of xtensor are dense.
    source.read(dense_order(Access::layout(object), sizeof(Scalar)).value(), place(object));
    return object;
  }

  template <class S>
  static T from_numbers(const Value& value, const Decoder& decoder) {
    return read<S>(value, decoder, [](T& object) { return object.data(); });
  }

  static T from_reals(const Value& value, const Decoder& decoder) {
    using Part = typename Scalar::value_type;
    // Read into the second half of the memory, and from there, in order, to their final places:
    // whatever is overwritten has been read.
    T object = read<Part>(
        value, decoder, [](T& made) { return reinterpret_cast<Part*>(made.data()) + made.size(); });
    const Part* reals = reinterpret_cast<const Part*>(object.data()) + object.size();
    for (std::size_t i = 0; i < object.size(); ++i) object.data()[i] = Scalar(reals[i]);
    return object;
  }
};

}  // namespace detail

/// Views, adaptors and expressions, for saving only. Memory is borrowed if there is some; otherwise
/// the expression is evaluated.
template <class T>
  requires detail::Xtensor<T>
struct Codec<T> {
  using Scalar = typename T::value_type;
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) {
    const std::optional<std::vector<Extent>> shape = detail::XtensorShape<T>::shape();
    if (shape) describe_tensor<Scalar>(type, *shape);
    else describe_tensor<Scalar>(type);
  }
  static Value encode(const T& expression, Encoder&) {
    if constexpr (detail::XtensorInMemory<T>) {
      using Access = detail::XtensorAccess<T>;
      return encode_strided(Access::data(expression), Access::layout(expression));
    } else {
      using Array = xt::xarray<Scalar>;
      const auto owner = std::make_shared<const Array>(expression);
      return encode_strided(owner->data(), detail::XtensorAccess<Array>::layout(*owner), owner);
    }
  }
};

/// Tensors of any rank.
template <class Storage, xt::layout_type Layout, class Shape, class Tag>
  requires detail::Xtensor<xt::xarray_container<Storage, Layout, Shape, Tag>>
struct Codec<xt::xarray_container<Storage, Layout, Shape, Tag>>
    : detail::XtensorCodec<xt::xarray_container<Storage, Layout, Shape, Tag>> {};

/// Tensors of that rank. \throws Error `shape_mismatch` when loading another
template <class Storage, std::size_t rank, xt::layout_type Layout, class Tag>
  requires detail::Xtensor<xt::xtensor_container<Storage, rank, Layout, Tag>>
struct Codec<xt::xtensor_container<Storage, rank, Layout, Tag>>
    : detail::XtensorCodec<xt::xtensor_container<Storage, rank, Layout, Tag>> {};

/// Tensors of that shape. \throws Error `shape_mismatch` when loading another
template <class S, class Shape, xt::layout_type Layout, bool sharable, class Tag>
  requires detail::Xtensor<xt::xfixed_container<S, Shape, Layout, sharable, Tag>>
struct Codec<xt::xfixed_container<S, Shape, Layout, sharable, Tag>>
    : detail::XtensorCodec<xt::xfixed_container<S, Shape, Layout, sharable, Tag>> {};

}  // namespace safestructures::inline v0
