// Dicts, structures and lists that are like those before them, which are read faster, and those
// that are so up to some place: each is what it is.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/spelling.hpp"

namespace ss = safestructures;
using ss::Value;
using ss::test::read_schema;
using ss::test::with_blank;

namespace {

std::optional<ss::Tensor> no_tensor(std::string_view) { return std::nullopt; }

/// Writes rows of containers, mostly as the one before.
class Rows {
 public:
  explicit Rows(unsigned seed) : random_(seed) {}

  std::string list(int depth) {
    std::string text = R"({"data_type": "list", "value": [)";
    std::string row = any(depth);
    const std::size_t count = 1 + below(7);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text += ", ";
      if (below(3) == 0) row = any(depth);
      text += row;
    }
    return text + "]}";
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  static std::string node(const std::string& type, const std::string& value) {
    return R"({"data_type": ")" + type + R"(", "value": )" + value + '}';
  }

  std::string any(int depth) {
    if (depth > 0 && below(2) == 0) return below(4) == 0 ? list(depth - 1) : mapping(depth - 1);
    const std::vector<std::string> scalars = {
        node("int", R"("7")"),     node("int", R"("-9223372036854775808")"),
        node("str", R"("x")"),     node("float", R"("0.5")"),
        node("bool", "true"),      node("NoneType", "null"),
        node("str", R"("a\"\n")"), node("builtins.int", R"("1")")};
    return scalars[below(scalars.size())];
  }

  /// With names that may be there twice, be spelled with escapes, or stand for a key that is none.
  std::string mapping(int depth) {
    static const std::vector<std::string> names = {"a", "b", "c", "\\u0061", "a\\n", "", "7", "dd"};
    const bool is_dict = below(3) != 0;
    // More than a dict finds without an index.
    const std::size_t count = below(6) == 0 ? 9 + below(3) : below(4);
    std::string values;
    std::string keys;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name =
          below(12) == 0 ? names[below(names.size())] : 'k' + std::to_string(i);
      const std::string comma = i == 0 ? "" : ", ";
      values += comma + '"' + name + "\": " + any(depth);
      const bool is_other = below(16) == 0;
      keys +=
          comma + '"' + name + "\": " +
          (is_other ? node("int", '"' + std::to_string(i) + '"') : node("str", '"' + name + '"'));
    }
    return is_dict
               ? R"({"data_type": "dict", "value": {)" + values + R"(}, "keys": {)" + keys + "}}"
               : node("SafestructuresDataclass", '{' + values + '}');
  }

  std::mt19937 random_;
};

/// `count` keys, the last of which is `last`.
Value dict_of(std::size_t count, const std::string& last, const Value& value) {
  Value dict = Value::dict();
  for (std::size_t i = 0; i + 1 < count; ++i) dict.insert("key " + std::to_string(i), value);
  dict.insert(last, value);
  return dict;
}

}  // namespace

TEST_CASE("rows of containers are read or refused directly as in general") {
  const unsigned first = std::random_device()();
  std::size_t good = 0;
  for (unsigned seed = first; seed != first + 3000; ++seed) {
    CAPTURE(seed);
    const std::string text = Rows(seed).list(3);
    const std::string read = read_schema(text, no_tensor);
    CHECK(read == read_schema(with_blank(text), no_tensor));
    if (read.starts_with('{')) ++good;
  }
  CHECK(good > 1000);
}

TEST_CASE("dicts in a row that differ in the last key, or in none, find all of theirs") {
  for (const std::size_t count : {1U, 2U, 8U, 9U, 40U, 1023U, 1024U, 1025U, 3000U}) {
    CAPTURE(count);
    Value list = Value::list();
    for (const char* last : {"x", "x", "y", "y", "y", "key 0x", ""})
      list.push_back(dict_of(count, last, static_cast<std::int64_t>(list.size())));
    list.push_back(dict_of(count + 1, "", 7));
    const std::vector<std::byte> file = ss::save(list);
    Value loaded = ss::load(file);
    CHECK(loaded == list);
    for (const Value& dict : loaded.items())
      for (const ss::Entry& entry : dict.entries())
        REQUIRE(dict.find(entry.key.as_string()) == &entry.value);
    // Each has an index of its own.
    loaded[1].insert("new", 1);
    CHECK(loaded[0].find("new") == nullptr);
    CHECK(loaded[1]["new"] == 1);
    loaded[1].erase("x");
    CHECK(loaded[0].find("x") != nullptr);
    loaded[0] = nullptr;
    CHECK(loaded[2]["y"] == 2);
  }
}

TEST_CASE("a name that is there twice is refused where the containers before had it once") {
  for (const std::string kind : {"dict", "SafestructuresDataclass"}) {
    const auto mapping = [&](const std::vector<std::string>& names) {
      std::string values;
      std::string keys;
      for (const std::string& name : names) {
        const std::string comma = values.empty() ? "" : ", ";
        values += comma + '"' + name + R"(": {"data_type": "NoneType", "value": null})";
        keys += comma + '"' + name + R"(": {"data_type": "str", "value": ")" + name + "\"}";
      }
      return R"({"data_type": ")" + kind + R"(", "value": {)" + values + '}' +
             (kind == "dict" ? R"(, "keys": {)" + keys + "}}" : "}");
    };
    for (const std::vector<std::string>& last :
         {std::vector<std::string>{"a", "b", "a"}, {"a", "a"}, {"a", "b", "b"}}) {
      const std::string text = R"({"data_type": "list", "value": [)" + mapping({"a", "b"}) + ", " +
                               mapping({"a", "b"}) + ", " + mapping(last) + "]}";
      const std::string read = read_schema(text, no_tensor);
      CHECK(read == "at /2/" + last.back() + ": a " +
                        (kind == "dict" ? "dict contains a key" : "struct contains a field") +
                        " twice: found " + last.back() + ".");
      CHECK(read == read_schema(with_blank(text), no_tensor));
    }
  }
}

TEST_CASE("lists in a row of any lengths keep theirs") {
  Value root = Value::list();
  const std::size_t lengths[] = {3, 3, 3, 2, 3, 3, 4, 0, 0, 0, 1, 1025, 1025, 1025, 1, 1, 1, 2};
  for (const std::size_t length : lengths) {
    std::vector<Value> items;
    for (std::size_t i = 0; i < length; ++i) items.emplace_back(i);
    root.push_back(Value::list(items));
    root.push_back(Value::tuple({Value::list(items), "text that is no short one"}));
  }
  const Value loaded = ss::load(ss::save(root));
  CHECK(loaded == root);
  // Nothing is kept for items that did not come.
  for (std::size_t i = 0; i < std::size(lengths); ++i)
    CHECK(loaded[2 * i].items().capacity() == lengths[i]);
}

TEST_CASE("a long list is read whole, whether what follows is longer or shorter than its begin") {
  for (const std::size_t count : {1024U, 1025U, 3000U, 70'000U})
    for (const bool longer : {false, true}) {
      std::vector<Value> items;
      for (std::size_t i = 0; i < count; ++i) {
        if ((i < 1024) == longer) items.emplace_back(i);
        else items.emplace_back(Value::list({Value("a text of some length"), Value(i)}));
      }
      const Value root = Value::list({Value::list(items), Value("behind"), Value::tuple(items)});
      const Value loaded = ss::load(ss::save(root));
      CHECK(loaded == root);
      // Not much is kept for items that did not come.
      CHECK(loaded[0].items().capacity() <= count + count / 4);
      CHECK(loaded[2].items().capacity() <= count + count / 4);
    }
}
