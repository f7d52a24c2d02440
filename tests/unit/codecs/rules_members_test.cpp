/// \file
/// Classes that cannot be reflected are saved by the members that their rules list.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <safestructures/data/type_info.hpp>
#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::load_error;
using codec_test::round_trip;
using codec_test::to_value;
using ss::Value;

namespace {

/// Private members, constructors, an invariant that the default keeps.
class Account {
 public:
  Account() = default;
  Account(std::string owner, std::int64_t cents) : owner_(std::move(owner)), cents_(cents) {}
  [[nodiscard]] std::int64_t cents() const { return cents_; }
  [[nodiscard]] const std::string& owner() const { return owner_; }
  [[nodiscard]] int visits() const { return visits_; }
  [[nodiscard]] const std::optional<std::string>& note() const { return note_; }
  void set_note(std::string note) { note_ = std::move(note); }
  void visit() { ++visits_; }

 private:
  std::string owner_ = "nobody";
  std::int64_t cents_ = 100;
  int visits_ = 5;
  std::optional<std::string> note_ = "default";
  friend struct ss::Rules<Account>;
};

struct Base {
  virtual ~Base() = default;
  int id = 1;
};
class Derived : public Base {
 public:
  float weights[2][2] = {{1, 2}, {3, 4}};

 protected:
  std::vector<float> values_ = {1, 2};
  friend struct ss::Rules<Derived>;
};
/// An aggregate with a base: reflection refuses it.
struct Named : Base {
  std::string name;
};
struct Older {
  int first = 0;
  int second = 0;
};
/// A type that every Block fits: vectors of it can be columns.
class Particle {
 public:
  Particle() = default;
  Particle(float x, int charge) : x_(x), charge_(charge) {}
  friend bool operator==(const Particle&, const Particle&) = default;

 private:
  float x_ = 0;
  int charge_ = 0;
  friend struct ss::Rules<Particle>;
};
/// More fields than Boost.PFR of Debian 12 can reflect.
struct Large {
  Large() = default;
  int f0 = 0, f1 = 1, f2 = 2, f3 = 3, f4 = 4, f5 = 5, f6 = 6, f7 = 7, f8 = 8, f9 = 9, f10 = 10,
      f11 = 11, f12 = 12, f13 = 13, f14 = 14, f15 = 15, f16 = 16, f17 = 17, f18 = 18, f19 = 19,
      f20 = 20, f21 = 21, f22 = 22, f23 = 23, f24 = 24, f25 = 25, f26 = 26, f27 = 27, f28 = 28,
      f29 = 29, f30 = 30, f31 = 31, f32 = 32, f33 = 33, f34 = 34, f35 = 35, f36 = 36, f37 = 37,
      f38 = 38, f39 = 39, f40 = 40, f41 = 41, f42 = 42, f43 = 43, f44 = 44, f45 = 45, f46 = 46,
      f47 = 47, f48 = 48, f49 = 49, f50 = 50, f51 = 51, f52 = 52, f53 = 53, f54 = 54, f55 = 55,
      f56 = 56, f57 = 57, f58 = 58, f59 = 59, f60 = 60, f61 = 61, f62 = 62, f63 = 63, f64 = 64,
      f65 = 65, f66 = 66, f67 = 67, f68 = 68, f69 = 69, f70 = 70, f71 = 71, f72 = 72, f73 = 73,
      f74 = 74, f75 = 75, f76 = 76, f77 = 77, f78 = 78, f79 = 79, f80 = 80, f81 = 81, f82 = 82,
      f83 = 83, f84 = 84, f85 = 85, f86 = 86, f87 = 87, f88 = 88, f89 = 89, f90 = 90, f91 = 91,
      f92 = 92, f93 = 93, f94 = 94, f95 = 95, f96 = 96, f97 = 97, f98 = 98, f99 = 99, f100 = 100,
      f101 = 101, f102 = 102, f103 = 103;
};
class Excused {
 public:
  std::optional<int> dropout = 5;
  std::optional<int> none = 6;
  Excused() = default;
};
class Linked {
 public:
  int value = 0;
  std::unique_ptr<Linked> next;
  Linked() = default;
};

}  // namespace

