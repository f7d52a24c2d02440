/// \file
/// Inputs by a grammar: files, schemas and JSON that are made, and changed as trees rather than as
/// bytes. A change keeps what it does not touch, bytes for bytes, and leaves most inputs good or
/// nearly so: faults are met deep inside the readers, not at their door.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/parts.hpp"
#include "platform/split_mix.hpp"

namespace fuzz::grammar {

/// Choices that follow from a seed (SplitMix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    state_ += safestructures::platform::split_mix_step;
    return safestructures::platform::split_mix(state_);
  }
  /// A number below n, which is not 0.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class Texts>
  std::string pick(const Texts& texts) {
    return std::string(texts[below(std::size(texts))]);
  }

 private:
  std::uint64_t state_;
};

using Texts = std::span<const std::string_view>;

// ---- Productions. ----

inline constexpr std::array<std::string_view, 24> numbers = {"0",
                                                             "-0",
                                                             "1",
                                                             "-1",
                                                             "255",
                                                             "256",
                                                             "65504",
                                                             "2147483648",
                                                             "1e5",
                                                             "0.1",
                                                             "-1.5",
                                                             "1e400",
                                                             "1e-400",
                                                             "5e-324",
                                                             "1E+2",
                                                             "9223372036854775807",
                                                             "00",
                                                             "1.",
                                                             "-",
                                                             "1e",
                                                             "9223372036854775808",
                                                             "18446744073709551616",
                                                             "123456789012345678901234567890",
                                                             "1.7976931348623157e308"};
inline constexpr std::array<std::string_view, 20> texts = {
    "a",        "b",       "",         "w",       "i",
    "layers.0", "\\u00e9", "\xC3\xA9", "\\ud800", "\\ud83d\\ude00",
    "x\\n",     "\\u0000", "\\\\",     "\\\"",    "a#2",
    "$a",       "\\u202e", "\xFF",     "0",       "tensor"};
inline constexpr std::array<std::string_view, 24> dtypes = {
    "F32",     "U8",      "I64", "BOOL",    "F16",     "BF16",    "F64",         "F4",
    "F6_E2M3", "F6_E3M2", "I8",  "F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ",
    "I16",     "U16",     "I32", "U32",     "C64",     "U64",     "F8",          "f32"};
inline constexpr std::array<std::string_view, 10> blanks = {" ", "\n", "\t", "\r", "  ",
                                                            ",", "\v", "}",  "0",  "\\"};

inline std::string text_of(Random& random) { return '"' + random.pick(texts) + '"'; }
/// A name that is mostly a plain one.
inline std::string name_of(Random& random) {
  return '"' +
         std::string(random.one_in(8) ? random.pick(texts)
                                      : std::string(1, "abcdwi"[random.below(6)])) +
         '"';
}

/// Several of what `make` gives, with commas between.
template <class Make>
std::string several(Random& random, std::size_t most, const Make& make) {
  std::string result;
  for (std::size_t count = random.below(most + 1); count > 0; --count)
    result += (result.empty() ? "" : ", ") + make();
  return result;
}
/// Members `"a": value, "b": value`, whose names differ but for rare ones.
template <class Make>
std::string members(Random& random, std::size_t most, const Make& make) {
  char name = 'a';
  return several(random, most, [&] {
    const std::string key = random.one_in(12) ? text_of(random) : std::string{'"', name++, '"'};
    return key + ": " + make();
  });
}

inline std::string plain_json(Random& random, std::size_t depth) {
  const auto below = [&] { return plain_json(random, depth - 1); };
  switch (random.below(depth == 0 ? 4 : 6)) {
    case 0: return random.pick(std::array{"null", "true", "false", "NaN", "-Infinity", "nul"});
    case 1: return random.pick(std::span(numbers).first(random.one_in(8) ? 24 : 11));
    case 2:
    case 3: return text_of(random);
    case 4: return "[" + several(random, 3, below) + "]";
    default: return "{" + members(random, 3, below) + "}";
  }
}

