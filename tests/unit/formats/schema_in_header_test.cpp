// A schema goes into the header as it is made: the file is that of the container with its text.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/formats/safetensors/writer.hpp>
#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using ss::Value;
using ss::test::error_of;

namespace {

/// What the container writes with the schema as one of its texts.
std::vector<std::byte> by_hand(const Value& root, ss::Metadata metadata) {
  const ss::schema::Written written = ss::schema::write(root);
  metadata.emplace(ss::schema::metadata_key, written.text);
  metadata.emplace(ss::schema::version_key, ss::schema::version);
  return ss::safetensors::to_bytes(written.tensors, metadata);
}

Value dict_of(const std::vector<std::string>& keys, const Value& value) {
  Value dict = Value::dict();
  for (const std::string& key : keys) dict.insert(key, value);
  return dict;
}

/// Strings of every size up to twenty whose last character but `behind` is `special`.
Value strings_with(const std::string& special, std::size_t behind) {
  Value list = Value::list();
  for (std::size_t size = behind; size < 20; ++size) {
    std::string text(size, 'x');
    text.insert(size - behind, special);
    list.push_back(text);
  }
  return list;
}

/// Dicts whose text is longer than two of the pieces in which a file takes it.
Value many_dicts() {
  const std::vector<std::string> keys = {"a", "b\"", "c"};
  Value list = Value::list();
  for (int i = 0; i < 14'000; ++i)
    list.push_back(dict_of(keys, std::string(static_cast<std::size_t>(i % 50), '"')));
  return list;
}

std::vector<std::byte> content_of(const std::filesystem::path& path) {
  std::vector<std::byte> bytes(std::filesystem::file_size(path));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(bytes.data()), std::ssize(bytes));
  return bytes;
}

ss::Tensor number() { return ss::Tensor::own<float>({1}); }

}  // namespace

TEST_CASE("a file is the same, whatever keys of metadata stand before and behind its schema") {
  const Value root = dict_of({"a", "b"}, Value(number()));
  for (const char* const key : {"", "A", "_safestructures_schema", "_safestructures_schema_!",
                                "_safestructures_schema_~", "z", "\xC3\xA9\"\\\n"}) {
    CAPTURE(key);
    const ss::Metadata metadata = {{key, "a text with \"quotes\" and \\"}, {"m", ""}};
    CHECK(ss::save(root, {.metadata = metadata}) == by_hand(root, metadata));
  }
  CHECK(ss::save(root) == by_hand(root, {}));
}

TEST_CASE("every string and number has one spelling, in the header and in the text") {
  Value root = Value::list();
  for (const char* const special : {"\"", "\\", "\n", "\x01", "\x1F", "\x7F", "\xC3\xA9",
                                    "\xF0\x9F\x98\x80", "\xED\xA0\x80", "/"})
    for (const std::size_t behind : {0U, 1U, 3U, 4U, 7U, 8U})
      root.push_back(strings_with(special, behind));
  for (const double value :
       {0.0, -0.0, 1.0, -1.5, 0.1, 1e15, 1e16, 1e22, 1e100, 1e-4, 1e-5, 123456.75, 5e-324,
        std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()})
    root.push_back(value);
  root.push_back(std::numeric_limits<std::int64_t>::min());
  root.push_back(std::numeric_limits<std::uint64_t>::max());
  root.push_back(std::complex<double>(1, -2));
  root.push_back(nullptr);
  root.push_back(Value::custom("a.\"Type\"", Value("x\"y").plain()));
  root.push_back(Value::structure("a \"class\"", {}));
  // A tensor, as a file with none has one that stands for none.
  root.push_back(number());
  const std::vector<std::byte> file = ss::save(root);
  CHECK(file == by_hand(root, {}));
  CHECK(ss::load(file) == root);
}

TEST_CASE("the text of a large structure grows in pieces without a trace") {
  Value root = Value::list({Value(number())});
  for (int i = 0; i < 3000; ++i) root.push_back(std::string(static_cast<std::size_t>(i), '"'));
  CHECK(ss::save(root) == by_hand(root, {}));
}

TEST_CASE("dicts in a row with the same keys, with others, and with none, keep their own") {
  const std::vector<std::vector<std::string>> keys = {
      {"a", "b"},      {"a", "b"},   {"b", "a"},   {"a"},        {},           {},
      {"a", "b", "c"}, {"a\"", "b"}, {"a\"", "b"}, {"\xC3\xA9"}, {"\xC3\xA9"}, {"a", "b"}};
  Value list = Value::list();
  for (const std::vector<std::string>& some : keys) {
    list.push_back(dict_of(some, dict_of(some, 1)));
    list.push_back(dict_of(some, dict_of({"a"}, number())));
  }
  // A key that is no string has the label of one that is.
  for (const Value& key : {Value("1"), Value(1), Value("1"), Value(1.0)}) {
    Value dict = Value::dict();
    dict.insert(key, 1);
    list.push_back(std::move(dict));
  }
  const std::vector<std::byte> file = ss::save(list);
  CHECK(file == by_hand(list, {}));
  CHECK(ss::load(file) == list);
}

