#include "formats/json/cursor.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>

#include "data/text/json_text.hpp"
#include "data/text/number.hpp"
#include "data/text/utf8.hpp"
#include "formats/fast_utf8.hpp"

namespace safestructures::inline v0::json {
namespace {

bool is_blank(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace

std::string show_byte(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  if (code > 0x20 && code < 0x7F) return std::string{'\'', byte, '\''};
  constexpr std::string_view digits = "0123456789ABCDEF";
  return std::string("byte 0x") + digits[code >> 4U] + digits[code & 0xFU];
}

double number_of(std::string_view spelled) {
  const bool negative = spelled.front() == '-';
  const char first = spelled[negative ? 1 : 0];
  if (first == 'N') return std::numeric_limits<double>::quiet_NaN();
  if (first == 'I') {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return negative ? -infinity : infinity;
  }
  double value = 0;
  const char* const end = spelled.data() + spelled.size();
  const auto [stop, error] = std::from_chars(spelled.data(), end, value);
  if (error == std::errc() && stop == end) return value;
  return safestructures::detail::parse_float(spelled).value_or(0);
}

Cursor::Cursor(std::string_view text, const CursorOptions& options)
    : text_(text.data() == nullptr ? std::string_view("") : text),
      options_(options),
      at_(text_.data()),
      end_(at_ + text_.size()),
      begin_(at_) {
  if (text_.starts_with("\xEF\xBB\xBF"))
    throw Error(options_.code, std::string(options_.what) + " begins with a byte-order mark",
                {.offset = options_.offset});
  if (safestructures::detail::is_utf8(text_)) return;
  const std::size_t bad = detail::find_invalid_utf8(text_).value_or(0);
  throw Error(ErrorCode::invalid_utf8, std::string(options_.what) + " is not UTF-8",
              {.found = show_byte(text_[bad]), .offset = options_.offset + bad});
}

void Cursor::fail(const char* place, std::string_view expected) const {
  throw Error(options_.code, std::string(options_.what) + " is not JSON",
              {.expected = std::string(expected),
               .found = place == end_ ? "its end" : show_byte(*place),
               .offset = offset_of(place)});
}

void Cursor::skip_blanks() noexcept {
  while (at_ != end_ && is_blank(*at_)) ++at_;
}

Token Cursor::next() {
  skip_blanks();
  switch (expected_) {
    case Expected::value: return token_ = value();
    case Expected::value_or_end: return token_ = peek() == ']' ? close() : value();
    case Expected::name_or_end: return token_ = peek() == '}' ? close() : name();
    case Expected::comma: {
      const char closing = open_.back();
      if (peek() == ',') {
        ++at_;
        skip_blanks();
        return token_ = closing == '}' ? name() : value();
      }
      if (peek() != closing) fail(at_, closing == '}' ? "',' or '}'" : "',' or ']'");
      return token_ = close();
    }
    case Expected::nothing: break;
  }
  begin_ = at_;
  raw_ = {};
  if (at_ != end_) fail(at_, "nothing after the value");
  return token_ = Token::end;
}

void Cursor::skip() {
  if (token_ != Token::object && token_ != Token::array) return;
  const std::size_t outside = depth() - 1;
  while (depth() != outside) next();
}

void Cursor::return_to_array(std::string_view bracket, std::size_t depth) {
  open_.resize(depth);
  expected_ = Expected::value_or_end;
  token_ = Token::array;
  begin_ = bracket.data();
  raw_ = bracket;
  at_ = bracket.data() + 1;
}

bool Cursor::byte_array(std::vector<std::byte>& bytes) {
  const char* at = at_;
  const auto pass_blanks = [&] {
    while (at != end_ && is_blank(*at)) ++at;
  };
  pass_blanks();
  bool is_over = at != end_ && *at == ']';
  while (!is_over) {
    const char* const first = at;
    unsigned number = 0;
    for (; at != end_ && is_digit(*at) && at - first < 3; ++at)
      number = number * 10 + static_cast<unsigned>(*at - '0');
    if (at == first || number > 0xFF || (*first == '0' && at - first > 1)) return false;
    bytes.push_back(static_cast<std::byte>(number));
    pass_blanks();
    if (at == end_ || (*at != ',' && *at != ']')) return false;
    is_over = *at == ']';
    if (is_over) break;
    ++at;
    pass_blanks();
  }
  at_ = at;
  token_ = close();
  return true;
}

Token Cursor::value() {
  begin_ = at_;
  const char c = peek();
  if (c == '"') {
    scan_string();
    value_ended();
    return Token::string;
  }
  switch (c) {
    case '{': return open(Token::object);
    case '[': return open(Token::array);
    case 't': return word("true", Token::boolean);
    case 'f': return word("false", Token::boolean);
    case 'n': return word("null", Token::null);
    case 'N':
      if (options_.python_numbers) return word("NaN", Token::number);
      break;
    case 'I':
      if (options_.python_numbers) return word("Infinity", Token::number);
      break;
    default:
      if (c == '-' || is_digit(c)) return number_token();
  }
  fail(at_, "a value");
}

Token Cursor::open(Token token) {
  if (open_.size() >= options_.depth)
    throw Error(ErrorCode::limit_exceeded, std::string(options_.what) + " is nested too deeply",
                {.expected = "at most " + std::to_string(options_.depth) + " open brackets",
                 .offset = offset_of(at_)});
  open_.push_back(token == Token::object ? '}' : ']');
  expected_ = token == Token::object ? Expected::name_or_end : Expected::value_or_end;
  raw_ = {at_++, 1};
  return token;
}

Token Cursor::close() {
  begin_ = at_;
  raw_ = {at_++, 1};
  open_.pop_back();
  value_ended();
  return raw_.front() == '}' ? Token::object_end : Token::array_end;
}

Token Cursor::name() {
  begin_ = at_;
  if (peek() != '"') fail(at_, "a name in quotes");
  scan_string();
  skip_blanks();
  if (peek() != ':') fail(at_, "':'");
  ++at_;
  expected_ = Expected::value;
  return Token::name;
}

Token Cursor::word(std::string_view spelled, Token token) {
  for (const char c : spelled) {
    if (peek() != c) fail(at_, "a value");
    ++at_;
  }
  raw_ = {begin_, static_cast<std::size_t>(at_ - begin_)};
  is_integer_ = false;
  value_ended();
  return token;
}

void Cursor::digits() {
  if (!is_digit(peek())) fail(at_, "a digit");
  while (at_ != end_ && is_digit(*at_)) ++at_;
}

Token Cursor::number_token() {
  if (*at_ == '-') {
    ++at_;
    if (options_.python_numbers && peek() == 'I') return word("Infinity", Token::number);
  }
  if (peek() == '0') ++at_;
  else digits();
  is_integer_ = true;
  if (peek() == '.') {
    ++at_;
    digits();
    is_integer_ = false;
  }
  if (peek() == 'e' || peek() == 'E') {
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    digits();
    is_integer_ = false;
  }
  raw_ = {begin_, static_cast<std::size_t>(at_ - begin_)};
  value_ended();
  return Token::number;
}

void Cursor::scan_string() {
  const char* const inside = ++at_;
  escaped_ = false;
  for (;;) {
    at_ = find_unplain(at_, end_);
    if (at_ == end_) fail(at_, "'\"'");
    if (*at_ == '"') break;
    if (*at_ != '\\') fail(at_, "an escape of a control character");
    escaped_ = true;
    skip_escape();
  }
  raw_ = {inside, static_cast<std::size_t>(at_ - inside)};
  ++at_;
}

void Cursor::skip_escape() {
  ++at_;
  if (peek() != 'u') {
    if (at_ == end_ || escape_letters.find(*at_) == std::string_view::npos)
      fail(at_, "an escape of JSON");
    ++at_;
    return;
  }
  ++at_;
  for (int i = 0; i < 4; ++i, ++at_)
    if (hex_digit(peek()) < 0) fail(at_, "a hexadecimal digit");
}

char* Cursor::unescape_to(char* target) const noexcept {
  const char* from = raw_.data();
  const char* const end = from + raw_.size();
  while (from != end) {
    const auto* const escape =
        static_cast<const char*>(std::memchr(from, '\\', static_cast<std::size_t>(end - from)));
    const auto plain = static_cast<std::size_t>((escape == nullptr ? end : escape) - from);
    std::memcpy(target, from, plain);
    target += plain;
    if (escape == nullptr) break;
    from = escape + 1;
    static_cast<void>(unescape_one(from, end, target, LoneSurrogates::keep));
  }
  return target;
}

double Cursor::number_in_range() const {
  const double result = number();
  if (std::isinf(result) && raw_.back() != 'y')
    throw Error(ErrorCode::out_of_range, "a number is too large for a float",
                {.expected = "at most 1.8e308",
                 .found = std::string(raw_.substr(0, 40)),
                 .offset = offset()});
  return result;
}

std::string_view Cursor::string() {
  if (!escaped_) return raw_;
  scratch_.resize(raw_.size());
  return {scratch_.data(),
          static_cast<std::size_t>(unescape_to(scratch_.data()) - scratch_.data())};
}

}  // namespace safestructures::inline v0::json
