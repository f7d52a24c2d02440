/// \file
/// A user's codecs need nothing but the public protocol: holders, sequences, sets, maps, texts,
/// numbers and tensors of their own behave as those of the standard library.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <safestructures/codecs/tensor_like.hpp>
#include <safestructures/data/type_info.hpp>
#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::load_error;
using codec_test::round_trip;
using codec_test::to_value;
using ss::Kind;
using ss::Value;

// As another library would have them: nothing here knows of safestructures.
namespace acme {

template <class T>
class Maybe {
 public:
  Maybe() = default;
  explicit Maybe(T object) : object_(std::move(object)) {}
  explicit operator bool() const { return object_.has_value(); }
  const T& operator*() const { return *object_; }
  friend bool operator==(const Maybe&, const Maybe&) = default;

 private:
  std::optional<T> object_;
};

/// A holder that works in a way of its own.
template <class T>
struct Slot {
  bool is_set = false;
  T object{};
  friend bool operator==(const Slot&, const Slot&) = default;
};

template <class T>
class Ring {
 public:
  using value_type = T;
  void push_back(T item) { items_.push_back(std::move(item)); }
  [[nodiscard]] auto begin() const { return items_.begin(); }
  [[nodiscard]] auto end() const { return items_.end(); }
  friend bool operator==(const Ring&, const Ring&) = default;

 private:
  std::vector<T> items_;
};

/// Grows at its front.
template <class T>
struct Chain {
  std::vector<T> reversed;
  friend bool operator==(const Chain&, const Chain&) = default;
};

template <class T>
class FlatSet {
 public:
  using value_type = T;
  void insert(T item) {
    for (const T& known : items_)
      if (known == item) return;
    items_.push_back(std::move(item));
  }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] auto begin() const { return items_.begin(); }
  [[nodiscard]] auto end() const { return items_.end(); }
  friend bool operator==(const FlatSet&, const FlatSet&) = default;

 private:
  std::vector<T> items_;
};

template <class Key, class T>
class FlatMap {
 public:
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<Key, T>;
  void emplace(Key key, T value) {
    for (const value_type& known : entries_)
      if (known.first == key) return;
    entries_.emplace_back(std::move(key), std::move(value));
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  friend bool operator==(const FlatMap&, const FlatMap&) = default;

 private:
  std::vector<value_type> entries_;
};

class Text {
 public:
  Text() = default;
  explicit Text(std::string_view text) : text_(text) {}
  [[nodiscard]] std::string_view view() const { return text_; }
  friend auto operator<=>(const Text&, const Text&) = default;

 private:
  std::string text_;
};

/// A 16-bit float of another library.
struct Half {
  std::uint16_t bits;
  friend bool operator==(const Half&, const Half&) = default;
};

/// Rows with gaps between them.
struct Padded {
  std::size_t rows, columns, stride;
  std::vector<float> memory;
};

}  // namespace acme

template <class T>
struct ss::Codec<acme::Maybe<T>> : ss::HolderCodec<acme::Maybe<T>, T> {};

template <class T>
struct ss::Codec<acme::Slot<T>> {
  static constexpr bool nullable = true;
  static constexpr ss::KindSet kinds = ss::held_kinds<T>();
  static void describe_type(ss::TypeDescriber& type) { type.optional<T>(); }
  static ss::Value encode(const acme::Slot<T>& slot, ss::Encoder& encoder) {
    if (!slot.is_set) return {};
    return ss::encode_held(slot.object, encoder);
  }
  static acme::Slot<T> decode(const ss::Value& value, ss::Decoder& decoder) {
    if (value.is_none()) return {};
    return {true, ss::decode_held<T>(value, decoder)};
  }
};

template <class T>
struct ss::Codec<acme::Ring<T>> : ss::ListCodec<acme::Ring<T>> {};

