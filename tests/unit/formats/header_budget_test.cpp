// What does not fit a header: the error says which part of the structure it is, and what to do.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::test::error_of;

namespace header_budget_test {

struct Point {
  float x = 0;
  float y = 0;
};
struct Scene {
  std::string name;
  std::map<std::string, std::vector<Point>> tracks;
  std::map<std::string, std::int64_t> vocabulary;
};

}  // namespace header_budget_test

using header_budget_test::Point;
using header_budget_test::Scene;

TEST_CASE("a header that would be too large names the part that takes it, and what to do") {
  const ss::Limits limits = {.header_bytes = 10'000};
  Scene scene{.name = "a", .tracks = {{"first", {{1, 2}}}, {"second", {}}}, .vocabulary = {}};
  scene.tracks["second"].resize(1000);
  const std::string found = error_of([&] { return ss::save(scene, {.limits = limits}); });
  CHECK(found.starts_with(
      "limit_exceeded: at /tracks/second: the header would be too large: expected at most 10000 "
      "bytes (Limits::header_bytes), found "));
  CHECK(found.ends_with(
      ", most of them for the 3001 values here, list of 1000. If all its fields are numbers, save "
      "it as columns (Rules<T>::columns or SaveOptions::columns); else see docs/limits.md."));
  // The advice can be followed.
  CHECK_NOTHROW(static_cast<void>(ss::save(scene, {.columns = true, .limits = limits})));

  scene.tracks.clear();
  for (int i = 0; i < 1000; ++i) scene.vocabulary[std::to_string(i)] = i;
  const std::string of_map = error_of([&] { return ss::save(scene, {.limits = limits}); });
  CHECK(of_map.starts_with("limit_exceeded: at /vocabulary: "));
  CHECK(of_map.ends_with(
      "values here, dict of 1000. Save many small values as few tensors: see docs/limits.md."));
}

TEST_CASE("metadata that is too large is not blamed on the structure") {
  const std::string text(20'000, 'x');
  CHECK(error_of([&] {
          return ss::save(std::vector<float>{1},
                          {.metadata = {{"text", text}}, .limits = {.header_bytes = 10'000}});
        }).ends_with(". Save fewer tensors or less metadata in one file."));
}
