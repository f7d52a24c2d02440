#include "data/slice_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "platform/memory.hpp"

namespace safestructures::inline v0::detail {
namespace {

constexpr std::uint64_t near = std::uint64_t{8} << 10U;       // Gaps up to this size are read too.
constexpr std::uint64_t block = std::uint64_t{1} << 20U;      // Bytes read at once, gaps included.
constexpr std::uint64_t long_run = std::uint64_t{64} << 10U;  // Runs not worth copying.

struct Dim {
  std::uint64_t count;
  std::int64_t stride;       // In bytes of the tensor.
  std::uint64_t extent = 0;  // From first to last byte, with the dimensions inside.

  [[nodiscard]] std::uint64_t distance() const noexcept {
    return static_cast<std::uint64_t>(stride < 0 ? -stride : stride);
  }
};

class SliceReader {
 public:
  SliceReader(const DeferredBytes& bytes, DType dtype, std::uint64_t element, std::vector<Dim> dims,
              std::span<std::byte> target)
      : bytes_(bytes), dtype_(dtype), dims_(std::move(dims)), target_(target) {
    plan(element);
  }

  // Reads the dimensions from `level` on, whose first element is at `offset`.
  void read(std::size_t level, std::uint64_t offset) {
    if (level == staged_) return read_staged(offset);
    if (level == runs_) return read_run(offset);
    for (std::uint64_t i = 0; i < dims_[level].count; ++i) {
      read(level + 1, offset);
      offset += static_cast<std::uint64_t>(dims_[level].stride);  // Wraps for negative strides.
    }
  }

 private:
  void plan(std::uint64_t element) {
    std::uint64_t extent = element;
    for (std::size_t i = dims_.size(); i-- > 0;) {
      dims_[i].extent = extent += dims_[i].distance() * (dims_[i].count - 1);
    }
    run_ = element;
    runs_ = dims_.size();
    while (runs_ > 0) {
      const Dim& dim = dims_[runs_ - 1];
      if (dim.count > 1 && dim.stride != static_cast<std::int64_t>(run_)) break;
      run_ *= dim.count;
      --runs_;
    }
    staged_ = runs_;
    const auto inner = [&](std::size_t i) { return i + 1 < runs_ ? dims_[i + 1].extent : run_; };
    if (run_ < long_run) {
      while (staged_ > 0 && inner(staged_ - 1) <= block &&
             dims_[staged_ - 1].distance() <= inner(staged_ - 1) + near)
        --staged_;
    }
    if (staged_ == runs_) {
      staged_ = no_level;
      return;
    }
    const Dim& dim = dims_[staged_];
    staged_inner_ = inner(staged_);
    chunk_ = std::min(dim.count,
                      1 + (block - staged_inner_) / std::max<std::uint64_t>(dim.distance(), 1));
    staging_ = platform::allocate_buffer(
        static_cast<std::size_t>(dim.distance() * (chunk_ - 1) + staged_inner_));
    for (std::size_t i = staged_; i < dims_.size(); ++i) {
      sizes_.push_back(dims_[i].count);
      strides_.push_back(dims_[i].stride);
    }
  }

  std::span<std::byte> take(std::uint64_t size) {
    const std::span<std::byte> part = target_.first(static_cast<std::size_t>(size));
    target_ = target_.subspan(part.size());
    return part;
  }

  void read_run(std::uint64_t offset) { bytes_.read(offset, take(run_)); }

  void read_staged(std::uint64_t offset) {
    const Dim& dim = dims_[staged_];
    for (std::uint64_t i = 0; i < dim.count; i += chunk_) {
      sizes_[0] = std::min(chunk_, dim.count - i);
      // With negative strides, the first element is not the lowest.
      std::uint64_t lead = 0;
      std::uint64_t extent = dim.distance() * (sizes_[0] - 1) + staged_inner_;
      for (std::size_t k = 0; k < sizes_.size(); ++k) {
        if (strides_[k] < 0) lead += dims_[staged_ + k].distance() * (sizes_[k] - 1);
      }
      bytes_.read(offset - lead, {staging_.get(), static_cast<std::size_t>(extent)});
      const Tensor part =
          Tensor::strided(dtype_, Shape(std::span<const std::uint64_t>(sizes_)), strides_,
                          staging_.get() + static_cast<std::ptrdiff_t>(lead), nullptr);
      static_cast<void>(part.copy_to(dtype_, take(part.byte_size())));
      offset += static_cast<std::uint64_t>(dim.stride) * sizes_[0];
    }
  }

  static constexpr std::size_t no_level = static_cast<std::size_t>(-1);

  const DeferredBytes& bytes_;
  DType dtype_;
  std::vector<Dim> dims_;
  std::span<std::byte> target_;
  std::uint64_t run_ = 0;          // Consecutive bytes.
  std::size_t runs_ = 0;           // The level from which on all bytes are consecutive.
  std::size_t staged_ = no_level;  // The level from which on ranges are read together.
  std::uint64_t staged_inner_ = 0;
  std::uint64_t chunk_ = 0;  // Indices of level `staged_` that are read at once.
  std::shared_ptr<std::byte> staging_;
  std::vector<std::uint64_t> sizes_;
  std::vector<std::int64_t> strides_;
};

}  // namespace

Tensor read_slice(const DeferredBytes& bytes, std::uint64_t offset, DType dtype, const Shape& shape,
                  std::span<const std::int64_t> strides) {
  Tensor result = Tensor::allocate(dtype, shape);
  if (result.size() == 0) return result;
  std::vector<Dim> dims;
  dims.reserve(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) dims.push_back({shape[i], strides[i]});
  SliceReader(bytes, dtype, bit_width(dtype) / 8, std::move(dims), result.mutable_bytes())
      .read(0, offset);
  return result;
}

}  // namespace safestructures::inline v0::detail
