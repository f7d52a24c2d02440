/// \file
/// Eigen's dense types: matrices, arrays, vectors, views of them, quaternions and transforms.
///
/// | type | saved as | loads from |
/// |---|---|---|
/// | `Matrix`, `Array` | a tensor [rows, columns] | such a tensor; a list of rows |
/// | those with one row or column at compile time | a tensor [size] | [size], [n, 1] or [1, n]; a
/// list | | `Map`, `Ref`, `Block`, `transpose()`, ... | the same, without copying | (load what they
/// view) | | other expressions, such as `a + b` | the same, evaluated | | | `std::vector` of those
/// of fixed size | one tensor [n, rows, columns] or [n, size] | that; a list | | `Quaternion` | a
/// tensor [4]: x, y, z, w | the same | | `Transform`, `Isometry3d`, ... | its matrix | the same |
/// | `DiagonalMatrix` | a tensor [n] | the same |
///
/// Scalars: bool, all integers of 8 to 64 bits, float, double, `Eigen::half` (F16),
/// `Eigen::bfloat16` (BF16), `std::complex<float>` (C64), `std::complex<double>` (F64 with a last
/// dimension of 2, marked "complex"), and this library's 8- and 16-bit floats. Loading converts
/// between them under the rules of `convert`.
///
/// Files are row-major, always; column-major matrices are transposed while they are written and
/// read. `Eigen::Tensor` is in eigen_tensor.hpp.
#pragma once

#include <array>
#include <bit>
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
#include <Eigen/Geometry>

#include <safestructures/codecs/kinds.hpp>
#include <safestructures/codecs/numbers.hpp>
#include <safestructures/codecs/scalars.hpp>
#include <safestructures/codecs/sequences.hpp>
#include <safestructures/codecs/vector.hpp>
#include <safestructures/data/codec.hpp>

namespace safestructures {
namespace detail {

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

/// A size for error messages: fixed, bounded, or any.
inline std::string eigen_size_text(int fixed, int most) {
  if (fixed != Eigen::Dynamic) return std::to_string(fixed);
  return most == Eigen::Dynamic ? "any" : "at most " + std::to_string(most);
}

/// The shape that a Matrix or Array wants, for error messages.
template <class T>
std::string eigen_shape_text() {
  if constexpr (T::IsVectorAtCompileTime) {
    return "[" + eigen_size_text(T::SizeAtCompileTime, T::MaxSizeAtCompileTime) + "]";
  } else {
    return "[" + eigen_size_text(T::RowsAtCompileTime, T::MaxRowsAtCompileTime) + ", " +
           eigen_size_text(T::ColsAtCompileTime, T::MaxColsAtCompileTime) + "]";
  }
}

constexpr bool eigen_size_fits(std::uint64_t size, int fixed, int most) {
  if (fixed != Eigen::Dynamic) return size == static_cast<std::uint64_t>(fixed);
  return most == Eigen::Dynamic || size <= static_cast<std::uint64_t>(most);
}

template <class T>
bool eigen_fits(std::uint64_t rows, std::uint64_t columns) {
  return eigen_size_fits(rows, T::RowsAtCompileTime, T::MaxRowsAtCompileTime) &&
         eigen_size_fits(columns, T::ColsAtCompileTime, T::MaxColsAtCompileTime);
}

template <class T>
T decode_dense_tensor(const Value& value, const Decoder& decoder) {
  EigenSource<typename T::Scalar> source(value, decoder, "a tensor, or a list of numbers");
  const std::vector<std::uint64_t>& dims = source.dims();
  constexpr bool is_vector = T::IsVectorAtCompileTime;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  bool fits = false;
  if (dims.size() == 2) {
    rows = dims[0];
    columns = dims[1];
    fits = eigen_fits<T>(rows, columns);
  } else if (is_vector && dims.size() == 1) {
    rows = T::RowsAtCompileTime == 1 ? 1 : dims[0];
    columns = T::RowsAtCompileTime == 1 ? dims[0] : 1;
    fits = eigen_fits<T>(rows, columns);
  }
  if (!fits) {
    std::string advice;
    if (is_vector && dims.size() == 2) {
      advice = "Load it as a matrix";
    } else if (!is_vector && dims.size() == 1) {
      advice = "Load it as an Eigen vector, or save it with two dimensions";
    } else if (dims.size() > 2) {
      advice = "Load it as a Tensor and take slices of two dimensions";
    } else if (T::SizeAtCompileTime != Eigen::Dynamic) {
      advice = "Load it as a type of dynamic size if it may have any";
    }
    source.wrong_shape("shape " + eigen_shape_text<T>(), std::move(advice));
  }
  T result;
  result.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  constexpr std::array<std::size_t, 2> row_major{0, 1};
  constexpr std::array<std::size_t, 2> column_major{1, 0};
  source.read(std::span(T::IsRowMajor || is_vector ? row_major : column_major).first(dims.size()),
              result.data());
  return result;
}

/// From a list of numbers (vectors) or of rows (matrices).
template <class T>
T decode_dense_list(const Value& value, Decoder& decoder) {
  using S = typename T::Scalar;
  const std::vector<Value>& items = value.items();
  const auto wrong_length = [&] {
    decoder.fail(ErrorCode::shape_mismatch, "the list has another length",
                 "items for shape " + eigen_shape_text<T>(), describe(value));
  };
  const auto count = static_cast<Eigen::Index>(items.size());
  T result;
  if constexpr (T::IsVectorAtCompileTime) {
    if (!eigen_size_fits(items.size(), T::SizeAtCompileTime, T::MaxSizeAtCompileTime)) {
      wrong_length();
    }
    result.resize(T::RowsAtCompileTime == 1 ? 1 : count, T::RowsAtCompileTime == 1 ? count : 1);
    for (std::size_t i = 0; i < items.size(); ++i) {
      result.coeffRef(static_cast<Eigen::Index>(i)) = decoder.decode_at<S>(i, items[i]);
    }
  } else {
    using Row =
        Eigen::Array<S, 1, T::ColsAtCompileTime, Eigen::RowMajor, 1, T::MaxColsAtCompileTime>;
    if (!eigen_size_fits(items.size(), T::RowsAtCompileTime, T::MaxRowsAtCompileTime)) {
      wrong_length();
    }
    result.resize(count, T::ColsAtCompileTime == Eigen::Dynamic ? 0 : T::ColsAtCompileTime);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Decoder::Step step(decoder, i);
      const Row row = decoder.decode<Row>(items[i]);
      if (i == 0) result.resize(count, row.cols());
      if (row.cols() != result.cols()) {
        decoder.fail(ErrorCode::shape_mismatch, "a row has another length than the first",
                     std::to_string(result.cols()) + " numbers", describe(items[i]));
      }
      for (Eigen::Index j = 0; j < row.cols(); ++j) {
        result(static_cast<Eigen::Index>(i), j) = row(j);
      }
    }
  }
  return result;
}

}  // namespace detail

