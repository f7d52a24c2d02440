#include <safestructures/data/tensor.hpp>

#include <algorithm>
#include <string>

#include <safestructures/data/error.hpp>

#include "data/conversion/strided.hpp"
#include "data/deferred.hpp"
#include "data/slice_reader.hpp"
#include "data/text/printable.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0 {
namespace {

std::string tensor_text(DType dtype, const Shape& shape) {
  return std::string(to_string(dtype)) + " " + to_string(shape);
}

// Empty data may have an owner's control block and nothing else: they need no memory.
const std::byte* origin_of(std::span<const std::byte> bytes) {
  return bytes.empty() ? nullptr : bytes.data();
}

}  // namespace

Tensor::Tensor() : shape_{0} {}

Tensor::Tensor(Raw, DType dtype, Shape&& shape, const std::byte* origin,
               std::shared_ptr<const void>&& owner)
    : shape_(std::move(shape)),
      size_(element_count(shape_)),
      origin_(origin),
      owner_(std::move(owner)),
      dtype_(dtype) {}

Tensor::Tensor(const Tensor& other)
    : shape_(other.shape_),
      size_(other.size_),
      origin_(other.origin_),
      owner_(other.owner_),
      dtype_(other.dtype_),
      writable_(other.writable_),
      is_deferred_(other.is_deferred_) {
  if (!other.strides_) return;
  strides_ = std::make_unique<std::int64_t[]>(shape_.size());
  std::copy_n(other.strides_.get(), shape_.size(), strides_.get());
}

Tensor::Tensor(Tensor&& other) noexcept
    : shape_(std::exchange(other.shape_, Shape{0})),
      strides_(std::move(other.strides_)),
      size_(std::exchange(other.size_, 0)),
      origin_(std::exchange(other.origin_, nullptr)),
      owner_(std::move(other.owner_)),
      dtype_(std::exchange(other.dtype_, DType::F32)),
      writable_(std::exchange(other.writable_, false)),
      is_deferred_(std::exchange(other.is_deferred_, false)) {}

Tensor& Tensor::operator=(const Tensor& other) {
  if (this != &other) *this = Tensor(other);
  return *this;
}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  shape_ = std::exchange(other.shape_, Shape{0});
  strides_ = std::move(other.strides_);
  size_ = std::exchange(other.size_, 0);
  origin_ = std::exchange(other.origin_, nullptr);
  owner_ = std::move(other.owner_);
  dtype_ = std::exchange(other.dtype_, DType::F32);
  writable_ = std::exchange(other.writable_, false);
  is_deferred_ = std::exchange(other.is_deferred_, false);
  return *this;
}

Tensor::~Tensor() = default;

Tensor Tensor::allocate(DType dtype, Shape shape) {
  const auto size = static_cast<std::size_t>(safestructures::byte_size(dtype, shape));
  std::shared_ptr<std::byte> buffer = size == 0 ? nullptr : platform::allocate_buffer(size);
  // Bytes that are not truth values would be refused even by code that writes bools.
  if (dtype == DType::BOOL) std::fill_n(buffer.get(), size, std::byte{0});
  const std::byte* origin = buffer.get();
  Tensor tensor(Raw{}, dtype, std::move(shape), origin, std::move(buffer));
  tensor.writable_ = true;
  return tensor;
}

Tensor Tensor::share(DType dtype, Shape shape, std::span<const std::byte> bytes,
                     std::shared_ptr<const void> owner) {
  const std::uint64_t size = safestructures::byte_size(dtype, shape);
  if (size != bytes.size()) {
    throw Error(ErrorCode::shape_mismatch, "the bytes do not fit the shape",
                {.expected = detail::counted(size, "byte") + " for " + tensor_text(dtype, shape),
                 .found = detail::counted(bytes.size(), "byte")});
  }
  return {Raw{}, dtype, std::move(shape), origin_of(bytes), std::move(owner)};
}

