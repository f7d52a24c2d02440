/// \file
/// Every type that can be saved has a static description, by its codec.
#include <doctest/doctest.h>

#include <any>
#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/type_info.hpp>

namespace ss = safestructures;
using ss::Kind;
using ss::KindSet;
using ss::type_info;
using ss::TypeInfo;
using ss::TypeKind;

namespace {

enum class Color : std::uint8_t { red = 3, green = 7 };
struct Layer {
  std::string name;
  std::vector<float> weight;
  std::optional<float> dropout;
};
struct Model {
  std::vector<Layer> layers;
  std::map<std::int64_t, std::string> labels;
};
struct Ruled {
  int weight = 0;
  int cache = 7;
  double bias = 3;
  float matrix[2][3];
};
struct Tree {
  int value;
  std::vector<Tree> children;
  std::unique_ptr<Tree> next;
  std::map<std::string, std::shared_ptr<Tree>> named;
};
struct Point {
  float x, y;
};
struct Animal {
  virtual ~Animal() = default;
  virtual void speak() = 0;
};
/// Of codecs that a user wrote.
struct Silent {};
struct Hinted {};
struct Money {};
struct Opaque {};
/// A container that holds itself, without a name.
struct Nest {};
struct Failing {};
bool fails = true;

}  // namespace

template <>
struct safestructures::Rules<Ruled> {
  static constexpr std::string_view name = "acme.Ruled";
  static constexpr unsigned version = 3;
  static constexpr auto fields =
      ss::fields(ss::field("weight").rename("w").alias("kernel").alias("k"),
                 ss::field("cache").skip(), ss::field("bias").optional());
};
template <>
struct safestructures::Codec<Silent> {
  static Value encode(const Silent&, Encoder&) { return {}; }
};
template <>
struct safestructures::Codec<Hinted> {
  static constexpr KindSet kinds = KindSet(Kind::list) | Kind::dict;
  static Value encode(const Hinted&, Encoder&) { return Value::list(); }
};
template <>
struct safestructures::Codec<Money> {
  static constexpr std::string_view type_name = "acme.Money";
  static void describe_type(TypeDescriber& type) { type.same_as<std::int64_t>(); }
  static Value encode(const Money&, Encoder&) { return 1; }
};
template <>
struct safestructures::Codec<Opaque> {
  static constexpr std::string_view type_name = "acme.Opaque";
  static Value encode(const Opaque&, Encoder&) { return 1; }
};
template <>
struct safestructures::Codec<Nest> {
  static void describe_type(TypeDescriber& type) { type.list<Nest>(); }
  static Value encode(const Nest&, Encoder&) { return Value::list(); }
};
template <>
struct safestructures::Codec<Failing> {
  static void describe_type(TypeDescriber& type) {
    if (fails) throw std::runtime_error("not yet");
    type.none();
  }
  static Value encode(const Failing&, Encoder&) { return {}; }
};

