/// \file
/// Text for messages: harmless on a terminal, and shortened between characters.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "data/text/printable.hpp"

namespace {

using namespace safestructures::detail;

}  // namespace

TEST_CASE("a text is cut between characters, and anywhere where it is not UTF-8") {
  struct Case {
    std::string_view text;
    std::size_t limit;
    std::string_view kept;
  };
  for (const Case& one : std::vector<Case>{{"", 0, ""},
                                           {"abc", 3, "abc"},
                                           {"abc", 2, "ab"},
                                           {"abc", 0, ""},
                                           {"a\u00e9", 3, "a\u00e9"},
                                           {"a\u00e9", 2, "a"},
                                           {"\u00e9", 1, ""},
                                           {"a\u20acb", 3, "a"},
                                           {"a\u20acb", 4, "a\u20ac"},
                                           {"a\U0001f600", 4, "a"},
                                           {"\x80\x80\x80\x80\x80\x80", 4, "\x80\x80\x80\x80"},
                                           {"a\x80\x80\x80\x80", 4, "a\x80\x80\x80"}}) {
    CAPTURE(one.text);
    CAPTURE(one.limit);
    CHECK(cut(one.text, one.limit) == one.kept);
  }
}

TEST_CASE("a name in a message has one line, cannot steer a terminal and is shortened") {
  struct Case {
    std::string text;
    std::string shown;
  };
  for (const Case& one : std::vector<Case>{
           {"layer.0", R"("layer.0")"},
           {"a\"\\b", R"("a\"\\b")"},
           {"\u00e9\U0001f600", "\"\u00e9\U0001f600\""},
           {"a\n\x1b[2J\x7f", R"("a\n\x1b[2J\x7f")"},
           {std::string("1\0", 2), R"("1\x00")"},
           // Beyond ASCII, too: a control sequence in one character, and right-to-left text.
           {"\u009b31m\u202e", R"("\u009b31m\u202e")"},
           {"\u00e9\xff", "\"\u00e9\\xff\""},
           {std::string(100, 'x'), '"' + std::string(100, 'x') + '"'},
           {std::string(101, 'x'), '"' + std::string(100, 'x') + "...\""},
           {std::string(99, 'x') + "\u00e9", '"' + std::string(99, 'x') + "...\""},
       }) {
    CAPTURE(one.text);
    CHECK(in_quotes(one.text) == one.shown);
  }
}
