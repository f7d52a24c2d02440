/// \file
/// What hostile input may cost, by a counting allocator, and what happens when memory runs out at
/// any point of a save or a load.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/formats/cbor.hpp>
#include <safestructures/formats/messagepack.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/formats/safetensors.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

#include "malformed/attacks.hpp"
#include "support/burn_records.hpp"
#include "support/cost.hpp"
#include "support/counting_memory.hpp"
#include "support/platform_folder.hpp"
#include "support/spelling.hpp"

namespace {

namespace ss = safestructures;
using counting_memory::Ends;
using counting_memory::held;
using counting_memory::peak_of;
using platform_test::Folder;
using ss::test::check_linear;
using namespace attacks;

/// Loads or refuses with an Error; true when it was loaded.
bool load(const std::string& bytes) {
  try {
    const ss::Value value = ss::load(std::as_bytes(std::span(bytes)));
    return value.kind() <= ss::Kind::custom;
  } catch (const ss::Error& error) {
    CHECK(std::string(error.what()).size() < 4 * bytes.size() + 4096);
    return false;
  }
}

struct Model {
  std::string name;
  std::vector<std::vector<double>> layers;
  std::map<std::int64_t, std::string> labels;
};

Model model() {
  return {.name = "a name that is longer than a short string",
          .layers = {{1, 2, 3}, {4}, {}},
          .labels = {{1, "one"}, {-2, "another text that needs memory of its own"}}};
}

}  // namespace

TEST_CASE("the memory to load or refuse a hostile file is at most 100 times its size") {
  double worst = 0;
  std::string worst_name;
  for (const Attack& attack : attacks::all()) {
    CAPTURE(attack.name);
    const std::string bytes = attack.bytes(8192);
    const std::size_t used = peak_of([&] { load(bytes); });
    CHECK(used <= 100 * bytes.size() + (1U << 20U));
    const double ratio = static_cast<double>(used) / static_cast<double>(bytes.size());
    if (ratio > worst) {
      worst = ratio;
      worst_name = attack.name;
    }
  }
  MESSAGE("the most: " << worst << " times its size for '" << worst_name << "'");
}

TEST_CASE("the memory to load a hostile record of Burn is at most 125 times its size") {
  constexpr std::size_t count = 65535;
  for (const std::string_view item : {"\x80", "\x90", "\x91\x90", "\x81\xA0\x80", "\x01", "\xA0"}) {
    std::string items = "\xDC\xFF\xFF";
    for (std::size_t i = 0; i < count; ++i) items += item;
    const std::string bytes = ss::test::messagepack_record(items);
    CHECK(peak_of([&] { CHECK(load(bytes)); }) <= 125 * bytes.size() + (1U << 20U));
  }
  // What is announced and not there costs nothing.
  for (const std::string_view item : {"\xDD\xFF\xFF\xFF\xFF", "\xDF\xFF\xFF\xFF\xFF",
                                      "\xC6\xFF\xFF\xFF\xFF", "\xDB\xFF\xFF\xFF\xFF"})
    CHECK(peak_of([&] { CHECK_FALSE(load(ss::test::messagepack_record(item))); }) < (1U << 14U));
}

