#include "cli/console/choice.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <safestructures/data/dtype.hpp>

namespace safestructures::cli {
namespace {

bool is_same_word(const std::string& a, const std::string& b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

/// Parses `500MB`, `5 GiB`, `2g`, `600`: KB is 1000 bytes, KiB 1024.
std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, size);
  if (fault != std::errc()) return std::nullopt;
  std::string unit(rest, end);
  unit.erase(0, unit.find_first_not_of(' '));
  for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (unit.empty() || unit == "b") return size;
  const std::string_view kind = std::string_view(unit).substr(1);
  if (!kind.empty() && kind != "b" && kind != "i" && kind != "ib") return std::nullopt;
  const std::size_t power = std::string_view("kmgtpe").find(unit.front());
  if (power == std::string_view::npos) return std::nullopt;
  const std::uint64_t factor = kind.starts_with('i') ? 1024 : 1000;
  for (std::size_t i = 0; i <= power; ++i) {
    if (size > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
    size *= factor;
  }
  return size;
}

}  // namespace

CLI::Validator one_of(const std::string& what, std::vector<std::string> words) {
  std::string description = fmt::format("{}", fmt::join(words, "|"));
  const auto check = [what, words = std::move(words)](std::string& word) -> std::string {
    for (const std::string& known : words) {
      if (!is_same_word(known, word)) continue;
      word = known;
      return {};
    }
    return fmt::format("there is no {} '{}': the {}s are {}", what, word, what,
                       fmt::join(words, ", "));
  };
  return {check, std::move(description), what};
}

CLI::Validator known_dtype() {
  std::vector<std::string> names;
  names.reserve(dtype_count);
  for (std::size_t i = 0; i < dtype_count; ++i)
    names.emplace_back(to_string(static_cast<DType>(i)));
  return one_of("dtype", std::move(names));
}

CLI::Validator size_in_bytes() {
  const auto to_bytes = [](std::string& text) -> std::string {
    const std::optional<std::uint64_t> bytes = parse_size(text);
    if (!bytes)
      return fmt::format("expected a size such as 500MB, 5GiB or a number of bytes, found '{}'",
                         text);
    text = std::to_string(*bytes);
    return {};
  };
  // With a description, CLI11 does not take it for a count.
  return {to_bytes, "SIZE", "size"};
}

CLI::Validator not_empty() {
  const auto check = [](std::string& text) -> std::string {
    return text.empty() ? "expected a value, found an empty text" : "";
  };
  return {check, "", "text"};
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  // `TEXT:a|b|c`: CLI11's type name, then the descriptions of its validators.
  std::string text = option.get_type_name();
  std::vector<std::string> words;
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.find('|') == std::string::npos) return words;
  for (std::size_t start = colon + 1; start <= text.size();) {
    const std::size_t end = std::min(text.find('|', start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

}  // namespace safestructures::cli