Tensor Tensor::strided(DType dtype, Shape shape, std::span<const std::int64_t> strides,
                       const std::byte* origin, std::shared_ptr<const void> owner) {
  if (bit_width(dtype) < 8) {
    throw Error(ErrorCode::invalid_argument, "elements narrower than a byte cannot be strided",
                {.found = std::string(to_string(dtype))});
  }
  if (strides.size() != shape.size()) {
    throw Error(ErrorCode::invalid_argument, "a stride is needed for each dimension",
                {.expected = std::to_string(shape.size()) + " for " + to_string(shape),
                 .found = std::to_string(strides.size())});
  }
  static_cast<void>(safestructures::byte_size(dtype, shape));
  const bool contiguous =
      detail::StridedView(shape, strides, origin, detail::element_bytes(dtype)).is_contiguous();
  Tensor tensor(Raw{}, dtype, std::move(shape), origin, std::move(owner));
  if (tensor.size_ == 0) tensor.origin_ = nullptr;
  if (!contiguous) {
    tensor.strides_ = std::make_unique<std::int64_t[]>(strides.size());
    std::copy(strides.begin(), strides.end(), tensor.strides_.get());
  }
  return tensor;
}

Tensor Tensor::deferred(DType dtype, Shape shape, std::shared_ptr<const Source> source,
                        std::uint64_t offset, std::string name) {
  const std::uint64_t size = safestructures::byte_size(dtype, shape);
  const std::uint64_t left = source->size() - std::min(source->size(), offset);
  if (size > left) {
    throw Error(ErrorCode::truncated, "the input ends inside a tensor",
                {.file = source->name(),
                 .path = std::move(name),
                 .expected = detail::counted(size, "byte"),
                 .found = std::to_string(left),
                 .offset = offset});
  }
  Tensor tensor(Raw{}, dtype, std::move(shape), nullptr, nullptr);
  if (size == 0) return tensor;
  tensor.owner_ = std::make_shared<const detail::DeferredBytes>(std::move(source), offset, size,
                                                                std::move(name));
  tensor.is_deferred_ = true;
  return tensor;
}

const detail::DeferredBytes& Tensor::promise() const noexcept {
  return *static_cast<const detail::DeferredBytes*>(owner_.get());
}

const std::byte* Tensor::deferred_origin() const { return promise().get(); }

bool Tensor::is_loaded() const noexcept { return !is_deferred_ || promise().is_loaded(); }

std::span<const std::int64_t> Tensor::strides() const& noexcept {
  return {strides_.get(), strides_ ? shape_.size() : 0};
}

std::span<const std::byte> Tensor::bytes() const& {
  if (strides_) {
    throw Error(ErrorCode::invalid_argument,
                "the bytes of a strided tensor are not in row-major order",
                {.found = tensor_text(dtype_, shape_), .advice = "Call contiguous() first"});
  }
  return {origin(), static_cast<std::size_t>(byte_size())};
}

std::span<std::byte> Tensor::mutable_bytes() & {
  if (!writable_) {
    throw Error(ErrorCode::invalid_argument, "this tensor's bytes cannot be changed",
                {.expected = "a tensor made by allocate, clone or a converting copy",
                 .found = std::string(owner_ ? "shared" : "borrowed") + " memory",
                 .advice = "Change a copy made by clone()"});
  }
  // Writable tensors come only from `allocate`, which allocated the memory without const.
  return {const_cast<std::byte*>(origin_), static_cast<std::size_t>(byte_size())};
}

const void* Tensor::typed_data(DType wanted) const {
  if (dtype_ != wanted) {
    throw Error(ErrorCode::type_mismatch, "the tensor has another element type",
                {.expected = std::string(to_string(wanted)),
                 .found = tensor_text(dtype_, shape_),
                 .advice = "Convert it with to(DType::" + std::string(to_string(wanted)) + ")"});
  }
  const std::span<const std::byte> view = bytes();
  const std::size_t needed = alignment(dtype_);
  if (const auto excess = reinterpret_cast<std::uintptr_t>(view.data()) % needed; excess != 0) {
    throw Error(ErrorCode::misaligned,
                "the elements of " + tensor_text(dtype_, shape_) + " are not aligned",
                {.expected = "an address that is a multiple of " + std::to_string(needed),
                 .found = std::to_string(excess) + " bytes after one",
                 .advice = "Make an aligned copy with clone()"});
  }
  if (dtype_ == DType::BOOL) {
    const auto wrong =
        std::find_if(view.begin(), view.end(), [](std::byte byte) { return byte > std::byte{1}; });
    if (wrong != view.end()) {
      throw Error(ErrorCode::out_of_range,
                  "element " + std::to_string(wrong - view.begin()) + " is not a truth value",
                  {.expected = "0 or 1", .found = std::to_string(std::to_integer<int>(*wrong))});
    }
  }
  return view.data();
}

