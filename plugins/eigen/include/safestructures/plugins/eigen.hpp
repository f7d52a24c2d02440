/// \file
/// Eigen's dense types: matrices, arrays, views of them, quaternions and transforms.
///
/// - `Matrix` and `Array` are saved as a tensor [rows, columns], or [size] if they have one row or
///   column at compile time. They load from such tensors and from lists of numbers or rows; column
///   vectors also load from [n, 1], row vectors from [1, n].
/// - `Map`, `Ref`, `Block` and `transpose()`, as well as `diagonal()` and `reshaped()` of objects
///   without gaps between neighbours, are saved the same way without a copy; other expressions such
///   as `a + b` are evaluated. The result loads as a Matrix or Array.
/// - A `std::vector` of fixed-size matrices or arrays is one tensor [n, rows, columns] or
///   [n, size]; it also loads from a list.
/// - A `Quaternion` is a tensor [4]: x, y, z, w. A `Transform` is its matrix, a `DiagonalMatrix`
///   its diagonal.
///
/// Scalars: bool, all integers of 8 to 64 bits, float, double, `Eigen::half` (F16),
/// `Eigen::bfloat16` (BF16), `std::complex<float>` (C64), `std::complex<double>` (F64 with a last
/// dimension of 2, marked "complex"), and this library's 8- and 16-bit floats. Loading converts
/// between them by the rules of `convert`: real numbers to complex ones, and C64 to real types if
/// no imaginary part is lost. Tensors marked "complex" do not load into real types.
///
/// Files are always row-major; column-major matrices are transposed while they are written and
/// read. `Eigen::Tensor` is in eigen_tensor.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <safestructures/codecs/scalars.hpp>
#include <safestructures/codecs/sequences.hpp>
#include <safestructures/codecs/tensor_like.hpp>
#include <safestructures/codecs/vector.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/type_describer.hpp>
#include <safestructures/plugins/eigen_layout.hpp>

namespace safestructures::inline v0 {
namespace detail {

constexpr Extent eigen_extent(int fixed, int most) {
  if (fixed != Eigen::Dynamic) return Extent::fixed(static_cast<std::uint64_t>(fixed));
  return most == Eigen::Dynamic ? Extent() : Extent::at_most(static_cast<std::uint64_t>(most));
}

/// The allowed dimensions of a Matrix or Array: its size if it has one row or column at compile
/// time, otherwise rows and columns.
template <class T>
constexpr auto eigen_shape() {
  if constexpr (T::IsVectorAtCompileTime)
    return std::array<Extent, 1>{eigen_extent(T::SizeAtCompileTime, T::MaxSizeAtCompileTime)};
  else
    return std::array<Extent, 2>{eigen_extent(T::RowsAtCompileTime, T::MaxRowsAtCompileTime),
                                 eigen_extent(T::ColsAtCompileTime, T::MaxColsAtCompileTime)};
}

/// The same as text, for error messages.
template <class T>
std::string eigen_shape_text() {
  return to_string(eigen_shape<T>());
}

template <class T>
bool eigen_fits(std::uint64_t rows, std::uint64_t columns) {
  return eigen_extent(T::RowsAtCompileTime, T::MaxRowsAtCompileTime).holds(rows) &&
         eigen_extent(T::ColsAtCompileTime, T::MaxColsAtCompileTime).holds(columns);
}

/// The type with real in place of complex numbers.
template <class T>
using EigenReal = typename decltype(std::declval<const T&>().real())::PlainObject;

template <class T>
T decode_dense_tensor(const Value& value, const Decoder& decoder) {
  using S = typename T::Scalar;
  if constexpr (BlockLayout<S>::complex) {
    if (eigen_are_reals_for<S>(value))
      return decode_dense_tensor<EigenReal<T>>(value, decoder).template cast<S>();
  }
  EigenSource<S> source(value, decoder, "a tensor, or a list of numbers");
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
  source.template expect_countable<Eigen::Index>();
  T result;
  result.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  constexpr std::array<std::size_t, 2> row_major{0, 1};
  constexpr std::array<std::size_t, 2> column_major{1, 0};
  source.read(std::span(T::IsRowMajor || is_vector ? row_major : column_major).first(dims.size()),
              result.data());
  return result;
}

/// Decodes a list of numbers (for vectors) or of rows (for matrices).
template <class T>
T decode_dense_list(const Value& value, Decoder& decoder) {
  using S = typename T::Scalar;
  const std::vector<Value>& items = value.items();
  const auto wrong_length = [&] {
    decoder.fail(
        ErrorCode::shape_mismatch, "the list has the wrong length",
        {.expected = "items for shape " + eigen_shape_text<T>(), .found = describe(value)});
  };
  const auto count = static_cast<Eigen::Index>(items.size());
  T result;
  if constexpr (T::IsVectorAtCompileTime) {
    if (!eigen_shape<T>()[0].holds(items.size())) {
      wrong_length();
    }
    result.resize(T::RowsAtCompileTime == 1 ? 1 : count, T::RowsAtCompileTime == 1 ? count : 1);
    for (std::size_t i = 0; i < items.size(); ++i) {
      result.coeffRef(static_cast<Eigen::Index>(i)) = decoder.decode_at<S>(i, items[i]);
    }
  } else {
    using Row =
        Eigen::Array<S, 1, T::ColsAtCompileTime, Eigen::RowMajor, 1, T::MaxColsAtCompileTime>;
    if (!eigen_shape<T>()[0].holds(items.size())) {
      wrong_length();
    }
    const auto numbers_in = [](const Value& item) -> std::uint64_t {
      if (item.is_sequence()) return item.size();
      return item.kind() == Kind::tensor ? item.tensor().size() : 0;
    };
    // If a row is missing or too short, no memory is allocated, and the first such row is reported.
    const bool is_whole = std::ranges::all_of(
        items, [&](const Value& item) { return numbers_in(item) == numbers_in(items.front()); });
    Eigen::Index columns = T::ColsAtCompileTime == Eigen::Dynamic ? 0 : T::ColsAtCompileTime;
    if (is_whole) result.resize(count, columns);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Decoder::Step step(decoder, i);
      const Row row = decoder.decode<Row>(items[i]);
      if (i == 0) columns = row.cols();
      if (row.cols() != columns) {
        decoder.fail(
            ErrorCode::shape_mismatch, "a row does not have the length of the first",
            {.expected = std::to_string(columns) + " numbers", .found = describe(items[i])});
      }
      if (!is_whole) continue;
      if (i == 0) result.resize(count, columns);
      for (Eigen::Index j = 0; j < row.cols(); ++j) {
        result(static_cast<Eigen::Index>(i), j) = row(j);
      }
    }
    if (!is_whole) wrong_length();
  }
  return result;
}

}  // namespace detail

