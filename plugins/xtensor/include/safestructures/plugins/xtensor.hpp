/// \file
/// xtensor's types: arrays and tensors, views of them, and expressions.
///
/// - `xarray`, `xtensor` and `xtensor_fixed` of any layout are a tensor of that shape. They load
///   from such tensors and from nested lists of numbers.
/// - Views, adaptors and slices are saved the same without copying; other expressions such as
///   `a + b` are evaluated.
///
/// Scalars are those of `TensorScalar`. Loading converts between them under the rules of `convert`.
/// Files are row-major, always.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <xtensor/xarray.hpp>
#include <xtensor/xexpression.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xutils.hpp>
#include <xtl/xsequence.hpp>

#include <safestructures/codecs/tensor_like.hpp>

namespace safestructures::inline v0 {
namespace detail {

template <class T>
concept Xtensor =
    std::is_class_v<T> && xt::is_xexpression<T>::value && TensorScalar<typename T::value_type>;

/// Those whose elements can be reached by address.
template <class T>
concept XtensorInMemory = Xtensor<T> && requires(const T& object) {
  object.strides();
  { object.data() + object.data_offset() } -> std::convertible_to<const typename T::value_type*>;
};

/// Of fixed rank, or of any.
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
    // One of fixed shape has it already. A vector as the shape of a fixed rank would be copied with
    // a warning of GCC 14, which does not know its length.
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

}  // namespace detail

/// Views, adaptors and expressions, for saving. What has memory is borrowed, the rest evaluated.
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

/// A tensor of any rank.
template <class Storage, xt::layout_type Layout, class Shape, class Tag>
  requires detail::Xtensor<xt::xarray_container<Storage, Layout, Shape, Tag>>
struct Codec<xt::xarray_container<Storage, Layout, Shape, Tag>>
    : TensorCodec<xt::xarray_container<Storage, Layout, Shape, Tag>,
                  detail::XtensorMaker<xt::xarray_container<Storage, Layout, Shape, Tag>>> {};

/// A tensor of that rank. \throws Error `shape_mismatch` when loading another
template <class Storage, std::size_t rank, xt::layout_type Layout, class Tag>
  requires detail::Xtensor<xt::xtensor_container<Storage, rank, Layout, Tag>>
struct Codec<xt::xtensor_container<Storage, rank, Layout, Tag>>
    : TensorCodec<xt::xtensor_container<Storage, rank, Layout, Tag>,
                  detail::XtensorMaker<xt::xtensor_container<Storage, rank, Layout, Tag>>> {};

/// A tensor of that shape. \throws Error `shape_mismatch` when loading another
template <class S, class Shape, xt::layout_type Layout, bool sharable, class Tag>
  requires detail::Xtensor<xt::xfixed_container<S, Shape, Layout, sharable, Tag>>
struct Codec<xt::xfixed_container<S, Shape, Layout, sharable, Tag>>
    : TensorCodec<xt::xfixed_container<S, Shape, Layout, sharable, Tag>,
                  detail::XtensorMaker<xt::xfixed_container<S, Shape, Layout, sharable, Tag>>> {};

}  // namespace safestructures::inline v0
