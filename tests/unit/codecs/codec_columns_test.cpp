// Vectors of plain numeric structs as columns.
#include <array>
#include <complex>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;

namespace columns_test {

struct Particle {
  float x = 0;
  double mass = 1;
  std::int32_t id = 0;
  bool alive = true;
  std::array<float, 3> velocity{};
  std::complex<double> phase;
  std::uint8_t flags[2] = {0, 0};

  friend bool operator==(const Particle&, const Particle&) = default;
};

struct Cell {
  std::array<std::array<std::int16_t, 3>, 2> grid{};
  std::array<std::complex<double>, 2> waves{};

  friend bool operator==(const Cell&, const Cell&) = default;
};

struct Named {
  std::string name;
  float x = 0;

  friend bool operator==(const Named&, const Named&) = default;
};

struct Listed {
  std::vector<float> list;
};

/// Another program's view of the same file: a field less, one renamed, one new.
struct Body {
  double weight = 0;
  std::int64_t id = 0;
  float charge = -1;
};

struct Versioned {
  float x = 0;
};

struct Point {
  float x = 0;
  float y = 0;

  friend bool operator==(const Point&, const Point&) = default;
};

/// A point of a later program, in version 0 of which x was turned.
struct Turned {
  float x = 0;
  float y = 0;

