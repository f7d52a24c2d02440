/// \file
/// A schema decoded into C++ types of every sort.
#pragma once

#include <array>
#include <chrono>
#include <complex>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/formats/safestructures/schema.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/schema.hpp"

namespace fuzz {

struct Leaf {
  std::string name;
  std::optional<float> weight;
  std::vector<std::int8_t> codes;
};

struct Tree {
  std::int32_t number = 0;
  std::vector<Leaf> leaves;
  std::map<std::int64_t, std::string> labels;
  std::variant<std::int64_t, std::string, Leaf> choice;
  std::tuple<bool, double> pair;
};

template <class T>
void decode_as(const ss::Value& value) {
  expect_errors([&] {
    const T object = value.as<T>();
    ss::Value again = ss::Value::from(object);
    again.own();
    static_cast<void>(again.template as<T>());
  });
}

inline void typed(Bytes bytes) {
  Reader reader(bytes);
  const std::uint8_t target = reader.byte();
  ss::Value value;
  bool is_read = false;
  expect_errors([&] {
    value = ss::schema::read(text_of(reader.rest()), any_tensor);
    is_read = true;
  });
  if (!is_read) return;
  switch (target % 16) {
    case 0: return decode_as<Tree>(value);
    case 1: return decode_as<std::vector<float>>(value);
    case 2: return decode_as<std::map<std::string, std::vector<double>>>(value);
    case 3: return decode_as<std::array<std::int16_t, 6>>(value);
    case 4: return decode_as<std::set<std::string>>(value);
    case 5: return decode_as<std::chrono::nanoseconds>(value);
    case 6: return decode_as<std::unordered_map<std::int32_t, std::optional<bool>>>(value);
    case 7: return decode_as<std::vector<std::vector<std::uint64_t>>>(value);
    case 8: return decode_as<std::complex<float>>(value);
    case 9: return decode_as<std::shared_ptr<Leaf>>(value);
    case 10: return decode_as<std::variant<bool, std::uint8_t, double, std::string>>(value);
    case 11: return decode_as<std::deque<std::pair<char, std::int64_t>>>(value);
    case 12: return decode_as<std::vector<std::byte>>(value);
    case 13: return decode_as<std::chrono::system_clock::time_point>(value);
    case 14: return decode_as<std::vector<bool>>(value);
    default: return decode_as<Leaf>(value);
  }
}

}  // namespace fuzz
