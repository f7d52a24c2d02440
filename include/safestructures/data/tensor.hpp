/// \file
/// A tensor: a dtype, a shape, and bytes that it owns, shares or borrows.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/slice.hpp>
#include <safestructures/data/source.hpp>

namespace safestructures::inline v0 {

namespace detail {
class DeferredBytes;
}

/// An array of numbers: a dtype, a shape, and bytes.
///
/// The bytes are a view with an optional owner. Copying a Tensor copies the view and shares the
/// owner; it never copies elements. A Tensor made by `borrow` has no owner: the caller keeps the
/// memory alive and unchanged as long as any copy of the Tensor is used.
///
/// Elements are row-major, unless the tensor is strided: a view of memory in another order, such as
/// a column-major matrix or a slice. Strides are in bytes and may be negative or zero.
///
/// A deferred tensor's bytes are still in their source: in a file, on a server. Members that need
/// all of them in one place (`bytes`, `data`, `origin`) read them once and keep them, for all
/// copies of the tensor; slicing, converting and copying out read only what they need and keep
/// nothing. Each of these may throw what the source throws, with the names of source and tensor.
/// Several threads may use copies of one deferred tensor at once.
class SAFESTRUCTURES_API Tensor {
 public:
  /// Makes an F32 tensor of shape [0].
  Tensor();
  /// Copies share the bytes and their owner. A moved-from tensor is like `Tensor()`.
  /// @{
  Tensor(const Tensor& other);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(const Tensor& other);
  Tensor& operator=(Tensor&& other) noexcept;
  /// @}
  ~Tensor();

  /// Allocates memory whose content is undefined until it is written through `mutable_bytes` or
  /// `mutable_data`; BOOL elements are all false.
  /// \throws Error `invalid_shape`; std::bad_alloc
  [[nodiscard]] static Tensor allocate(DType dtype, Shape shape);

  /// Makes a view of the caller's row-major memory.
  /// \throws Error `shape_mismatch` if the length of `bytes` is not what dtype and shape need
  [[nodiscard]] static Tensor borrow(DType dtype, Shape shape, std::span<const std::byte> bytes) {
    return share(dtype, std::move(shape), bytes, nullptr);
  }
  // A temporary would be gone before the view is used.
  template <class Allocator>
  static Tensor borrow(DType dtype, Shape shape,
                       const std::vector<std::byte, Allocator>&& bytes) = delete;

  /// Makes a view of row-major memory that stays valid as long as `owner` lives.
  /// \throws Error `shape_mismatch` as `borrow`
  [[nodiscard]] static Tensor share(DType dtype, Shape shape, std::span<const std::byte> bytes,
                                    std::shared_ptr<const void> owner);

  /// Makes a view of memory in any order: element (i, j, ...) is at `origin + i * strides[0] + ...`
  /// bytes. The caller guarantees that every such address is readable. If the strides happen to be
  /// row-major, the tensor is contiguous; strides of dimensions of size 1 do not matter, and an
  /// empty tensor is contiguous.
  /// \throws Error `invalid_argument` if strides and shape differ in length or the dtype is
  /// narrower than a byte
  [[nodiscard]] static Tensor strided(DType dtype, Shape shape,
                                      std::span<const std::int64_t> strides,
                                      const std::byte* origin, std::shared_ptr<const void> owner);

  /// Makes a tensor whose row-major bytes begin at `offset` of a source and are read when needed.
  /// \param name the tensor's name in errors
  /// \throws Error `invalid_shape`; `truncated` if the source is too short
  [[nodiscard]] static Tensor deferred(DType dtype, Shape shape,
                                       std::shared_ptr<const Source> source, std::uint64_t offset,
                                       std::string name);

  /// Makes a view of a contiguous range of numbers, which must stay alive and unchanged as long as
  /// the view is used; `shape` defaults to one dimension.
  /// \throws Error `shape_mismatch` as `borrow`
  /// @{
  template <Element T>
  [[nodiscard]] static Tensor of(std::span<const T> values, Shape shape) {
    return borrow(dtype_of<T>, std::move(shape), std::as_bytes(values));
  }
  template <Element T>
  [[nodiscard]] static Tensor of(std::span<const T> values) {
    return of(values, Shape{values.size()});
  }
  /// @}

