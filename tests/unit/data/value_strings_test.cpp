// Values share their strings with their copies, and like dicts their keys: nobody notices.
#include <doctest/doctest.h>

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/safestructures.hpp>

namespace ss = safestructures;
using ss::Value;

namespace {

const std::string text = "a text that does not lie inside of its string";

struct Named {
  std::string first;
  std::string second;
};

}  // namespace

TEST_CASE("a string that is taken out of a value is left to its copies") {
  Value value = text;
  Value copy = value;
  CHECK(std::move(value).as_string() == text);
  CHECK(copy.as_string() == text);
  Value other = copy;
  value = 1;
  copy = 1;
  CHECK(other.as_string() == text);
  // Of one that is alone it is moved.
  const char* const letters = other.as_string().data();
  const std::string taken = std::move(other).as_string();
  CHECK(taken.data() == letters);
  CHECK(taken == text);
  other = "new";
  CHECK(other.as_string() == "new");
}

TEST_CASE("a reference to a string is valid as long as its value, wherever that is moved") {
  Value value = text;
  const std::string& reference = value.as_string();
  const Value moved = std::move(value);
  CHECK(&moved.as_string() == &reference);
  CHECK(reference == text);
}

TEST_CASE("keys of dicts that were loaded together are their own") {
  Value list = Value::list();
  for (int i = 0; i < 4; ++i) {
    Value dict = Value::dict();
    dict.insert(text, i);
    dict.insert("short", Value::list({i}));
    list.push_back(std::move(dict));
  }
  Value loaded = ss::load(ss::save(list));
  std::vector<ss::Entry> entries = std::move(loaded[1]).entries();
  CHECK(std::move(entries[0].key).as_string() == text);
  loaded[2].erase(text);
  loaded[0] = nullptr;
  CHECK(loaded[3][text] == 3);
  CHECK(loaded[2]["short"][0] == 2);
  const Value last = std::move(loaded[3]);
  loaded = nullptr;
  CHECK(last == list[3]);
}

TEST_CASE("names of fields are those of each struct") {
  const std::vector<Named> structs = {{"a", "b"}, {"c", "d"}};
  Value value = Value::from(structs);
  std::vector<ss::Entry> fields = std::move(value[0]).entries();
  CHECK(std::move(fields[0].key).as_string() == "first");
  CHECK(value[1]["first"] == "c");
  CHECK(value[1]["second"] == "d");
  // Whether names that an encoder met before are mistaken for others: they have one place.
  ss::Encoder encoder;
  for (const char* name : {"", "a", "ab", "aa", "ba", "", "a", "ab", "aa", "ba"})
    CHECK(encoder.name(name).as_string() == name);
}

TEST_CASE("a complex number is copied, moved and compared like any number") {
  const std::complex<double> number(1, -2);
  Value value = number;
  Value copy = value;
  CHECK(copy == value);
  const Value moved = std::move(value);
  CHECK(moved.as_complex() == number);
  copy = std::complex<double>(0, 1);
  CHECK(copy != moved);
  CHECK(Value(moved).plain().is_plain());
  Value dict = Value::dict();
  dict.insert(moved, 1);
  CHECK(*dict.find_key(number) == 1);
  CHECK(ss::load(ss::save(Value::list({dict, moved, copy}))) == Value::list({dict, moved, copy}));
}