/// A floating-point number, as `half`.
template <>
struct Codec<Eigen::half> {
  static constexpr KindSet kinds = Kind::floating;
  static Value encode(Eigen::half number, Encoder&) { return Value(static_cast<float>(number)); }
  static Eigen::half decode(const Value& value, Decoder& decoder) {
    return std::bit_cast<Eigen::half>(decoder.decode<half>(value));
  }
};

/// A floating-point number, as `bfloat16`.
template <>
struct Codec<Eigen::bfloat16> {
  static constexpr KindSet kinds = Kind::floating;
  static Value encode(Eigen::bfloat16 number, Encoder&) {
    return Value(static_cast<float>(number));
  }
  static Eigen::bfloat16 decode(const Value& value, Decoder& decoder) {
    return std::bit_cast<Eigen::bfloat16>(decoder.decode<bfloat16>(value));
  }
};

/// Matrices and arrays. Saving borrows the object's memory. Loading converts the dtype as
/// `DecodeOptions::overflow` says.
/// \throws Error `shape_mismatch` when loading what does not fit the sizes fixed at compile time;
/// `type_mismatch`; `out_of_range`, `lossy_conversion` as `convert`
template <class T>
  requires detail::EigenPlain<T>
struct Codec<T> {
  static constexpr KindSet kinds = Kind::tensor;
  static Value encode(const T& dense, Encoder&) { return detail::encode_dense(dense); }
  static T decode(const Value& value, Decoder& decoder) {
    if (value.is_sequence()) return detail::decode_dense_list<T>(value, decoder);
    return detail::decode_dense_tensor<T>(value, decoder);
  }
};

/// Views and expressions, for saving. Views borrow the memory they show; what has no memory is
/// evaluated.
template <class T>
  requires(detail::EigenDense<T> && !detail::EigenPlain<T>)
struct Codec<T> {
  static constexpr KindSet kinds = Kind::tensor;
  static Value encode(const T& dense, Encoder&) {
    if constexpr ((static_cast<unsigned>(T::Flags) & Eigen::DirectAccessBit) != 0U) {
      return detail::encode_dense(dense);
    } else {
      const auto owner = std::make_shared<const typename T::PlainObject>(dense);
      return detail::encode_dense(*owner, owner);
    }
  }
  static T decode(const Value&, Decoder&) {
    static_assert(
        detail::always_false<T>,
        "safestructures cannot load into an Eigen view or expression (Map, Ref, Block, ...), "
        "which has no memory of its own: load the Eigen::Matrix or Eigen::Array and assign it");
  }
};

/// Vectors of points, poses and the like: one tensor, its first dimension the items.
template <class T, class Allocator>
  requires detail::EigenFixed<T>
