/// \file
/// A large header is read in pieces, its long texts decoded on the way: wherever a piece ends, and
/// whatever is wrong, it reads as the same text at once.
#include <doctest/doctest.h>

#include <cstddef>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "formats/safetensors/header_stream.hpp"
#include "support/memory_source.hpp"
#include "support/spelling.hpp"

namespace ss = safestructures;
using ss::safetensors::detail::header_window;
using ss::test::read_header;

namespace {

constexpr std::string_view begin = R"({"__metadata__":{"a":"short","b":")";
constexpr std::string_view end =
    R"(","c":"d"},"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})";

/// A header with such a text in its metadata.
std::string header_with(const std::string& text) {
  return std::string(begin).append(text).append(end);
}

/// Escaped quotes as in a schema, up to a place in the header.
std::string text_up_to(std::size_t place) {
  constexpr std::string_view piece = R"({\"data_type\": \"int\", \"value\": \"1\"}, )";
  std::string text;
  while (begin.size() + text.size() + piece.size() < place) text += piece;
  return text.append(place - begin.size() - text.size(), '.');
}

struct Read {
  std::string text;  ///< As `read_header` has it.
  bool is_once;      ///< Whether each byte was read once: the pieces were all that was needed.
  bool is_same;      ///< Whether it is what is read at once.
};

Read read_in_pieces(const std::string& header) {
  const ss::test::MemorySource file("", ss::test::file_with(header));
  std::string text = ss::test::read_header_in_pieces(file, 2, header_window);
  const bool is_same = text == read_header(header, 2, 0);
  return {std::move(text), file.bytes_read() == header.size(), is_same};
}

}  // namespace

TEST_CASE("a piece may end anywhere in an escape or a character") {
  for (const std::string_view unit : {R"(\")", R"(\\)", R"(\n)", R"(\u00e9)", R"(\ud83d\ude00)",
                                      "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                      R"(\")"
                                      "\xF0\x9F\x98\x80"
                                      R"(\")"}) {
    for (std::size_t before = 0; before <= unit.size(); ++before) {
      const std::string text =
          text_up_to(header_window - before).append(unit) + text_up_to(2 * header_window);
      const std::string header = header_with(text);
      const Read read = read_in_pieces(header);
      CAPTURE(unit);
      CAPTURE(before);
      CHECK(read.text.ends_with("c=d\nx U8 [2] 0 2\n"));
      CHECK(read.text.size() > header_window);
      CHECK(read.is_same);
      CHECK(read.is_once);
    }
  }
}

TEST_CASE("a fault of a long text is said with its place, in whatever piece it is") {
  constexpr std::string_view escape = "a string holds an escape that JSON does not have";
  constexpr std::string_view surrogate = "a string holds half of a surrogate pair";
  constexpr std::string_view json = "the header is not valid JSON";
  constexpr std::string_view utf8 = "the header is not valid UTF-8";
  struct Fault {
    std::string_view text;
    std::string_view message;
  };
  for (const Fault& fault :
       {Fault{R"(\x)", escape}, Fault{R"(\u12g4)", escape}, Fault{R"(\)", escape},
        Fault{R"(\ud83d)", surrogate}, Fault{R"(\ud83d\u0041)", surrogate}, Fault{"\n", json},
        Fault{"\x1F", json}, Fault{R"(")", json}, Fault{"\x80", utf8}, Fault{"\xC3", utf8},
        Fault{"\xF0\x9F\x98", utf8}, Fault{"\xC0\x80", utf8}, Fault{"\xED\xA0\x80", utf8}}) {
    for (const std::size_t place :
         {header_window - 1, header_window, header_window + 1, 2 * header_window + 5}) {
      const std::string text = text_up_to(place).append(fault.text) + text_up_to(2 * header_window);
      const std::string header = header_with(text);
      const Read read = read_in_pieces(header);
      CAPTURE(fault.text);
      CAPTURE(place);
      CHECK(std::string_view(read.text).substr(0, fault.message.size()) == fault.message);
      CHECK(read.is_same);
      if (fault.message != json)
        CHECK(read.text.ends_with("(byte " + std::to_string(place + 8) + ")."));
    }
  }
}

TEST_CASE("a long text that does not end is refused") {
  const std::string header = std::string(begin).append(text_up_to(3 * header_window));
  const Read read = read_in_pieces(header);
  CHECK(read.is_same);
  CHECK(read.text.starts_with("the header is not valid JSON"));
}

TEST_CASE("several long texts, long keys and what is spelled otherwise are read") {
  const std::string text = text_up_to(header_window);
  const std::string longer = text_up_to(3 * header_window);
  const std::string blanks(2 * header_window, ' ');
  const std::string x = R"("x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]})";
  const std::string y = R"("y":{"shape":[0],"dtype":"U8","data_offsets":[2,2]})";
  const std::string start = R"({"__metadata__":{"a":")" + text;
  struct Case {
    std::string header;
    bool is_once = true;
  };
  for (const Case& one :
       {Case{start + R"(","b":")" + longer + R"(","c":")" + text + "\"}," + x + "}"},
        Case{start + R"(",")" + longer + R"(":"b"},)" + x + "}"},
        Case{start + R"("},)" + x + "}" + blanks}, Case{"{" + x + "}" + blanks},
        // What the parser for the usual spelling does not know, or refuses.
        Case{start + R"(","b": ")" + longer + "\"}," + x + "}", false},
        Case{start + R"("},)" + x + "," + y + "}" + blanks, false},
        Case{start + R"(","a":")" + longer + "\"}," + x + "}"},
        Case{"{" + x + R"(,"__metadata__":{"a":")" + longer + "\"}}"}}) {
    const Read read = read_in_pieces(one.header);
    CHECK(read.is_same);
    CHECK(read.is_once == one.is_once);
  }
}

TEST_CASE("texts of all lengths around a piece are read as at once") {
  const unsigned seed = std::random_device()();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  constexpr std::string_view units[] = {"plain ",          R"(\")",           R"(\\)",
                                        R"(\u20ac)",       R"(\ud83d\ude00)", "\xE2\x82\xAC",
                                        "\xF0\x9F\x98\x80"};
  for (int i = 0; i < 20; ++i) {
    std::string text;
    const std::size_t size = 2 * header_window + random() % header_window;
    while (text.size() < size) text += units[random() % std::size(units)];
    const Read read = read_in_pieces(header_with(text));
    CHECK(read.is_same);
    CHECK(read.is_once);
  }
}
