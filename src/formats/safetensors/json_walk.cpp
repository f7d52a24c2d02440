#include "formats/safetensors/json_walk.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "data/text/printable.hpp"
#include "data/text/utf8.hpp"
#include "formats/safetensors/table.hpp"

namespace safestructures::inline v0::safetensors::detail {

using safestructures::detail::find_invalid_utf8;
using safestructures::detail::Limit;
using safestructures::detail::past;
namespace {

static_assert(text_padding >= simdjson::SIMDJSON_PADDING);

constexpr std::size_t longest_shown = 60;

// Only looks for the first error. Iterates, so that deep nesting needs no stack.
struct SyntaxCheck : nlohmann::json_sax<nlohmann::json> {
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t place, const std::string&,
                   const nlohmann::json::exception&) override {
    position = place;
    return false;
  }
  std::size_t position = 0;
};

}  // namespace

void fail_json(std::string_view text, std::string_view what, std::uint64_t offset) {
  if (const std::optional<std::size_t> bad = find_invalid_utf8(text)) {
    throw Error(ErrorCode::invalid_utf8, std::string(what) + " is not valid UTF-8",
                {.found = JsonWalk::show_byte(text.data() + *bad), .offset = offset + *bad});
  }
  SyntaxCheck check;
  const bool passed = nlohmann::json::sax_parse(text.begin(), text.end(), &check);
  // The parser takes a NUL for the end. It counts positions from 1, and one further at the end.
  const std::size_t place =
      std::min(passed ? text.find('\0') : check.position - std::min<std::size_t>(check.position, 1),
               text.size());
  throw Error(ErrorCode::invalid_header, std::string(what) + " is not valid JSON",
              {.found = place == text.size() ? "its end" : JsonWalk::show_byte(text.data() + place),
               .offset = offset + place});
}

simdjson::ondemand::object JsonWalk::start() {
  const std::size_t trimmed = text_.find_last_not_of(" \t\n\r") + 1;
  const auto error = parser_.iterate(text_.data(), trimmed, trimmed + text_padding).get(document_);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error != simdjson::SUCCESS) fail_syntax();
  simdjson::ondemand::object object;
  if (document_.get_object().get(object)) fail_syntax();
  return object;
}

void JsonWalk::finish() {
  const char* place = nullptr;
  if (document_.current_location().get(place) != simdjson::OUT_OF_BOUNDS) fail_syntax();
}

// Recursive, up to the limit for depth.
void JsonWalk::check_value(simdjson::ondemand::value& value, std::uint32_t depth,
                           std::uint32_t most) {
  using safestructures::detail::Descent;
  // simdjson itself stops at 1024 levels, including those around this value.
  most = std::min<std::uint32_t>(most, 1000);
  if (depth >= most)
    throw past(Limit::depth, most, std::string(what_) + " is nested too deeply", {});
  if (depth >= Descent::unchecked) Descent::check(depth, most, nullptr);
  const auto check_string = [&](const char* begin) {
    std::vector<char> scratch(static_cast<std::size_t>(behind_string(begin) - begin) + 8);
    const json::Unescaped result = json::unescape(begin, end(), scratch.data());
    if (result.fault != json::StringFault::none) fail_string(result, {});
  };
  switch (take<simdjson::ondemand::json_type>(value.type())) {
    case simdjson::ondemand::json_type::object:
      for (auto item : take<simdjson::ondemand::object>(value.get_object())) {
        auto field = take<simdjson::ondemand::field>(std::move(item));
        check_string(field.key().raw());
        check_value(field.value(), depth + 1, most);
      }
      return;
    case simdjson::ondemand::json_type::array:
      for (auto item : take<simdjson::ondemand::array>(value.get_array())) {
        auto element = take<simdjson::ondemand::value>(std::move(item));
        check_value(element, depth + 1, most);
      }
      return;
    case simdjson::ondemand::json_type::string:
      check_string(take<simdjson::ondemand::raw_json_string>(value.get_raw_json_string()).raw());
      return;
    case simdjson::ondemand::json_type::number:
      static_cast<void>(take<double>(value.get_double()));
      return;
    case simdjson::ondemand::json_type::boolean:
      static_cast<void>(take<bool>(value.get_bool()));
      return;
    default: break;
  }
  bool null = false;
  if (value.is_null().get(null) || !null) fail_syntax();
}

void JsonWalk::check_syntax() const {
  if (!find_invalid_utf8(text_)) {
    SyntaxCheck check;
    if (nlohmann::json::sax_parse(text_.begin(), text_.end(), &check)) return;
  }
  fail_syntax();
}

void JsonWalk::fail_syntax() const { fail_json(text_, what_, offset_); }

void JsonWalk::fail_string(const json::Unescaped& result, std::string path) const {
  if (result.fault == json::StringFault::lone_surrogate) {
    throw Error(ErrorCode::invalid_utf8, "a string holds half of a surrogate pair",
                {.path = std::move(path),
                 .expected = "an escape that stands for a character",
                 .found = std::string(result.stop, 6),
                 .offset = offset(result.stop)});
  }
  if (result.fault == json::StringFault::bad_escape) {
    throw Error(ErrorCode::invalid_header, "a string holds an escape that JSON does not have",
                {.path = std::move(path), .offset = offset(result.stop)});
  }
  fail_syntax();
}

const char* JsonWalk::behind_string(const char* inside) const noexcept {
  for (const char* place = inside;;) {
    place = json::find_special(place, end());
    if (place == end()) return place;
    if (*place == '"') return place + 1;
    place += end() - place >= 2 ? 2 : 1;
  }
}

const char* JsonWalk::value_behind(const char* key) const noexcept {
  const char* place = behind_string(key);
  while (place != end() && (is_blank(*place) || *place == ':')) ++place;
  return place;
}

std::string JsonWalk::show(const char* value) const {
  const char* place = value;
  std::size_t open = 0;
  const char* const limit = end() - value > 4096 ? value + 4096 : end();
  while (place < limit) {
    const char c = *place;
    if (open == 0 && (c == ',' || c == '}' || c == ']' || is_blank(c))) break;
    if (c == '"') {
      place = behind_string(place + 1);
      if (open == 0) break;
      continue;
    }
    if (c == '{' || c == '[') ++open;
    ++place;
    if ((c == '}' || c == ']') && --open == 0) break;
  }
  return safestructures::detail::shortened({value, static_cast<std::size_t>(place - value)},
                                           longest_shown);
}

std::string JsonWalk::show_byte(const char* place) {
  const auto byte = static_cast<unsigned char>(*place);
  if (byte > 0x20 && byte < 0x7F) return std::string{'\'', *place, '\''};
  constexpr std::string_view digits = "0123456789abcdef";
  return std::string("byte 0x") + digits[byte >> 4U] + digits[byte & 0xFU];
}

}  // namespace safestructures::inline v0::safetensors::detail
