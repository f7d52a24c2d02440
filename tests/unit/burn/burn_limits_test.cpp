/// \file
/// The limits of nodes and depth count what a reader of a record with names meets: a save is
/// refused exactly where loading the file by the same limits would be.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include <safestructures/safestructures.hpp>
#include "support/burn_records.hpp"
#include "support/errors.hpp"

namespace ss = safestructures;
namespace burn = ss::burn;
using ss::test::error_of;
using ss::test::error_of_void;
using ss::test::json_record;
using ss::test::linear;
using ss::test::messagepack_record;
using ss::test::quarters;
using ss::test::view_of;
using namespace std::string_literals;

namespace {

ss::Tensor bools() { return ss::Tensor::own<std::uint8_t>({1, 0}).to(ss::DType::BOOL); }

enum class Speed : std::uint8_t { slow, fast };

struct Everything {
  burn::Linear fc = linear();
  burn::Conv2d conv{{quarters({1, 1, 2, 2})}, {}};
  burn::InstanceNorm norm{burn::Param<>{quarters({2})}, burn::Param<>{quarters({2})}};
  burn::Lstm lstm;
  burn::Enum<burn::Case<"Lin", burn::Linear>, burn::Case<"Skip">> layer =
      decltype(layer)::make<"Skip">();
  burn::Bare<> flags{bools()};
  burn::Bare<> scalar{quarters({})};
  std::array<burn::Constant, 2> stride;
  std::vector<float> floats = {1, 2, 3};
  std::vector<std::array<float, 2>> rows = {{1, 2}, {3, 4}};
  std::vector<std::array<float, 0>> nothing = {{}, {}};
  std::vector<std::byte> raw = {std::byte{1}, std::byte{2}};
  std::optional<int> some = 1;
  std::optional<int> none;
  std::tuple<int, std::monostate> pair;
  Speed speed = Speed::fast;
  std::map<std::string, int> counts = {{"a", 1}, {"b", 2}};
  std::map<Speed, int> speeds = {{Speed::slow, 1}};
};

std::string code_of(const std::string& error) { return error.substr(0, error.find(':')); }

/// Loads a record; bincode needs the type.
template <class T>
bool load(const std::vector<std::byte>& bytes, const std::shared_ptr<const ss::Format>& format,
          const ss::Limits& limits) {
  if (format->name() == "burn-bincode") static_cast<void>(ss::load<T>(bytes, {.limits = limits}));
  else static_cast<void>(ss::load(bytes, {.limits = limits}));
  return true;
}

/// \returns how many limits were refused
template <class T>
int check_alike(const T& object, const ss::SaveOptions& options) {
  const std::vector<std::byte> bytes = ss::save(object, options);
  int refused = 0;
  const auto check = [&](const ss::Limits& limits) {
    ss::SaveOptions limited = options;
    limited.limits = limits;
    const std::string saved = error_of([&] { return ss::save(object, limited); });
    const std::string loaded = error_of([&] { return load<T>(bytes, options.format, limits); });
    CAPTURE(limits.nodes);
    CAPTURE(limits.depth);
    CHECK_MESSAGE(code_of(saved) == code_of(loaded), saved, " / ", loaded);
    if (saved != "no error") ++refused;
    return saved == "no error";
  };
  for (std::uint64_t nodes = 1; !check({.nodes = nodes}); ++nodes) REQUIRE(nodes < 1000);
  for (std::uint32_t depth = 0; !check({.depth = depth}); ++depth) REQUIRE(depth < 100);
  return refused;
}

}  // namespace

TEST_CASE("a save is refused by the limits of nodes and depth where a load is") {
  ss::Value deep = ss::Tensor::own<float>({1});
  for (int i = 0; i < 5; ++i) deep = ss::Value::list({deep});
  const std::vector<ss::Value> values = {
      deep, ss::Value::dict({{"w", quarters({})}, {"v", quarters({0, 2})}}),
      ss::Value::dict({{"flag", bools()}}),
      ss::Value::dict(
          {{"raw", ss::Value::bytes(std::vector<std::byte>(2))}, {"list", ss::Value::list({})}}),
      ss::load(view_of(json_record(
          R"({"q":{"id":"x","param":{"bytes":[1,2,3,4,5],"shape":[1],"dtype":{"QFloat":{"value":["Q8S"]}}}}})")))};
  for (const std::string version : {"0.13", "0.20", "0.21"}) {
    CAPTURE(version);
    for (const burn::Encoding encoding :
         {burn::Encoding::messagepack, burn::Encoding::json, burn::Encoding::pretty_json}) {
      CAPTURE(static_cast<int>(encoding));
      const ss::SaveOptions options{
          .format = ss::formats::burn({.encoding = encoding, .burn_version = version})};
      for (const ss::Value& value : values) {
        const bool is_quantized = value.find("q") != nullptr;
        if (is_quantized && version == "0.13") continue;
        CAPTURE(value);
        CHECK(check_alike(value, options) >= 3);
      }
      CHECK(check_alike(Everything(), options) > 70);
    }
    const ss::SaveOptions bincode{.format = ss::formats::burn({.encoding = burn::Encoding::bincode,
                                                               .burn_version = version})};
    // Of bool tensors of 0.13, only the C++ type knows.
    if (version != "0.13") CHECK(check_alike(Everything(), bincode) > 40);
  }
}

