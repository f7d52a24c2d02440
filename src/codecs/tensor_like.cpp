#include <safestructures/codecs/tensor_like.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/error.hpp>
#include "data/limit.hpp"

namespace safestructures::inline v0 {
namespace detail {

void describe_tensor(TypeDescriber& type, const ScalarLayout& scalar,
                     std::span<const Extent> shape) {
  std::vector<Extent> all(shape.begin(), shape.end());
  if (scalar.is_pair) all.push_back(Extent::fixed(2));
  type.tensor(scalar.dtype, all, scalar.is_pair);
}

Value encode_strided(const ScalarLayout& scalar, const void* data, TensorLayout layout,
                     std::shared_ptr<const void> owner) {
  if (scalar.is_pair) layout.add(2U, scalar.size / 2);
  Value value(Tensor::strided(scalar.dtype, Shape(std::span<const std::uint64_t>(layout.sizes)),
                              layout.strides, static_cast<const std::byte*>(data),
                              std::move(owner)));
  if (scalar.is_pair) value.set_attribute(attributes::complex, Value(true));
  return value;
}

std::optional<std::vector<std::size_t>> dense_order(const TensorLayout& layout,
                                                    std::size_t scalar_size) {
  std::vector<std::size_t> order(layout.sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool is_empty = std::ranges::count(layout.sizes, 0U) > 0;
  if (is_empty) return order;
  // Strides of dimensions of size 1 have no meaning, and are sorted last.
  const auto weight = [&](std::size_t i) {
    return layout.sizes[i] == 1 ? std::int64_t{0} : layout.strides[i];
  };
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  auto expected = static_cast<std::int64_t>(scalar_size);
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t dimension = order[i];
    if (layout.sizes[dimension] == 1) continue;
    if (layout.strides[dimension] != expected) return std::nullopt;
    expected *= static_cast<std::int64_t>(layout.sizes[dimension]);
  }
  return order;
}

namespace {

/// The first of 65,536 rows may have 65,536 numbers, and the others none, so all are checked.
void check_rows(const Value& value, Decoder& decoder, std::span<const std::uint64_t> sizes) {
  if (sizes.empty()) return;
  if (value.kind() == Kind::tensor && std::ranges::equal(value.tensor().shape(), sizes)) return;
  Items rows(value, decoder);
  expect_row(rows, value, sizes[0], decoder);
  if (sizes.size() == 1) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Decoder::Step step(decoder, i);
    check_rows(rows[i], decoder, sizes.subspan(1));
  }
}

}  // namespace

std::vector<std::uint64_t> nested_sizes(const Value& value,
                                        const std::optional<std::vector<Extent>>& shape,
                                        Decoder& decoder) {
  std::vector<std::uint64_t> sizes;
  const Value* row = &value;
  for (; row != nullptr && row->is_sequence();
       row = row->size() == 0 ? nullptr : &row->items()[0]) {
    if (shape ? sizes.size() == shape->size() : sizes.size() == decoder.limits().depth) break;
    sizes.push_back(row->size());
  }
  // For a list of tensors.
  if (row != nullptr && row->kind() == Kind::tensor)
    for (const std::uint64_t size : row->tensor().shape())
      if (!shape || sizes.size() < shape->size()) sizes.push_back(size);
  if (sizes.size() > decoder.limits().rank)
    throw past(Limit::rank, decoder.limits().rank,
               {.path = decoder.path(), .found = std::to_string(sizes.size())});
  if (!shape) {
    check_rows(value, decoder, sizes);
    return sizes;
  }
  if (row == nullptr)
    while (sizes.size() < shape->size()) sizes.push_back((*shape)[sizes.size()].min);
  bool fits = sizes.size() == shape->size();
  for (std::size_t i = 0; fits && i < sizes.size(); ++i) fits = (*shape)[i].holds(sizes[i]);
  if (!fits)
    decoder.fail(ErrorCode::shape_mismatch, "the list has the wrong shape",
                 {.expected = "numbers for shape " + to_string(std::span<const Extent>(*shape)),
                  .found = describe(value)});
  check_rows(value, decoder, sizes);
  return sizes;
}

bool count_fits(std::span<const std::uint64_t> sizes, std::uint64_t most) noexcept {
  std::uint64_t count = 1;
  for (const std::uint64_t size : sizes) {
    if (size == 0) continue;
    if (size > most / count) return false;
    count *= size;
  }
  return true;
}

void refuse_complex(const Value& value, const Decoder& decoder, std::string advice) {
  decoder.fail(ErrorCode::type_mismatch, "the numbers are complex, and the target's are real",
               {.expected = "real numbers",
                .found = describe(value) + (is_marked_complex(value) ? " of complex numbers" : ""),
                .advice = std::move(advice)});
}

Value real_parts(const Value& value, const Decoder& decoder, std::string advice) {
  try {
    return Value(value.tensor().to(DType::F32));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::lossy_conversion)
      refuse_complex(value, decoder, std::move(advice));
    throw error.with_path(decoder.path());
  }
}