inline std::string node(std::string_view type, const std::string& value,
                        const std::string& fields = {}) {
  return "{\"data_type\": \"" + std::string(type) + "\", \"value\": " + value + fields + "}";
}

/// A node of the schema.
inline std::string schema(Random& random, std::size_t depth) {
  const auto below = [&] { return schema(random, depth - 1); };
  const auto fields = [&]() -> std::string {
    if (!random.one_in(4)) return {};
    switch (random.below(6)) {
      case 0: return R"(, "dtype": ")" + random.pick(dtypes) + '"';
      case 1: return ", \"class\": " + text_of(random);
      case 2: return R"(, "variant": 1)";
      case 3: return R"(, "columns": true)";
      case 4: return R"(, "x": )" + (random.one_in(2) ? schema(random, 0) : plain_json(random, 2));
      default: return ", " + text_of(random) + ": " + plain_json(random, 1);
    }
  };
  const auto number = [&] {
    const std::string text = random.pick(numbers);
    return random.one_in(6) ? text : '"' + text + '"';
  };
  switch (random.below(depth == 0 ? 9 : 16)) {
    case 0: return node("NoneType", "null");
    case 1: return node("bool", random.one_in(2) ? "true" : "false");
    case 2: return node("int", number());
    case 3:
      return node("float", random.one_in(2) ? number()
                                            : "\"" +
                                                  random.pick(std::array{"inf", "-inf", "nan",
                                                                         "-0.0", "1_0.5", " 2 "}) +
                                                  "\"");
    case 4:
      return node(
          "complex",
          "\"" + random.pick(std::array{"(1+2j)", "2j", "(-0-infj)", "(nan+nanj)", "1", "-j"}) +
              "\"");
    case 5: return node("str", text_of(random));
    case 6:
      return node(random.pick(std::array{"numpy.ndarray", "torch.Tensor", "jax.Array"}),
                  name_of(random), fields());
    case 7: return node(random.one_in(2) ? "bytes" : "bytearray", name_of(random), fields());
    case 8:
      return node(random.pick(std::array{"range", "slice", "ellipsis"}),
                  random.pick(std::array{R"(["0", "10", "1"])", R"(["0", null, "1"])", "null"}));
    case 9:
    case 10: return node("list", "[" + several(random, 3, below) + "]", fields());
    case 11: return node("tuple", "[" + several(random, 3, below) + "]", fields());
    case 12:
      return node(random.one_in(2) ? "set" : "frozenset", "[" + several(random, 3, below) + "]",
                  fields());
    case 13:
      return node("SafestructuresDataclass", "{" + members(random, 3, below) + "}", fields());
    case 14:
      return node("acme.T", random.one_in(2) ? below() : plain_json(random, depth - 1), fields());
    default: {
      std::string values;
      std::string keys;
      for (std::size_t i = random.below(4); i > 0; --i) {
        const std::string label = "\"" + std::to_string(i) + "\": ";
        values += (values.empty() ? "" : ", ") + label + below();
        keys +=
            (keys.empty() ? "" : ", ") + label +
            (random.one_in(3) ? schema(random, 1) : node("int", "\"" + std::to_string(i) + "\""));
      }
      return node("dict", "{" + values + "}", ", \"keys\": {" + keys + "}" + fields());
    }
  }
}

