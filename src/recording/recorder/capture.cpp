#include "recording/recorder/capture.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

#include <safestructures/data/error.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/tools/statistics.hpp>
#include "platform/memory.hpp"

namespace safestructures::inline v0::recording {
namespace {

// The approximate size of a node without texts and tensors, of a text as a key of a dict, and of a
// tensor that is part of a structure. Measured: 200 bytes for an entry with a key of 29 letters and
// an int, 280 for a vector of one float.
constexpr std::uint64_t node_size = 64;
constexpr std::uint64_t key_size = 96;
constexpr std::uint64_t tensor_size = 256;
constexpr std::size_t most_dimensions = 8;

std::uint64_t bytes_of(const Value& value) {
  if (value.has_tensor()) return value.tensor().byte_size();
  return value.kind() == Kind::string ? value.as_string().size() : 0;
}

/// Whether a strided tensor fills a range of memory without gaps, with its dimensions in another
/// order, such as a column-major matrix. Its memory is copied as it is, and reordered when it is
/// written.
bool is_dense(const Tensor& tensor) {
  const std::span<const std::int64_t> strides = tensor.strides();
  const Shape& shape = tensor.shape();
  if (strides.size() > most_dimensions || bit_width(tensor.dtype()) < 8) return false;
  auto expected = static_cast<std::int64_t>(bit_width(tensor.dtype()) / 8);
  std::size_t left = 0;
  for (const std::uint64_t size : shape) left += size != 1 ? 1U : 0U;
  for (; left > 0; --left) {
    std::size_t i = 0;
    while (i < strides.size() && (shape[i] == 1 || strides[i] != expected)) ++i;
    if (i == strides.size()) return false;
    expected *= static_cast<std::int64_t>(shape[i]);
  }
  return true;
}

/// Whether a tensor is taken over without a copy. Columns of a larger one are not: they would keep
/// all of it in memory.
bool is_taken(const Tensor& tensor, bool moved) {
  return moved && tensor.is_owned() && tensor.is_loaded() &&
         (tensor.is_contiguous() || is_dense(tensor));
}

/// Returns the approximate bytes that a value takes in addition to its node.
std::uint64_t memory_of(const Value& value, bool moved) {
  const std::uint64_t bytes = bytes_of(value);
  const bool is_copied = value.has_tensor() && !is_taken(value.tensor(), moved);
  return is_copied ? BufferPool::memory_of(bytes) : bytes;
}

/// Whether a value is a tensor described by its dtype and shape alone.
bool is_lone_tensor(const Value& value) {
  return value.kind() == Kind::tensor && !value.is_plain() && value.type_name().empty() &&
         value.attributes().empty() && value.tensor_name().empty();
}

/// Returns a copy in row-major order.
Tensor packed(const Tensor& tensor, DType dtype, BufferPool& pool) {
  const auto size = static_cast<std::size_t>(byte_size(dtype, tensor.shape()));
  if (size == 0) return Tensor::allocate(dtype, tensor.shape());
  const std::shared_ptr<std::byte> buffer = pool.take(size);
  const std::span<std::byte> bytes(buffer.get(), size);
  tensor.copy_to(dtype, bytes, Overflow::allow);
  return Tensor::share(dtype, tensor.shape(), bytes, buffer);
}

/// Returns a copy in any order without gaps.
Tensor copied(const Tensor& tensor, BufferPool& pool) {
  const auto size = static_cast<std::size_t>(tensor.byte_size());
  if (size == 0 && tensor.is_owned()) return tensor;
  if (size == 0 || !tensor.is_loaded() || !(tensor.is_contiguous() || is_dense(tensor)))
    return packed(tensor, tensor.dtype(), pool);
  const std::shared_ptr<std::byte> buffer = pool.take(size);
  const std::span<std::byte> bytes(buffer.get(), size);
  platform::copy(bytes.data(), tensor.origin(), size);
  if (tensor.is_contiguous()) return Tensor::share(tensor.dtype(), tensor.shape(), bytes, buffer);
  return Tensor::strided(tensor.dtype(), tensor.shape(), tensor.strides(), bytes.data(), buffer);
}

/// Copies of the named tensors: values with the same name and memory remain one tensor.
class Shared {
 public:
  void capture(Value& value, BufferPool& pool) {
    const Tensor& tensor = value.tensor();
    if (value.tensor_name().empty()) return value.set_tensor(copied(tensor, pool));
    const auto [first, last] = known_.equal_range(tensor.identity());
    for (auto known = first; known != last; ++known) {
      const auto& [original, copy] = known->second;
      if (original.dtype() == tensor.dtype() && original.shape() == tensor.shape() &&
          std::ranges::equal(original.strides(), tensor.strides()))
        return value.set_tensor(copy);
    }
    Tensor copy = copied(tensor, pool);
    known_.emplace(tensor.identity(), std::pair(tensor, copy));
    value.set_tensor(std::move(copy));
  }

 private:
  std::unordered_multimap<const void*, std::pair<Tensor, Tensor>> known_;
};

}  // namespace

CapturedSize captured_size(const Value& value, bool moved) {
  if (value.has_tensor() && value.attributes().empty())
    return {.content = bytes_of(value), .memory = memory_of(value, moved) + node_size};
  CapturedSize size;
  walk(value, [&](const Place& place) {
    const Value& node = place.value();
    size.content += bytes_of(node);
    size.memory += memory_of(node, moved) + (node.has_tensor() ? tensor_size : node_size);
    if (node.kind() != Kind::dict) return Next::into;
    // The walk does not visit keys that are texts.
    for (const Entry& entry : node.entries()) {
      size.memory += key_size;
      if (entry.key.kind() != Kind::string) continue;
      size.content += entry.key.as_string().size();
      size.memory += entry.key.as_string().size();
    }
    return Next::into;
  });
  return size;
}

void slice_tensors(Value& value, std::span<const Slice> slices) {
  walk(value, [&](Value& node, const Place& place) {
    if (node.kind() != Kind::tensor) return Next::into;
    try {
      node.set_tensor(node.tensor().slice(slices));
    } catch (const Error& error) {
      throw error.with_path(place.path().to_string());
    }
    return Next::into;
  });
}

Captured capture(Value value, BufferPool& pool, bool moved) {
  if (is_lone_tensor(value)) {
    const Tensor& tensor = value.tensor();
    if (!is_taken(tensor, moved)) return copied(tensor, pool);
    return std::move(value).tensor();
  }
  Shared shared;
  walk(value, [&](Value& node, const Place& place) {
    if (!node.has_tensor() || is_taken(node.tensor(), moved)) return Next::into;
    try {
      shared.capture(node, pool);
    } catch (const Error& error) {
      throw error.with_path(place.path().to_string());
    }
    return Next::into;
  });
  value.own();  // For keys, which a walk cannot change.
  return value;
}

Tensor converted(const Tensor& tensor, DType dtype, BufferPool& pool) {
  if (tensor.dtype() == dtype && tensor.is_contiguous()) return tensor;
  return packed(tensor, dtype, pool);
}

void summarise(Value& value) {
  walk(value, [](Value& node, const Place& place) {
    if (node.kind() != Kind::tensor) return Next::into;
    try {
      node = statistics_value(node.tensor());
    } catch (const Error& error) {
      throw error.with_path(place.path().to_string());
    }
    return Next::over;
  });
}

void summarise(Captured& captured) {
  if (const Tensor* const tensor = std::get_if<Tensor>(&captured))
    captured = statistics_value(*tensor);
  else summarise(std::get<Value>(captured));
}

}  // namespace safestructures::inline v0::recording