/// Saves a floating-point number, as for `half`.
template <>
struct Codec<Eigen::half> {
  static constexpr KindSet kinds = Kind::floating;
  static void describe_type(TypeDescriber& type) { type.same_as<half>(); }
  static Value encode(Eigen::half number, Encoder&) { return Value(static_cast<float>(number)); }
  static Eigen::half decode(const Value& value, Decoder& decoder) {
    return std::bit_cast<Eigen::half>(decoder.decode<half>(value));
  }
};

/// Saves a floating-point number, as for `bfloat16`.
template <>
struct Codec<Eigen::bfloat16> {
  static constexpr KindSet kinds = Kind::floating;
  static void describe_type(TypeDescriber& type) { type.same_as<bfloat16>(); }
  static Value encode(Eigen::bfloat16 number, Encoder&) {
    return Value(static_cast<float>(number));
  }
  static Eigen::bfloat16 decode(const Value& value, Decoder& decoder) {
    return std::bit_cast<Eigen::bfloat16>(decoder.decode<bfloat16>(value));
  }
};

/// Matrices and arrays. Saving borrows the object's memory. Loading converts the dtype according to
/// `DecodeOptions::overflow`.
/// \throws Error `shape_mismatch` when loading a tensor that does not fit the sizes fixed at
/// compile time; `type_mismatch`; `out_of_range`, `lossy_conversion` as `convert`
template <class T>
  requires detail::EigenPlain<T>
struct Codec<T> {
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) {
    describe_tensor<typename T::Scalar>(type, detail::eigen_shape<T>());
  }
  static Value encode(const T& dense, Encoder&) { return detail::encode_dense(dense); }
  static T decode(const Value& value, Decoder& decoder) {
    if (value.is_sequence()) return detail::decode_dense_list<T>(value, decoder);
    return detail::decode_dense_tensor<T>(value, decoder);
  }
};

/// Views and expressions, for saving only. Views borrow the memory they refer to; expressions that
/// have no memory, or whose address or strides Eigen does not report correctly, are evaluated.
template <class T>
  requires(detail::EigenDense<T> && !detail::EigenPlain<T>)
struct Codec<T> {
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) {
    describe_tensor<typename T::Scalar>(type, detail::eigen_shape<T>());
  }
  static Value encode(const T& dense, Encoder&) {
    if constexpr (detail::EigenInMemory<T>::value) {
      return detail::encode_dense(dense);
    } else {
      const auto owner = evaluate(dense);
      return detail::encode_dense(*owner, owner);
    }
  }
  static T decode(const Value&, Decoder&) {
    static_assert(
        detail::always_false<T>,
        "safestructures cannot load into an Eigen view or expression (Map, Ref, Block, ...), which "
        "has no memory of its own: load the Eigen::Matrix or Eigen::Array and assign it");
  }

 private:
  static auto evaluate(const T& dense) {
    using Plain = typename T::PlainObject;
    if constexpr ((static_cast<unsigned>(T::Flags) & Eigen::DirectAccessBit) == 0U)
      return std::make_shared<const Plain>(dense);
    // Goes through an expression without memory: Eigen would ask this one for its data(), too.
    else
      return std::make_shared<const Plain>(
          dense.unaryExpr([](const typename T::Scalar& number) { return number; }));
  }
};