Tensor Tensor::reshape(Shape shape) const {
  if (strides_) {
    throw Error(ErrorCode::invalid_argument, "a strided tensor cannot be reshaped",
                {.found = tensor_text(dtype_, shape_), .advice = "Call contiguous() first"});
  }
  const std::uint64_t count = element_count(shape);
  if (count != size_) {
    throw Error(ErrorCode::shape_mismatch, "the shapes hold different numbers of elements",
                {.expected = std::to_string(size_) + " as in " + to_string(shape_),
                 .found = std::to_string(count) + " in " + to_string(shape)});
  }
  Tensor copy = *this;
  copy.shape_ = std::move(shape);
  return copy;
}

Tensor Tensor::slice(std::span<const Slice> slices) const {
  if (slices.size() > shape_.size()) {
    throw Error(
        ErrorCode::invalid_argument, "more slices than dimensions",
        {.expected = "at most " + std::to_string(shape_.size()) + " for shape " + to_string(shape_),
         .found = std::to_string(slices.size())});
  }
  if (bit_width(dtype_) < 8) {
    throw Error(
        ErrorCode::invalid_argument, "elements narrower than a byte cannot be sliced",
        {.found = tensor_text(dtype_, shape_), .advice = "Convert the tensor to U8 or F32 first"});
  }
  const std::vector<std::int64_t> base = explicit_strides();
  std::int64_t offset = 0;
  std::vector<std::uint64_t> sizes;
  std::vector<std::int64_t> strides;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    if (i >= slices.size()) {
      sizes.push_back(shape_[i]);
      strides.push_back(base[i]);
      continue;
    }
    const detail::SliceRange range = detail::resolve(slices[i], shape_[i], i);
    if (size_ != 0) offset += static_cast<std::int64_t>(range.start) * base[i];
    if (slices[i].index) continue;
    sizes.push_back(range.count);
    // A step beyond the dimension leaves at most one index; its stride only must not overflow.
    strides.push_back(range.count > 1 ? range.step * base[i] : base[i]);
  }
  const Shape shape{std::span<const std::uint64_t>(sizes)};
  if (!is_loaded())
    return detail::read_slice(promise(), static_cast<std::uint64_t>(offset), dtype_, shape,
                              strides);
  return strided(dtype_, shape, strides, origin() + offset, owner_);
}

Tensor Tensor::permute(std::span<const std::size_t> order) const {
  std::vector<std::size_t> sorted(order.begin(), order.end());
  std::sort(sorted.begin(), sorted.end());
  bool complete = sorted.size() == shape_.size();
  for (std::size_t i = 0; complete && i < sorted.size(); ++i) complete = sorted[i] == i;
  if (!complete) {
    throw Error(
        ErrorCode::invalid_argument, "the order does not name each dimension once",
        {.expected = "the dimensions of " + to_string(shape_) + ", counted from 0",
         .found = to_string(Shape(std::vector<std::uint64_t>(order.begin(), order.end())))});
  }
  const std::vector<std::int64_t> base = explicit_strides();
  std::vector<std::uint64_t> sizes;
  std::vector<std::int64_t> strides;
  for (const std::size_t i : order) {
    sizes.push_back(shape_[i]);
    strides.push_back(base[i]);
  }
  return strided(dtype_, Shape(std::span<const std::uint64_t>(sizes)), strides, origin(), owner_);
}

// Also for a contiguous tensor; zeros if it is empty, as they are not used.
std::vector<std::int64_t> Tensor::explicit_strides() const {
  std::vector<std::int64_t> result(shape_.size());
  if (strides_) {
    std::copy_n(strides_.get(), result.size(), result.begin());
  } else if (size_ != 0) {
    detail::row_major_strides(shape_, detail::element_bytes(dtype_), result);
  }
  return result;
}

}  // namespace safestructures::inline v0