TEST_CASE("keys that are those of another dict count as nodes") {
  Value list = Value::list();
  for (int i = 0; i < 3; ++i) list.push_back(dict_of({"a", "b"}, 1));
  constexpr std::uint64_t nodes = 1 + 3 * 5;
  const std::vector<std::byte> file = ss::save(list, {.limits = {.nodes = nodes}});
  CHECK(ss::load(file, {.limits = {.nodes = nodes}}) == list);
  const std::string at_the_last =
      "limit_exceeded: at /2/b: a structure has too many nodes: expected "
      "at most 15 (Limits::nodes).";
  CHECK(error_of([&] {
          return ss::save(list, {.limits = {.nodes = nodes - 1}});
        }).starts_with(at_the_last.substr(0, at_the_last.size() - 1)));
  CHECK(error_of([&] {
          return ss::load(file, {.limits = {.nodes = nodes - 1}});
        }).starts_with("limit_exceeded: at /2/"));
}

TEST_CASE("a header says its least size without the backslashes of the schema") {
  const Value root = Value::list({Value(number()), Value(std::string(2000, 'x'))});
  const ss::schema::Written written = ss::schema::write(root);
  const std::string version_key(ss::schema::version_key);
  const std::size_t least = ss::schema::metadata_key.size() + written.text.size() +
                            version_key.size() + ss::schema::version.size() +
                            written.tensors.front().name.size();
  const auto found = [&](std::uint64_t bytes) {
    return error_of([&] { return ss::save(root, {.limits = {.header_bytes = bytes}}); });
  };
  CHECK(found(least - 1).find("found at least " + std::to_string(least) + ",") !=
        std::string::npos);
  CHECK(found(least).find("found at least") == std::string::npos);
  CHECK(found(least).starts_with("limit_exceeded: "));
}

TEST_CASE("a file whose schema is written in pieces is the same as in memory") {
  const ss::test::Folder folder;
  const std::filesystem::path path = folder / "a.safetensors";
  const auto check = [&](const Value& root, const ss::SaveOptions& options = {}) {
    const std::vector<std::byte> bytes = ss::save(root, options);
    CHECK(ss::save_file(root, path, options).bytes == bytes.size());
    CHECK((content_of(path) == bytes));
  };
  Value root = many_dicts();
  REQUIRE(ss::schema::write(root).text.size() > (std::size_t{4} << 20U));
  check(root);
  check(root,
        {.metadata = {{"A", "\"before\""}, {"_safestructures_schema_~", "behind"}, {"z", ""}}});
  check(root, {.durable = true, .extra_tensors = {{"extra", number()}}});
  // One string that is longer than a piece.
  root.push_back(std::string(std::size_t{5} << 20U, '\\'));
  const std::vector<double> doubles = {1, 2, 3};
  // Tensors behind it, with names that others have: of places, of texts and of their own.
  Value named(number());
  named.set_tensor_name("14003.x");
  root.push_back(named);
  root.push_back(Value::custom("a.Type", Value("14003.y").plain()));
  root.push_back(dict_of({"x", "y", "z"}, Value(ss::Tensor::of<double>(doubles))));
  root.push_back(Value::bytes(std::vector<std::byte>((std::size_t{3} << 20U) + 1)));
  check(root);
  check(root, {.tensor_names = ss::TensorNames::numbers});
}

TEST_CASE("a header that is too large is the same error in a file, from its first piece on") {
  const ss::test::Folder folder;
  const Value root = many_dicts();
  const std::size_t size = ss::schema::write(root).text.size();
  for (const std::uint64_t most : {std::uint64_t{100'000}, std::uint64_t{size / 2},
                                   std::uint64_t{size + 100}, std::uint64_t{size + size / 20}}) {
    const ss::SaveOptions options{.limits = {.header_bytes = most}};
    const std::string expected = error_of([&] { return ss::save(root, options); });
    REQUIRE(expected.starts_with("limit_exceeded: "));
    const std::string found =
        error_of([&] { return ss::save_file(root, folder / "a.safetensors", options); });
    CHECK(found.substr(found.find(": a")) == expected.substr(expected.find(": a")));
    CHECK(folder.names().empty());
  }
}
