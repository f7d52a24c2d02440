/// \file
/// Nested lists that load into a tensor type of somebody else's: their sizes are bounded.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/tensor_like.hpp>
#include <safestructures/safestructures.hpp>

#include "support/errors.hpp"

namespace ss = safestructures;

namespace acme {

/// Four dimensions of any sizes.
struct Any {
  std::vector<std::uint64_t> sizes;
  std::vector<float> memory;
};

}  // namespace acme

struct AnyAccess {
  using Scalar = float;
  static std::optional<std::vector<ss::Extent>> shape() { return std::vector<ss::Extent>(4); }
  static const float* data(const acme::Any& any) { return any.memory.data(); }
  static ss::TensorLayout layout(const acme::Any& any) {
    ss::TensorLayout layout;
    std::size_t stride = any.memory.size() * sizeof(float);
    for (const std::uint64_t size : any.sizes)
      layout.add(size, stride = size == 0 ? 0 : stride / static_cast<std::size_t>(size));
    return layout;
  }
  static acme::Any make(std::span<const std::uint64_t> sizes) {
    std::uint64_t count = 1;
    for (const std::uint64_t size : sizes) count *= size;
    return {{sizes.begin(), sizes.end()}, std::vector<float>(count)};
  }
};
template <>
struct ss::Codec<acme::Any> : ss::TensorCodec<acme::Any, AnyAccess> {};

TEST_CASE("lists of which only the first has the size of all are refused before memory is taken") {
  const auto list_of = [](ss::Value first, std::size_t size) {
    std::vector<ss::Value> items(size);
    items[0] = std::move(first);
    return ss::Value::list(std::move(items));
  };
  const auto nested = [&](std::size_t size) {
    ss::Value value = list_of(ss::Value(1), size);
    for (int level = 0; level < 3; ++level) value = list_of(std::move(value), size);
    return value;
  };
  // 2^64 elements: what is multiplied without a look is 0.
  CHECK(ss::test::error_of([&] { return nested(65536).as<acme::Any>(); }) ==
        "type_mismatch: at /0/0/1: a value has the wrong type: expected list, tuple or set, found "
        "None.");
  ss::Value row = list_of(list_of(ss::Value(1), 1), 1);
  CHECK(
      ss::test::error_of([&] {
        return ss::Value::list({ss::Value::list({row, row}), ss::Value::list({row})})
            .as<acme::Any>();
      }) ==
      "shape_mismatch: at /1: a row does not have the length of the first: expected 2 items, found "
      "list of 1.");
  CHECK(nested(1).as<acme::Any>().memory == std::vector<float>{1});
}
