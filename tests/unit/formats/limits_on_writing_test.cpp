/// \file
/// The promise of `Limits`: a save is refused exactly where loading the file by the same limits
/// would be.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/safestructures.hpp>
#include "support/binary_files.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using ss::test::error_of;
using ss::test::error_of_void;
using ss::test::FormatPointer;

namespace {

std::vector<FormatPointer> formats_of_values() {
  std::vector<FormatPointer> formats = ss::test::tree_formats();
  formats.push_back(ss::formats::safestructures());
  return formats;
}

ss::Value with_attributes(ss::Value value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) value.set_attribute("a" + std::to_string(i), "x");
  return value;
}

/// Values of one tensor and one name.
ss::Value repeated(const ss::Tensor& tensor, std::size_t count) {
  ss::Value value(tensor);
  value.set_tensor_name("shared");
  return ss::Value::list(std::vector<ss::Value>(count, value));
}

ss::Value tensors_of(const std::vector<std::string>& names) {
  ss::Value dict = ss::Value::dict();
  for (const std::string& name : names) dict.insert(ss::Value(name), ss::Tensor::own<float>({1}));
  return dict;
}

std::string code_of(const std::string& error) { return error.substr(0, error.find(':')); }

/// Checks for each limit that a save by it and a load by it of what was saved without end alike.
/// \returns how many limits were refused
std::size_t check_alike(const ss::Value& value, const ss::SaveOptions& options,
                        const std::vector<ss::Limits>& all) {
  const std::vector<std::byte> bytes = ss::save(value, options);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    ss::SaveOptions by_limits = options;
    by_limits.limits = all[i];
    const std::string saved = code_of(error_of([&] { return ss::save(value, by_limits); }));
    CHECK(saved == code_of(error_of([&] {
            return ss::load(bytes, {.format = options.format, .limits = all[i]});
          })));
    if (saved == "limit_exceeded") ++refused;
  }
  return refused;
}

}  // namespace

TEST_CASE("as many attributes are saved as are loaded, counted as the file has them") {
  const ss::Value noted = ss::Tensor::own<double>({1});  // Its dtype is one of them.
  const std::pair<ss::Value, std::size_t> cases[] = {
      {with_attributes(ss::Tensor::own<float>({1}), 2), 2},
      {with_attributes(noted, 1), 2},
      {noted, 1},
      {with_attributes(ss::Value::list({1}), 3), 3},
      {with_attributes(ss::Value::custom("acme.T", ss::Value("x")), 1), 1},
      {with_attributes(ss::Value::structure("", {{"n", 1}}), 2), 2},
  };
  std::vector<ss::Limits> limits(5);
  for (std::size_t i = 0; i < limits.size(); ++i)
    limits[i].attributes = static_cast<std::uint32_t>(i);
  for (const FormatPointer& format : formats_of_values()) {
    CAPTURE(format->name());
    for (const auto& [value, count] : cases)
      CHECK(check_alike(ss::Value::dict({{"k", value}}), {.format = format}, limits) == count);
  }
  // A schema has the class of a struct among them.
  const ss::Value named = with_attributes(ss::Value::structure("acme.S", {{"n", 1}}), 1);
  CHECK(check_alike(named, {.format = ss::formats::safestructures()}, limits) == 2);
}

TEST_CASE("a value of too many attributes is refused by its path, saved or recorded") {
  const ss::Value value =
      ss::Value::dict({{"k", with_attributes(ss::Tensor::own<float>({1}), 1001)}});
  CHECK(error_of([&] { return ss::save(value); }) ==
        "limit_exceeded: at /k: a node has too many extension fields: expected at most 1000 "
        "(Limits::attributes).");
  const ss::test::Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  recorder.record("good", 1);
  CHECK(error_of_void([&] {
          recorder.record("bad", value);
          recorder.close();
        }).find("at /bad/k: a node has too many extension fields") != std::string::npos);
  CHECK(ss::Recording(folder / "run").size() == 1);
}