TEST_CASE("the memory to load hostile MessagePack or CBOR is at most 250 times its size") {
  constexpr std::size_t count = 65535;
  const auto read = [](const std::string& bytes, const std::shared_ptr<const ss::Format>& format) {
    try {
      const auto view = std::as_bytes(std::span(bytes));
      return format->read(ss::Source::of(view, nullptr), {}).root.size() == count;
    } catch (const ss::Error&) {
      return false;
    }
  };
  struct Attack {
    std::shared_ptr<const ss::Format> format;
    std::string head;
    std::vector<std::string_view> items;
    std::vector<std::string_view> announced;
  };
  const std::vector<Attack> attacks = {
      {ss::formats::messagepack(),
       "\xDC\xFF\xFF",
       {"\x80", "\x90", "\x91\x90", "\x81\xA0\x80", "\x81\x01\x80", "\x01", "\xA0", "\xD4\x05\x01",
        // A large one, so that room is made for a second.
        "\x92\x94\x01\x01\x01\x01\x91\x01",
        "\x92\x84\xA0\x01\xA1"
        "a\x01\xA1"
        "b\x01\xA1"
        "c\x01\x81\xA0\x01"},
       {"\xDD\xFF\xFF\xFF\xFF", "\xDF\xFF\xFF\xFF\xFF", "\xC6\xFF\xFF\xFF\xFF",
        "\xDB\xFF\xFF\xFF\xFF", "\xC9\xFF\xFF\xFF\xFF\x05"}},
      {ss::formats::cbor(),
       "\x99\xFF\xFF",
       {"\xA0", "\x80", "\x81\x80", "\xA1\x60\xA0", "\xBF\xFF", "\x5F\xFF", "\xC6\x01", "\x01",
        "\x60"},
       {"\x9A\xFF\xFF\xFF\xFF", "\xBA\xFF\xFF\xFF\xFF", "\x5A\xFF\xFF\xFF\xFF",
        "\x7A\xFF\xFF\xFF\xFF", "\xC2\x5A\xFF\xFF\xFF\xFF", "\x5F\x5A\xFF\xFF\xFF\xFF"}}};
  double worst = 0;
  for (const Attack& attack : attacks) {
    CAPTURE(attack.format->name());
    for (const std::string_view item : attack.items) {
      std::string bytes = attack.head;
      for (std::size_t i = 0; i < count; ++i) bytes += item;
      const std::size_t used = peak_of([&] { CHECK(read(bytes, attack.format)); });
      CHECK(used <= 250 * bytes.size() + (1U << 20U));
      worst = std::max(worst, static_cast<double>(used) / static_cast<double>(bytes.size()));
    }
    for (const std::string_view bytes : attack.announced)
      CHECK(peak_of([&] { CHECK_FALSE(read(std::string(bytes), attack.format)); }) < (1U << 14U));
  }
  MESSAGE("the most: " << worst << " times its size");
}

TEST_CASE("a large list or object makes no room in all that follow") {
  std::string text = "[[0";
  for (int i = 0; i < 1000; ++i) text += ",0";
  text += "],{\"x\":0";
  for (int i = 0; i < 1000; ++i) text += ",\"" + std::to_string(i) + "\":0";
  text += '}';
  for (int i = 0; i < 20000; ++i) text += ",[0],{\"x\":0}";
  text += ']';
  const auto view = std::as_bytes(std::span(text));
  std::size_t count = 0;
  const std::size_t used = peak_of(
      [&] { count = ss::formats::json()->read(ss::Source::of(view, nullptr), {}).root.size(); });
  CHECK(count == 40002);
  CHECK(used <= 250 * text.size());
}

TEST_CASE("the time to load or refuse a hostile file grows with its size, not with its square") {
  for (const Attack& attack : attacks::all()) {
    const std::string small = attack.bytes(2048);
    const std::string large = attack.bytes(8 * 2048);
    check_linear(attack.name, [&](std::size_t n) { load(n == 2048 ? small : large); }, 2048);
  }
}

TEST_CASE("a length that is announced but not there costs nothing") {
  for (const std::uint64_t length : {std::uint64_t{99'999'999}, std::uint64_t{1} << 31U,
                                     std::uint64_t{1} << 60U, ~std::uint64_t{0}}) {
    std::string bytes;
    for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i) & 0xFFU);
    bytes += "{}";
    CHECK(peak_of([&] { CHECK_FALSE(load(bytes)); }) < 4096);
  }
  // Refused alike: what the parser takes for itself is the same.
  const auto refuse = [](const std::string& size) {
    const std::string bytes = container(R"({"a":{"dtype":"U8","shape":[)" + size +
                                        R"(],"data_offsets":[0,)" + size + "]}}");
    return peak_of([&] { CHECK_FALSE(load(bytes)); });
  };
  const std::size_t small = refuse("2000000000000000000");
  CHECK(refuse("4611686018427387904") < small + 512);
  CHECK(refuse("4") < small + 512);
  CHECK(small < 65536);
}

