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
#include <safestructures/tools/load.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/round_trip.hpp"
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

/// Objects that are the same: by their trees, or where those have the order of a hash table, by ==.
template <class T>
bool same_objects(const T& a, const T& b) {
  if constexpr (requires { typename T::hasher; }) return a == b;
  else return ss::Value::from(a) == ss::Value::from(b);
}

/// Typed and dynamic agree: the object and its tree are saved as the same bytes, which load as
/// both.
template <class T>
void check_object(const T& object, const FormatPointer& format) {
  const ss::SaveOptions options{
      .format = format, .precision = ss::Precision::preserve, .limits = deep};
  const ss::ReadOptions load_options{.format = format, .limits = deep};
  const ss::Value tree = ss::Value::from(object);
  const std::vector<std::byte> bytes = ss::save(object, options);
  require(ss::save(tree, options) == bytes, "an object and its tree are saved differently");
  require(same_objects(ss::load<T>(bytes, load_options), object),
          "what was saved loads as another object");
  const ss::Value loaded = ss::load(bytes, load_options);
  require(loaded == tree, "what was saved loads as another tree");
  require(same_objects(loaded.as<T>(), object), "the tree that was loaded is another object");
}

template <class T>
void decode_as(const ss::Value& value) {
  std::optional<T> object;
  expect_errors([&] { object.emplace(value.as<T>()); });
  if (!object) return;
  try {
    check_object(*object, ss::formats::safestructures());
    check_object(*object, json_format(ss::JsonTensors::lists));
  } catch (const ss::Error& error) {
    throw std::logic_error(std::string("an object that was loaded is refused: ") + error.what());
  }
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