template <class T>
struct ss::Codec<acme::Chain<T>> {
  static constexpr ss::KindSet kinds = Kind::list;
  static void describe_type(ss::TypeDescriber& type) { type.list<T>(); }
  static ss::Value encode(const acme::Chain<T>& chain, ss::Encoder& encoder) {
    ss::Value list = ss::Value::list();
    for (std::size_t i = 0; i < chain.reversed.size(); ++i)
      list.push_back(encoder.encode_at(i, chain.reversed[chain.reversed.size() - 1 - i]));
    return list;
  }
  static acme::Chain<T> decode(const ss::Value& value, ss::Decoder& decoder) {
    ss::Items items(value, decoder);
    acme::Chain<T> chain;
    for (std::size_t i = 0; i < items.size(); ++i)
      chain.reversed.insert(chain.reversed.begin(), decoder.decode_at<T>(i, items[i]));
    return chain;
  }
};

template <class T>
struct ss::Codec<acme::FlatSet<T>> : ss::SetCodec<acme::FlatSet<T>> {};

template <class Key, class T>
struct ss::Codec<acme::FlatMap<Key, T>> : ss::MapCodec<acme::FlatMap<Key, T>> {};

template <>
struct ss::Codec<acme::Text> {
  static constexpr ss::KindSet kinds = Kind::string;
  static void describe_type(ss::TypeDescriber& type) { type.string(); }
  static ss::Value encode(const acme::Text& text, ss::Encoder&) { return ss::Value(text.view()); }
  static acme::Text decode(const ss::Value& value, ss::Decoder& decoder) {
    return acme::Text(decoder.decode<std::string>(value));
  }
};

template <>
struct ss::BlockLayout<acme::Half> {
  static constexpr ss::DType dtype = ss::DType::F16;
  static constexpr std::array<std::uint64_t, 0> dims{};
  static constexpr bool complex = false;
};
template <>
struct ss::Codec<acme::Half> {
  static constexpr ss::KindSet kinds = Kind::floating;
  static void describe_type(ss::TypeDescriber& type) { type.same_as<ss::half>(); }
  static ss::Value encode(acme::Half number, ss::Encoder& encoder) {
    return encoder.encode(std::bit_cast<ss::half>(number));
  }
  static acme::Half decode(const ss::Value& value, ss::Decoder& decoder) {
    return std::bit_cast<acme::Half>(decoder.decode<ss::half>(value));
  }
};

struct PaddedAccess {
  using Scalar = float;
  static std::optional<std::vector<ss::Extent>> shape() {
    return {{ss::Extent::at_most(100), ss::Extent()}};
  }
  static const float* data(const acme::Padded& padded) { return padded.memory.data(); }
  static ss::TensorLayout layout(const acme::Padded& padded) {
    ss::TensorLayout layout;
    layout.add(padded.rows, padded.stride * sizeof(float));
    layout.add(padded.columns, sizeof(float));
    return layout;
  }
  static acme::Padded make(std::span<const std::uint64_t> sizes) {
    // Two columns lie without gaps, and of four all rows are one; others are as this library likes.
    const std::size_t stride = sizes[1] == 4 ? 0 : sizes[1] == 2 ? 2 : sizes[1] + 1;
    return {sizes[0], sizes[1], stride, std::vector<float>(sizes[0] * stride)};
  }
};
template <>
struct ss::Codec<acme::Padded> : ss::TensorCodec<acme::Padded, PaddedAccess> {};

TEST_CASE("a holder of one's own keeps apart that it is empty and that it holds nothing") {
  using acme::Maybe;
  using acme::Slot;
  CHECK(round_trip(Maybe<int>(5)) == Maybe<int>(5));
  CHECK(to_value(Maybe<int>()).is_none());
  CHECK(to_value(Maybe<int>(5)) == Value(5));
  // Each mixture of holders, ours and theirs, with each number of levels engaged.
  using Mixed = std::optional<Maybe<Slot<std::optional<int>>>>;
  using Inner = Maybe<Slot<std::optional<int>>>;
  const Mixed cases[] = {std::nullopt, Inner(), Inner(Slot<std::optional<int>>{}),
                         Inner(Slot<std::optional<int>>{true, std::nullopt}),
                         Inner(Slot<std::optional<int>>{true, 7})};
  for (const Mixed& one : cases) CHECK(round_trip(one) == one);
}

