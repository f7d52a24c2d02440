/// \file
/// The common part of eigen.hpp and eigen_tensor.hpp: Eigen's scalars, the memory layout of its
/// dense objects, and which numbers of a file they accept.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include <safestructures/codecs/tensor_like.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/dtype.hpp>

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

/// Scalars that have a dtype, including `std::complex<double>`.
template <class S>
concept EigenScalar = TensorScalar<S>;

/// Only used to test whether a type is a dense expression; never defined.
template <class D>
D* eigen_dense_type(const Eigen::DenseBase<D>*);

/// Dense matrices, arrays and their expressions.
template <class T>
concept EigenDense = std::is_class_v<T> && requires(const T* object) {
  detail::eigen_dense_type(object);
  requires EigenScalar<typename T::Scalar>;
};

/// Dense types that own their elements: Matrix and Array.
template <class T>
concept EigenPlain = EigenDense<T> && std::derived_from<T, Eigen::PlainObjectBase<T>>;

template <class T>
concept EigenFixed = EigenPlain<T> && (T::SizeAtCompileTime > 0);

/// Whether the elements of a T are where its data() and strides say. Eigen's DirectAccessBit does
/// not tell: Diagonal and Reshaped inherit it but assume an inner stride of 1, IndexedView has it
/// without data(), and real() and imag() without access to the first element.
template <class T>
struct EigenInMemory;

/// Returns whether neighbours have a distance of 1, known at compile time.
template <class T>
constexpr bool eigen_is_dense_inside() {
  if constexpr (EigenInMemory<T>::value) return int{T::InnerStrideAtCompileTime} == 1;
  else return false;
}

/// Only used to test a type's bases; never defined. Types without an overload here are evaluated.
/// @{
template <class D>
std::true_type eigen_memory(const Eigen::PlainObjectBase<D>*);
template <class Plain, int Options, class Stride>
std::true_type eigen_memory(const Eigen::Map<Plain, Options, Stride>*);
template <class Plain, int Options, class Stride>
std::true_type eigen_memory(const Eigen::Ref<Plain, Options, Stride>*);
template <class X, int Rows, int Columns, bool is_inner_panel>
EigenInMemory<X> eigen_memory(const Eigen::Block<X, Rows, Columns, is_inner_panel>*);
template <class X>
EigenInMemory<X> eigen_memory(const Eigen::Transpose<X>*);
template <class X>
EigenInMemory<X> eigen_memory(const Eigen::ArrayWrapper<X>*);
template <class X>
EigenInMemory<X> eigen_memory(const Eigen::MatrixWrapper<X>*);
template <class X, int Index>
std::bool_constant<eigen_is_dense_inside<X>()> eigen_memory(const Eigen::Diagonal<X, Index>*);
template <class X, int Rows, int Columns, int Order>
std::bool_constant<eigen_is_dense_inside<X>()> eigen_memory(
    const Eigen::Reshaped<X, Rows, Columns, Order>*);
std::false_type eigen_memory(const void*);
/// @}

template <class T>
struct EigenInMemory
    : std::bool_constant<(static_cast<unsigned>(T::Flags) & Eigen::DirectAccessBit) != 0U &&
                         decltype(detail::eigen_memory(static_cast<const T*>(nullptr)))::value> {};

/// Adds the dimensions of a dense object whose elements can be reached by address.
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
  // A diagonal's data() is the address of an element, which an empty matrix does not have.
  return encode_strided(dense.size() == 0 ? nullptr : dense.data(), std::move(layout),
                        std::move(owner));
}

/// The maximum number of elements of an Eigen object. Eigen multiplies sizes in its Index without
/// checking for overflow, and strides in bytes are multiplied here.
template <class S, class Index>
inline constexpr std::uint64_t eigen_most_elements =
    std::min(static_cast<std::uint64_t>(std::numeric_limits<Index>::max()),
             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / sizeof(S));

/// For error messages.
/// @{
inline std::string eigen_count_text(std::uint64_t most) {
  return "at most " + std::to_string(most) + " elements, which its Index counts";
}
inline constexpr const char* eigen_count_advice =
    "Load a part of it, or load it as a type with a wider Index";
/// @}

/// Returns whether `value` holds real numbers, which `std::complex<double>` would read in pairs.
template <EigenScalar S>
bool eigen_are_reals_for(const Value& value) {
  return BlockLayout<S>::complex && value.has_tensor() && value.tensor().dtype() != DType::C64 &&
         !is_marked_complex(value);
}

inline constexpr const char* eigen_complex_advice =
    "Load it into a type of std::complex, and take its real() and imag() from there";

/// Reads a tensor as numbers of S, as TensorSource does, but reads complex numbers into a real type
/// only if they have no imaginary part, as `convert` does, and never as their parts.
template <EigenScalar S>
class EigenSource : public TensorSource {
 public:
  static constexpr bool is_complex = Eigen::NumTraits<S>::IsComplex;

  EigenSource(const Value& value, const Decoder& decoder, std::string_view expected)
      : TensorSource(std::in_place_type<S>, value, decoder, expected),
        value_(value),
        decoder_(decoder) {
    if (!is_complex && is_marked_complex(value))
      refuse_complex(value, decoder, eigen_complex_advice);
  }

  /// \throws Error `shape_mismatch` if Index cannot count the elements.
  template <class Index>
  void expect_countable() const {
    constexpr std::uint64_t most = eigen_most_elements<S, Index>;
    if (!count_fits(dims(), most)) wrong_shape(eigen_count_text(most), eigen_count_advice);
  }

  void read(std::span<const std::size_t> order, S* target) {
    if (is_complex || value_.tensor().dtype() != DType::C64)
      return TensorSource::read(order, target);
    const Value reals = real_parts(value_, decoder_, eigen_complex_advice);
    TensorSource(std::in_place_type<S>, reals, decoder_, {}).read(order, target);
  }

 private:
  const Value& value_;
  const Decoder& decoder_;
};

}  // namespace detail
}  // namespace safestructures::inline v0
