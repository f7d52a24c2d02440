/// \file
/// Eigen's scalars, and how the memory of its dense objects is laid out: what eigen.hpp and
/// eigen_tensor.hpp share.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include <safestructures/codecs/tensor_like.hpp>

namespace safestructures::inline v0 {

template <>
struct BlockLayout<Eigen::half> {
  static constexpr DType dtype = DType::F16;
  static constexpr std::array<std::uint64_t, 0> dims{};
  static constexpr bool complex = false;
};

template <>
struct BlockLayout<Eigen::bfloat16> {
  static constexpr DType dtype = DType::BF16;
  static constexpr std::array<std::uint64_t, 0> dims{};
  static constexpr bool complex = false;
};

namespace detail {

/// Scalars that have a dtype, `std::complex<double>` included.
template <class S>
concept EigenScalar = TensorScalar<S>;

/// Only for asking whether a type is a dense expression; never defined.
template <class D>
D* eigen_dense_type(const Eigen::DenseBase<D>*);

/// Dense matrices, arrays and their expressions.
template <class T>
concept EigenDense = std::is_class_v<T> && requires(const T* object) {
  detail::eigen_dense_type(object);
  requires EigenScalar<typename T::Scalar>;
};

/// Those that own their elements: Matrix and Array.
template <class T>
concept EigenPlain = EigenDense<T> && std::derived_from<T, Eigen::PlainObjectBase<T>>;

template <class T>
concept EigenFixed = EigenPlain<T> && (T::SizeAtCompileTime > 0);

/// The dimensions of a dense object whose elements can be reached by address.
template <class T>
void add_dense_dims(const T& dense, TensorLayout& layout) {
  constexpr auto width = static_cast<Eigen::Index>(sizeof(typename T::Scalar));
  const Eigen::Index inner = dense.innerStride() * width;
  if constexpr (T::IsVectorAtCompileTime) {
    layout.add(dense.size(), inner);
  } else {
    const Eigen::Index outer = dense.outerStride() * width;
    layout.add(dense.rows(), T::IsRowMajor ? outer : inner);
    layout.add(dense.cols(), T::IsRowMajor ? inner : outer);
  }
}

template <class T>
Value encode_dense(const T& dense, std::shared_ptr<const void> owner = nullptr) {
  TensorLayout layout;
  add_dense_dims(dense, layout);
  return encode_strided(dense.data(), std::move(layout), std::move(owner));
}

}  // namespace detail
}  // namespace safestructures::inline v0
