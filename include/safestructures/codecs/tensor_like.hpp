/// \file
/// The base of codecs of tensor types: matrices, images and arrays of other libraries.
///
/// A type that has its numbers in memory, with sizes and strides, is saved as a tensor if you
/// define how to access them:
///
///     struct GridAccess {
///       using Scalar = float;
///       static std::optional<std::vector<Extent>> shape() { return {{Extent(), Extent()}}; }
///       static const float* data(const Grid& grid) { return grid.data(); }
///       static TensorLayout layout(const Grid& grid);               // sizes, and strides in bytes
///       static Grid make(std::span<const std::uint64_t> sizes);     // left out: saving only
///     };
///     template <> struct safestructures::Codec<Grid> : TensorCodec<Grid, GridAccess> {};
///
/// Saving borrows the object's memory, whatever its order and gaps; files are row-major. Loading
/// fills what `make` returns, which may have gaps too, such as an image's rows, converts the dtype
/// as `DecodeOptions::overflow` says, and also accepts nested lists of numbers. Types with special
/// rules, such as Eigen's matrices, use `encode_strided` and `TensorSource`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/codecs/numbers.hpp>
#include <safestructures/codecs/scalars.hpp>
#include <safestructures/codecs/sequences.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {

/// A number that can be one element of a tensor: numbers with a dtype, `std::complex<double>`, and
/// number types of other libraries that have a `BlockLayout`.
template <class S>
concept TensorScalar = Block<S> && (BlockLayout<S>::dims.size() == 0 || BlockLayout<S>::complex);

/// The sizes and strides (in bytes) of a tensor in memory, outermost dimension first.
struct TensorLayout {
  std::vector<std::uint64_t> sizes;   ///< The number of indices in each dimension.
  std::vector<std::int64_t> strides;  ///< Bytes between indices; may be negative or 0.

  /// Adds a dimension inside the others.
  void add(std::integral auto size, std::integral auto stride) {
    sizes.push_back(static_cast<std::uint64_t>(size));
    strides.push_back(static_cast<std::int64_t>(stride));
  }
};

namespace detail {

/// The properties of a scalar type that reading and writing its tensors needs.
struct ScalarLayout {
  DType dtype;
  std::size_t size;         // In bytes.
  bool is_complex = false;  // Whether it is a complex number.
  bool is_pair = false;     // Whether it has no dtype, but is two of `dtype`.
};

template <TensorScalar S>
inline constexpr ScalarLayout scalar_layout{
    BlockLayout<S>::dtype, sizeof(S),
    BlockLayout<S>::dtype == DType::C64 || BlockLayout<S>::complex, BlockLayout<S>::complex};

SAFESTRUCTURES_API void describe_tensor(TypeDescriber& type, const ScalarLayout& scalar,
                                        std::span<const Extent> shape);

SAFESTRUCTURES_API Value encode_strided(const ScalarLayout& scalar, const void* data,
                                        TensorLayout layout, std::shared_ptr<const void> owner);

}  // namespace detail

/// Returns the tensor of the numbers at `data`, which it borrows if there is no `owner`.
template <TensorScalar S>
[[nodiscard]] Value encode_strided(const S* data, TensorLayout layout,
                                   std::shared_ptr<const void> owner = nullptr) {
  return detail::encode_strided(detail::scalar_layout<S>, data, std::move(layout),
                                std::move(owner));
}

/// Describes a tensor of S; `shape` does not include the parts of complex numbers.
template <TensorScalar S>
void describe_tensor(TypeDescriber& type, std::span<const Extent> shape) {
  detail::describe_tensor(type, detail::scalar_layout<S>, shape);
}
/// The same for any rank.
template <TensorScalar S>
void describe_tensor(TypeDescriber& type) {
  type.tensor(BlockLayout<S>::dtype);
}

/// A tensor that is to be read into memory of a scalar type.
class SAFESTRUCTURES_API TensorSource {
 public:
  /// `value` and `decoder` must outlive this object.
  /// \throws Error `type_mismatch`, with `expected` in words, for anything but a tensor or bytes
  template <TensorScalar S>
  TensorSource(std::in_place_type_t<S>, const Value& value, const Decoder& decoder,
               std::string_view expected)
      : TensorSource(detail::scalar_layout<S>, value, decoder, expected) {}

  /// The sizes, not including the parts of complex numbers.
  [[nodiscard]] const std::vector<std::uint64_t>& dims() const& noexcept { return dims_; }

  /// Throws Error `shape_mismatch` with the tensor's shape and what was expected.
  [[noreturn]] void wrong_shape(std::string expected, std::string advice) const;
  /// Checks the sizes. \throws Error `shape_mismatch` if they are not allowed by `shape`
  void expect_shape(std::span<const Extent> shape) const;