  friend bool operator==(const Turned&, const Turned&) = default;
};

enum class Color : std::uint8_t { red, green };

using Weights = std::map<std::int32_t, double>;

struct Event {
  Point place;
  Color color = Color::red;
  std::pair<std::int32_t, double> weight;

  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace columns_test

template <>
struct ss::Rules<columns_test::Body> {
  static constexpr auto fields =
      ss::fields(ss::field("weight").rename("mass"), ss::field("charge").optional());
};

template <>
struct ss::Rules<columns_test::Versioned> {
  static constexpr unsigned version = 1;
  static void migrate(ss::Value&, unsigned) {}
};

template <>
struct ss::Rules<columns_test::Turned> {
  static constexpr unsigned version = 2;
  static void migrate(ss::Value& value, unsigned from_version) {
    if (from_version < 1) value["x"] = -value["x"].as_double();
  }
};

template <>
struct ss::Rules<columns_test::Weights> {
  static constexpr bool columns = true;
};

template <>
struct ss::Rules<columns_test::Point> {
  static constexpr bool columns = true;
};

namespace {

using columns_test::Body;
using columns_test::Cell;
using columns_test::Color;
using columns_test::Event;
using columns_test::Listed;
using columns_test::Named;
using columns_test::Particle;
using columns_test::Point;
using columns_test::Versioned;

std::vector<Particle> particles(std::size_t count) {
  std::mt19937 random(count);
  std::vector<Particle> result(count);
  for (Particle& particle : result) {
    particle.x = static_cast<float>(random()) / 7;
    particle.mass = static_cast<double>(random()) / 3;
    particle.id = static_cast<std::int32_t>(random());
    particle.alive = random() % 2 == 0;
    for (float& v : particle.velocity) v = static_cast<float>(random()) / 9;
    particle.phase = {static_cast<double>(random()), -static_cast<double>(random()) / 11};
    particle.flags[1] = static_cast<std::uint8_t>(random());
  }
  return result;
}

template <class Particles = std::vector<Particle>>
std::string error_of(const std::vector<std::byte>& bytes) {
  try {
    static_cast<void>(ss::load<Particles>(bytes));
  } catch (const ss::Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("columns are asked for by the type or by the call, whatever the size") {
  CHECK(ss::load(ss::save(particles(5000))).kind() == ss::Kind::list);
  for (const std::size_t count : {0U, 1U, 5000U}) {
    CAPTURE(count);
    CHECK(ss::load(ss::save(particles(count), {.columns = true})).kind() == ss::Kind::structure);
    const std::vector<Point> points(count, Point{1, 2});
    const ss::Value value = ss::load(ss::save(points));
    CHECK(value.kind() == ss::Kind::structure);
    CHECK(value["x"].tensor().shape() == ss::Shape{count});
    CHECK(ss::load<std::vector<Point>>(ss::save(points)) == points);
    CHECK(ss::load<std::deque<Point>>(ss::save(points)).size() == count);
  }
}

TEST_CASE("pairs, enums and nested structs can be columns") {
  const std::vector<Event> events = {{{1, 2}, Color::red, {3, 0.5}},
                                     {{4, 5}, Color::green, {6, 1.5}}};
  const auto bytes = ss::save(events, {.columns = true});
  const ss::Value value = ss::load(bytes);
  CHECK(value["place"]["x"].tensor().to_vector<float>() == std::vector<float>{1, 4});
  CHECK(value["color"].tensor().dtype() == ss::DType::U8);
  CHECK(value["weight"]["second"].tensor().dtype() == ss::DType::F64);
  CHECK(ss::load<std::vector<Event>>(bytes) == events);
  const auto list = ss::load<std::list<Event>>(bytes);
  CHECK(std::vector<Event>(list.begin(), list.end()) == events);

  const std::vector<std::pair<float, std::int16_t>> pairs = {{1.5F, 2}, {2.5F, 3}};
  const auto of_pairs = ss::save(pairs, {.columns = true});
  CHECK(ss::load(of_pairs)["second"].tensor().to_vector<int>() == std::vector<int>{2, 3});
  CHECK(ss::load<std::vector<std::pair<float, std::int16_t>>>(of_pairs) == pairs);
  const auto deque = ss::load<std::deque<std::pair<double, int>>>(of_pairs);
  CHECK(deque == std::deque<std::pair<double, int>>{{1.5, 2}, {2.5, 3}});
  CHECK(ss::load<std::vector<std::pair<float, std::int16_t>>>(ss::save(pairs)) == pairs);
}

TEST_CASE("columns load into any sequence when Python has dropped what says that they are such") {
  const std::vector<Event> events = {{{1, 2}, Color::red, {3, 0.5}},
                                     {{4, 5}, Color::green, {6, 1.5}}};
  // Without extensions, as Python saves what it loaded.
  const auto bytes = ss::save(events, {.extensions = false, .columns = true});
  CHECK(ss::load(bytes).attributes().empty());
  CHECK(ss::load<std::vector<Event>>(bytes) == events);
  const auto deque = ss::load<std::deque<Event>>(bytes);
  CHECK(std::vector<Event>(deque.begin(), deque.end()) == events);
}

TEST_CASE("an attribute of the user's own does not stop the precision below it") {
  for (const ss::Value& count : {ss::Value(7), ss::Value("two"), ss::Value(true)}) {
    ss::Value table = ss::Value::structure("Table", {{"x", ss::Tensor::own<double>({1, 2})}});
    table.set_attribute("columns", count);
    const auto bytes = ss::save(table, {.precision = ss::Precision::f16});
    CHECK(ss::Document::from_bytes(bytes, nullptr).at("/x").tensor().dtype() == ss::DType::F16);
  }
}

TEST_CASE("columns load as what was saved, bit for bit and whatever the precision") {
  for (const std::size_t count : {1U, 7U, 5000U}) {
    CAPTURE(count);
    const std::vector<Particle> saved = particles(count);
    const auto bytes = ss::save(saved, {.precision = ss::Precision::f16, .columns = true});
    CHECK(ss::load<std::vector<Particle>>(bytes) == saved);
    const auto deque = ss::load<std::deque<Particle>>(bytes);
    CHECK(std::vector<Particle>(deque.begin(), deque.end()) == saved);
  }
}

TEST_CASE("columns are a struct of tensors, one for each field") {
  const ss::Value value = ss::load(ss::save(particles(3), {.columns = true}));
  REQUIRE(value.kind() == ss::Kind::structure);
  CHECK(value.type_name() == "Particle");
  REQUIRE(value.attribute("columns") != nullptr);
  CHECK(value.attribute("columns")->as_int64() == 3);
  CHECK(value["x"].tensor().dtype() == ss::DType::F32);
  CHECK(value["x"].tensor().shape() == ss::Shape{3});
  CHECK(value["mass"].tensor().dtype() == ss::DType::F64);
  CHECK(value["alive"].tensor().dtype() == ss::DType::BOOL);
  CHECK(value["velocity"].tensor().shape() == ss::Shape{3, 3});
  CHECK(value["phase"].tensor().shape() == ss::Shape{3, 2});
  CHECK(value["flags"].tensor().shape() == ss::Shape{3, 2});
  CHECK(value["x"].tensor_name() == "x");
}

TEST_CASE("the column of an array of arrays has a dimension for each") {
  const std::vector<Cell> cells = {{{{{1, 2, 3}, {4, 5, 6}}}, {{{1, 2}, {3, 4}}}},
                                   {{{{7, 8, 9}, {10, 11, 12}}}, {{{5, 6}, {7, 8}}}}};
  const auto bytes = ss::save(cells, {.columns = true});
  CHECK(ss::load<std::vector<Cell>>(bytes) == cells);
  const ss::Value columns = ss::load(bytes);
  CHECK(columns["grid"].tensor().shape() == ss::Shape{2, 2, 3});
  CHECK(columns["grid"].tensor().data<std::int16_t>()[10] == 11);
  CHECK(columns["waves"].tensor().shape() == ss::Shape{2, 2, 2});
}

TEST_CASE("columns load into another struct by the rules of its fields") {
  const std::vector<Particle> saved = particles(10);
  const auto bodies = ss::load<std::vector<Body>>(ss::save(saved, {.columns = true}));
  REQUIRE(bodies.size() == saved.size());
  for (std::size_t i = 0; i < saved.size(); ++i) {
    CHECK(bodies[i].weight == saved[i].mass);
    CHECK(bodies[i].id == saved[i].id);
    CHECK(bodies[i].charge == -1.0F);
  }
}

TEST_CASE("a struct with other fields than numbers and texts, or with migrations, stays a list") {
  CHECK(ss::load(ss::save(std::vector<Listed>(3), {.columns = true})).kind() == ss::Kind::list);
  CHECK(ss::load(ss::save(std::vector<Versioned>(3), {.columns = true})).kind() == ss::Kind::list);
}

TEST_CASE("columns that a newer class reads as a list have their version, and numbers to migrate") {
  ss::Value columns = ss::load(ss::save(std::vector<columns_test::Point>{{1, 2}, {3, 4}}));
  REQUIRE(columns["x"].has_tensor());
  const auto loaded = [](const ss::Value& value) {
    return value.as<std::vector<columns_test::Turned>>();
  };
  CHECK(loaded(columns) == std::vector<columns_test::Turned>{{-1, 2}, {-3, 4}});
  columns.set_attribute(ss::attributes::class_version, 1);
  CHECK(loaded(columns) == std::vector<columns_test::Turned>{{1, 2}, {3, 4}});
  columns.set_attribute(ss::attributes::class_version, 3);
  CHECK(ss::test::error_of([&] {
          return loaded(columns);
        }).starts_with("unsupported_version: at /0: struct Turned is of a newer version"));
}

TEST_CASE("columns of different lengths are refused") {
  ss::Value value = ss::load(ss::save(particles(3), {.columns = true}));
  value["mass"].set_tensor(ss::Tensor::own(std::vector<double>{1, 2}));
  CHECK(error_of(ss::save(value, {.precision = ss::Precision::preserve})) ==
        "at /mass: a column does not have the length of the first: expected 3, found 2.");
}

TEST_CASE("a value that is not a column is reported at its field") {
  const ss::Value value = ss::load(ss::save(particles(3), {.columns = true}));
  const std::string no_tensor = "a value has the wrong type: expected a column, a tensor of items";
  const std::pair<ss::Value, std::string> cases[] = {
      {ss::Value("x"), no_tensor + ", found str \"x\"."},
      {ss::Value(ss::Tensor::own<double>({1}, {})), no_tensor + ", found tensor F64 []."},
      {ss::Value(ss::Tensor::own<double>({}, {3, 0})),
       "a column without elements has no items: expected a tensor with elements, found tensor F64 "
       "[3, 0]."},
      {ss::Value(ss::Tensor::own<double>({}, {0})),
       "a column does not have the length of the first: expected 3, found 0."},
  };
  for (const auto& [wrong, problem] : cases) {
    ss::Value changed = ss::Value::dict({{"all", value}});
    changed["all"]["mass"] = wrong;
    const auto bytes = ss::save(changed, {.precision = ss::Precision::preserve});
    using Particles = std::map<std::string, std::deque<Particle>>;
    CHECK(error_of<Particles>(bytes) == "at /all/mass: " + problem);
  }
}

TEST_CASE("columns of another length than a fixed array say how many items they are") {
  const auto error = [](std::size_t count) {
    const ss::Value columns = ss::load(ss::save(particles(count), {.columns = true}));
    return error_of<std::array<Particle, 3>>(ss::save(columns));
  };
  CHECK(
      error(2) ==
      "at /: a sequence has the wrong length: expected 3 items, found struct Particle, columns of "
      "2 items.");
  CHECK(
      error(1) ==
      "at /: a sequence has the wrong length: expected 3 items, found struct Particle, columns of "
      "1 item.");
}

TEST_CASE("a missing column is refused") {
  ss::Value value = ss::load(ss::save(particles(3), {.columns = true}));
  value.erase("mass");
  const std::string error = error_of(ss::save(value));
  CHECK(error.starts_with("at /: struct Particle lacks a field: expected 'mass', found "));
}

TEST_CASE("a million structs cost what their numbers cost") {
  const std::vector<Point> points(1'000'000);
  const auto bytes = ss::save(points, {.columns = true});
  CHECK(bytes.size() < points.size() * sizeof(Point) + 8192);
  CHECK(ss::load<std::vector<Point>>(bytes).size() == points.size());
}

TEST_CASE("maps from numbers and texts can be columns, as their pairs") {
  const std::map<std::string, std::int64_t> vocabulary = {{"cat", 1}, {"dog", 2}, {"", 3}};
  CHECK(ss::load(ss::save(vocabulary)).kind() == ss::Kind::dict);
  const auto bytes = ss::save(vocabulary, {.columns = true});
  const ss::Value value = ss::load(bytes);
  CHECK(value["first"]["text"].tensor().size() == 6);
  CHECK(value["second"].tensor().to_vector<int>() == std::vector<int>{3, 1, 2});
  CHECK(ss::load<std::map<std::string, std::int64_t>>(bytes) == vocabulary);
  using Hashed = std::unordered_map<std::string, std::int64_t>;
  const Hashed hashed(vocabulary.begin(), vocabulary.end());
  CHECK(ss::load<Hashed>(bytes) == hashed);
  // Unordered containers are sorted: equal ones give equal bytes.
  CHECK(ss::save(hashed, {.columns = true}) == bytes);

  const columns_test::Weights weights = {{7, 0.1}, {-2, 1e300}};
  const auto asked = ss::save(weights);
  CHECK(ss::load(asked)["second"].tensor().dtype() == ss::DType::F64);
  CHECK(ss::load<columns_test::Weights>(asked) == weights);
  CHECK(ss::load<columns_test::Weights>(ss::save(columns_test::Weights())).empty());

  ss::Value twice = value;
  twice["first"]["ends"].set_tensor(ss::Tensor::own(std::vector<std::int64_t>{0, 0, 6}));
  CHECK(error_of<std::map<std::string, std::int64_t>>(ss::save(twice))
            .find("two items become equal") != std::string::npos);
  CHECK(ss::load<std::map<std::string, float>>(
            ss::save(ss::Value::structure("", {{"first", 1.0}, {"second", 2.0}})))
            .at("second") == 2);
}

TEST_CASE("a vocabulary of a hundred thousand takes next to no header as columns") {
  std::map<std::string, std::int64_t> vocabulary;
  for (int i = 0; i < 100'000; ++i) vocabulary["token " + std::to_string(i)] = i;
  const ss::SaveOptions options = {.columns = true, .limits = {.header_bytes = 2000}};
  CHECK(ss::load<std::map<std::string, std::int64_t>>(ss::save(vocabulary, options)) == vocabulary);
}