/// A value of the JSON format.
inline std::string json(Random& random, std::size_t depth) {
  const auto below = [&] { return json(random, depth - 1); };
  const auto list = [&] { return "[" + several(random, 3, below) + "]"; };
  const auto marks = [&]() -> std::string {
    if (!random.one_in(4)) return "}";
    switch (random.below(4)) {
      case 0: return R"(, "$type": "t"})";
      case 1: return R"(, "$name": )" + name_of(random) + "}";
      case 2: return R"(, "$attributes": {"a": )" + plain_json(random, 1) + "}}";
      default: return R"(, "$attributes": {"dtype": ")" + random.pick(dtypes) + "\"}}";
    }
  };
  const auto tensor = [&] {
    const std::size_t count = random.below(5);
    std::string data;
    for (std::size_t i = 0; i < count; ++i)
      data += (i > 0 ? ", " : "") +
              (random.one_in(6) ? random.pick(std::array{"\"nan\"", "\"-inf\"", "\"0x7fc1\"",
                                                         "\"0x7f800001\"", "true", "[1, 2]", "0.3"})
                                : std::string(1, "0123"[random.below(4)]));
    const std::string shape =
        random.one_in(3) ? std::string() : "\"shape\": [" + std::to_string(count) + "], ";
    return R"({"$tensor": ")" + random.pick(dtypes) + "\", " + shape + "\"data\": " +
           (random.one_in(5)   ? R"({"base64": "AQD//w=="})"
            : random.one_in(9) ? "[[" + data + "]]"
                               : "[" + data + "]");
  };
  switch (random.below(depth == 0 ? 7 : 16)) {
    case 0:
    case 1: return plain_json(random, 0);
    case 2: return R"({"$float": ")" + random.pick(std::array{"inf", "-inf", "nan", "1"}) + "\"}";
    case 3: return R"({"$complex": [1, "nan"]})";
    case 4: return R"({"$bytes": "YWI=")" + marks();
    case 5: return tensor() + marks();
    case 6:
      return std::string(random.one_in(4) ? R"({"$bytes": )" : R"({"$tensor": )") +
             "{\"same\": " + name_of(random) + "}" + marks();
    case 7: return "{" + members(random, 3, below) + "}";
    case 8: return list();
    case 9: return "{\"$tuple\": " + list() + marks();
    case 10: return "{\"$set\": " + list() + marks();
    case 11: return "{\"$list\": " + list() + marks();
    case 12:
      return "{\"$dict\": [" +
             several(random, 2,
                     [&] {
                       return "[" + below() + (random.one_in(4) ? ", \"l\"" : "") + ", " + below() +
                              "]";
                     }) +
             "]" + marks();
    case 13:
      return random.one_in(4)
                 ? R"({"$struct": "L", "$fields": {)" + members(random, 2, below) + "}" + marks()
                 : R"({"$struct": "L", "x": )" + below() + marks();
    case 14: return R"({"$custom": "acme.T", "value": )" + below() + marks();
    default:
      return std::string(random.one_in(2) ? "{\"$plain\": " : "{\"$node\": ") + below() + "}";
  }
}

// ---- Changes. ----

/// What a text is made of: its values, and the names that mean something in it.
struct Language {
  std::string (*make)(Random& random, std::size_t depth);
  Texts words;
};

