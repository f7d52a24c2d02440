/// \file
/// `Eigen::Tensor`, of Eigen's unsupported modules: a header of its own, as it is slow to compile.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include <unsupported/Eigen/CXX11/Tensor>

#include <safestructures/plugins/eigen_layout.hpp>

namespace safestructures {
namespace detail {

template <class T>
Value encode_eigen_tensor(const T& tensor) {
  constexpr auto rank = static_cast<std::size_t>(T::NumDimensions);
  constexpr bool row_major = static_cast<int>(T::Layout) == static_cast<int>(Eigen::RowMajor);
  const auto& sizes = tensor.dimensions();
  std::array<Eigen::Index, rank> strides{};
  auto stride = static_cast<Eigen::Index>(sizeof(typename T::Scalar));
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t dimension = row_major ? rank - 1 - i : i;
    strides[dimension] = stride;
    stride *= static_cast<Eigen::Index>(sizes[dimension]);
  }
  EigenLayout layout;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    layout.add(static_cast<Eigen::Index>(sizes[i]), strides[i]);
  }
  return encode_eigen<typename T::Scalar>(tensor.data(), std::move(layout), nullptr);
}

}  // namespace detail

/// A tensor of that rank. Saving borrows the object's memory.
/// \throws Error `shape_mismatch` when loading another rank
template <detail::EigenScalar S, int Rank, int Options, class Index>
struct Codec<Eigen::Tensor<S, Rank, Options, Index>> {
  using Tensor = Eigen::Tensor<S, Rank, Options, Index>;
  static constexpr KindSet kinds = Kind::tensor;
  static Value encode(const Tensor& tensor, Encoder&) {
    return detail::encode_eigen_tensor(tensor);
  }
  static Tensor decode(const Value& value, Decoder& decoder) {
    detail::EigenSource<S> source(value, decoder, "a tensor");
    if (source.dims().size() != Rank) {
      source.wrong_shape("a tensor of rank " + std::to_string(Rank), {});
    }
    constexpr bool row_major =
        static_cast<int>(Tensor::Layout) == static_cast<int>(Eigen::RowMajor);
    typename Tensor::Dimensions sizes;
    std::array<std::size_t, static_cast<std::size_t>(Rank)> order{};
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!std::in_range<Index>(source.dims()[i])) {
        source.wrong_shape("sizes that Eigen's index type holds", {});
      }
      sizes[i] = static_cast<Index>(source.dims()[i]);
      order[i] = row_major ? i : order.size() - 1 - i;
    }
    Tensor tensor(sizes);
    source.read(order, tensor.data());
    return tensor;
  }
};

/// A view of somebody's memory, for saving.
template <class Plain, int Options, template <class> class MakePointer>
  requires detail::EigenScalar<typename Plain::Scalar>
struct Codec<Eigen::TensorMap<Plain, Options, MakePointer>> {
  static constexpr KindSet kinds = Kind::tensor;
  static Value encode(const Eigen::TensorMap<Plain, Options, MakePointer>& tensor, Encoder&) {
    return detail::encode_eigen_tensor(tensor);
  }
};

}  // namespace safestructures
