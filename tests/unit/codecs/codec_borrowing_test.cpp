/// \file
/// What an encoder borrows from, and what it copies because it will be gone: items that a container
/// gives by value, and variables of a codec.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/codecs/codecs.hpp>

namespace ss = safestructures;
using ss::Value;

namespace borrowing_test {

/// Holds what it makes anew for each that asks.
template <class T>
struct Recipe {
  T object{};
  explicit operator bool() const { return true; }
  T operator*() const { return object; }
};

/// Converts to an item, as the bits of a std::vector<bool> do.
template <class T>
struct Proxy {
  const T* item;
  operator T() const { return *item; }
};

/// A container whose items are made where they are asked for, as of rows that lie there in few
/// bits.
template <class Container, class Given = typename Container::value_type>
struct Made : Container {
  using Container::Container;
  struct Iterator {
    typename Container::const_iterator at;
    Given operator*() const {
      if constexpr (std::is_same_v<Given, Proxy<typename Container::value_type>>) return {&*at};
      else return *at;
    }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;
  };
  [[nodiscard]] Iterator begin() const { return {Container::begin()}; }
  [[nodiscard]] Iterator end() const { return {Container::end()}; }
};

/// What it gives away is a copy.
struct Polynomial {
  std::vector<float> coefficients;
};
/// Each in a variable, by a step or none.
struct Polynomials {
  Polynomial first, second;
};

}  // namespace borrowing_test

template <class T>
struct ss::Codec<borrowing_test::Recipe<T>> : ss::HolderCodec<borrowing_test::Recipe<T>, T> {};
template <class T, class Given>
struct ss::Codec<borrowing_test::Made<std::vector<T>, Given>>
    : ss::ListCodec<borrowing_test::Made<std::vector<T>, Given>> {};
template <class T, class Given>
struct ss::Codec<borrowing_test::Made<std::set<T>, Given>>
    : ss::SetCodec<borrowing_test::Made<std::set<T>, Given>> {};
template <class T, class Given>
struct ss::Codec<borrowing_test::Made<std::multiset<T>, Given>>
    : ss::SetCodec<borrowing_test::Made<std::multiset<T>, Given>, ss::Order::keep, true> {};
template <class Key, class T, class Given>
struct ss::Codec<borrowing_test::Made<std::map<Key, T>, Given>>
    : ss::MapCodec<borrowing_test::Made<std::map<Key, T>, Given>> {};

template <>
struct ss::Codec<borrowing_test::Polynomial> {
  static ss::Value encode(const borrowing_test::Polynomial& polynomial, ss::Encoder& encoder) {
    std::vector<float> coefficients = polynomial.coefficients;
    return encoder.encode(coefficients);
  }
};
template <>
struct ss::Codec<borrowing_test::Polynomials> {
  static ss::Value encode(const borrowing_test::Polynomials& both, ss::Encoder& encoder) {
    std::array<std::vector<float>, 2> coefficients = {both.first.coefficients,
                                                      both.second.coefficients};
    std::optional<std::vector<float>> held = both.second.coefficients;
    return ss::Value::list(
        {encoder.encode_at(0, coefficients[0]), encoder.encode_at("second", coefficients[1]),
         ss::encode_held(*held, encoder), encoder.encode(std::as_const(both.first.coefficients))});
  }
};

using borrowing_test::Made;
using borrowing_test::Polynomials;
using borrowing_test::Proxy;
using borrowing_test::Recipe;

TEST_CASE("what a container or a holder of one's own gives by value is not borrowed from") {
  using Row = std::vector<float>;
  const Row row = {1, 2, 3};
  const auto check = [&](const Value& tensor) {
    CHECK(tensor.tensor().is_owned());
    CHECK(tensor.tensor().to_vector<float>() == row);
  };
  const Made<std::vector<Row>> list{row, row};
  for (const std::size_t i : {0U, 1U}) check(Value::from(list).items()[i]);
  const Made<std::vector<Row>, const Row> constant{row};
  check(Value::from(constant).items()[0]);
  const Made<std::vector<Row>, Proxy<Row>> proxies{row, row};
  for (const std::size_t i : {0U, 1U}) check(Value::from(proxies).items()[i]);
  const Made<std::multiset<Row>> repeated{row, row};
  for (const std::size_t i : {0U, 1U}) check(Value::from(repeated).items()[i]);
  const Made<std::map<int, Row>> map{{1, row}, {2, row}};
  for (const std::size_t i : {0U, 1U}) check(Value::from(map).entries()[i].value);
  const Recipe<Row> recipe{row};
  check(Value::from(recipe));
  using Bytes = std::vector<std::byte>;
  const Bytes bytes = {std::byte{7}};
  const Made<std::set<Bytes>> set{bytes};
  CHECK(Value::from(set).items()[0].tensor().is_owned());
  const Made<std::map<Bytes, int>> keyed{{bytes, 1}};
  CHECK(Value::from(keyed).entries()[0].key.tensor().is_owned());
  const Made<std::vector<int>, Proxy<int>> numbers{1, 2};
  CHECK(Value::from(numbers) == Value::list({1, 2}));
}

TEST_CASE("the contents of a container are borrowed, by whatever reference it is given") {
  using Row = std::vector<float>;
  const auto origin = [](const Row& row) { return reinterpret_cast<const std::byte*>(row.data()); };
  const Made<std::vector<Row>, const Row&> list{{1, 2, 3}};
  CHECK(Value::from(list).items()[0].tensor().origin() == origin(*list.begin()));
  using Wrapper = std::reference_wrapper<const Row>;
  const Made<std::vector<Row>, Wrapper> wrapped{{1, 2, 3}};
  CHECK(Value::from(wrapped).items()[0].tensor().origin() == origin(*wrapped.begin()));
  // A pair of references, which is made where it is asked for.
  const Made<std::map<int, Row>, std::pair<const int&, const Row&>> pairs{{1, {1, 2, 3}}};
  CHECK(Value::from(pairs).entries()[0].value.tensor().origin() == origin(pairs.find(1)->second));
}

TEST_CASE("a variable of a codec is not borrowed from") {
  const Polynomials both{{{1, 2, 3}}, {{4, 5}}};
  const Value first = Value::from(both.first);
  CHECK(first.tensor().is_owned());
  CHECK(first.tensor().to_vector<float>() == both.first.coefficients);
  const Value list = Value::from(both);
  for (std::size_t i = 0; i < 3; ++i) CHECK(list.items()[i].tensor().is_owned());
  CHECK(list.items()[1].tensor().to_vector<float>() == both.second.coefficients);
  CHECK(list.items()[2].tensor().to_vector<float>() == both.second.coefficients);
  CHECK_FALSE(list.items()[3].tensor().is_owned());
}
