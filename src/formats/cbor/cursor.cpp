#include "formats/cbor/cursor.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/minifloat.hpp>
#include "data/limit.hpp"
#include "formats/cbor/big_integer.hpp"

namespace safestructures::inline v0::cbor {
namespace {

constexpr unsigned endless = 31;
constexpr unsigned stop = 0xFF;

/// The major types.
enum class Kind : std::uint8_t { positive, negative, bytes, text, array, map, tag, simple };

constexpr Kind kind_of(unsigned byte) { return static_cast<Kind>(byte >> 5U); }

}  // namespace

void Cursor::fail_at(unsigned byte) const {
  fail("a byte cannot begin a value of CBOR",
       {.expected = "a value", .found = "byte " + std::to_string(byte)});
}

std::uint64_t Cursor::argument(unsigned byte) {
  const unsigned info = byte & 0x1FU;
  switch (info) {
    case 24: return unsigned_number<std::uint8_t>();
    case 25: return unsigned_number<std::uint16_t>();
    case 26: return unsigned_number<std::uint32_t>();
    case 27: return unsigned_number<std::uint64_t>();
    default: break;
  }
  if (info > 27) fail_at(byte);
  return info;
}

bool Cursor::ends() {
  if (std::to_integer<unsigned>(window_.take(1)[0]) == stop) return true;
  window_.rewind(window_.position() - 1);
  return false;
}

Token Cursor::value() {
  for (;;) {
    const auto byte = std::to_integer<unsigned>(window_.take(1)[0]);
    const bool is_endless = (byte & 0x1FU) == endless;
    switch (kind_of(byte)) {
      case Kind::positive: return number(argument(byte));
      case Kind::negative: return negative(argument(byte));
      case Kind::bytes: return is_endless ? pieces(byte >> 5U) : raw(argument(byte));
      case Kind::text: return is_endless ? pieces(byte >> 5U) : string(argument(byte));
      case Kind::array:
      case Kind::map: {
        const Token container = kind_of(byte) == Kind::map ? Token::object : Token::array;
        return open(container, is_endless ? std::nullopt : std::optional(argument(byte)));
      }
      case Kind::tag: {
        const std::uint64_t tag = argument(byte);
        if (tag == self_described) continue;
        if (tag == positive_big || tag == negative_big) return big(tag == negative_big);
        number_ = Value(tag);
        return Token::extension;
      }
      case Kind::simple: return simple(byte);
    }
  }
}

Token Cursor::negative(std::uint64_t bits) {
  if (bits <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return number(static_cast<std::int64_t>(~bits));
  if (bits == std::numeric_limits<std::uint64_t>::max())
    return number(Value::integer("-18446744073709551616"));
  return number(Value::integer("-" + std::to_string(bits + 1)));
}

Token Cursor::big(bool is_negative) {
  const auto byte = std::to_integer<unsigned>(window_.take(1)[0]);
  if (kind_of(byte) != Kind::bytes)
    fail("a big integer has the wrong form",
         {.expected = "bytes", .found = "byte " + std::to_string(byte)});
  std::vector<std::uint8_t> bytes;
  const auto append = [&](const std::byte one) {
    bytes.push_back(std::to_integer<std::uint8_t>(one));
  };
  // A byte is about 2.4 decimal digits.
  const std::uint64_t most = options_.digits / 2 + 1;
  const auto check = [&](std::uint64_t size) {
    if (size > most)
      throw detail::past(detail::Limit::digits, options_.digits,
                         {.found = std::to_string(size) + " bytes", .offset = begin_});
  };
  if ((byte & 0x1FU) == endless) {
    pieces(byte >> 5U);
    check(joined_.size());
    for (const std::byte one : joined_) append(one);
  } else {
    const std::uint64_t size = argument(byte);
    check(size);
    for (const std::byte one : window_.take(size)) append(one);
  }
  if (is_negative) add_one(bytes);
  std::string digits = digits_of_big(bytes);
  if (digits.size() > options_.digits)
    throw detail::past(detail::Limit::digits, options_.digits,
                       {.found = std::to_string(digits.size()), .offset = begin_});
  return number(Value::integer((is_negative ? "-" : "") + digits));
}

Token Cursor::pieces(unsigned kind) {
  const bool is_text = static_cast<Kind>(kind) == Kind::text;
  range_.reset();
  joined_.clear();
  joined_text_.clear();
  for (;;) {
    const auto byte = std::to_integer<unsigned>(window_.take(1)[0]);
    if (byte == stop) break;
    if (byte >> 5U != kind || (byte & 0x1FU) == endless)
      fail("a piece of a text or of bytes has another type",
           {.expected = is_text ? "text" : "bytes", .found = "byte " + std::to_string(byte)});
    const std::uint64_t size = argument(byte);
    if (is_text) {
      joined_text_ += take_text(size);
      continue;
    }
    const std::span<const std::byte> piece = window_.take(size);
    joined_.insert(joined_.end(), piece.begin(), piece.end());
  }
  if (!is_text) return Token::bytes;
  text_ = joined_text_;
  return Token::string;
}

Token Cursor::simple(unsigned byte) {
  switch (byte) {
    case 0xF4: return boolean(false);
    case 0xF5: return boolean(true);
    case 0xF6:
    case 0xF7: return Token::null;
    case 0xF9:
      return number(static_cast<double>(half::from_bits(unsigned_number<std::uint16_t>())));
    case 0xFA: return number(double{std::bit_cast<float>(unsigned_number<std::uint32_t>())});
    case 0xFB: return number(std::bit_cast<double>(unsigned_number<std::uint64_t>()));
    default: fail_at(byte);
  }
}

}  // namespace safestructures::inline v0::cbor
