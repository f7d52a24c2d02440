#include "formats/pytorch/tensors.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "data/text/printable.hpp"
#include "formats/stored_tensor.hpp"
#include "formats/tensor_names.hpp"

namespace safestructures::inline v0::pytorch {
namespace {

/// The row-major bytes of a tensor that lies in its source in another order.
class StridedSource final : public Source {
 public:
  StridedSource(std::shared_ptr<const Source> source, Extent extent, DType dtype, Shape shape,
                std::vector<std::int64_t> strides)
      : source_(std::move(source)),
        extent_(extent),
        dtype_(dtype),
        shape_(std::move(shape)),
        strides_(std::move(strides)) {}

  const std::string& name() const noexcept override { return source_->name(); }
  std::uint64_t size() const noexcept override { return byte_size(dtype_, shape_); }
  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    const auto size = static_cast<std::size_t>(extent_.size);
    // Not a vector of bytes, which may be aligned for no number.
    const auto memory =
        std::make_unique_for_overwrite<std::max_align_t[]>(size / sizeof(std::max_align_t) + 1);
    const std::span bytes(reinterpret_cast<std::byte*>(memory.get()), size);
    source_->read(extent_.begin, bytes);
    const Tensor tensor = Tensor::strided(dtype_, shape_, strides_, bytes.data(), nullptr);
    if (into.size() == tensor.byte_size()) {
      tensor.copy_to(dtype_, into);
      return;
    }
    const Tensor dense = tensor.contiguous();
    std::ranges::copy(dense.bytes().subspan(static_cast<std::size_t>(offset), into.size()),
                      into.begin());
  }

 private:
  std::shared_ptr<const Source> source_;
  Extent extent_;
  DType dtype_;
  Shape shape_;
  std::vector<std::int64_t> strides_;
};

/// Whether a view is row-major without gaps.
bool is_dense(const View& view) {
  std::uint64_t expected = 1;
  for (std::size_t i = view.shape.size(); i-- > 0;) {
    if (view.shape[i] != 1 && view.strides[i] != expected) return false;
    expected *= view.shape[i];
  }
  return true;
}

[[noreturn]] void fail_outside(const View& view, std::uint64_t count, const Trace* trace) {
  throw Error(
      ErrorCode::invalid_offsets, "a tensor lies outside its storage",
      {.path = detail::place_path(trace),
       .expected = "within " + detail::counted(count, "element"),
       .found = fmt::format("shape {}, strides {}, from element {}", to_string(Shape(view.shape)),
                            to_string(Shape(view.strides)), view.offset)});
}

/// Returns the position of the last element, which lies in the storage. \pre there are elements
std::uint64_t last_of(const View& view, std::uint64_t count, const Trace* trace) {
  std::uint64_t last = view.offset;
  if (last >= count) fail_outside(view, count, trace);
  for (std::size_t i = 0; i < view.shape.size(); ++i) {
    const std::uint64_t steps = view.shape[i] - 1;
    if (steps == 0) continue;
    if (view.strides[i] > (count - 1 - last) / steps) fail_outside(view, count, trace);
    last += steps * view.strides[i];
  }
  return last;
}

}  // namespace

Tensors::Tensors(std::shared_ptr<const Source> source, const Storages& storages,
                 const Limits& limits)
    : source_(std::move(source)), storages_(storages), limits_(limits) {
  most_ = detail::most_repeated(source_->size(), limits);
}

void Tensors::note(std::uint64_t size, const Trace* trace) {
  if (++count_ > limits_.tensors)
    throw detail::past(detail::Limit::tensors, limits_.tensors, {.path = to_string(trace)});
  // A stride of zero makes any number of elements of one.
  if (size > most_ - bytes_)
    throw detail::past(detail::Limit::repeats, most_, {.path = to_string(trace)});
  bytes_ += size;
}

Value Tensors::make(const StorageId& storage, const View& view, const Trace* trace) {
  const ElementType element = view.element;
  std::vector<std::uint64_t> dims(view.shape.begin(), view.shape.end());
  if (element.is_pair) dims.push_back(2);
  if (dims.size() > limits_.rank)
    throw detail::past(detail::Limit::rank, limits_.rank,
                       {.path = to_string(trace), .found = std::to_string(dims.size())});
  Shape shape(dims);
  const std::uint64_t size = byte_size(element.dtype, shape);
  note(size, trace);
  const auto finish = [&](Tensor tensor) {
    Value value(std::move(tensor));
    if (element.is_pair) value.set_attribute(attributes::complex, true);
    return value;
  };
  if (size == 0) return finish(Tensor::share(element.dtype, std::move(shape), {}, nullptr));

  const auto found = storages_.find(storage.key);
  if (found == storages_.end())
    throw Error(ErrorCode::missing_tensor, "the file has no storage of that key",
                {.path = to_string(trace), .found = detail::for_message(storage.key)});
  const Extent& extent = found->second;
  const std::uint64_t stored_width = storage.element.width();
  if (storage.count > extent.size / stored_width)
    throw Error(ErrorCode::invalid_offsets, "a storage is shorter than the pickle says",
                {.path = to_string(trace),
                 .expected = detail::counted(storage.count, "element"),
                 .found = detail::counted(extent.size, "byte")});
  const std::uint64_t width = element.width();
  const std::uint64_t last = last_of(view, storage.count * stored_width / width, trace);
  const Extent used{extent.begin + view.offset * width, (last - view.offset + 1) * width};
  if (is_dense(view))
    return finish(
        detail::tensor_at(source_, used.begin, element.dtype, std::move(shape), false, trace));

  std::vector<std::int64_t> strides;
  strides.reserve(dims.size());
  // The stride of a dimension of size 1 says nothing, and may be any number.
  for (std::size_t i = 0; i < view.shape.size(); ++i)
    strides.push_back(view.shape[i] == 1 ? 0 : static_cast<std::int64_t>(view.strides[i] * width));
  if (element.is_pair) strides.push_back(bit_width(element.dtype) / 8);
  if (source_->is_in_memory()) {
    SharedBytes bytes = source_->view(used.begin, static_cast<std::size_t>(used.size));
    if (reinterpret_cast<std::uintptr_t>(bytes.bytes.data()) % alignment(element.dtype) == 0)
      return finish(Tensor::strided(element.dtype, std::move(shape), strides, bytes.bytes.data(),
                                    std::move(bytes.owner)));
  }
  auto strided = std::make_shared<const StridedSource>(source_, used, element.dtype, shape,
                                                       std::move(strides));
  return finish(Tensor::deferred(element.dtype, std::move(shape), std::move(strided), 0,
                                 detail::place_path(trace)));
}

}  // namespace safestructures::inline v0::pytorch