template <>
struct safestructures::Rules<Account> {
  static constexpr std::string_view name = "acme.Account";
  static constexpr auto members = std::tuple{
      ss::member("owner", &Account::owner_).rename("holder").alias("owner"),
      ss::member("cents", &Account::cents_).optional(),
      ss::member("visits", &Account::visits_).skip(), ss::member("note", &Account::note_)};
};
template <>
struct safestructures::Rules<Excused> {
  static constexpr auto members = std::tuple{ss::member("dropout", &Excused::dropout).optional(),
                                             ss::member("none", &Excused::none)};
};
template <>
struct safestructures::Rules<Base> {
  static constexpr auto members = std::tuple{ss::member("id", &Base::id)};
};
template <>
struct safestructures::Rules<Derived> {
  static constexpr auto members = std::tuple_cat(
      ss::Rules<Base>::members,
      std::tuple{ss::member("values", &Derived::values_), ss::member("w", &Derived::weights)});
};
template <>
struct safestructures::Rules<Named> {
  static constexpr auto members =
      std::tuple{ss::member("id", &Named::id), ss::member("name", &Named::name)};
};
template <>
struct safestructures::Rules<Older> {
  static constexpr unsigned version = 1;
  // Another order than in C++, and one member left out.
  static constexpr auto members = std::tuple{ss::member("second", &Older::second)};
  static void migrate(Value& value, unsigned) {
    value.insert_or_assign("second", value.erase("old").value());
  }
};
template <>
struct safestructures::Rules<Particle> {
  static constexpr auto members =
      std::tuple{ss::member("x", &Particle::x_), ss::member("charge", &Particle::charge_)};
};
template <>
struct safestructures::Rules<Large> {
  static constexpr auto members =
      std::tuple{ss::member("f0", &Large::f0),     ss::member("f1", &Large::f1),
                 ss::member("f2", &Large::f2),     ss::member("f3", &Large::f3),
                 ss::member("f4", &Large::f4),     ss::member("f5", &Large::f5),
                 ss::member("f6", &Large::f6),     ss::member("f7", &Large::f7),
                 ss::member("f8", &Large::f8),     ss::member("f9", &Large::f9),
                 ss::member("f10", &Large::f10),   ss::member("f11", &Large::f11),
                 ss::member("f12", &Large::f12),   ss::member("f13", &Large::f13),
                 ss::member("f14", &Large::f14),   ss::member("f15", &Large::f15),
                 ss::member("f16", &Large::f16),   ss::member("f17", &Large::f17),
                 ss::member("f18", &Large::f18),   ss::member("f19", &Large::f19),
                 ss::member("f20", &Large::f20),   ss::member("f21", &Large::f21),
                 ss::member("f22", &Large::f22),   ss::member("f23", &Large::f23),
                 ss::member("f24", &Large::f24),   ss::member("f25", &Large::f25),
                 ss::member("f26", &Large::f26),   ss::member("f27", &Large::f27),
                 ss::member("f28", &Large::f28),   ss::member("f29", &Large::f29),
                 ss::member("f30", &Large::f30),   ss::member("f31", &Large::f31),
                 ss::member("f32", &Large::f32),   ss::member("f33", &Large::f33),
                 ss::member("f34", &Large::f34),   ss::member("f35", &Large::f35),
                 ss::member("f36", &Large::f36),   ss::member("f37", &Large::f37),
                 ss::member("f38", &Large::f38),   ss::member("f39", &Large::f39),
                 ss::member("f40", &Large::f40),   ss::member("f41", &Large::f41),
                 ss::member("f42", &Large::f42),   ss::member("f43", &Large::f43),
                 ss::member("f44", &Large::f44),   ss::member("f45", &Large::f45),
                 ss::member("f46", &Large::f46),   ss::member("f47", &Large::f47),
                 ss::member("f48", &Large::f48),   ss::member("f49", &Large::f49),
                 ss::member("f50", &Large::f50),   ss::member("f51", &Large::f51),
                 ss::member("f52", &Large::f52),   ss::member("f53", &Large::f53),
                 ss::member("f54", &Large::f54),   ss::member("f55", &Large::f55),
                 ss::member("f56", &Large::f56),   ss::member("f57", &Large::f57),
                 ss::member("f58", &Large::f58),   ss::member("f59", &Large::f59),
                 ss::member("f60", &Large::f60),   ss::member("f61", &Large::f61),
                 ss::member("f62", &Large::f62),   ss::member("f63", &Large::f63),
                 ss::member("f64", &Large::f64),   ss::member("f65", &Large::f65),
                 ss::member("f66", &Large::f66),   ss::member("f67", &Large::f67),
                 ss::member("f68", &Large::f68),   ss::member("f69", &Large::f69),
                 ss::member("f70", &Large::f70),   ss::member("f71", &Large::f71),
                 ss::member("f72", &Large::f72),   ss::member("f73", &Large::f73),
                 ss::member("f74", &Large::f74),   ss::member("f75", &Large::f75),
                 ss::member("f76", &Large::f76),   ss::member("f77", &Large::f77),
                 ss::member("f78", &Large::f78),   ss::member("f79", &Large::f79),
                 ss::member("f80", &Large::f80),   ss::member("f81", &Large::f81),
                 ss::member("f82", &Large::f82),   ss::member("f83", &Large::f83),
                 ss::member("f84", &Large::f84),   ss::member("f85", &Large::f85),
                 ss::member("f86", &Large::f86),   ss::member("f87", &Large::f87),
                 ss::member("f88", &Large::f88),   ss::member("f89", &Large::f89),
                 ss::member("f90", &Large::f90),   ss::member("f91", &Large::f91),
                 ss::member("f92", &Large::f92),   ss::member("f93", &Large::f93),
                 ss::member("f94", &Large::f94),   ss::member("f95", &Large::f95),
                 ss::member("f96", &Large::f96),   ss::member("f97", &Large::f97),
                 ss::member("f98", &Large::f98),   ss::member("f99", &Large::f99),
                 ss::member("f100", &Large::f100), ss::member("f101", &Large::f101),
                 ss::member("f102", &Large::f102), ss::member("f103", &Large::f103)};
};
template <>
struct safestructures::Rules<Linked> {
  static constexpr auto members =
      std::tuple{ss::member("value", &Linked::value), ss::member("next", &Linked::next)};
};

