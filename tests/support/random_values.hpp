/// \file
/// Values of random form and content, for tests against a plain model.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::test {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::size_t below(std::size_t most) { return engine_() % most; }
  bool once_in(std::size_t count) { return below(count) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  std::byte byte() { return static_cast<std::byte>(engine_()); }

 private:
  std::mt19937 engine_;
};

inline Tensor random_tensor(Random& random) {
  const auto dtype =
      random.one_of({DType::F32, DType::F32, DType::F32, DType::F64, DType::F16, DType::BF16,
                     DType::I32, DType::U64, DType::U8, DType::BOOL, DType::C64, DType::F8_E4M3});
  std::vector<std::uint64_t> sizes;
  for (std::size_t rank = random.below(4); rank > 0; --rank)
    sizes.push_back(random.one_of<std::uint64_t>({1, 2, 3, 4, 8, random.below(30)}));
  if (random.once_in(20)) sizes = {random.below(20'000)};
  Tensor tensor = Tensor::allocate(dtype, Shape(sizes));
  const bool has_any_bits = random.once_in(4);
  std::size_t i = 0;
  for (std::byte& byte : tensor.mutable_bytes()) {
    byte = random.byte();
    if (dtype == DType::BOOL) byte &= std::byte{1};
    // Without the highest bits of the exponent, numbers are finite.
    const std::size_t width = bit_width(dtype) / (dtype == DType::C64 ? 16 : 8);
    if (!has_any_bits && ++i % width == 0) byte &= std::byte{0xBF};
  }
  if (tensor.rank() == 2 && random.once_in(3))
    return tensor.permute(std::vector<std::size_t>{1, 0});
  if (tensor.rank() > 0 && random.once_in(5)) return tensor.slice(parse_slices("::2"));
  return tensor;
}

inline Value random_value(Random& random, std::size_t depth = 0) {
  const std::size_t choice = random.below(depth > 2 ? 14 : 18);
  if (choice < 8) return random_tensor(random);
  switch (choice) {
    case 8: return static_cast<double>(random.below(100)) / 8;
    case 9: return static_cast<std::int64_t>(random.below(1000));
    case 10: return std::string(random.below(50), 'x');
    case 11: return random.once_in(2) ? Value() : Value(true);
    case 12: return random.one_of<double>({1e300, std::nan(""), -INFINITY});
    case 13: return Value::bytes(std::vector<std::byte>(random.below(40), std::byte{7}));
    case 14:
    case 15: {
      Value dict = random.once_in(2) ? Value::dict() : Value::structure("Point");
      for (std::size_t n = random.below(4); n > 0; --n)
        dict.insert_or_assign(Value("k" + std::to_string(random.below(5))),
                              random_value(random, depth + 1));
      return dict;
    }
    default: {
      std::vector<Value> items;
      for (std::size_t n = random.below(4); n > 0; --n)
        items.push_back(random_value(random, depth + 1));
      return random.once_in(2) ? Value::list(std::move(items)) : Value::tuple(std::move(items));
    }
  }
}

/// Replaces every tensor that is not bytes, which rules leave alone.
template <class Change>
Value with_tensors(const Value& value, const Change& change) {
  if (value.kind() == Kind::tensor) return change(value.tensor());
  if (value.kind() == Kind::list || value.kind() == Kind::tuple) {
    std::vector<Value> items;
    for (const Value& item : value.items()) items.push_back(with_tensors(item, change));
    return value.kind() == Kind::list ? Value::list(std::move(items))
                                      : Value::tuple(std::move(items));
  }
  if (value.kind() != Kind::dict && value.kind() != Kind::structure) return value;
  Value result = value.kind() == Kind::dict ? Value::dict() : Value::structure(value.type_name());
  for (const Entry& entry : value.entries())
    result.insert_or_assign(entry.key, with_tensors(entry.value, change));
  return result;
}

}  // namespace safestructures::test