TEST_CASE("numbers that were packed for a tensor count as a list if they are none") {
  const std::string problem =
      "limit_exceeded: at /: a structure has too many nodes: expected at most 10 (Limits::nodes)";
  const auto error = [](const std::string& bytes) {
    return error_of([&] { return ss::load(view_of(bytes), {.limits = {.nodes = 10}}); });
  };
  CHECK(error(json_record(R"({"bytes":[1,2,3,4,5,6,7,8]})")) == "no error");
  CHECK(error(json_record(R"({"bytes":[1,2,3,4,5,6,7,8,9]})")).starts_with(problem));
  CHECK(error(json_record(R"({"value":[1,2,3,4,5,6,7,8,9]})", "0.13.2")).starts_with(problem));
  CHECK(error(messagepack_record("\x81\xA5"
                                 "bytes\x99\1\1\1\1\1\1\1\1\1"s))
            .starts_with(problem));
}

TEST_CASE("an integer in JSON may have as many digits as the limit says") {
  for (const std::string sign : {"", "-"}) {
    const std::string record = json_record("{\"n\":" + sign + "123456789012345678901}");
    const auto error = [&](std::uint32_t digits) {
      return error_of([&] { return ss::load(view_of(record), {.limits = {.digits = digits}}); });
    };
    CHECK(error(21) == "no error");
    CHECK(error(20) ==
          "limit_exceeded: at /n: an int has too many digits: expected at most 20 "
          "(Limits::digits), found 21 (byte " +
              std::to_string(json_record("").size() - 11 + 5) + ").");
  }
}

TEST_CASE("a record in JSON may be as deep as the limit says") {
  ss::Value deep = 1;
  for (int i = 0; i < 2500; ++i) deep = ss::Value::list({deep});
  for (const burn::Encoding encoding : {burn::Encoding::messagepack, burn::Encoding::json}) {
    const auto format = ss::formats::burn({.encoding = encoding});
    const std::vector<std::byte> bytes =
        ss::save(deep, {.format = format, .limits = {.depth = 2500}});
    CHECK(ss::load(bytes, {.limits = {.depth = 2500}}) == deep);
    const std::string error =
        error_of([&] { return ss::load(bytes, {.limits = {.depth = 2499}}); });
    CHECK(error.find("a structure is nested too deeply: expected at most 2499 levels "
                     "(Limits::depth)") != std::string::npos);
  }
}

TEST_CASE("the limit of tensors holds for records, saved and loaded, whatever the encoding") {
  struct Two {
    burn::Bare<> a{ss::Tensor::own<float>({1})};
    burn::Bare<> b{ss::Tensor::own<float>({2})};
  };
  const std::string problem =
      "limit_exceeded: at /b: there are too many tensors: expected at most 1 (Limits::tensors)";
  for (const std::string version : {"0.13", "0.21"}) {
    CAPTURE(version);
    for (const burn::Encoding encoding :
         {burn::Encoding::messagepack, burn::Encoding::bincode, burn::Encoding::json}) {
      CAPTURE(static_cast<int>(encoding));
      const auto saved = [&](std::uint64_t tensors) {
        return ss::save(
            Two{}, {.format = ss::formats::burn({.encoding = encoding, .burn_version = version}),
                    .limits = {.tensors = tensors}});
      };
      CHECK(error_of([&] { return saved(1); }) == problem + ".");
      const std::vector<std::byte> bytes = saved(2);
      const auto typed = [&](std::uint64_t tensors) {
        return error_of_void(
            [&] { static_cast<void>(ss::load<Two>(bytes, {.limits = {.tensors = tensors}})); });
      };
      CHECK(typed(1).starts_with(problem + " (byte "));
      CHECK(typed(2) == "no error");
      if (encoding == burn::Encoding::bincode) continue;
      const auto loaded = [&](std::uint64_t tensors) {
        return error_of([&] { return ss::load(bytes, {.limits = {.tensors = tensors}}); });
      };
      CHECK(loaded(1).starts_with(problem + " (byte "));
      CHECK(loaded(2) == "no error");
    }
  }
  // A quantized tensor is one.
  const std::string quantized =
      json_record(R"({"bytes":[1,2,3,4,5],"shape":[1],"dtype":{"QFloat":{"value":"Q8S"}}})");
  CHECK(error_of([&] {
          return ss::load(view_of(quantized), {.limits = {.tensors = 0}});
        }).starts_with("limit_exceeded: at /: there are too many tensors"));
  const ss::Value value = ss::load(view_of(quantized));
  CHECK(error_of([&] {
          return ss::save(value, {.format = ss::formats::burn(), .limits = {.tensors = 0}});
        }).starts_with("limit_exceeded: at /: there are too many tensors"));
}
