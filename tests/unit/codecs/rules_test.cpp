// Rules of types and fields: names in the file, versions, migrations, defaults.
#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/codecs/rules.hpp>

namespace ss = safestructures;

namespace acme::layers {

struct Layer {
  std::vector<float> w;
  std::vector<float> cache;
  float bias = 0.5F;
  std::string activation = "relu";
};

struct Plain {
  int first = 0;
  std::optional<int> second;
};

template <class T, class U>
struct Pair {
  T left;
  U right;
};

struct Swapped {
  int a;
  int b;
};

struct Hidden {
  int a;
  int b;
};

struct Defaults {
  int number = 7;
  const std::string constant = "fixed";
  std::unique_ptr<int> pointer = std::make_unique<int>(3);
  float matrix[2][2] = {{1, 2}, {3, 4}};
  int bare;
  std::string names[2] = {"one", "two"};
};

class NotAnAggregate {
 public:
  explicit NotAnAggregate(int value) : value_(value) {}
  [[nodiscard]] int value() const { return value_; }

 private:
  int value_;
};

}  // namespace acme::layers

template <>
struct safestructures::Rules<acme::layers::Layer> {
  static constexpr std::string_view name = "acme.Layer";
  static constexpr unsigned version = 2;
  static constexpr auto fields =
      ss::fields(ss::field("w").rename("weight").alias("kernel").alias("W"),
                 ss::field("cache").skip(), ss::field("bias").optional());
  static void migrate(ss::Value& value, unsigned from_version);
};

// Names that change places are no conflict, and a field that is skipped takes none.
template <>
struct safestructures::Rules<acme::layers::Swapped> {
  static constexpr auto fields = ss::fields(ss::field("a").rename("b"), ss::field("b").rename("a"));
};
template <>
struct safestructures::Rules<acme::layers::Hidden> {
  static constexpr auto fields = ss::fields(ss::field("a").skip(), ss::field("b").rename("a"));
};
template <>
struct safestructures::Rules<acme::layers::NotAnAggregate> {
  static constexpr std::string_view name = "acme.NotAnAggregate";
  static constexpr unsigned version = 4;
};

namespace {

using acme::layers::Defaults;
using acme::layers::Hidden;
using acme::layers::Layer;
using acme::layers::NotAnAggregate;
using acme::layers::Pair;
using acme::layers::Plain;
using acme::layers::Swapped;

struct Unnamed {};

TEST_CASE("a rule gives a field its name in the file and its old names") {
  constexpr const ss::FieldInfo& weight = ss::field_info<Layer>[0];
  CHECK(weight.name == "w");
  CHECK(weight.file_name == "weight");
  REQUIRE(weight.aliases().size() == 2);
  CHECK(weight.aliases()[0] == "kernel");
  CHECK(weight.aliases()[1] == "W");
  CHECK_FALSE(weight.is_skipped);
  CHECK_FALSE(weight.is_optional);
}

TEST_CASE("a rule marks a field as skipped or as optional") {
  CHECK(ss::field_info<Layer>[1].is_skipped);
  CHECK_FALSE(ss::field_info<Layer>[1].is_optional);
  CHECK_FALSE(ss::field_info<Layer>[2].is_skipped);
  CHECK(ss::field_info<Layer>[2].is_optional);
}

TEST_CASE("a field without a rule has its own name and is required") {
  for (const ss::FieldInfo& info :
       {ss::field_info<Layer>[3], ss::field_info<Plain>[0], ss::field_info<Plain>[1]}) {
    CAPTURE(info.name);
    CHECK(info.file_name == info.name);
    CHECK(info.aliases().empty());
    CHECK_FALSE(info.is_skipped);
    CHECK_FALSE(info.is_optional);
  }
  CHECK(ss::field_info<Layer>[3].name == "activation");
  CHECK(ss::field_info<Unnamed>.empty());
}

TEST_CASE("a field answers to its name in the file and its old names, not to its C++ name") {
  constexpr const ss::FieldInfo& weight = ss::field_info<Layer>[0];
  for (const std::string_view name : {"weight", "kernel", "W"}) CHECK(weight.answers_to(name));
  for (const std::string_view name : {"w", "", "weigh", "weights"})
    CHECK_FALSE(weight.answers_to(name));
  CHECK(ss::field_info<Layer>[3].answers_to("activation"));
}

TEST_CASE("two fields can change names, and a skipped field leaves its name free") {
  CHECK(ss::field_info<Swapped>[0].file_name == "b");
  CHECK(ss::field_info<Swapped>[1].file_name == "a");
  CHECK(ss::field_info<Hidden>[0].is_skipped);
  CHECK(ss::field_info<Hidden>[1].file_name == "a");
}

TEST_CASE("the class name is the rule's, or else the type's without namespaces and arguments") {
  struct Local {};
  CHECK(ss::class_name<Layer> == "acme.Layer");
  CHECK(ss::class_name<const Layer> == "acme.Layer");
  CHECK(ss::class_name<NotAnAggregate> == "acme.NotAnAggregate");
  CHECK(ss::class_name<Plain> == "Plain");
  CHECK(ss::class_name<Pair<Plain, std::vector<int>>> == "Pair");
  CHECK(ss::class_name<Unnamed> == "Unnamed");
  CHECK(ss::class_name<Local> == "Local");
}

TEST_CASE("the class version is the rule's, or else 0") {
  CHECK(ss::class_version<Layer> == 2);
  CHECK(ss::class_version<NotAnAggregate> == 4);
  CHECK(ss::class_version<Plain> == 0);
}

TEST_CASE("a migration is there when the rules have one") {
  CHECK(ss::has_migrate<Layer>);
  CHECK_FALSE(ss::has_migrate<Plain>);
  CHECK_FALSE(ss::has_migrate<NotAnAggregate>);
}

TEST_CASE("the default of a field is the struct's own initialiser") {
  CHECK(ss::default_value<Layer, 2>() == 0.5F);
  CHECK(ss::default_value<Layer, 3>() == "relu");
  CHECK(ss::default_value<Defaults, 0>() == 7);
  CHECK(ss::default_value<Defaults, 1>() == "fixed");
  CHECK(*ss::default_value<Defaults, 2>() == 3);
  CHECK(ss::default_value<Defaults, 3>() == std::array<std::array<float, 2>, 2>{{{1, 2}, {3, 4}}});
  CHECK(ss::default_value<Defaults, 5>() == std::array<std::string, 2>{"one", "two"});
}

TEST_CASE("the default of a field without initialiser is zero or empty") {
  CHECK(ss::default_value<Layer, 1>().empty());
  CHECK(ss::default_value<Defaults, 4>() == 0);
  CHECK(ss::default_value<Plain, 1>() == std::nullopt);
}

}  // namespace
