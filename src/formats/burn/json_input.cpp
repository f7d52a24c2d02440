#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "data/text/utf8.hpp"
#include "formats/burn/input.hpp"
#include "formats/burn/utf8.hpp"
#include "formats/json/cursor.hpp"

namespace safestructures::inline v0::burn {
namespace {

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
  const std::size_t size = bytes.size();
  bytes.resize(size + sizeof(T));
  std::memcpy(bytes.data() + size, &value, sizeof(T));
}

class JsonInput final : public Input {
 public:
  JsonInput(std::string_view text, const Limits& limits)
      : cursor_(text, {.what = "the record",
                       .code = ErrorCode::invalid_header,
                       .depth = std::uint64_t{limits.depth} + 3}),
        limits_(limits) {}

  Token next() override {
    token_ = token_of(cursor_.next());
    const bool is_text = token_ == Token::string || token_ == Token::name;
    // The text of the record is UTF-8. Only an escape can be half a surrogate pair, which Rust
    // strings cannot hold.
    if (is_text && !cursor_.is_plain() && detail::find_invalid_utf8(cursor_.string()))
      throw Error(ErrorCode::invalid_utf8, "a text of the record is not UTF-8",
                  {.expected = "pairs of surrogates",
                   .found = "an escape of half a pair",
                   .advice = std::string(utf8_advice),
                   .offset = cursor_.offset()});
    return token_;
  }
  std::uint64_t offset() const noexcept override { return cursor_.offset(); }
  bool boolean() const override { return cursor_.boolean(); }
  std::string_view string() override { return cursor_.string(); }
  ByteRange bytes() const override { return {}; }  // JSON has no bytes.

  Value number() const override {
    if (!cursor_.is_integer()) return cursor_.number_in_range();
    const std::string_view raw = cursor_.raw();
    if (const std::optional<std::int64_t> small = small_integer()) return *small;
    const std::size_t digits = raw.size() - (raw.front() == '-' ? 1 : 0);
    if (digits > limits_.digits)
      throw detail::past(detail::Limit::digits, limits_.digits,
                         {.found = std::to_string(digits), .offset = cursor_.offset()});
    return Value::integer(raw);
  }

  std::optional<Numbers> numbers(Expected expected) override {
    // Copying the cursor would copy its last text that had escapes: for 5 MB that took as many
    // seconds.
    const std::string_view bracket = cursor_.raw();
    const std::size_t depth = cursor_.depth();
    std::optional<Numbers> numbers = expected == Expected::bytes ? pack_bytes() : pack();
    if (numbers) token_ = Token::array_end;
    else cursor_.return_to_array(bracket, depth);
    return numbers;
  }

 private:
  static Token token_of(json::Token token) {
    switch (token) {
      case json::Token::object: return Token::map;
      case json::Token::object_end: return Token::map_end;
      case json::Token::array: return Token::array;
      case json::Token::array_end: return Token::array_end;
      case json::Token::name: return Token::name;
      case json::Token::string: return Token::string;
      case json::Token::number: return Token::number;
      case json::Token::boolean: return Token::boolean;
      case json::Token::null: return Token::null;
      default: break;  // JSON has neither bytes nor extensions.
    }
    return Token::end;
  }

  std::optional<std::int64_t> small_integer() const {
    const std::string_view raw = cursor_.raw();
    std::int64_t number = 0;
    const auto parsed = std::from_chars(raw.data(), raw.data() + raw.size(), number);
    return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
  }

  std::optional<Numbers> pack_bytes() {
    Numbers numbers;
    numbers.dtype = DType::U8;
    if (!cursor_.byte_array(numbers.bytes)) return std::nullopt;
    numbers.count = numbers.bytes.size();
    return numbers;
  }

  std::optional<Numbers> pack() {
    Numbers numbers;
    json::Token token = cursor_.next();
    if (token == json::Token::array_end) return numbers;
    if (token == json::Token::boolean) {
      numbers.dtype = DType::BOOL;
      for (; token == json::Token::boolean; token = cursor_.next())
        append(numbers.bytes, cursor_.boolean());
      return counted(std::move(numbers), token);
    }
    for (; token == json::Token::number && cursor_.is_integer(); token = cursor_.next()) {
      const std::optional<std::int64_t> item = small_integer();
      if (!item) return std::nullopt;
      append(numbers.bytes, *item);
    }
    if (token == json::Token::array_end) return counted(std::move(numbers), token);
    // Integers among floats are floats without a fraction.
    if (!to_doubles(numbers)) return std::nullopt;
    for (; token == json::Token::number || token == json::Token::null; token = cursor_.next()) {
      if (token == json::Token::number && !cursor_.is_integer()) {
        append(numbers.bytes, cursor_.number_in_range());
        continue;
      }
      double item = std::numeric_limits<double>::quiet_NaN();
      if (token == json::Token::number) {
        const std::optional<std::int64_t> integer = small_integer();
        if (!integer || !is_exact(*integer)) return std::nullopt;
        item = static_cast<double>(*integer);
      }
      append(numbers.bytes, item);
      numbers.others.resize(numbers.bytes.size() / sizeof(double));
      numbers.others.back() = true;
    }
    return counted(std::move(numbers), token);
  }

  static std::optional<Numbers> counted(Numbers numbers, json::Token token) {
    if (token != json::Token::array_end) return std::nullopt;
    numbers.count = numbers.bytes.size() / (bit_width(numbers.dtype) / 8);
    return numbers;
  }

  /// Whether a double can hold an integer.
  static bool is_exact(std::int64_t integer) {
    constexpr std::int64_t most = std::int64_t{1} << 53U;
    return integer <= most && integer >= -most;
  }

  static bool to_doubles(Numbers& numbers) {
    numbers.dtype = DType::F64;
    numbers.others.assign(numbers.bytes.size() / sizeof(double), true);
    for (std::size_t i = 0; i < numbers.bytes.size(); i += sizeof(double)) {
      std::int64_t integer = 0;
      std::memcpy(&integer, numbers.bytes.data() + i, sizeof(integer));
      if (!is_exact(integer)) return false;
      const auto number = static_cast<double>(integer);
      std::memcpy(numbers.bytes.data() + i, &number, sizeof(number));
    }
    return true;
  }

  json::Cursor cursor_;
  Limits limits_;
};

}  // namespace

std::unique_ptr<Input> json_input(std::string_view text, const Limits& limits) {
  return std::make_unique<JsonInput>(text, limits);
}

}  // namespace safestructures::inline v0::burn