struct Codec<std::vector<T, Allocator>> {
  using Items = std::vector<T, Allocator>;
  using Scalar = typename T::Scalar;
  static constexpr KindSet kinds = Kind::tensor;
  static_assert(sizeof(T) == sizeof(Scalar) * T::SizeAtCompileTime);

  static Value encode(const Items& items, Encoder&) {
    detail::EigenLayout layout;
    layout.add(static_cast<Eigen::Index>(items.size()), sizeof(T));
    if (items.empty()) {
      detail::add_dense_dims(T(T::Zero()), layout);
      return detail::encode_eigen<Scalar>(nullptr, std::move(layout), nullptr);
    }
    detail::add_dense_dims(items.front(), layout);
    return detail::encode_eigen(items.front().data(), std::move(layout), nullptr);
  }

  static Items decode(const Value& value, Decoder& decoder) {
    if (value.is_sequence()) return detail::ListCodec<Items>::decode(value, decoder);
    detail::EigenSource<Scalar> source(value, decoder, "a tensor, or a list of tensors");
    const std::vector<std::uint64_t>& dims = source.dims();
    bool fits = false;
    if constexpr (T::IsVectorAtCompileTime) {
      fits = dims.size() == 2 && dims[1] == T::SizeAtCompileTime;
    } else {
      fits = dims.size() == 3 && dims[1] == T::RowsAtCompileTime && dims[2] == T::ColsAtCompileTime;
    }
    if (!fits) source.wrong_shape("shape [any, " + detail::eigen_shape_text<T>().substr(1), {});
    Items items(static_cast<std::size_t>(dims[0]));
    if (items.empty()) return items;
    constexpr std::array<std::size_t, 3> row_major{0, 1, 2};
    constexpr std::array<std::size_t, 3> column_major{0, 2, 1};
    constexpr bool as_is = T::IsRowMajor || T::IsVectorAtCompileTime;
    source.read(std::span(as_is ? row_major : column_major).first(dims.size()),
                items.front().data());
    return items;
  }
};

/// The four coefficients in Eigen's order: x, y, z, w. They are not normalised.
template <detail::EigenScalar S, int Options>
struct Codec<Eigen::Quaternion<S, Options>> {
  using Coefficients = Eigen::Matrix<S, 4, 1>;
  static constexpr KindSet kinds = Kind::tensor;
  static Value encode(const Eigen::Quaternion<S, Options>& quaternion, Encoder&) {
    return detail::encode_dense(quaternion.coeffs());
  }
  static Eigen::Quaternion<S, Options> decode(const Value& value, Decoder& decoder) {
    return Eigen::Quaternion<S, Options>(Codec<Coefficients>::decode(value, decoder));
  }
};

/// The matrix of a transform: [dim + 1, dim + 1], or [dim, dim + 1] for `AffineCompact`.
/// \throws Error `type_mismatch` when the last row of an affine transform is not 0, ..., 0, 1
template <detail::EigenScalar S, int Dim, int Mode, int Options>
struct Codec<Eigen::Transform<S, Dim, Mode, Options>> {
  using Transform = Eigen::Transform<S, Dim, Mode, Options>;
  using Matrix = typename Transform::MatrixType;
  static constexpr KindSet kinds = Kind::tensor;
  static Value encode(const Transform& transform, Encoder&) {
    return detail::encode_dense(transform.matrix());
  }
  static Transform decode(const Value& value, Decoder& decoder) {
    Transform transform;
    transform.matrix() = Codec<Matrix>::decode(value, decoder);
    if constexpr (Mode == Eigen::Affine || Mode == Eigen::Isometry) {
      for (int i = 0; i <= Dim; ++i) {
        if (transform.matrix()(Dim, i) != S(i == Dim ? 1 : 0)) {
          decoder.fail(ErrorCode::type_mismatch, "the matrix is no affine transform",
                       "a last row of zeros that ends in 1", describe(value),
                       "Load it as an Eigen::Projective transform or as a matrix");
        }
      }
    }
    return transform;
  }
};

/// The diagonal.
template <detail::EigenScalar S, int Size, int MaxSize>
struct Codec<Eigen::DiagonalMatrix<S, Size, MaxSize>> {
  using Diagonal = typename Eigen::DiagonalMatrix<S, Size, MaxSize>::DiagonalVectorType;
  static constexpr KindSet kinds = Kind::tensor;
  static Value encode(const Eigen::DiagonalMatrix<S, Size, MaxSize>& matrix, Encoder&) {
    return detail::encode_dense(matrix.diagonal());
  }
  static Eigen::DiagonalMatrix<S, Size, MaxSize> decode(const Value& value, Decoder& decoder) {
    return Eigen::DiagonalMatrix<S, Size, MaxSize>(Codec<Diagonal>::decode(value, decoder));
  }
};

}  // namespace safestructures