  // Temporaries would be gone before the view is used: `own` takes them over.
  template <Element T>
  static Tensor of(const std::vector<T>&& values, Shape shape) = delete;
  template <Element T>
  static Tensor of(const std::vector<T>&& values) = delete;
  template <Element T, std::size_t N>
  static Tensor of(const std::array<T, N>&& values, Shape shape) = delete;
  template <Element T, std::size_t N>
  static Tensor of(const std::array<T, N>&& values) = delete;

  /// Takes over a vector without copying its elements; `shape` defaults to one dimension.
  /// \throws Error `shape_mismatch` as `borrow`; the vector is then lost
  /// @{
  template <Element T>
    requires(!std::same_as<T, bool>)
  [[nodiscard]] static Tensor own(std::vector<T>&& values, Shape shape) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    return share(dtype_of<T>, std::move(shape), std::as_bytes(std::span(*owner)), owner);
  }
  template <Element T>
    requires(!std::same_as<T, bool>)
  [[nodiscard]] static Tensor own(std::vector<T>&& values) {
    Shape shape{values.size()};
    return own(std::move(values), std::move(shape));
  }
  /// @}

  /// The type of the elements.
  [[nodiscard]] DType dtype() const noexcept { return dtype_; }
  /// The sizes of the dimensions, outermost first. The reference is valid as long as this tensor.
  /// @{
  [[nodiscard]] const Shape& shape() const& noexcept { return shape_; }
  [[nodiscard]] Shape shape() && { return shape_; }
  /// @}
  /// The number of dimensions; 0 for a scalar.
  [[nodiscard]] std::size_t rank() const noexcept { return shape_.size(); }
  /// The number of elements.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// The number of bytes that the elements take when packed row-major.
  [[nodiscard]] std::uint64_t byte_size() const noexcept {
    return size_ / 8 * bit_width(dtype_) + size_ % 8 * bit_width(dtype_) / 8;
  }
  /// Whether the elements are in row-major order without gaps.
  [[nodiscard]] bool is_contiguous() const noexcept { return strides_ == nullptr; }
  /// The distance in bytes from one index to the next, for each dimension; empty if contiguous.
  [[nodiscard]] std::span<const std::int64_t> strides() const& noexcept;
  std::span<const std::int64_t> strides() && = delete;
  /// The address of the first element (of element (0, 0, ...) if strided); null if empty.
  [[nodiscard]] const std::byte* origin() const {
    return is_deferred_ ? deferred_origin() : origin_;
  }
  /// An address that tells different memory apart, without loading a deferred tensor: that of the
  /// first element, or of the deferred tensor's shared state. Null if empty.
  [[nodiscard]] const void* identity() const noexcept {
    return is_deferred_ ? owner_.get() : origin_;
  }
  /// Whether the bytes are in memory; false until those of a deferred tensor have been read.
  [[nodiscard]] bool is_loaded() const noexcept;
  /// Whether an owner keeps the bytes alive; false for a borrowed view.
  [[nodiscard]] bool is_owned() const noexcept { return owner_ != nullptr; }
  /// The owner that keeps the bytes alive; null for a borrowed view.
  [[nodiscard]] std::shared_ptr<const void> owner() const noexcept { return owner_; }

  /// Returns the row-major bytes, valid as long as this tensor or a copy of it.
  /// \throws Error `invalid_argument` if the tensor is strided: call `contiguous()` first
  [[nodiscard]] std::span<const std::byte> bytes() const&;
  std::span<const std::byte> bytes() && = delete;

  /// Returns the bytes for writing. Only for memory that this library allocated for the tensor, as
  /// in `allocate`, `clone` and a converting `to`. Copies of the tensor see the change.
  /// \throws Error `invalid_argument` for borrowed and shared memory
  [[nodiscard]] std::span<std::byte> mutable_bytes() &;

  /// Returns the elements as C++ numbers, without copying; valid as long as this tensor or a copy
  /// of it.
  /// \throws Error `type_mismatch` for another dtype (`to` converts), `misaligned`,
  /// `invalid_argument` if strided, `out_of_range` for a BOOL byte above 1
  template <Element T>
  [[nodiscard]] std::span<const T> data() const& {
    return {static_cast<const T*>(typed_data(dtype_of<T>)), static_cast<std::size_t>(size_)};
  }
  template <Element T>
  std::span<const T> data() && = delete;

  /// Returns the elements for writing, as `mutable_bytes`.
  /// \throws Error as `mutable_bytes` and `data`
  template <Element T>
  [[nodiscard]] std::span<T> mutable_data() & {
    const std::size_t size = mutable_bytes().size() / sizeof(T);
    return {const_cast<T*>(static_cast<const T*>(typed_data(dtype_of<T>))), size};
  }

