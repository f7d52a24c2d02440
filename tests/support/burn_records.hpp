/// \file
/// Helpers for tests that make and take apart records of Burn.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <safestructures/burn/burn.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/tensor.hpp>
#include "support/text.hpp"

namespace safestructures::test {

/// Returns an F32 tensor of that shape: 0, 0.25, 0.5, ...
inline Tensor quarters(const Shape& shape) {
  Tensor tensor = Tensor::allocate(DType::F32, shape);
  const std::span<float> elements = tensor.mutable_data<float>();
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i) * 0.25F;
  return tensor;
}

inline burn::Linear linear(bool has_bias = true) {
  burn::Linear linear{{quarters({2, 3}), "72d17eukbtkma"}, {}};
  if (has_bias) linear.bias = burn::Param<>{quarters({3}), "0000000000000"};
  return linear;
}

/// Returns the bytes of a record with an encoded item. The metadata are those of
/// FullPrecisionSettings.
inline std::string messagepack_record(std::string_view item, std::string_view version = "0.21.0",
                                      std::string_view floats = "f32") {
  std::string bytes = "\x83\xA8metadata\x85";
  const auto text = [&](std::string_view value) {
    bytes += value.size() < 32 ? std::string(1, static_cast<char>(0xA0 + value.size()))
                               : std::string("\xD9") + static_cast<char>(value.size());
    bytes += value;
  };
  for (const auto& [key, value] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"float", floats},
           {"int", "i32"},
           {"format", "x"},
           {"version", version},
           {"settings", "FullPrecisionSettings"}}) {
    text(key);
    text(value);
  }
  return bytes + "\xA4item" + std::string(item) + "\xA2_b\x90";
}

/// The same in JSON.
inline std::string json_record(std::string_view item, std::string_view version = "0.21.0",
                               std::string_view floats = "f32") {
  return R"({"metadata":{"float":")" + std::string(floats) +
         R"(","int":"i32","format":"x","version":")" + std::string(version) +
         R"(","settings":"FullPrecisionSettings"},"item":)" + std::string(item) + R"(,"_b":null})";
}

/// The same in bincode.
inline std::string bincode_record(std::string_view item, std::string_view version = "0.21.0") {
  std::string bytes;
  for (const std::string_view text :
       {std::string_view("f32"), std::string_view("i32"), std::string_view("x"), version,
        std::string_view("FullPrecisionSettings")})
    bytes += static_cast<char>(text.size()) + std::string(text);
  return bytes + std::string(item);
}

}  // namespace safestructures::test
