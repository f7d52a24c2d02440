/// \file
/// Contiguous numbers: what is saved as one tensor, and how a tensor is loaded into memory of a
/// fixed element type.
#pragma once

#include <array>
#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include <safestructures/codecs/fielded.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {
/// How a T lies in memory when it is numbers and nothing else: the dtype and the dimensions of one
/// T. Specialise it for a number type of another library that has the memory of a dtype, such as
/// its own 16-bit float, with these three members: contiguous ranges of it are then tensors, and a
/// single one of an aggregate is what a number of that dtype is, or a tensor of those dimensions.
template <class T>
struct BlockLayout;

template <Element T>
struct BlockLayout<T> {
  static constexpr DType dtype = dtype_of<T>;
  static constexpr std::array<std::uint64_t, 0> dims{};
  static constexpr bool complex = false;
};

/// No dtype has two doubles: they are the last dimension of an F64 tensor marked "complex".
template <>
struct BlockLayout<std::complex<double>> {
  static constexpr DType dtype = DType::F64;
  static constexpr std::array<std::uint64_t, 1> dims{2};
  static constexpr bool complex = true;
};

namespace detail {

template <class T, std::size_t N>
consteval std::array<std::uint64_t, BlockLayout<T>::dims.size() + 1> prepend_dim() {
  std::array<std::uint64_t, BlockLayout<T>::dims.size() + 1> dims{N};
  for (std::size_t i = 1; i < dims.size(); ++i) dims[i] = BlockLayout<T>::dims[i - 1];
  return dims;
}

}  // namespace detail

template <class T, std::size_t N>
  requires(N > 0 && requires { BlockLayout<T>::dtype; })
struct BlockLayout<std::array<T, N>> {
  static_assert(sizeof(std::array<T, N>) == N * sizeof(T));
  static constexpr DType dtype = BlockLayout<T>::dtype;
  static constexpr auto dims = detail::prepend_dim<T, N>();
  static constexpr bool complex = BlockLayout<T>::complex;
};

template <class T, std::size_t N>
  requires requires { BlockLayout<T>::dtype; }
struct BlockLayout<T[N]> {
  static constexpr DType dtype = BlockLayout<T>::dtype;
  static constexpr auto dims = detail::prepend_dim<T, N>();
  static constexpr bool complex = BlockLayout<T>::complex;
};

/// Numbers, and fixed arrays of them: contiguous ranges of such are one tensor.
template <class T>
concept Block = requires { BlockLayout<std::remove_cv_t<T>>::dtype; };

namespace detail {

/// Raw memory: ranges of these are bytes, as they are most often used.
template <class T>
concept ByteLike = std::same_as<std::remove_cv_t<T>, std::byte>;

/// Characters: ranges of these are text where they can be.
template <class T>
concept CharLike = std::same_as<std::remove_cv_t<T>, char>;

/// A view of numbers as a tensor of those dimensions, with the mark of complex ones.
SAFESTRUCTURES_API Value encode_block(DType dtype, Shape shape, std::span<const std::byte> bytes,
                                      bool complex);

/// `count` Ts behind one another, as a tensor of dimensions [count, dims of T...].
template <Block T>
Value encode_blocks(const T* values, std::size_t count) {
  using Layout = BlockLayout<std::remove_cv_t<T>>;
  std::array<std::uint64_t, Layout::dims.size() + 1> dims{count};
  for (std::size_t i = 1; i < dims.size(); ++i) dims[i] = Layout::dims[i - 1];
  return encode_block(Layout::dtype, Shape(std::span<const std::uint64_t>(dims)),
                      std::as_bytes(std::span(values, count)), Layout::complex);
}

/// Describes a range of Ts as a tensor: of `size` where that is fixed.
template <Block T>
void describe_blocks(TypeDescriber& type, std::optional<std::uint64_t> size = {}) {
  using Layout = BlockLayout<std::remove_cv_t<T>>;
  std::array<Extent, Layout::dims.size() + 1> shape{};
  if (size) shape[0] = Extent::fixed(*size);
  for (std::size_t i = 1; i < shape.size(); ++i) shape[i] = Extent::fixed(Layout::dims[i - 1]);
  type.tensor(Layout::dtype, shape, Layout::complex);
  type.of<T>(size);
}

/// Fills an array of numbers of exactly those dimensions, with what `decoder` says of overflow.
SAFESTRUCTURES_API void decode_block(const Value& value, const Decoder& decoder, DType dtype,
                                     std::span<const std::uint64_t> dims,
                                     std::span<std::byte> target);

/// Reads a tensor or bytes piece by piece as items of one layout: straight from its memory where
/// the dtype is the same, else converted in pieces that stay in the cache.
class SAFESTRUCTURES_API BlockReader {
 public:
  /// The value must outlive it. \param dims the dimensions of one item; the tensor must have one
  /// more in front.
  /// \throws Error `type_mismatch` for other kinds, `shape_mismatch` for other dimensions.
  BlockReader(const Value& value, const Decoder& decoder, DType dtype,
              std::span<const std::uint64_t> dims);
  ~BlockReader();
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  /// The number of items.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// To be told of reserved memory that will take all items: large memory is made present quickly.
  void prepare(void* memory) const;
  /// The next items, aligned for their type; empty after the last. Valid until the next call.
  /// \throws Error as `convert`, with the path.
  [[nodiscard]] std::span<const std::byte> next();