TEST_CASE("headers and schemas of the usual spelling are read without an index of their text") {
  std::string header = "{";
  std::string schema = R"({"data_type": "list", "value": [)";
  for (int i = 0; i < 10'000; ++i) {
    header += '"' + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)";
    schema += R"({"data_type": "int", "value": "7"}, )";
  }
  header.back() = '}';
  schema.replace(schema.size() - 2, 2, "]}");
  const auto header_peak = [](const std::string& json) {
    const std::string bytes = container(json);
    return peak_of([&] {
      CHECK(ss::safetensors::File::from_bytes(std::as_bytes(std::span(bytes)), nullptr).size() ==
            10'000);
    });
  };
  const auto no_tensor = [](std::string_view) { return std::nullopt; };
  const auto schema_peak = [&](const std::string& text) {
    return peak_of([&] { CHECK(ss::schema::read(text, no_tensor).size() == 10'000); });
  };
  CHECK(2 * header_peak(header) < header_peak(ss::test::with_blank(header)));
  CHECK(2 * schema_peak(schema) < schema_peak(ss::test::with_blank(schema)));
}

TEST_CASE("a million names and entries load") {
  const auto no_tensor = [](std::string_view) { return std::optional<ss::Tensor>(); };
  CHECK(ss::schema::read(dict(1'000'000, number, text_node), no_tensor).size() == 1'000'000);
  CHECK(load(container("{" +
                       joined(1'000'000,
                              [](std::size_t i) {
                                return "\"equal_prefix_" + number(i) +
                                       R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
                              }) +
                       "}")));
}

TEST_CASE("saving takes time in proportion to the structure, whatever its labels") {
  const auto save = [](const ss::Value& value) { static_cast<void>(ss::schema::write(value)); };
  const auto custom_keys = [](std::size_t n) {
    ss::Value value = ss::Value::dict();
    for (std::size_t i = 0; i < n; ++i) {
      ss::Value key = ss::Value::custom("T", static_cast<std::uint64_t>(i));
      key.set_key_label("equal");
      value.insert(std::move(key), nullptr);
    }
    return value;
  };
  const auto equal_names = [](std::size_t n) {
    ss::Value value = ss::Value::list();
    for (std::size_t i = 0; i < n; ++i) {
      ss::Value tensor(ss::Tensor::own(std::vector<float>{1}));
      tensor.set_tensor_name("equal");
      value.push_back(std::move(tensor));
    }
    return value;
  };
  for (const auto& make : {std::function<ss::Value(std::size_t)>(custom_keys),
                           std::function<ss::Value(std::size_t)>(equal_names)}) {
    const ss::Value small = make(2000);
    const ss::Value large = make(16'000);
    check_linear("labels", [&](std::size_t n) { save(n == 2000 ? small : large); }, 2000);
  }
}

TEST_CASE("out of memory at any allocation of a save is bad_alloc and leaves the old file") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  const Model object = model();
  Model other = model();
  other.name = "another name";
  for (const Ends ends : {Ends::once, Ends::for_good}) {
    ss::save_file(object, path, {.checksums = true});
    const std::string old = platform_test::get(path);
    const std::size_t before = held;
    const long failures = counting_memory::run_out(
        ends,
        [&] {
          ss::save_file(other, path, {.metadata = {{"a", "b"}}, .checksums = true});
          return true;
        },
        [&](bool is_saved) {
          REQUIRE(held == before);
          REQUIRE(folder.names() == std::vector<std::string>{"m.safetensors"});
          if (!is_saved) REQUIRE(platform_test::get(path) == old);
        });
    CHECK(ss::load_file<Model>(path).name == other.name);
    CHECK(failures > 20);
  }
}

TEST_CASE("out of memory at any allocation of a load is bad_alloc") {
  const Folder folder;
  const Model object = model();
  ss::save_file(object, folder / "m.safetensors", {.checksums = true});
  ss::save_file(object, folder / "s.safetensors", {.checksums = true, .shard_size = 8});
  for (const std::string name : {"m.safetensors", "s.safetensors.index.json"}) {
    const auto path = folder / name;
    for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
      for (const Ends ends : {Ends::once, Ends::for_good}) {
        const std::size_t before = held;
        const long failures = counting_memory::run_out(
            ends,
            [&] {
              const Model loaded =
                  ss::load_file<Model>(path, {.access = access, .verify_checksums = true});
              return loaded.labels == object.labels && loaded.layers == object.layers;
            },
            [&](bool) { REQUIRE(held == before); });
        CHECK(failures > 20);
      }
    }
  }
}

TEST_CASE("out of memory at any allocation of a dynamic load is bad_alloc, and nothing leaks") {
  const std::string usual = with_schema(dict(20, number, text_node));
  // The header in another spelling is read by another parser.
  const std::string spelled =
      container(R"({"x" : {"shape":[1], "dtype":"U8", "data_offsets":[0,1]}})") + "1";
  for (const auto& file : {std::pair(usual, std::size_t{20}), std::pair(spelled, std::size_t{1})}) {
    for (const Ends ends : {Ends::once, Ends::for_good}) {
      const std::size_t before = held;
      const long failures = counting_memory::run_out(
          ends,
          [&] { return ss::load(std::as_bytes(std::span(file.first))).size() == file.second; },
          [&](bool) { REQUIRE(held == before); });
      CHECK(failures > 10);
    }
  }
}