TEST_CASE("every type is described in words") {
  using Nanoseconds = std::chrono::nanoseconds;
  const struct {
    const TypeInfo& type;
    std::string_view text;
  } cases[] = {
      {type_info<bool>(), "bool"},
      {type_info<std::int8_t>(), "i8"},
      {type_info<short>(), "i16"},
      {type_info<int>(), "i32"},
      {type_info<long>(), "i64"},
      {type_info<long long>(), "i64"},
      {type_info<std::uint8_t>(), "u8"},
      {type_info<std::uint16_t>(), "u16"},
      {type_info<std::uint32_t>(), "u32"},
      {type_info<std::uint64_t>(), "u64"},
      {type_info<std::byte>(), "u8"},
      {type_info<char>(), "str of 1"},
      {type_info<float>(), "f32"},
      {type_info<double>(), "f64"},
      {type_info<long double>(), "f64"},
      {type_info<ss::half>(), "f16"},
      {type_info<ss::bfloat16>(), "bf16"},
      {type_info<ss::float8_e4m3>(), "f8_e4m3"},
      {type_info<std::complex<float>>(), "complex of two f32"},
      {type_info<std::complex<double>>(), "complex of two f64"},
      {type_info<std::string>(), "str"},
      {type_info<std::u8string>(), "str"},
      {type_info<std::string_view>(), "str"},
      {type_info<char[4]>(), "str"},
      {type_info<const char*>(), "str or None"},
      {type_info<std::filesystem::path>(), "str"},
      {type_info<Color>(), "enum Color {red, green}"},
      {type_info<std::vector<Color>>(), "list of Color"},
      {type_info<std::vector<float>>(), "tensor F32 [any]"},
      {type_info<std::vector<bool>>(), "tensor BOOL [any]"},
      {type_info<std::vector<std::array<double, 3>>>(), "tensor F64 [any, 3]"},
      {type_info<std::vector<std::complex<double>>>(), "tensor F64 [any, 2]"},
      {type_info<std::array<std::uint8_t, 4>>(), "tensor U8 [4]"},
      {type_info<std::array<std::array<int, 2>, 4>>(), "tensor I32 [4, 2]"},
      {type_info<float[2][3]>(), "tensor F32 [2, 3]"},
      {type_info<std::span<const float>>(), "tensor F32 [any]"},
      {type_info<std::vector<std::byte>>(), "bytes"},
      {type_info<std::vector<char>>(), "str"},
      {type_info<std::array<std::byte, 16>>(), "bytes of 16"},
      {type_info<std::vector<std::string>>(), "list of str"},
      {type_info<std::array<std::string, 3>>(), "list of 3 str"},
      {type_info<std::string[3]>(), "list of 3 str"},
      {type_info<std::span<const std::string>>(), "list of str"},
      {type_info<std::list<int>>(), "list of i32"},
      {type_info<std::deque<float>>(), "list of f32"},
      {type_info<std::forward_list<float>>(), "list of f32"},
      {type_info<std::vector<Point>>(), "list of Point"},
      {type_info<std::pair<int, bool>>(), "tuple (i32, bool)"},
      {type_info<std::tuple<>>(), "tuple ()"},
      {type_info<std::tuple<std::string, Layer>>(), "tuple (str, Layer)"},
      {type_info<std::set<int>>(), "set of i32"},
      {type_info<std::unordered_set<std::string>>(), "set of str"},
      {type_info<std::multiset<int>>(), "list of i32"},
      {type_info<std::unordered_multiset<int>>(), "list of i32"},
      {type_info<std::map<std::string, int>>(), "dict of str to i32"},
      {type_info<std::unordered_map<int, std::optional<bool>>>(), "dict of i32 to (bool or None)"},
      {type_info<std::multimap<int, bool>>(), "list of tuple (i32, bool)"},
      {type_info<std::unordered_multimap<int, bool>>(), "list of tuple (i32, bool)"},
      {type_info<std::optional<Layer>>(), "Layer or None"},
      {type_info<std::optional<std::optional<int>>>(), "(i32 or None) or None"},
      {type_info<std::unique_ptr<const int>>(), "i32 or None"},
      {type_info<std::shared_ptr<Layer>>(), "Layer or None"},
      {type_info<std::weak_ptr<Layer>>(), "None"},
      {type_info<std::unique_ptr<Animal>>(), "(custom) or None"},
      {type_info<std::monostate>(), "None"},
      {type_info<std::variant<std::monostate, int, std::vector<std::string>>>(),
       "None or i32 or list of str"},
      {type_info<std::vector<std::variant<int, bool>>>(), "list of (i32 or bool)"},
      {type_info<Nanoseconds>(), "dict {nanoseconds: i64}"},
      {type_info<std::chrono::duration<float, std::ratio<1, 60>>>(), "dict {1/60 seconds: f32}"},
      {type_info<std::chrono::time_point<std::chrono::system_clock, Nanoseconds>>(),
       "dict {clock: str, nanoseconds: i64}"},
      {type_info<ss::Value>(), "any"},
      {type_info<std::any>(), "any"},
      {type_info<ss::Tensor>(), "tensor"},
      {type_info<Layer>(),
       "struct Layer {name: str, weight: tensor F32 [any], "
       "dropout: (f32 or None)}"},
      {type_info<Model>(), "struct Model {layers: list of Layer, labels: dict of i64 to str}"},
      {type_info<Ruled>(), "struct acme.Ruled {w: i32, bias: f64, matrix: tensor F32 [2, 3]}"},
      {type_info<Tree>(),
       "struct Tree {value: i32, children: list of Tree, next: (Tree or None), "
       "named: dict of str to (Tree or None)}"},
      {type_info<Silent>(), "any"},
      {type_info<Hinted>(), "list or dict"},
      {type_info<std::vector<Hinted>>(), "list of (list or dict)"},
      {type_info<Money>(), "acme.Money"},
      {type_info<Opaque>(), "acme.Opaque"},
      {type_info<Nest>(), "list of ..."},
  };
  for (const auto& one : cases) {
    CAPTURE(one.text);
    CHECK(to_string(one.type) == one.text);
  }
}

TEST_CASE("numbers have a width, a sign and a dtype") {
  CHECK(type_info<std::int16_t>().kind == TypeKind::integer);
  CHECK(type_info<std::int16_t>().bits == 16);
  CHECK(type_info<std::int16_t>().is_signed);
  CHECK(type_info<std::int16_t>().dtype == ss::DType::I16);
  CHECK_FALSE(type_info<std::uint64_t>().is_signed);
  CHECK(type_info<std::uint64_t>().dtype == ss::DType::U64);
  CHECK(type_info<ss::bfloat16>().kind == TypeKind::floating);
  CHECK(type_info<ss::bfloat16>().bits == 16);
  CHECK(type_info<bool>().dtype == ss::DType::BOOL);
  CHECK(type_info<std::complex<float>>().bits == 32);
  CHECK(type_info<std::complex<float>>().dtype == ss::DType::C64);
  CHECK_FALSE(type_info<std::complex<double>>().dtype);
}

