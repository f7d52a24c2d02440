/// \file
/// Tables of text are as wide as their cells, and aligned.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "data/text/text_table.hpp"

namespace {

using safestructures::detail::TextTable;
using Align = TextTable::Align;

std::string text_of(const std::vector<Align>& columns, const std::vector<std::string>& cells) {
  TextTable table(columns);
  for (const std::string& cell : cells) table.next() += cell;
  std::string text;
  for (std::size_t line = 0; line < table.lines(); ++line) {
    table.append_line(text, line);
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("cells are as wide as the widest of their column, to the left, to the right or neither") {
  CHECK(text_of({Align::left, Align::right, Align::none},
                {"a", "1", "first", "", "1000", "", "bcd", "", "a longer one"}) ==
        "a       1  first\n"
        "     1000  \n"
        "bcd        a longer one\n");
}

TEST_CASE("a cell is appended to in parts, and a table without cells has no lines") {
  TextTable table({Align::right, Align::right});
  table.next() += "12";
  table.next() += "3";
  table.next() += "4";
  std::string& last = table.next();
  last += "5";
  last += "67";
  std::string text = "> ";
  table.append_line(text, 0);
  CHECK(text == "> 12    3");
  CHECK(table.lines() == 2);
  CHECK(text_of({Align::left}, {}).empty());
}
