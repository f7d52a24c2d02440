// Vectors of plain numeric structs as columns.
#include <array>
#include <complex>
#include <cstdint>
#include <deque>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/safestructures.hpp>

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

namespace {

using columns_test::Body;
using columns_test::Cell;
using columns_test::Named;
using columns_test::Particle;
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

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

}  // namespace

TEST_CASE("a long vector of numeric structs is columns by itself, a short one a list") {
  CHECK(ss::load(ss::save(particles(4095))).kind() == ss::Kind::list);
  CHECK(ss::load(ss::save(particles(4096))).kind() == ss::Kind::structure);
  CHECK(ss::load(ss::save(particles(2), {.columns_from = 2})).kind() == ss::Kind::structure);
  CHECK(ss::load(ss::save(particles(5000), {.columns_from = never})).kind() == ss::Kind::list);
  CHECK(ss::load(ss::save(particles(0), {.columns_from = 0})).kind() == ss::Kind::list);
}

TEST_CASE("columns load as what was saved, bit for bit and whatever the precision") {
  for (const std::size_t count : {1U, 7U, 5000U}) {
    CAPTURE(count);
    const std::vector<Particle> saved = particles(count);
    const auto bytes = ss::save(saved, {.precision = ss::Precision::f16, .columns_from = 1});
    CHECK(ss::load<std::vector<Particle>>(bytes) == saved);
    const auto deque = ss::load<std::deque<Particle>>(bytes);
    CHECK(std::vector<Particle>(deque.begin(), deque.end()) == saved);
  }
}

TEST_CASE("columns are a struct of tensors, one for each field") {
  const ss::Value value = ss::load(ss::save(particles(3), {.columns_from = 1}));
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
  const auto bytes = ss::save(cells, {.columns_from = 1});
  CHECK(ss::load<std::vector<Cell>>(bytes) == cells);
  const ss::Value columns = ss::load(bytes);
  CHECK(columns["grid"].tensor().shape() == ss::Shape{2, 2, 3});
  CHECK(columns["grid"].tensor().data<std::int16_t>()[10] == 11);
  CHECK(columns["waves"].tensor().shape() == ss::Shape{2, 2, 2});
}

TEST_CASE("columns load into another struct by the rules of its fields") {
  const std::vector<Particle> saved = particles(10);
  const auto bodies = ss::load<std::vector<Body>>(ss::save(saved, {.columns_from = 1}));
  REQUIRE(bodies.size() == saved.size());
  for (std::size_t i = 0; i < saved.size(); ++i) {
    CHECK(bodies[i].weight == saved[i].mass);
    CHECK(bodies[i].id == saved[i].id);
    CHECK(bodies[i].charge == -1.0F);
  }
}

TEST_CASE("a struct with other fields than numbers, or with migrations, stays a list") {
  CHECK(ss::load(ss::save(std::vector<Named>(3), {.columns_from = 1})).kind() == ss::Kind::list);
  CHECK(ss::load(ss::save(std::vector<Versioned>(3), {.columns_from = 1})).kind() ==
        ss::Kind::list);
}

TEST_CASE("columns of different lengths are refused") {
  ss::Value value = ss::load(ss::save(particles(3), {.columns_from = 1}));
  value["mass"].set_tensor(ss::Tensor::own(std::vector<double>{1, 2}));
  CHECK(error_of(ss::save(value, {.precision = ss::Precision::preserve})) ==
        "at /mass: a column has another length than the first: expected 3, found 2.");
}

TEST_CASE("what is no tensor with elements is no column") {
  const ss::Value value = ss::load(ss::save(particles(3), {.columns_from = 1}));
  const std::pair<ss::Value, std::string> cases[] = {
      {ss::Value("x"), "str \"x\""},
      {ss::Value(ss::Tensor::own<double>({1}, {})), "tensor F64 []"},
      {ss::Value(ss::Tensor::own<double>({}, {0})), "tensor F64 [0]"},
  };
  for (const auto& [wrong, shown] : cases) {
    ss::Value changed = value;
    changed["mass"] = wrong;
    const auto bytes = ss::save(changed, {.precision = ss::Precision::preserve});
    CHECK(error_of<std::deque<Particle>>(bytes) ==
          "at /: a value is of another kind: expected a column, a tensor with elements, found " +
              shown + ".");
  }
}

TEST_CASE("a missing column is refused") {
  ss::Value value = ss::load(ss::save(particles(3), {.columns_from = 1}));
  value.erase("mass");
  const std::string error = error_of(ss::save(value));
  CHECK(error.starts_with("at /: struct Particle misses a field: expected 'mass', found "));
}

TEST_CASE("a million structs cost what their numbers cost") {
  struct Point {
    float x = 0;
    float y = 0;
  };
  const std::vector<Point> points(1'000'000);
  const auto bytes = ss::save(points);
  CHECK(bytes.size() < points.size() * sizeof(Point) + 8192);
  CHECK(ss::load<std::vector<Point>>(bytes).size() == points.size());
}