/// Changes the tree of a text in one place. \param other what nodes may be spliced from
inline void change(std::string& text, Random& random, const Language& language,
                   std::string_view other = {}) {
  const std::vector<Part> parts = parts_of(text);
  if (parts.empty() || random.one_in(40)) {
    text = language.make(random, 1 + random.below(4));
    return;
  }
  // By value: the text changes below.
  const Part part = parts[random.below(parts.size())];
  const std::string old(view_of(text, part));
  const auto put = [&](std::string_view value) { text.replace(part.begin, old.size(), value); };
  const auto any_of = [&](std::string_view source, std::span<const Part> places) {
    return std::string(view_of(source, places[random.below(places.size())]));
  };
  const bool is_string = old.size() > 1 && old.front() == '"';
  switch (random.below(14)) {
    case 0: return put(language.make(random, random.below(3)));
    case 1: return put(any_of(text, parts));
    case 2: {  // A node of the other input, or of this one.
      const std::vector<Part> others = parts_of(other);
      return put(others.empty() ? any_of(text, parts) : any_of(other, others));
    }
    case 3:  // The item twice.
      text.insert(part.item, text.substr(part.item, part.end - part.item) + ", ");
      return;
    case 4: {  // Without it.
      const std::size_t comma = text.find_first_not_of(" \t\r\n", part.end);
      const bool has_next = comma != std::string::npos && text[comma] == ',';
      const std::size_t before =
          part.item == 0 ? none : text.find_last_not_of(" \t\r\n", part.item - 1);
      const bool has_last = !has_next && before != none && text[before] == ',';
      const std::size_t from = has_last ? before : part.item;
      text.erase(from, (has_next ? text.find_first_not_of(" \t\r\n", comma + 1) : part.end) - from);
      return;
    }
    case 5: {  // Two items of one container change places.
      std::vector<Part> siblings;
      for (const Part& each : parts)
        if (each.parent == part.parent && each.item > part.end) siblings.push_back(each);
      if (siblings.empty()) return;
      const Part& later = siblings[random.below(siblings.size())];
      const std::string moved = text.substr(later.item, later.end - later.item);
      const std::string item = text.substr(part.item, part.end - part.item);
      text.replace(later.item, moved.size(), item);
      text.replace(part.item, item.size(), moved);
      return;
    }
    case 6: {  // One more item in front, named where the others are.
      const std::string key =
          part.item == part.begin
              ? ""
              : (random.one_in(2) ? text_of(random) : random.pick(language.words)) + ": ";
      text.insert(part.item, key + language.make(random, random.below(2)) + ", ");
      return;
    }
    case 7: {  // Deeper.
      const std::string word = random.pick(language.words);
      const std::array<std::pair<std::string, std::string>, 5> around = {
          {{"[", "]"},
           {"{" + word + ": ", "}"},
           {R"({"data_type": "list", "value": [)", "]}"},
           {R"({"$tuple": [)", "]}"},
           {R"({"$plain": )", "}"}}};
      const auto& [front, back] = around[random.below(around.size())];
      std::string value = old;
      for (std::size_t levels = random.one_in(30) ? random.below(60) : 1; levels > 0; --levels)
        value = front + value + back;
      return put(value);
    }
    case 8:  // Blanks, and what is none.
      text.insert(std::array{part.item, part.begin, part.end, part.key_end}[random.below(4)],
                  random.pick(std::span(blanks).first(random.one_in(4) ? 10 : 5)));
      return;
    case 9: {  // A character as its escape, in a string or a key.
      const std::size_t begin = is_string && random.one_in(2) ? part.begin : part.item;
      const std::size_t end = begin == part.begin ? part.end : part.key_end;
      if (end < begin + 3 || text[begin] != '"') return;
      const std::size_t place = begin + 1 + random.below(end - begin - 2);
      if (text[place] == '\\' || text[place - 1] == '\\') return;
      const auto c = static_cast<unsigned char>(text[place]);
      if (c < 0x80)
        text.replace(place, 1,
                     std::string("\\u00") + "01234567"[c >> 4U] + "0123456789abcdef"[c & 15U]);
      return;
    }
    case 10: return put(is_string ? '"' + random.pick(numbers) + '"' : random.pick(numbers));
    case 11:
      return put(is_string && random.one_in(2) ? text_of(random) : random.pick(language.words));
    case 12:  // Another key.
      if (part.key_end > part.item)
        text.replace(part.item, part.key_end - part.item,
                     random.one_in(3) ? text_of(random) : random.pick(language.words));
      return;
    default: {  // A number, or a string of digits, one more or less.
      const std::size_t digit = old.find_last_of("0123456789");
      if (digit == std::string::npos) return;
      text[part.begin + digit] = static_cast<char>(
          '0' + (text[part.begin + digit] - '0' + (random.one_in(2) ? 1 : 9)) % 10);
      return;
    }
  }
}

}  // namespace fuzz::grammar
