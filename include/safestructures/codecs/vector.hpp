/// \file
/// Codecs of std::vector.
///
/// | items | saved as |
/// |---|---|
/// | numbers, `bool` | a tensor of rank 1 |
/// | `std::array` of numbers (nested too) | one tensor with those dimensions after the first |
/// | `std::complex<double>` | an F64 tensor whose last dimension is 2, marked "complex" |
/// | `std::byte` | bytes |
/// | `char` | a str if it is text, otherwise a U8 tensor: see strings.hpp |
/// | everything else | a list, or columns: see columns.hpp |
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/codecs/numbers.hpp>
#include <safestructures/codecs/scalars.hpp>
#include <safestructures/codecs/sequences.hpp>
#include <safestructures/codecs/strings.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/shape.hpp>

namespace safestructures::inline v0 {

template <class T, class Allocator>
struct Codec<std::vector<T, Allocator>> : ListCodec<std::vector<T, Allocator>> {};

/// Saved without copying: the tensor borrows the vector's memory. Loads from a tensor of any dtype
/// that converts without loss, and from a list, tuple or set of numbers.
template <class T, class Allocator>
  requires Block<T>
struct Codec<std::vector<T, Allocator>> {
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) { detail::describe_blocks<T>(type); }
  static Value encode(const std::vector<T, Allocator>& vector, Encoder&) {
    return detail::encode_blocks(vector.data(), vector.size());
  }
  static std::vector<T, Allocator> decode(const Value& value, Decoder& decoder) {
    if (value.is_sequence()) return ListCodec<std::vector<T, Allocator>>::decode(value, decoder);
    std::vector<T, Allocator> result;
    detail::decode_blocks<T>(value, decoder, result);
    return result;
  }
};

/// A BOOL tensor with its own memory, because the vector packs its items.
template <class Allocator>
struct Codec<std::vector<bool, Allocator>> {
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) { detail::describe_blocks<bool>(type); }
  static Value encode(const std::vector<bool, Allocator>& vector, Encoder&) {
    Tensor tensor = Tensor::allocate(DType::BOOL, Shape{vector.size()});
    std::byte* target = tensor.mutable_bytes().data();
    for (const bool item : vector) *target++ = std::byte{item};
    return Value(std::move(tensor));
  }
  static std::vector<bool, Allocator> decode(const Value& value, Decoder& decoder) {
    if (value.is_sequence()) return ListCodec<std::vector<bool, Allocator>>::decode(value, decoder);
    std::vector<bool, Allocator> result;
    detail::BlockReader reader(value, decoder, DType::BOOL, {});
    result.reserve(reader.size());
    for (;;) {
      const std::span<const std::byte> piece = reader.next();
      if (piece.empty()) return result;
      for (const std::byte item : piece) result.push_back(item != std::byte{0});
    }
  }
};

template <detail::ByteLike T, class Allocator>
struct Codec<std::vector<T, Allocator>> {
  static constexpr KindSet kinds = Kind::bytes;
  static void describe_type(TypeDescriber& type) { type.bytes(); }
  static Value encode(const std::vector<T, Allocator>& vector, Encoder&) {
    return detail::encode_bytes(vector.data(), vector.size());
  }
  static std::vector<T, Allocator> decode(const Value& value, Decoder& decoder) {
    Tensor scratch;
    const std::span<const std::byte> bytes = detail::decode_bytes(value, decoder, scratch);
    const auto* first = reinterpret_cast<const T*>(bytes.data());
    return std::vector<T, Allocator>(first, first + bytes.size());
  }
};

template <detail::CharLike T, class Allocator>
struct Codec<std::vector<T, Allocator>> {
  static constexpr KindSet kinds = detail::char_kinds;
  static void describe_type(TypeDescriber& type) { type.string(); }
  static Value encode(const std::vector<T, Allocator>& vector, Encoder&) {
    return detail::encode_chars({vector.data(), vector.size()});
  }
  static std::vector<T, Allocator> decode(const Value& value, Decoder& decoder) {
    Tensor scratch;
    const std::string_view text = detail::decode_chars(value, decoder, scratch);
    return std::vector<T, Allocator>(text.begin(), text.end());
  }
};

}  // namespace safestructures::inline v0