/// Vectors of points, poses and the like: one tensor whose first dimension is the items.
template <class T, class Allocator>
  requires detail::EigenFixed<T>
struct Codec<std::vector<T, Allocator>> {
  using Vector = std::vector<T, Allocator>;
  using Scalar = typename T::Scalar;
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) {
    constexpr auto item = detail::eigen_shape<T>();
    std::array<Extent, item.size() + 1> shape{};
    for (std::size_t i = 0; i < item.size(); ++i) shape[i + 1] = item[i];
    describe_tensor<Scalar>(type, shape);
    type.of<T>();
  }
  static_assert(sizeof(T) == sizeof(Scalar) * T::SizeAtCompileTime);

  static Value encode(const Vector& items, Encoder&) {
    TensorLayout layout;
    layout.add(items.size(), sizeof(T));
    if (items.empty()) {
      detail::add_dense_dims(T(T::Zero()), layout);
      return encode_strided<Scalar>(nullptr, std::move(layout));
    }
    detail::add_dense_dims(items.front(), layout);
    return encode_strided(items.front().data(), std::move(layout));
  }

  static Vector decode(const Value& value, Decoder& decoder) {
    if (value.is_sequence()) return ListCodec<Vector>::decode(value, decoder);
    if constexpr (BlockLayout<Scalar>::complex) {
      if (detail::eigen_are_reals_for<Scalar>(value)) {
        Vector items;
        for (const auto& real : decoder.decode<std::vector<detail::EigenReal<T>>>(value))
          items.push_back(real.template cast<Scalar>());
        return items;
      }
    }
    detail::EigenSource<Scalar> source(value, decoder, "a tensor, or a list of tensors");
    const std::vector<std::uint64_t>& dims = source.dims();
    bool fits = false;
    if constexpr (T::IsVectorAtCompileTime) {
      fits = dims.size() == 2 && dims[1] == T::SizeAtCompileTime;
    } else {
      fits = dims.size() == 3 && dims[1] == T::RowsAtCompileTime && dims[2] == T::ColsAtCompileTime;
    }
    if (!fits) source.wrong_shape("shape [any, " + detail::eigen_shape_text<T>().substr(1), {});
    Vector items(static_cast<std::size_t>(dims[0]));
    if (items.empty()) return items;
    constexpr std::array<std::size_t, 3> row_major{0, 1, 2};
    constexpr std::array<std::size_t, 3> column_major{0, 2, 1};
    constexpr bool as_is = T::IsRowMajor || T::IsVectorAtCompileTime;
    source.read(std::span(as_is ? row_major : column_major).first(dims.size()),
                items.front().data());
    return items;
  }
};

/// Quaternions: the four coefficients in Eigen's order: x, y, z, w. They are not normalised.
template <detail::EigenScalar S, int Options>
struct Codec<Eigen::Quaternion<S, Options>> {
  using Coefficients = Eigen::Matrix<S, 4, 1>;
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) { type.same_as<Coefficients>(); }
  static Value encode(const Eigen::Quaternion<S, Options>& quaternion, Encoder&) {
    return detail::encode_dense(quaternion.coeffs());
  }
  static Eigen::Quaternion<S, Options> decode(const Value& value, Decoder& decoder) {
    return Eigen::Quaternion<S, Options>(Codec<Coefficients>::decode(value, decoder));
  }
};

/// Transforms: the matrix, [dim + 1, dim + 1], or [dim, dim + 1] for `AffineCompact`.
/// \throws Error `type_mismatch` if the last row of an affine transform is not 0, ..., 0, 1
template <detail::EigenScalar S, int Dim, int Mode, int Options>
struct Codec<Eigen::Transform<S, Dim, Mode, Options>> {
  using Transform = Eigen::Transform<S, Dim, Mode, Options>;
  using Matrix = typename Transform::MatrixType;
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) { type.same_as<Matrix>(); }
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
                       {.expected = "a last row of zeros that ends in 1",
                        .found = describe(value),
                        .advice = "Load it as an Eigen::Projective transform or as a matrix"});
        }
      }
    }
    return transform;
  }
};

/// Diagonal matrices: the diagonal.
template <detail::EigenScalar S, int Size, int MaxSize>
struct Codec<Eigen::DiagonalMatrix<S, Size, MaxSize>> {
  using Diagonal = typename Eigen::DiagonalMatrix<S, Size, MaxSize>::DiagonalVectorType;
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) { type.same_as<Diagonal>(); }
  static Value encode(const Eigen::DiagonalMatrix<S, Size, MaxSize>& matrix, Encoder&) {
    return detail::encode_dense(matrix.diagonal());
  }
  static Eigen::DiagonalMatrix<S, Size, MaxSize> decode(const Value& value, Decoder& decoder) {
    return Eigen::DiagonalMatrix<S, Size, MaxSize>(Codec<Diagonal>::decode(value, decoder));
  }
};

}  // namespace safestructures::inline v0
