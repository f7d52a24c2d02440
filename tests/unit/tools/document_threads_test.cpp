/// \file
/// What threads may share: documents, files, registries, and the name of a file that all save to.
#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/registry.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/formats/safetensors.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

#include "support/platform_folder.hpp"

namespace {

namespace ss = safestructures;
using platform_test::Folder;

constexpr int thread_count = 8;
using Model = std::map<std::string, std::vector<float>>;

Model model(float number) {
  return {{"a", std::vector<float>(20'000, number)}, {"b", {number, 2}}, {"c", {}}};
}

/// Runs `work` on many threads at once; how many of them it satisfied.
int count_of(const std::function<bool(int)>& work) {
  std::atomic<int> count{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i)
    threads.emplace_back([&, i] {
      try {
        if (work(i)) ++count;
      } catch (...) {
      }
    });
  for (std::thread& thread : threads) thread.join();
  return count;
}

struct Point {
  float x = 0;
  float y = 0;
};

}  // namespace

TEST_CASE("one document is read by many threads") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  ss::save_file(model(1), path, {.checksums = true});
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
    const ss::Document document = ss::open(path, {.access = access});
    CHECK(count_of([&](int i) {
            const ss::Document copy = document;
            const ss::Node part = copy.at(i % 2 == 0 ? "/a" : "/b");
            return copy.as<Model>() == model(1) && part.as<std::vector<float>>().front() == 1 &&
                   copy.container<ss::safetensors::File>().tensor("b").size() == 2 &&
                   !to_string(copy.root()).empty() && copy.root() == document.root() &&
                   copy.unreferenced().empty();
          }) == thread_count);
  }
}

TEST_CASE("work that the library divides among threads is complete") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  std::vector<float> numbers(std::size_t{12} << 20U);  // 48 MiB, above what one thread copies
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 4093);
  ss::save_file(numbers, path);
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory})
    CHECK(ss::load_file<std::vector<float>>(path, {.access = access}) == numbers);
  const ss::Tensor tensor = ss::Tensor::of<float>(numbers, {3072, 4096});
  CHECK(tensor.clone() == tensor);
  const std::array<std::size_t, 2> transposed = {1, 0};
  CHECK(tensor.permute(transposed).contiguous().permute(transposed) == tensor);
  // Stored as F32, 36 MiB: two threads convert and write. One value in a hundred does not fit.
  std::vector<double> wide(std::size_t{9} << 20U);
  for (std::size_t i = 0; i < wide.size(); ++i)
    wide[i] = i % 100 == 99 ? 1e300 : static_cast<double>(i % 4093);
  const ss::SaveReport report = ss::save_file(wide, path, {.overflow = ss::Overflow::allow});
  REQUIRE(report.conversions.size() == 1);
  CHECK(report.conversions[0].report.overflow == wide.size() / 100);
  CHECK(report.conversions[0].report.first_overflow == 99);
  for (double& number : wide)
    if (number > 1e38) number = std::numeric_limits<double>::infinity();
  CHECK(ss::load_file<std::vector<double>>(path) == wide);
}

TEST_CASE("many threads save to files of their own") {
  const Folder folder;
  const Model object = model(3);
  CHECK(count_of([&](int i) {
          const auto path = folder / (std::to_string(i) + ".safetensors");
          for (int round = 0; round < 5; ++round) ss::save_file(object, path, {.checksums = true});
          return ss::load_file<Model>(path, {.verify_checksums = true}) == object;
        }) == thread_count);
  CHECK(folder.names().size() == thread_count);
}

TEST_CASE("many threads save to one file, which is always whole") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  ss::save_file(model(0), path, {.checksums = true});
  CHECK(count_of([&](int i) {
          for (int round = 0; round < 10; ++round) {
            if (i % 2 == 0) {
              ss::save_file(model(static_cast<float>(i)), path, {.checksums = true});
            } else {
              const auto found = ss::load_file<Model>(path, {.verify_checksums = true});
              if (found != model(found.at("a").front())) return false;
            }
          }
          return true;
        }) == thread_count);
  CHECK(folder.names() == std::vector<std::string>{"m.safetensors"});
}

TEST_CASE("a registry is shared read-only") {
  ss::Registry registry;
  registry.add<Point>(
      "acme.Point",
      [](const Point& point, ss::Encoder&) { return ss::Value::list({point.x, point.y}); },
      [](const ss::Value& value, ss::Decoder& decoder) {
        return Point{decoder.decode<float>(value[0]), decoder.decode<float>(value[1])};
      });
  const std::vector<std::byte> bytes = ss::save(Point{1, 2}, {.registry = &registry});
  CHECK(count_of([&](int) {
          for (int round = 0; round < 20; ++round) {
            const ss::Value value = ss::load(bytes);
            const auto again = ss::save(Point{1, 2}, {.registry = &registry});
            if (value.as<Point>({.registry = &registry}).y != 2 || again != bytes) return false;
          }
          return true;
        }) == thread_count);
}

TEST_CASE("an Error is copied and read by many threads") {
  std::optional<ss::Error> error;
  try {
    static_cast<void>(ss::load(std::vector<std::byte>()));
  } catch (const ss::Error& caught) {
    error = caught;
  }
  REQUIRE(error);
  CHECK(count_of([&](int) {
          for (int round = 0; round < 1000; ++round) {
            const ss::Error copy = *error;
            if (copy.with_file("f").code() != ss::ErrorCode::truncated) return false;
          }
          return true;
        }) == thread_count);
}
