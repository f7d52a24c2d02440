/// \file
/// Tensors that a file gives no name are named by their places, whose names cost no more than the
/// file does.
#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/formats/burn.hpp>
#include <safestructures/formats/cbor.hpp>
#include <safestructures/formats/json.hpp>
#include <safestructures/formats/messagepack.hpp>
#include <safestructures/safestructures.hpp>
#include "support/text.hpp"

namespace ss = safestructures;
using ss::Value;

namespace {

/// The longest name of a tensor: 512 bytes of its place, three dots, and what tells it apart.
constexpr std::size_t most = 520;

/// Many tensors below one key.
Value below(const std::string& key, std::size_t count) {
  std::vector<Value> items(count);
  for (std::size_t i = 0; i < count; ++i)
    items[i] = Value(ss::Tensor::own(std::vector<float>{static_cast<float>(i)}));
  Value root = Value::dict();
  root.insert(key, Value::list(std::move(items)));
  return root;
}

std::vector<std::string> names_of(const Value& root) {
  std::vector<std::string> names;
  ss::walk(root, [&](const ss::Place& place) {
    if (place.value().kind() == ss::Kind::tensor) names.push_back(place.value().tensor_name());
    return ss::Next::into;
  });
  return names;
}

}  // namespace

TEST_CASE("tensors below a long key have short names that are all different") {
  const Value root = below(std::string(100'000, 'k'), 300);
  for (const std::shared_ptr<const ss::Format>& format :
       {ss::formats::json(), ss::formats::messagepack(), ss::formats::cbor(),
        ss::formats::burn()}) {
    CAPTURE(format->name());
    const Value loaded = ss::load(ss::save(root, {.format = format}), {.format = format});
    const std::vector<std::string> names = names_of(loaded);
    REQUIRE(names.size() == 300);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == 300);
    for (const std::string& name : names) CHECK(name.size() <= most);
    // They go with the values into another file.
    CHECK(ss::load(ss::save(loaded)) == root);
  }
}

TEST_CASE("parameters of Burn below a long key have distinct ids and short reports") {
  const std::string key(100'000, 'k');
  Value root = below(key, 300);
  for (Value& item : root.find(key)->items())
    item = Value(ss::Tensor::own(std::vector<double>{1e300}));
  std::ostringstream file;
  const ss::SaveOptions options{.format = ss::formats::burn(), .overflow = ss::Overflow::allow};
  const ss::SaveReport report = ss::save(root, file, options);
  REQUIRE(report.conversions.size() == 300);
  for (const ss::ConvertedTensor& one : report.conversions) CHECK(one.name.size() <= most);
  std::set<std::string> ids;
  ss::walk(ss::load(ss::save(root, options)), [&](const ss::Place& place) {
    if (const Value* const id = place.value().attribute(ss::attributes::burn_id))
      ids.insert(id->as_string());
    return ss::Next::into;
  });
  CHECK(ids.size() == 300);
}

TEST_CASE("a place of 512 bytes is a name, and of a longer one no character is cut") {
  const auto name_below = [](const std::string& key) {
    const Value root = below(key, 1);
    return names_of(ss::load(ss::save(root, {.format = ss::formats::json()})))[0];
  };
  const std::string fits(510, 'k');
  CHECK(name_below(fits) == fits + ".0");
  const std::string beyond(511, 'k');
  CHECK(name_below(beyond) == beyond + "....");
  CHECK(name_below(beyond + "\u00b5") == beyond + "...");
}

TEST_CASE("a tensor that a long place gives its name may be referred to") {
  const std::string key(600, 'k');
  Value root = ss::load(ss::save(below(key, 2), {.format = ss::formats::json()}));
  root.insert("again", Value(root.find(key)->items()[1]));
  const std::vector<std::byte> saved = ss::save(root, {.format = ss::formats::json()});
  CHECK(ss::test::text_of(saved).find("\"same\"") != std::string::npos);
  CHECK(ss::load(saved) == root);
}