  /// Returns the elements as a vector, converted to T if the dtype differs.
  /// \throws Error as `to`
  template <Element T>
    requires(!std::same_as<T, bool>)
  [[nodiscard]] std::vector<T> to_vector(Overflow overflow = Overflow::error) const {
    std::vector<T> values(static_cast<std::size_t>(size_));
    copy_to(dtype_of<T>, std::as_writable_bytes(std::span(values)), overflow);
    return values;
  }

  /// Writes the elements in row-major order, converted to `dtype`, to `target`, which may have any
  /// alignment and must not overlap this tensor. Uses as many threads as help, and advises huge
  /// pages. BOOL bytes are copied unchecked.
  /// \throws Error `shape_mismatch` if the length of `target` is wrong; `out_of_range`,
  /// `lossy_conversion` as `convert_elements`
  ConversionReport copy_to(DType dtype, std::span<std::byte> target,
                           Overflow overflow = Overflow::error) const;

  /// The same for `count` elements from element `first` on, in row-major order, on the calling
  /// thread. If a dtype narrower than a byte is involved, both must be multiples of 8, except that
  /// the last range of the tensor may be shorter. The report's index counts from the tensor's
  /// start.
  /// \throws Error as `copy_to`; `out_of_range` for a range outside the tensor; `invalid_argument`
  /// for one that cuts a packed group
  ConversionReport copy_elements(std::uint64_t first, std::uint64_t count, DType dtype,
                                 std::span<std::byte> target, Overflow overflow) const;

  /// Returns the best `count` for calls of `copy_elements` that process the tensor in blocks of
  /// about `least` elements: more (up to 32 MiB) if the memory order is such that small blocks
  /// would read the same cache lines over and over. A multiple of 8 if `least` is.
  [[nodiscard]] std::uint64_t block_elements(std::uint64_t least) const;

  /// Returns this tensor if it is contiguous, otherwise a row-major copy.
  [[nodiscard]] Tensor contiguous() const;
  /// Returns a row-major copy with its own memory.
  [[nodiscard]] Tensor clone() const;
  /// Returns this tensor if it already has that dtype, otherwise a converted copy.
  /// \throws Error `out_of_range`, `lossy_conversion` as `convert_elements`
  [[nodiscard]] Tensor to(DType dtype, Overflow overflow = Overflow::error) const;
  /// Returns the same elements in another shape.
  /// \throws Error `shape_mismatch`; `invalid_argument` if strided
  [[nodiscard]] Tensor reshape(Shape shape) const;
  /// Returns a view of a part, without copying. If this tensor is deferred and not loaded, only the
  /// part is read.
  /// \throws Error `out_of_range` for an index outside the shape, `invalid_argument` for more
  /// slices than dimensions or a dtype narrower than a byte
  [[nodiscard]] Tensor slice(std::span<const Slice> slices) const;

  /// Returns a view with the dimensions in another order, without copying: dimension i of the
  /// result is dimension `order[i]` of this tensor.
  /// \throws Error `invalid_argument` if `order` does not name each dimension once, or for a dtype
  /// narrower than a byte
  [[nodiscard]] Tensor permute(std::span<const std::size_t> order) const;

  /// Whether dtype, shape and element bytes are the same (so a NaN equals the same NaN, and 0.0
  /// differs from -0.0).
  friend SAFESTRUCTURES_API bool operator==(const Tensor& a, const Tensor& b);

 private:
  friend class detail::DeferredBytes;
  struct Raw {};
  Tensor(Raw, DType dtype, Shape&& shape, const std::byte* origin,
         std::shared_ptr<const void>&& owner);
  const void* typed_data(DType wanted) const;
  std::vector<std::int64_t> explicit_strides() const;
  const detail::DeferredBytes& promise() const noexcept;
  const std::byte* deferred_origin() const;
  ConversionReport read_elements(std::uint64_t first, std::uint64_t count, DType dtype,
                                 std::span<std::byte> target, Overflow overflow) const;

  Shape shape_;
  std::unique_ptr<std::int64_t[]> strides_;
  std::uint64_t size_ = 0;
  const std::byte* origin_ = nullptr;
  std::shared_ptr<const void> owner_;
  DType dtype_ = DType::F32;
  bool writable_ = false;
  bool is_deferred_ = false;  // Then owner_ is a detail::DeferredBytes.
};

}  // namespace safestructures::inline v0
