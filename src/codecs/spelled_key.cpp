#include "codecs/spelled_key.hpp"

#include <charconv>
#include <cstdint>
#include <system_error>

#include "data/text/number.hpp"

namespace safestructures::inline v0::detail {

std::optional<Value> spelled_key(const std::string& text, Keys keys) {
  const auto integer = [&]<class T>(T number) -> std::optional<Value> {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && std::to_string(number) == text) return Value(number);
    return std::nullopt;
  };
  switch (keys) {
    case Keys::any: break;
    case Keys::integers:
      if (auto number = integer(std::int64_t{})) return number;
      return integer(std::uint64_t{});
    case Keys::floats:
      if (const auto number = parse_float(text)) return Value(*number);
      break;
    case Keys::booleans:
      if (text == "true" || text == "false") return Value(text == "true");
      break;
  }
  return std::nullopt;
}

}  // namespace safestructures::inline v0::detail