TEST_CASE("private members are saved and loaded, with the rules of their fields") {
  Account account("Ada", 250);
  account.visit();
  account.set_note("vip");
  const Value value = to_value(account);
  CHECK(value ==
        Value::structure("acme.Account", {{"holder", "Ada"}, {"cents", 250}, {"note", "vip"}}));
  const auto again = value.as<Account>();
  CHECK(again.owner() == "Ada");
  CHECK(again.cents() == 250);
  CHECK(again.visits() == 5);
  CHECK(again.note() == "vip");
}

TEST_CASE("a member that is missing keeps its default, is empty, or is an error") {
  const auto loaded = Value::dict({{"owner", "Bob"}}).as<Account>();
  CHECK(loaded.owner() == "Bob");
  CHECK(loaded.cents() == 100);
  CHECK_FALSE(loaded.note());
  const auto excused = Value::dict().as<Excused>();
  CHECK(excused.dropout == 5);
  CHECK_FALSE(excused.none);
  CHECK(load_error<Account>(Value::dict({{"cents", 1}})) ==
        "missing_field: at /: struct acme.Account lacks a field: expected 'holder', found "
        "'cents'. If it may be missing, make it a std::optional or give it a rule optional() in "
        "Rules<acme.Account>.");
  CHECK(load_error<Account>(Value::dict({{"holder", "a"}, {"cents", "b"}})) ==
        "type_mismatch: at /cents: a value has the wrong type: expected int, found str \"b\".");
  CHECK(load_error<Account>(Value::dict({{"holder", "a"}, {"visits", 1}}),
                            {.refuse_unknown_fields = true})
            .starts_with("unknown_field: at /: struct acme.Account has no such field"));
}

TEST_CASE("members of bases come along, and C arrays as tensors") {
  Derived derived;
  derived.id = 9;
  derived.weights[1][0] = 8;
  const Value value = to_value(derived);
  CHECK(value.type_name() == "Derived");
  CHECK(value["id"] == Value(9));
  CHECK(value["w"].tensor().shape() == ss::Shape{2, 2});
  const auto again = value.as<Derived>();
  CHECK(again.id == 9);
  CHECK(again.weights[1][0] == 8);
  Named named;
  named.id = 3;
  named.name = "n";
  CHECK(to_value(named) == Value::structure("Named", {{"id", 3}, {"name", "n"}}));
  CHECK(round_trip(named).name == "n");
}

TEST_CASE("a plain struct may list its members as well: in another order, and with versions") {
  const Value value = to_value(Older{1, 2});
  CHECK(value == Value::structure("Older", {{"second", 2}}));
  CHECK(*value.attribute("class_version") == Value(1));
  CHECK(Value::dict({{"old", 4}}).as<Older>().second == 4);
}

TEST_CASE("vectors of classes with listed numbers can be columns") {
  const std::vector<Particle> particles = {{1.5F, -1}, {2.5F, 1}, {0, 0}};
  const Value columns = to_value(particles, {.columns = true});
  CHECK(columns.kind() == ss::Kind::structure);
  CHECK(columns["charge"].tensor().shape() == ss::Shape{3});
  CHECK(columns.as<std::vector<Particle>>() == particles);
  CHECK(to_value(particles).kind() == ss::Kind::list);
}

TEST_CASE("there may be a hundred members and more") {
  Large large;
  large.f103 = -1;
  const Value value = to_value(large);
  CHECK(value.size() == 104);
  CHECK(value.as<Large>().f103 == -1);
}

TEST_CASE("classes with listed members work wherever structs do") {
  std::map<std::string, std::optional<Account>> accounts;
  accounts["a"] = Account("Ada", 1);
  CHECK(round_trip(accounts).at("a")->owner() == "Ada");
  using Either = std::variant<Account, Particle>;
  CHECK(std::get<1>(round_trip(Either(Particle(1, 2)))) == Particle(1, 2));
  Linked list;
  list.next = std::make_unique<Linked>();
  list.next->value = 5;
  CHECK(round_trip(list).next->value == 5);
  CHECK(to_string(ss::type_info<Account>()) ==
        "struct acme.Account {holder: str, cents: i64, note: (str or None)}");
  CHECK(to_string(ss::type_info<Linked>()) == "struct Linked {value: i32, next: (Linked or None)}");
  CHECK(ss::type_info<Account>().fields[1].has_default);
  CHECK(ss::type_info<Account>().fields[0].aliases == std::vector<std::string>{"owner"});
}

TEST_CASE("what holds for each listed member is known at compile time") {
  static_assert(ss::field_info<Account>.size() == 4);
  static_assert(ss::field_info<Account>[0].file_name == "holder");
  static_assert(ss::field_info<Account>[2].is_skipped);
  static_assert(ss::field_info<Account>[0].answers_to("owner"));
  static_assert(ss::class_name<Account> == "acme.Account");
}
