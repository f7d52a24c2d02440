/// \file
/// Structures as JSON, and random ones.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/codecs/values.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/json.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

namespace safestructures::test {

inline std::string save_json(const Value& value, const JsonOptions& json = {},
                             SaveOptions options = {}) {
  options.format = formats::json(json);
  const std::vector<std::byte> bytes = save(value, options);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Returns the structure as the format reads it: tensors in their stored dtype, with attributes.
inline Value load_json(std::string_view text, const LoadOptions& options = {}) {
  const auto bytes = std::as_bytes(std::span(text));
  return formats::json()->read(Source::of(bytes, nullptr), options).root;
}

/// Random structures of every kind of value, with everything that can accompany them.
class RandomValues {
 public:
  explicit RandomValues(unsigned seed) : random_(seed) {}

  Value value(unsigned depth = 4) {
    switch (below(depth == 0 ? 8 : 14)) {
      case 0: return nullptr;
      case 1: return below(2) == 0;
      case 2: return integer();
      case 3: return floating();
      case 4: return std::complex<double>(floating(), floating());
      case 5: return Value(text());
      case 6: return bytes();
      case 7: return tensor();
      case 8: return extended(Value::list(items(depth)));
      case 9: return extended(Value::tuple(items(depth)));
      case 10: return extended(Value::set({integer(), Value(text()), Value::tuple({below(9)})}));
      case 11: return extended(dict(depth));
      case 12: {
        Value result = Value::structure(text());
        for (unsigned i = below(4); i-- > 0;) result.insert_or_assign(text(), value(depth - 1));
        return extended(std::move(result));
      }
      default: return custom(depth);
    }
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  Value integer() {
    switch (below(4)) {
      case 0: return below(100);
      case 1: return static_cast<std::int64_t>(random_());
      case 2: return static_cast<std::uint64_t>(random_());
      default: return Value::integer("-" + std::to_string(random_()) + std::to_string(random_()));
    }
  }

  double floating() {
    switch (below(4)) {
      case 0: return below(100);
      case 1: return std::bit_cast<double>(random_());
      case 2: return std::nan("");
      default: return static_cast<double>(random_()) / 1e9;
    }
  }

  std::string text() {
    static constexpr std::string_view pieces[] = {"a",
                                                  "$tensor",
                                                  "\"",
                                                  "\\",
                                                  "\n",
                                                  "\xC3\xA9",
                                                  "\0",
                                                  "/",
                                                  "\xED\xA0\x80",
                                                  "\xED\xB0\x80",
                                                  "\xEF\xB7\x91",
                                                  "\xF0\x9F\x98\x80",
                                                  ".",
                                                  "~",
                                                  "$",
                                                  "1"};
    std::string result;
    for (unsigned i = below(4); i-- > 0;) {
      const std::string_view piece = pieces[below(16)];
      // A pair of surrogates would be one character.
      if (piece == "\xED\xB0\x80" && result.ends_with("\xED\xA0\x80")) continue;
      result += piece;
    }
    return result;
  }

  Value bytes() {
    std::vector<std::byte> content(below(8));
    for (std::byte& byte : content) byte = static_cast<std::byte>(random_());
    return extended(Value::bytes(content));
  }

  Value tensor() {
    const auto dtype = static_cast<DType>(below(static_cast<unsigned>(dtype_count)));
    std::vector<std::uint64_t> dims(below(4));
    for (std::uint64_t& dim : dims) dim = below(4);
    // Packed elements fill whole bytes.
    if (bit_width(dtype) < 8) dims.push_back(4);
    Tensor tensor = Tensor::allocate(dtype, Shape(std::span<const std::uint64_t>(dims)));
    for (std::byte& byte : tensor.mutable_bytes()) byte = static_cast<std::byte>(random_());
    Value value(std::move(tensor));
    if (below(3) == 0) value.set_tensor_name(text());
    return extended(std::move(value));
  }

  std::vector<Value> items(unsigned depth) {
    std::vector<Value> result(below(4));
    for (Value& item : result) item = value(depth - 1);
    if (!result.empty() && below(4) == 0) result.push_back(result.front());
    return result;
  }

  Value key() {
    switch (below(5)) {
      case 0: return integer();
      case 1: return floating();
      case 2: {
        Value tuple = Value::tuple({integer(), Value(text())});
        if (below(2) == 0) tuple.set_key_label(text());
        return tuple;
      }
      case 3: return bytes();
      default: return Value(text());
    }
  }

  Value dict(unsigned depth) {
    Value result = Value::dict();
    const bool is_natural = below(2) == 0;
    for (unsigned i = below(4); i-- > 0;)
      result.insert_or_assign(is_natural ? Value(text()) : key(), value(depth - 1));
    return result;
  }

  /// Returns JSON as plugins keep it, with nodes in it.
  Value plain(unsigned depth) {
    switch (below(depth == 0 ? 4 : 7)) {
      case 0: return Value().plain();
      case 1: return Value(below(2) == 0).plain();
      case 2: return integer().plain();
      case 3: return Value(text()).plain();
      case 4: {
        Value list = Value::list();
        for (unsigned i = below(4); i-- > 0;) list.push_back(plain(depth - 1));
        return std::move(list).plain();
      }
      case 5: {
        Value dict = Value::dict();
        for (unsigned i = below(4); i-- > 0;) dict.insert_or_assign(text(), plain(depth - 1));
        return std::move(dict).plain();
      }
      default: return value(depth - 1);
    }
  }

  Value custom(unsigned depth) {
    return extended(Value::custom(text(), below(2) == 0 ? plain(depth - 1) : value(depth - 1)));
  }

  Value extended(Value value) {
    if (below(4) == 0 && value.kind() != Kind::structure && value.kind() != Kind::custom)
      value.set_type_name(text());
    if (below(4) == 0) value.set_attribute("x" + text(), plain(2));
    return value;
  }

  std::mt19937_64 random_;
};

}  // namespace safestructures::test