TEST_CASE("sequences of one's own load from all that sequences load from") {
  acme::Ring<std::string> ring;
  ring.push_back("a");
  ring.push_back("b");
  CHECK(to_value(ring) == Value::list({"a", "b"}));
  CHECK(round_trip(ring) == ring);
  CHECK(Value::tuple({"a", "b"}).as<acme::Ring<std::string>>() == ring);
  const acme::Chain<int> chain{{3, 2, 1}};
  CHECK(to_value(chain) == Value::list({1, 2, 3}));
  CHECK(to_value(std::vector<int>{1, 2, 3}).as<acme::Chain<int>>() == chain);
  CHECK(load_error<acme::Chain<int>>(Value::list({1, "x"})) ==
        "type_mismatch: at /1: a value has the wrong type: expected int, found str \"x\".");
}

TEST_CASE("sets and maps of one's own keep their order, and refuse what is there twice") {
  acme::FlatSet<std::string> set;
  set.insert("b");
  set.insert("a");
  CHECK(to_value(set).kind() == Kind::set);
  CHECK(round_trip(set) == set);
  CHECK(load_error<acme::FlatSet<int>>(Value::list({1, 1})).starts_with("duplicate_name: at /: "));
  acme::FlatMap<acme::Text, int> map;
  map.emplace(acme::Text("y"), 1);
  map.emplace(acme::Text("x"), 2);
  const Value value = to_value(map);
  CHECK(value == Value::dict({{"y", 1}, {"x", 2}}));
  CHECK(round_trip(map) == map);
  CHECK(value.as<std::map<std::string, int>>() == std::map<std::string, int>{{"x", 2}, {"y", 1}});
  CHECK(load_error<acme::FlatMap<acme::Text, int>>(Value::dict({{"y", "1"}})) ==
        "type_mismatch: at /y: a value has the wrong type: expected int, found str \"1\".");
}

TEST_CASE("the contents of a container or holder of one's own are borrowed") {
  using Row = std::vector<float>;
  const auto origin = [](const Row& row) { return reinterpret_cast<const std::byte*>(row.data()); };
  acme::Ring<Row> ring;
  ring.push_back({1, 2, 3});
  CHECK(Value::from(ring).items()[0].tensor().origin() == origin(*ring.begin()));
  acme::FlatMap<int, Row> map;
  map.emplace(1, {1, 2, 3});
  CHECK(Value::from(map).entries()[0].value.tensor().origin() == origin(map.begin()->second));
  const acme::Maybe<Row> maybe(Row{1, 2, 3});
  CHECK(Value::from(maybe).tensor().origin() == origin(*maybe));
}

TEST_CASE("kinds tell one's own types apart in a variant, without a tag") {
  using Either = std::variant<acme::Text, acme::Ring<std::string>, acme::FlatSet<int>>;
  CHECK(to_value(Either(acme::Text("t"))) == Value("t"));
  CHECK(round_trip(Either(acme::Text("t"))).index() == 0);
  CHECK(round_trip(Either(acme::Ring<std::string>())).index() == 1);
  CHECK(round_trip(Either(acme::FlatSet<int>())).index() == 2);
}

TEST_CASE("ranges of a number type of another library are tensors") {
  const std::vector<acme::Half> halves = {{0x3c00}, {0xc000}};
  const Value value = to_value(halves);
  CHECK(value.tensor().dtype() == ss::DType::F16);
  CHECK(value.tensor().to(ss::DType::F32).to_vector<float>() == std::vector<float>{1, -2});
  CHECK(round_trip(halves) == halves);
  CHECK(Value::list({1, -2}).as<std::vector<acme::Half>>() == halves);
}

