#include <safestructures/data/slice.hpp>

#include <charconv>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

#include <safestructures/data/error.hpp>
#include "data/text/printable.hpp"

namespace safestructures::inline v0 {
namespace {

constexpr std::size_t most_shown = 60;

// Recursion is not needed: the grammar is a flat list.
//
//   text  = [ "[" ] item { "," item } [ "]" ]     both brackets or none
//   item  = number | [ number ] ":" [ number ] [ ":" [ number ] ]
//   number = [ "-" ] digit { digit }              blanks are allowed around each part
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Slice> parse() {
    std::vector<Slice> slices;
    const bool bracketed = accept('[');
    do {
      slices.push_back(item());
    } while (accept(','));
    if (bracketed && !accept(']')) fail("',' or ']'");
    skip_blanks();
    if (position_ != text_.size()) fail(bracketed ? "the end" : "',' or the end");
    return slices;
  }

 private:
  Slice item() {
    Slice slice;
    slice.start = number();
    if (!accept(':')) {
      if (!slice.start) fail("a number or ':'");
      slice.index = true;
      return slice;
    }
    slice.stop = number();
    if (!accept(':')) return slice;
    skip_blanks();
    const std::size_t place = position_;
    slice.step = number().value_or(1);
    if (slice.step == 0) fail("a step other than 0", place, "0");
    return slice;
  }

  std::optional<std::int64_t> number() {
    skip_blanks();
    const std::size_t begin = position_;
    std::size_t end = begin;
    if (end < text_.size() && text_[end] == '-') ++end;
    const std::size_t digits = end;
    while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
    if (end == digits) {
      if (digits == begin) return std::nullopt;
      position_ = digits;
      fail("a digit after '-'");
    }
    std::int64_t value = 0;
    const std::string_view spelled = text_.substr(begin, end - begin);
    if (std::from_chars(spelled.data(), spelled.data() + spelled.size(), value).ec != std::errc()) {
      fail("a number of at most 64 bits", begin, detail::shortened(spelled, most_shown));
    }
    position_ = end;
    return value;
  }

  bool accept(char wanted) {
    skip_blanks();
    if (position_ == text_.size() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }

  void skip_blanks() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t')) {
      ++position_;
    }
  }

  [[noreturn]] void fail(std::string expected) {
    skip_blanks();
    if (position_ == text_.size()) fail(std::move(expected), position_, "the end");
    fail(std::move(expected), position_, std::string{'\'', text_[position_], '\''});
  }

  [[noreturn]] void fail(std::string expected, std::size_t place, std::string found) const {
    throw Error(ErrorCode::invalid_argument,
                "cannot read the slice \"" + detail::shortened(text_, most_shown) + "\"",
                {.expected = std::move(expected),
                 .found = std::move(found) + " at character " + std::to_string(place + 1),
                 .advice = "Write a part as in NumPy, such as [2:5, ::2]"});
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

std::vector<Slice> parse_slices(std::string_view text) { return Parser(text).parse(); }

}  // namespace safestructures::inline v0
