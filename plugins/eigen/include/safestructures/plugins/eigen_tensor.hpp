/// \file
/// `Eigen::Tensor`, from Eigen's unsupported modules. It has its own header because it is slow to
/// compile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <unsupported/Eigen/CXX11/Tensor>

#include <safestructures/codecs/numbers.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/type_describer.hpp>
#include <safestructures/plugins/eigen_layout.hpp>

namespace safestructures::inline v0 {
namespace detail {

template <class T>
struct EigenTensorAccess {
  using Scalar = typename T::Scalar;
  using Index = typename T::Index;
  static constexpr auto rank = static_cast<std::size_t>(T::NumDimensions);

  static std::optional<std::vector<Extent>> shape() {
    // Only an index type that can hold all sizes of a file sets no bound.
    constexpr bool holds_all = sizeof(Index) >= 8;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
    return std::vector<Extent>(rank, holds_all ? Extent() : Extent::at_most(most));
  }
  static const Scalar* data(const T& tensor) { return tensor.data(); }
  static TensorLayout layout(const T& tensor) {
    constexpr bool row_major = static_cast<int>(T::Layout) == static_cast<int>(Eigen::RowMajor);
    const auto& sizes = tensor.dimensions();
    std::array<std::int64_t, rank> strides{};
    auto stride = static_cast<std::int64_t>(sizeof(Scalar));
    for (std::size_t i = 0; i < strides.size(); ++i) {
      const std::size_t dimension = row_major ? rank - 1 - i : i;
      strides[dimension] = stride;
      stride *= static_cast<std::int64_t>(sizes[dimension]);
    }
    TensorLayout layout;
    for (std::size_t i = 0; i < strides.size(); ++i) layout.add(sizes[i], strides[i]);
    return layout;
  }
};

template <class T>
struct EigenTensorMaker : EigenTensorAccess<T> {
  static T make(std::span<const std::uint64_t> sizes) {
    typename T::Dimensions dimensions;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      dimensions[i] = static_cast<typename T::Index>(sizes[i]);
    return T(dimensions);
  }
};

template <class T>
struct EigenTensorCodec : TensorCodec<T, EigenTensorMaker<T>> {
  using Scalar = typename T::Scalar;
  using Index = typename T::Index;
  using Base = TensorCodec<T, EigenTensorMaker<T>>;
  using Real = Eigen::Tensor<double, static_cast<int>(T::NumDimensions),
                             static_cast<int>(T::Options), Index>;

  static T decode(const Value& value, Decoder& decoder) {
    const std::optional<std::vector<Extent>> shape = EigenTensorMaker<T>::shape();
    if (value.is_sequence()) {
      constexpr std::uint64_t most = eigen_most_elements<Scalar, Index>;
      if (!count_fits(nested_sizes(value, shape, decoder), most))
        decoder.fail(ErrorCode::shape_mismatch, "the list has the wrong shape",
                     {.expected = eigen_count_text(most),
                      .found = describe(value),
                      .advice = eigen_count_advice});
      return Base::decode(value, decoder);
    }
    if constexpr (BlockLayout<Scalar>::complex) {
      if (eigen_are_reals_for<Scalar>(value))
        return EigenTensorCodec<Real>::decode(value, decoder).template cast<Scalar>();
    }
    EigenSource<Scalar> source(value, decoder, "a tensor, or a list of numbers");
    source.expect_shape(*shape);
    source.template expect_countable<Index>();
    T object = EigenTensorMaker<T>::make(source.dims());
    // Eigen's tensors are dense.
    source.read(dense_order(EigenTensorMaker<T>::layout(object), sizeof(Scalar)).value(),
                object.data());
    return object;
  }
};

}  // namespace detail

/// Tensors of that rank. Saving borrows the object's memory.
/// \throws Error `shape_mismatch` when loading another rank, or more elements than Index can count
template <detail::EigenScalar S, int Rank, int Options, class Index>
struct Codec<Eigen::Tensor<S, Rank, Options, Index>>
    : detail::EigenTensorCodec<Eigen::Tensor<S, Rank, Options, Index>> {};

/// Views of external memory, for saving only.
template <class Plain, int Options, template <class> class MakePointer>
  requires detail::EigenScalar<typename Plain::Scalar>
struct Codec<Eigen::TensorMap<Plain, Options, MakePointer>>
    : TensorCodec<Eigen::TensorMap<Plain, Options, MakePointer>,
                  detail::EigenTensorAccess<Eigen::TensorMap<Plain, Options, MakePointer>>> {};

}  // namespace safestructures::inline v0