TEST_CASE("a tensor type of one's own is a view when saved, and made when loaded") {
  const acme::Padded padded{2, 2, 3, {1, 2, 0, 3, 4, 0}};
  const Value view = Value::from(padded);
  CHECK(view.tensor().origin() == reinterpret_cast<const std::byte*>(padded.memory.data()));
  CHECK(view.tensor().to_vector<float>() == std::vector<float>{1, 2, 3, 4});
  CHECK(view.as<acme::Padded>().memory == std::vector<float>{1, 2, 3, 4});
  CHECK(Value::list({Value::list({1, 2}), Value::tuple({3, 4})}).as<acme::Padded>().memory ==
        std::vector<float>{1, 2, 3, 4});
  CHECK(Value::list({to_value(std::vector<int>{1, 2}), to_value(std::vector<int>{3, 4})})
            .as<acme::Padded>()
            .memory == std::vector<float>{1, 2, 3, 4});
  CHECK(Value::list({Value::list({1, 2, 3})}).as<acme::Padded>().memory ==
        std::vector<float>{1, 2, 3, 0});
  const std::vector<std::vector<int>> rows = {{1, 2, 3}, {4, 5, 6}};
  CHECK(to_value(rows).as<acme::Padded>().memory == std::vector<float>{1, 2, 3, 0, 4, 5, 6, 0});
  CHECK(Value::list().as<acme::Padded>().memory.empty());
}

TEST_CASE("a tensor type of one's own says what does not fit") {
  const auto tensor = [](ss::Shape shape) {
    return Value(ss::Tensor::allocate(ss::DType::U8, std::move(shape)));
  };
  CHECK(load_error<acme::Padded>(tensor({101, 2})) ==
        "shape_mismatch: at /: the tensor has the wrong shape: expected shape [at most 100, any], "
        "found tensor U8 [101, 2].");
  CHECK(load_error<acme::Padded>(tensor({2})).starts_with("shape_mismatch: at /: "));
  CHECK(load_error<acme::Padded>(Value("x")) ==
        "type_mismatch: at /: a value has the wrong type: expected a tensor, or a list of numbers, "
        "found str \"x\".");
  CHECK(load_error<acme::Padded>(Value::list({1, 2})) ==
        "shape_mismatch: at /: the list has the wrong shape: expected numbers for shape [at most "
        "100, any], found list of 2.");
  CHECK(
      load_error<acme::Padded>(Value::list({Value::list({1, 2}), Value::list({3})})) ==
      "shape_mismatch: at /1: a row does not have the length of the first: expected 2 items, found "
      "list of 1.");
  CHECK(load_error<acme::Padded>(Value::list({Value::list({1, "two"})})) ==
        "type_mismatch: at /0/1: a value has the wrong type: expected float, found str "
        "\"two\".");
  CHECK(load_error<acme::Padded>(tensor({2, 4})) ==
        "invalid_argument: at /: the elements of a tensor type share memory: expected memory for "
        "each. Load into a type that owns its memory.");
}

TEST_CASE("types of one's own are described as what they are") {
  const auto text = []<class T>(std::in_place_type_t<T>) { return to_string(ss::type_info<T>()); };
  CHECK(text(std::in_place_type<acme::Maybe<acme::Text>>) == "str or None");
  CHECK(text(std::in_place_type<acme::Slot<int>>) == "i32 or None");
  CHECK(text(std::in_place_type<acme::Ring<acme::Half>>) == "list of f16");
  CHECK(text(std::in_place_type<acme::FlatSet<int>>) == "set of i32");
  CHECK(text(std::in_place_type<acme::FlatMap<acme::Text, acme::Padded>>) ==
        "dict of str to tensor F32 [at most 100, any]");
}
