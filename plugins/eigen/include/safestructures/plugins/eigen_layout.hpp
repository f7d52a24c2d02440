/// \file
/// How the memory of Eigen's objects becomes a tensor and is filled from one: what eigen.hpp and
/// eigen_tensor.hpp share.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <safestructures/codecs/numbers.hpp>
#include <safestructures/data/codec.hpp>

namespace safestructures::detail {

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

/// Scalars that have a dtype, `std::complex<double>` included.
template <class S>
concept EigenScalar = Element<S> || std::same_as<S, Eigen::half> ||
                      std::same_as<S, Eigen::bfloat16> || std::same_as<S, std::complex<double>>;

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

/// Sizes and strides of one tensor, outermost first.
struct EigenLayout {
  std::vector<std::uint64_t> sizes;
  std::vector<std::int64_t> strides;

  void add(Eigen::Index size, Eigen::Index stride) {
    sizes.push_back(static_cast<std::uint64_t>(size));
    strides.push_back(static_cast<std::int64_t>(stride));
  }
};

/// The tensor of scalars at `data`. `layout` has strides in bytes.
template <class S>
Value encode_eigen(const S* data, EigenLayout layout, std::shared_ptr<const void> owner) {
  using Block = BlockLayout<S>;
  if constexpr (Block::complex) layout.add(2, sizeof(S) / 2);
  Value value(Tensor::strided(Block::dtype, Shape(std::span<const std::uint64_t>(layout.sizes)),
                              layout.strides, reinterpret_cast<const std::byte*>(data),
                              std::move(owner)));
  if constexpr (Block::complex) value.set_attribute("complex", Value(true));
  return value;
}

/// The dimensions of a dense object whose elements can be reached by address.
template <class T>
void add_dense_dims(const T& dense, EigenLayout& layout) {
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
  EigenLayout layout;
  add_dense_dims(dense, layout);
  return encode_eigen(dense.data(), std::move(layout), std::move(owner));
}

/// A tensor as it is to be read into Eigen's memory, and its dimensions without the parts of
/// complex numbers.
template <class S>
class EigenSource {
 public:
  EigenSource(const Value& value, const Decoder& decoder, std::string_view expected)
      : value_(value), decoder_(decoder) {
    if (value.kind() != Kind::tensor && value.kind() != Kind::bytes) {
      decoder.mismatch(expected, value);
    }
    tensor_ = value.tensor();
    // Packed elements have no addresses of their own, and are exact in F32.
    if (bit_width(tensor_.dtype()) < 8) tensor_ = tensor_.to(DType::F32);
    dims_.assign(tensor_.shape().begin(), tensor_.shape().end());
    const Value* mark = value.attribute("complex");
    marked_ = mark != nullptr && mark->kind() == Kind::boolean && mark->as_bool();
    if constexpr (Eigen::NumTraits<S>::IsComplex) {
      const bool pairs = marked_ || (BlockLayout<S>::complex && tensor_.dtype() != DType::C64);
      if (pairs && !dims_.empty()) dims_.pop_back();
    }
  }

  [[nodiscard]] const std::vector<std::uint64_t>& dims() const noexcept { return dims_; }

  [[noreturn]] void wrong_shape(std::string expected, std::string advice) const {
    decoder_.fail(ErrorCode::shape_mismatch, "the tensor has another shape", std::move(expected),
                  describe(value_), std::move(advice));
  }

  /// Fills `target`; dimension i of its row-major order is dimension `order[i]` of the tensor.
  void read(std::span<const std::size_t> order, S* target) {
    std::vector<std::size_t> all(order.begin(), order.end());
    std::vector<std::uint64_t> dims;
    std::uint64_t count = 1;
    for (const std::size_t i : order) {
      dims.push_back(dims_[i]);
      count *= dims_[i];
    }
    if constexpr (BlockLayout<S>::complex) dims.push_back(2);
    for (std::size_t i = all.size(); i < tensor_.rank(); ++i) all.push_back(i);
    Value source(tensor_.permute(all));
    if (marked_) source.set_attribute("complex", Value(true));
    decode_block(
        source, decoder_, BlockLayout<S>::dtype, dims,
        {reinterpret_cast<std::byte*>(target), static_cast<std::size_t>(count) * sizeof(S)});
  }

 private:
  const Value& value_;
  const Decoder& decoder_;
  Tensor tensor_;
  std::vector<std::uint64_t> dims_;
  bool marked_ = false;
};

}  // namespace safestructures::detail