void expect_row(const Items& row, const Value& value, std::uint64_t size, const Decoder& decoder) {
  if (row.size() != size)
    decoder.fail(ErrorCode::shape_mismatch, "a row does not have the length of the first",
                 {.expected = std::to_string(size) + (size == 1 ? " item" : " items"),
                  .found = describe(value)});
}

namespace {

/// Whether each index of memory that is not empty has bytes of its own.
bool has_own_bytes(const TensorLayout& layout, std::size_t scalar_size) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> dimensions;  // Strides, and sizes.
  for (std::size_t i = 0; i < layout.sizes.size(); ++i)
    if (layout.sizes[i] > 1) dimensions.emplace_back(std::abs(layout.strides[i]), layout.sizes[i]);
  std::ranges::sort(dimensions);
  std::uint64_t taken = scalar_size;
  for (const auto& [stride, size] : dimensions) {
    if (stride < taken) return false;
    taken += stride * (size - 1);
  }
  return true;
}

/// Copies dense scalars to their places. Recursive over the dimensions. \returns the end of those
/// that were copied
const std::byte* scatter(const std::byte* from, const TensorLayout& layout, std::size_t level,
                         std::size_t scalar_size, std::byte* to) {
  if (level == layout.sizes.size()) {
    std::memcpy(to, from, scalar_size);
    return from + scalar_size;
  }
  const auto size = static_cast<std::size_t>(layout.sizes[level]);
  const bool is_row =
      level + 1 == layout.sizes.size() && std::cmp_equal(layout.strides[level], scalar_size);
  if (is_row) {
    std::memcpy(to, from, size * scalar_size);
    return from + size * scalar_size;
  }
  for (std::size_t i = 0; i < size; ++i)
    from = scatter(from, layout, level + 1, scalar_size,
                   to + static_cast<std::ptrdiff_t>(i) * layout.strides[level]);
  return from;
}

}  // namespace
}  // namespace detail

TensorSource::TensorSource(const detail::ScalarLayout& scalar, const Value& value,
                           const Decoder& decoder, std::string_view expected)
    : scalar_(scalar), value_(value), decoder_(decoder) {
  if (!value.has_tensor()) decoder.mismatch(expected, value);
  tensor_ = value.tensor();
  // Packed elements have no addresses of their own, but are exact in F32.
  if (bit_width(tensor_.dtype()) < 8) tensor_ = tensor_.to(DType::F32);
  dims_.assign(tensor_.shape().begin(), tensor_.shape().end());
  is_marked_ = detail::is_marked_complex(value);
  if (!scalar.is_complex) return;
  const bool has_pairs = is_marked_ || (scalar.is_pair && tensor_.dtype() != DType::C64);
  if (has_pairs && !dims_.empty()) dims_.pop_back();
}

void TensorSource::wrong_shape(std::string expected, std::string advice) const {
  decoder_.fail(
      ErrorCode::shape_mismatch, "the tensor has the wrong shape",
      {.expected = std::move(expected), .found = describe(value_), .advice = std::move(advice)});
}

void TensorSource::expect_shape(std::span<const Extent> shape) const {
  bool fits = dims_.size() == shape.size();
  for (std::size_t i = 0; fits && i < dims_.size(); ++i) fits = shape[i].holds(dims_[i]);
  if (fits) return;
  const bool any_size =
      std::ranges::all_of(shape, [](Extent extent) { return extent == Extent(); });
  wrong_shape(
      any_size ? "a tensor of rank " + std::to_string(shape.size()) : "shape " + to_string(shape),
      {});
}

void TensorSource::read(const TensorLayout& layout, void* target) {
  if (const auto order = detail::dense_order(layout, scalar_.size)) return read(*order, target);
  if (!detail::has_own_bytes(layout, scalar_.size))
    decoder_.fail(
        ErrorCode::invalid_argument, "the elements of a tensor type share memory",
        {.expected = "memory for each", .advice = "Load into a type that owns its memory"});
  std::vector<std::size_t> order(dims_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto count = static_cast<std::size_t>(
      std::accumulate(dims_.begin(), dims_.end(), std::uint64_t{1}, std::multiplies<>()));
  const auto dense = std::make_unique_for_overwrite<std::byte[]>(count * scalar_.size);
  read(order, dense.get());
  detail::scatter(dense.get(), layout, 0, scalar_.size, static_cast<std::byte*>(target));
}

void TensorSource::read(std::span<const std::size_t> order, void* target) {
  std::vector<std::size_t> all(order.begin(), order.end());
  std::vector<std::uint64_t> dims;
  std::uint64_t count = 1;
  for (const std::size_t i : order) {
    dims.push_back(dims_[i]);
    count *= dims_[i];
  }
  if (scalar_.is_pair) dims.push_back(2);
  for (std::size_t i = all.size(); i < tensor_.rank(); ++i) all.push_back(i);
  Value source(tensor_.permute(all));
  if (is_marked_) source.set_attribute(attributes::complex, Value(true));
  detail::decode_block(
      source, decoder_, scalar_.dtype, dims,
      {static_cast<std::byte*>(target), static_cast<std::size_t>(count) * scalar_.size});
}

}  // namespace safestructures::inline v0
