/// \file
/// Contiguous numbers: which types are saved as one tensor, and how a tensor is loaded into memory
/// of a fixed element type.
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
/// The memory layout of a T that consists only of numbers: the dtype and the dimensions of one T.
/// Specialise it, with these three members, for another library's number type that has the memory
/// layout of a dtype, such as its own 16-bit float. Contiguous ranges of it are then tensors, and a
/// single object, if it is an aggregate, is a number of that dtype or a tensor of those dimensions.
template <class T>
struct BlockLayout;

template <Element T>
struct BlockLayout<T> {
  static constexpr DType dtype = dtype_of<T>;
  static constexpr std::array<std::uint64_t, 0> dims{};
  static constexpr bool complex = false;
};

/// There is no dtype for two doubles: they are the last dimension of an F64 tensor marked
/// "complex".
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

/// Numbers and fixed arrays of them: contiguous ranges of these are one tensor.
template <class T>
concept Block = requires { BlockLayout<std::remove_cv_t<T>>::dtype; };

namespace detail {

/// Raw memory: ranges of these are bytes, which is how they are mostly used.
template <class T>
concept ByteLike = std::same_as<std::remove_cv_t<T>, std::byte>;

/// Characters: ranges of these are text if possible.
template <class T>
concept CharLike = std::same_as<std::remove_cv_t<T>, char>;

/// Returns a view of numbers as a tensor of those dimensions, marked if they are complex.
SAFESTRUCTURES_API Value encode_block(DType dtype, Shape shape, std::span<const std::byte> bytes,
                                      bool complex = false);

/// Returns `count` contiguous Ts as a tensor of dimensions [count, dims of T...].
template <Block T>
Value encode_blocks(const T* values, std::size_t count) {
  using Layout = BlockLayout<std::remove_cv_t<T>>;
  std::array<std::uint64_t, Layout::dims.size() + 1> dims{count};
  for (std::size_t i = 1; i < dims.size(); ++i) dims[i] = Layout::dims[i - 1];
  return encode_block(Layout::dtype, Shape(std::span<const std::uint64_t>(dims)),
                      std::as_bytes(std::span(values, count)), Layout::complex);
}

/// Describes a range of Ts as a tensor: of length `size` if that is fixed.
template <Block T>
void describe_blocks(TypeDescriber& type, std::optional<std::uint64_t> size = {}) {
  using Layout = BlockLayout<std::remove_cv_t<T>>;
  std::array<Extent, Layout::dims.size() + 1> shape{};
  if (size) shape[0] = Extent::fixed(*size);
  for (std::size_t i = 1; i < shape.size(); ++i) shape[i] = Extent::fixed(Layout::dims[i - 1]);
  type.tensor(Layout::dtype, shape, Layout::complex);
  type.of<T>(size);
}

/// Fills an array of numbers of exactly those dimensions, handling overflow as `decoder` says.
SAFESTRUCTURES_API void decode_block(const Value& value, const Decoder& decoder, DType dtype,
                                     std::span<const std::uint64_t> dims,
                                     std::span<std::byte> target);

/// Reads a tensor or bytes piece by piece as items of one layout: directly from its memory if the
/// dtype is the same, otherwise converted in pieces that fit the cache.
class SAFESTRUCTURES_API BlockReader {
 public:
  /// The value must outlive this object. \param dims the dimensions of one item; the tensor must
  /// have one more in front
  /// \throws Error `type_mismatch` for other kinds, `shape_mismatch` for other dimensions
  BlockReader(const Value& value, const Decoder& decoder, DType dtype,
              std::span<const std::uint64_t> dims);
  ~BlockReader();
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  /// The number of items.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Prepares memory that was reserved for all items: the pages of large memory are made present
  /// quickly.
  void prepare(void* memory) const;
  /// Returns the next items, aligned for their type; empty after the last. Valid until the next
  /// call.
  /// \throws Error as `convert_elements`, with the path
  [[nodiscard]] std::span<const std::byte> next();

 private:
  const Value* value_;
  const Decoder& decoder_;
  std::optional<Tensor> own_;  // Read instead of the value's tensor if present.
  const Tensor* tensor_;
  DType dtype_;
  std::size_t size_ = 0;
  std::uint64_t block_ = 1;  // Elements per item.
  std::uint64_t done_ = 0;   // Elements returned so far.
  std::unique_ptr<std::byte[]> buffer_;
};

/// Appends all items in `value` to a vector of Ts, without touching memory twice.
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

/// Returns a view of raw memory as bytes.
SAFESTRUCTURES_API Value encode_bytes(const void* data, std::size_t size);
/// Returns the raw memory of bytes, of a U8 tensor of rank 1, or of what a list of numbers from 0
/// to 255 is as bytes; `scratch` keeps it alive.
/// \throws Error `type_mismatch`, `out_of_range`
SAFESTRUCTURES_API std::span<const std::byte> decode_bytes(const Value& value,
                                                           const Decoder& decoder, Tensor& scratch);
/// Checks the length of a fixed array of bytes. \throws Error `shape_mismatch`
SAFESTRUCTURES_API void expect_byte_count(std::size_t found, std::size_t expected,
                                          const Decoder& decoder);

/// Whether a tensor's last dimension is the parts of complex numbers, according to its attribute.
SAFESTRUCTURES_API bool is_marked_complex(const Value& value);

/// Returns a number of that dtype as a bool, int, float or complex.
SAFESTRUCTURES_API Value encode_number(DType dtype, std::span<const std::byte> number);
/// Fills numbers of exactly those dimensions (none for a single number) from anything that a number
/// or an array of them loads from.
SAFESTRUCTURES_API void decode_numbers(const Value& value, Decoder& decoder, DType dtype,
                                       std::span<const std::uint64_t> dims,
                                       std::span<std::byte> target);

/// Returns the kind of a single number of that dtype.
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

/// Returns the size of an element in bytes; 0 for sub-byte elements.
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

/// A single object of an aggregate type that is declared to consist of numbers. Other classes of
/// numbers may have codecs based on what they are, such as Eigen's matrices.
template <class T>
concept BlockObject = HasFields<T> && requires { BlockLayout<T>::dtype; };

/// Returns the size in bytes of an object with that layout.
template <class Layout>
constexpr std::uint64_t block_size() {
  std::uint64_t size = element_size(Layout::dtype);
  for (const std::uint64_t dim : Layout::dims) size *= dim;
  return size;
}

}  // namespace detail

/// A number, or a tensor if its layout has dimensions.
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