 private:
  const Decoder& decoder_;
  std::optional<Tensor> own_;  // What is read instead of the value's tensor.
  const Tensor* tensor_;
  DType dtype_;
  std::size_t size_ = 0;
  std::uint64_t block_ = 1;  // Elements of one item.
  std::uint64_t done_ = 0;   // Elements given out.
  std::unique_ptr<std::byte[]> buffer_;
};

/// Appends all items that `value` holds to a vector of Ts, never touching memory twice.
template <Block T, class Vector>
void decode_blocks(const Value& value, const Decoder& decoder, Vector& result) {
  using Layout = BlockLayout<T>;
  BlockReader reader(value, decoder, Layout::dtype, Layout::dims);
  result.reserve(reader.size());
  reader.prepare(result.data());
  for (;;) {
    const std::span<const std::byte> piece = reader.next();
    if (piece.empty()) return;
    const T* first = reinterpret_cast<const T*>(piece.data());
    result.insert(result.end(), first, first + piece.size() / sizeof(T));
  }
}

/// A view of raw memory as bytes.
SAFESTRUCTURES_API Value encode_bytes(const void* data, std::size_t size);
/// The raw memory of bytes or of a U8 tensor of rank 1, which `scratch` keeps.
/// \throws Error `type_mismatch`
SAFESTRUCTURES_API std::span<const std::byte> decode_bytes(const Value& value,
                                                           const Decoder& decoder, Tensor& scratch);
/// \throws Error `shape_mismatch` when a fixed array of bytes is not the length found.
SAFESTRUCTURES_API void expect_byte_count(std::size_t found, std::size_t expected,
                                          const Decoder& decoder);

/// Whether a tensor's last dimension is the parts of complex numbers, as its attribute says.
SAFESTRUCTURES_API bool is_marked_complex(const Value& value);

/// A number of that dtype as a bool, int, float or complex.
SAFESTRUCTURES_API Value encode_number(DType dtype, std::span<const std::byte> number);
/// Fills numbers of exactly those dimensions, of which there may be none, from what a number or an
/// array of them loads from.
SAFESTRUCTURES_API void decode_numbers(const Value& value, Decoder& decoder, DType dtype,
                                       std::span<const std::uint64_t> dims,
                                       std::span<std::byte> target);

/// The kind of a single number of that dtype.
constexpr Kind number_kind(DType dtype) {
  switch (dtype) {
    case DType::BOOL: return Kind::boolean;
    case DType::C64: return Kind::complex;
    case DType::I8:
    case DType::I16:
    case DType::I32:
    case DType::I64:
    case DType::U8:
    case DType::U16:
    case DType::U32:
    case DType::U64: return Kind::integer;
    default: return Kind::floating;
  }
}

/// Bytes of an element; 0 of those that share one.
constexpr std::uint64_t element_size(DType dtype) {
  switch (dtype) {
    case DType::F4:
    case DType::F6_E2M3:
    case DType::F6_E3M2: return 0;
    case DType::I16:
    case DType::U16:
    case DType::F16:
    case DType::BF16: return 2;
    case DType::I32:
    case DType::U32:
    case DType::F32: return 4;
    case DType::I64:
    case DType::U64:
    case DType::F64:
    case DType::C64: return 8;
    default: return 1;
  }
}

SAFESTRUCTURES_API void describe_number(TypeDescriber& type, DType dtype);

/// A single object of an aggregate that says that it is numbers. Other classes of such may have a
/// codec by what they are, as the matrices of Eigen do.
template <class T>
concept BlockObject = HasFields<T> && requires { BlockLayout<T>::dtype; };

/// Bytes of what a layout says.
template <class Layout>
constexpr std::uint64_t block_size() {
  std::uint64_t size = element_size(Layout::dtype);
  for (const std::uint64_t dim : Layout::dims) size *= dim;
  return size;
}

}  // namespace detail

/// A number, or a tensor where its layout has dimensions.
template <detail::BlockObject T>
struct Codec<T> {
  using Layout = BlockLayout<T>;
  static constexpr bool is_number = Layout::dims.empty();
  static constexpr KindSet kinds = is_number ? detail::number_kind(Layout::dtype) : Kind::tensor;
  static_assert(std::is_trivially_copyable_v<T>,
                "safestructures: a type with a BlockLayout is copied as memory: it must be "
                "trivially copyable");
  static_assert(sizeof(T) == detail::block_size<Layout>(),
                "safestructures: a type is of another size than the dtype and dimensions of its "
                "BlockLayout");

  static void describe_type(TypeDescriber& type) {
    if constexpr (is_number) {
      detail::describe_number(type, Layout::dtype);
    } else {
      std::array<Extent, Layout::dims.size()> shape{};
      for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = Extent::fixed(Layout::dims[i]);
      type.tensor(Layout::dtype, shape, Layout::complex);
    }
  }
  static Value encode(const T& object, Encoder&) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(std::addressof(object), 1));
    if constexpr (is_number) return detail::encode_number(Layout::dtype, bytes);
    else
      return detail::encode_block(Layout::dtype,
                                  Shape(std::span<const std::uint64_t>(Layout::dims)), bytes,
                                  Layout::complex);
  }
  static T decode(const Value& value, Decoder& decoder) {
    std::array<std::byte, sizeof(T)> bytes{};
    detail::decode_numbers(value, decoder, Layout::dtype, Layout::dims, bytes);
    return std::bit_cast<T>(bytes);
  }
};

}  // namespace safestructures::inline v0
