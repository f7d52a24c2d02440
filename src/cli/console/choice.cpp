#include "cli/console/choice.hpp"

#include <algorithm>
#include <cctype>
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

std::vector<std::string> choices_of(const CLI::Option& option) {
  // `TEXT:a|b|c`: the type that CLI11 sees, then what its validators say.
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