  /// Fills memory with all scalars of the tensor, whose sizes the layout has. Rows may have gaps,
  /// which are left as they are. \param target the first element
  /// \throws Error as `convert_elements`, with the path; `invalid_argument` if elements share
  /// memory
  void read(const TensorLayout& layout, void* target);
  /// The same for dense memory: dimension i of its row-major order is dimension `order[i]` of the
  /// tensor.
  void read(std::span<const std::size_t> order, void* target);

 private:
  TensorSource(const detail::ScalarLayout& scalar, const Value& value, const Decoder& decoder,
               std::string_view expected);

  const detail::ScalarLayout& scalar_;
  const Value& value_;
  const Decoder& decoder_;
  Tensor tensor_;
  std::vector<std::uint64_t> dims_;
  bool is_marked_ = false;  // Whether it is marked as complex.
};

namespace detail {

/// Returns the dimensions of dense memory, outermost in memory first; null if it is not dense.
SAFESTRUCTURES_API std::optional<std::vector<std::size_t>> dense_order(const TensorLayout& layout,
                                                                       std::size_t scalar_size);

/// Returns the sizes of nested lists, to as many levels as `shape` has dimensions, or all of them.
/// The sizes below an empty list are the smallest that `shape` allows. All rows have these sizes,
/// so no memory is allocated for more numbers than there are.
/// \throws Error `shape_mismatch`
SAFESTRUCTURES_API std::vector<std::uint64_t> nested_sizes(
    const Value& value, const std::optional<std::vector<Extent>>& shape, Decoder& decoder);

/// For tensor libraries that multiply sizes without checking for overflow, or that have both real
/// and complex numbers.
/// @{
/// Whether the product of the sizes is at most `most`. Sizes of 0 are left out, because the product
/// of those before them must not overflow either.
SAFESTRUCTURES_API bool count_fits(std::span<const std::uint64_t> sizes,
                                   std::uint64_t most) noexcept;
/// Throws Error `type_mismatch`: complex numbers cannot be loaded as real ones.
[[noreturn]] SAFESTRUCTURES_API void refuse_complex(const Value& value, const Decoder& decoder,
                                                    std::string advice);
/// Returns the real parts of a C64 tensor as F32. \throws Error as `refuse_complex` if it has
/// imaginary ones
SAFESTRUCTURES_API Value real_parts(const Value& value, const Decoder& decoder, std::string advice);
/// @}

/// Checks the length of a row. \throws Error `shape_mismatch` if it differs from the first
SAFESTRUCTURES_API void expect_row(const Items& row, const Value& value, std::uint64_t size,
                                   const Decoder& decoder);

template <class S>
void fill_nested(const Value& value, Decoder& decoder, const TensorLayout& layout,
                 std::size_t level, std::byte* target) {
  if (level == layout.sizes.size()) {
    *reinterpret_cast<S*>(target) = decoder.decode<S>(value);
    return;
  }
  Items items(value, decoder);
  expect_row(items, value, layout.sizes[level], decoder);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Decoder::Step step(decoder, i);
    fill_nested<S>(items[i], decoder, layout, level + 1,
                   target + static_cast<std::ptrdiff_t>(i) * layout.strides[level]);
  }
}

}  // namespace detail

/// Codec of a tensor type by its Access; see the top of this file.
template <class T, class Access>
struct TensorCodec {
  /// The C++ type of the tensor's elements.
  using Scalar = typename Access::Scalar;
  static_assert(TensorScalar<Scalar>,
                "safestructures: the scalar type of this tensor has no dtype");
  /// Whether Access can make a T.
  static constexpr bool is_loadable =
      requires(std::span<const std::uint64_t> sizes) { Access::make(sizes); };
  /// The members of a codec: see codec.hpp. The encoded value borrows the object's memory.
  /// @{
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) {
    const std::optional<std::vector<Extent>> shape = Access::shape();
    if (shape) describe_tensor<Scalar>(type, *shape);
    else describe_tensor<Scalar>(type);
  }

  static Value encode(const T& object, Encoder&) {
    return encode_strided(static_cast<const Scalar*>(Access::data(object)), Access::layout(object));
  }

  static T decode(const Value& value, Decoder& decoder)
    requires is_loadable
  {
    const std::optional<std::vector<Extent>> shape = Access::shape();
    if (value.is_sequence()) {
      T object = Access::make(detail::nested_sizes(value, shape, decoder));
      // As const: some libraries let const views be written through, others give no other pointer.
      auto* target = const_cast<Scalar*>(Access::data(std::as_const(object)));
      detail::fill_nested<Scalar>(value, decoder, Access::layout(object), 0,
                                  reinterpret_cast<std::byte*>(target));
      return object;
    }
    TensorSource source(std::in_place_type<Scalar>, value, decoder,
                        "a tensor, or a list of numbers");
    if (shape) source.expect_shape(*shape);
    T object = Access::make(std::span<const std::uint64_t>(source.dims()));
    source.read(Access::layout(object), const_cast<Scalar*>(Access::data(std::as_const(object))));
    return object;
  }
  /// @}
};

}  // namespace safestructures::inline v0