TEST_CASE("a sequence that is stored as a tensor leads to its items") {
  const TypeInfo& rows = type_info<std::vector<std::array<double, 3>>>();
  CHECK(rows.kind == TypeKind::tensor);
  CHECK(rows.kinds == Kind::tensor);
  CHECK_FALSE(rows.size);
  REQUIRE(rows.shape);
  CHECK(*rows.shape == std::vector<ss::Extent>{{}, ss::Extent::fixed(3)});
  REQUIRE(rows.item == &type_info<std::array<double, 3>>());
  CHECK(rows.item->size == 3);
  CHECK(rows.item->item == &type_info<double>());
  const TypeInfo& pairs = type_info<std::vector<std::complex<double>>>();
  CHECK(pairs.is_complex);
  CHECK(pairs.item == &type_info<std::complex<double>>());
  CHECK(type_info<ss::Tensor>().item == nullptr);
  CHECK_FALSE(type_info<ss::Tensor>().shape);
  CHECK_FALSE(type_info<ss::Tensor>().dtype);
}

TEST_CASE("a struct has its saved fields in order, with what its rules say") {
  const TypeInfo& type = type_info<Ruled>();
  CHECK(type.kind == TypeKind::structure);
  CHECK(type.name == "acme.Ruled");
  CHECK(type.version == 3);
  REQUIRE(type.fields.size() == 3);
  CHECK(type.fields[0].name == "w");
  CHECK(type.fields[0].cpp_name == "weight");
  CHECK(type.fields[0].aliases == std::vector<std::string>{"kernel", "k"});
  CHECK_FALSE(type.fields[0].is_optional);
  CHECK(type.fields[0].type == &type_info<int>());
  CHECK(type.fields[1].is_optional);
  CHECK(type.fields[1].has_default);
  CHECK(to_string(*type.fields[2].type) == "tensor F32 [2, 3]");
  const ss::TypeField& dropout = type_info<Layer>().fields[2];
  CHECK(dropout.is_optional);
  CHECK_FALSE(dropout.has_default);
}

TEST_CASE("an enum has its names in order, and its integer type") {
  const TypeInfo& type = type_info<Color>();
  CHECK(type.name == "Color");
  CHECK(type.item == &type_info<std::uint8_t>());
  REQUIRE(type.enumerators.size() == 2);
  CHECK(type.enumerators[1].name == "green");
  CHECK(type.enumerators[1].value == 7);
  CHECK(type.kinds == (KindSet(Kind::string) | Kind::integer));
}

TEST_CASE("pointers say what they share and what may be behind them") {
  CHECK(type_info<std::shared_ptr<int>>().is_shared);
  CHECK_FALSE(type_info<std::unique_ptr<int>>().is_shared);
  CHECK_FALSE(type_info<std::unique_ptr<int>>().is_polymorphic);
  CHECK(type_info<std::unique_ptr<Animal>>().is_polymorphic);
  CHECK(type_info<std::unique_ptr<Animal>>().item->kinds == Kind::custom);
}

TEST_CASE("a type with a name is custom, and its payload is what its codec describes") {
  CHECK(type_info<Money>().kind == TypeKind::custom);
  CHECK(type_info<Money>().kinds == Kind::custom);
  CHECK(type_info<Money>().name == "acme.Money");
  CHECK(type_info<Money>().item->kind == TypeKind::integer);
  CHECK(type_info<Opaque>().item->kind == TypeKind::any);
}

TEST_CASE("a recursive type leads back to itself") {
  const TypeInfo& tree = type_info<Tree>();
  CHECK(tree.fields[1].type->item == &tree);
  CHECK(tree.fields[2].type->item == &tree);
  CHECK(tree.fields[3].type->item->item == &tree);
  CHECK(type_info<Nest>().item == &type_info<Nest>());
}

TEST_CASE("a type has one description, whoever asks for it first") {
  CHECK(&type_info<Model>() == &type_info<Model>());
  CHECK(type_info<Model>().fields[0].type->item == &type_info<Layer>());
  CHECK(&type_info<const Model>() == &type_info<Model>());
}

TEST_CASE("a description that fails is forgotten, and made when it is asked for again") {
  CHECK_THROWS_WITH(static_cast<void>(type_info<std::vector<Failing>>()), "not yet");
  CHECK_THROWS_WITH(static_cast<void>(type_info<std::vector<Failing>>()), "not yet");
  fails = false;
  CHECK(to_string(type_info<std::vector<Failing>>()) == "list of None");
}

TEST_CASE("a shape in words names what is fixed and what is bounded") {
  const std::vector<ss::Extent> shape{
      {}, ss::Extent::fixed(3), ss::Extent::at_most(4), {2, ss::Extent().max}, {2, 5}};
  CHECK(to_string(std::span(shape)) == "[any, 3, at most 4, at least 2, at least 2 and at most 5]");
  CHECK(to_string(std::span(shape).first(0)) == "[]");
  CHECK(shape[4].holds(5));
  CHECK_FALSE(shape[4].holds(6));
}

TEST_CASE("every kind of type has a name") {
  CHECK(to_string(TypeKind::any) == "any");
  CHECK(to_string(TypeKind::enumeration) == "enum");
  CHECK(to_string(TypeKind::variant) == "variant");
}