TEST_CASE("as many bytes of tensors are named again as are loaded") {
  constexpr std::size_t count = std::size_t{1} << 18U;  // 1 MiB, as F32.
  constexpr std::size_t most = 1025;                    // The first, and 1 GiB of others.
  const ss::Tensor floats = ss::Tensor::own(std::vector<float>(count));
  const ss::Tensor doubles = ss::Tensor::own(std::vector<double>(count));
  for (const FormatPointer& format : formats_of_values()) {
    CAPTURE(format->name());
    for (const ss::Tensor& tensor : {floats, doubles}) {
      const std::vector<std::byte> bytes = ss::save(repeated(tensor, most), {.format = format});
      CHECK(ss::load(bytes, {.format = format}).size() == most);
      const auto saved = [&](std::uint32_t repeats) {
        return error_of([&] {
          return ss::save(repeated(tensor, most + 1),
                          {.format = format, .limits = {.repeats = repeats}});
        });
      };
      CHECK(saved(16) ==
            "limit_exceeded: a structure refers to the same tensors too often: expected at most "
            "1073741824 bytes of repeated tensors (Limits::repeats), found 1074790400.");
      CHECK(saved(2000) == "no error");
    }
  }
  // What else is in the file allows more.
  const ss::Tensor other = ss::Tensor::own(std::vector<float>(count));
  const ss::SaveOptions beside = {.extra_tensors = {{"other", other}}, .limits = {.repeats = 600}};
  CHECK(ss::load(ss::save(repeated(floats, 1100), beside), {.limits = {.repeats = 600}}).size() ==
        1100);
}

TEST_CASE("names with dots are saved where the structure that they spell can be loaded") {
  struct Case {
    std::vector<std::string> names;
    std::uint32_t levels;
    std::uint64_t nodes;
  };
  const Case cases[] = {
      {{"a"}, 1, 2},
      {{"a.b.c.d"}, 4, 5},
      {{"a.b", "a.c"}, 2, 4},
      {{"a", "a.b.c"}, 3, 3},
      {{"a.b.c", "a"}, 3, 3},
      {{"a..b.c", ".x"}, 1, 3},
      {{"l.0", "l.1", "m"}, 2, 5},
  };
  std::vector<ss::Limits> limits(11);
  for (std::uint32_t i = 0; i < 4; ++i) limits[i].depth = i + 1;
  for (std::uint32_t i = 4; i < 11; ++i) limits[i].nodes = i - 4;
  for (const Case& one : cases) {
    CAPTURE(one.names.front());
    const std::size_t refused = one.levels - 1 + one.nodes;
    const ss::Value value = tensors_of(one.names);
    CHECK(check_alike(value, {.format = ss::formats::safestructures(), .schema = false}, limits) ==
          refused);
    CHECK(check_alike(value, {.format = ss::formats::burnpack()}, limits) == refused);
    // Nor do tensors beside the structure escape.
    ss::SaveOptions beside = {.format = ss::formats::burnpack()};
    for (const ss::Entry& entry : value.entries())
      beside.extra_tensors.emplace(entry.key.as_string(), entry.value.tensor());
    CHECK(check_alike(ss::Value::dict(), beside, limits) == refused);
  }
}

TEST_CASE("a name of more dots than the limit of levels is refused when it is saved") {
  std::string name = "a";
  for (int i = 0; i < 600; ++i) name += ".a";
  for (const FormatPointer& format : {ss::formats::safestructures(), ss::formats::burnpack()}) {
    ss::SaveOptions options = {.format = format};
    options.schema = format->name() == "burnpack";
    CHECK(error_of([&] { return ss::save(tensors_of({name}), options); }) ==
          "limit_exceeded: at " + name.substr(0, 60) +
              ": a tensor's name has too many steps: expected at most 500 levels "
              "(Limits::depth).");
  }
}
