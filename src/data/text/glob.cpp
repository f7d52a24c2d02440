#include "data/text/glob.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "data/text/printable.hpp"

namespace safestructures::inline v0::detail {
namespace {

// The code of a byte that is not UTF-8: after all characters.
constexpr char32_t stray = 0x110000;

struct Character {
  char32_t code = 0;
  std::size_t size = 1;  // In bytes.
};

/// Returns the first character of a non-empty text.
Character first_of(std::string_view text) noexcept {
  const CodePoint found = first_code_point(text);
  return {found.is_valid ? found.value : stray + found.value, found.size};
}

struct Class {
  std::string_view name;
  std::string_view ranges;  // Two characters for each range.
};
constexpr std::array<Class, 12> classes = {{
    {"alnum", "09AZaz"},
    {"alpha", "AZaz"},
    {"blank", "\t\t  "},
    {"cntrl", std::string_view("\0\x1F\x7F\x7F", 4)},
    {"digit", "09"},
    {"graph", "!~"},
    {"lower", "az"},
    {"print", " ~"},
    {"punct", "!/:@[`{~"},
    {"space", "\t\r  "},
    {"upper", "AZ"},
    {"xdigit", "09AFaf"},
}};

bool is_of_class(std::string_view name, char32_t code) noexcept {
  const auto found = std::ranges::find(classes, name, &Class::name);
  if (found == classes.end()) return false;
  for (std::size_t i = 0; i < found->ranges.size(); i += 2)
    if (static_cast<char32_t>(found->ranges[i]) <= code &&
        code <= static_cast<char32_t>(found->ranges[i + 1]))
      return true;
  return false;
}

/// A bracket expression, which matches one of its characters.
class Brackets {
 public:
  /// \param glob begins after the opening bracket
  Brackets(std::string_view glob, char32_t code) noexcept : glob_(glob) {
    const bool is_negated = glob.starts_with('!') || glob.starts_with('^');
    if (is_negated) at_ = 1;
    bool has_code = false;
    // A closing bracket in first place is an ordinary character.
    for (bool first = true; at_ < glob.size(); first = false) {
      if (glob[at_] == ']' && !first) {
        size_ = at_ + 1;
        matches_ = has_code != is_negated;
        return;
      }
      if (const auto name = take_class()) {
        has_code |= is_of_class(*name, code);
        continue;
      }
      const auto low = take();
      if (!low) return;
      auto high = low;
      if (at_ + 1 < glob.size() && glob[at_] == '-' && glob[at_ + 1] != ']') {
        ++at_;
        high = take();
        if (!high) return;
      }
      has_code |= *low <= code && code <= *high;
    }
  }

  /// Returns the bytes up to and including the closing bracket; 0 if there is none.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool matches() const noexcept { return matches_; }

 private:
  /// Takes the name in `[:name:]`.
  std::optional<std::string_view> take_class() noexcept {
    const std::string_view rest = glob_.substr(at_);
    if (!rest.starts_with("[:")) return std::nullopt;
    const std::size_t end = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz", 2);
    if (end == std::string_view::npos || !rest.substr(end).starts_with(":]")) return std::nullopt;
    at_ += end + 2;
    return rest.substr(2, end - 2);
  }

  std::optional<char32_t> take() noexcept {
    if (glob_[at_] == '\\' && ++at_ == glob_.size()) return std::nullopt;
    const Character character = first_of(glob_.substr(at_));
    at_ += character.size;
    return character.code;
  }

  std::string_view glob_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  bool matches_ = false;
};

/// Returns the size of the first part of a glob if it matches a character, else 0. The glob is not
/// empty and does not begin with a star.
std::size_t matching(std::string_view glob, char32_t code) noexcept {
  std::size_t before = 0;
  if (glob[0] == '?') return 1;
  if (glob[0] == '[') {
    const Brackets brackets(glob.substr(1), code);
    if (brackets.size() != 0) return brackets.matches() ? 1 + brackets.size() : 0;
  }
  if (glob[0] == '\\') {
    if (glob.size() == 1) return 0;
    before = 1;
  }
  const Character own = first_of(glob.substr(before));
  return own.code == code ? before + own.size : 0;
}

}  // namespace

bool matches_glob(std::string_view glob, std::string_view text) noexcept {
  std::optional<std::string_view> behind_star;
  std::string_view retry;  // Not taken by the last star. Earlier ones need no more.
  while (!text.empty()) {
    if (glob.starts_with('*')) {
      glob.remove_prefix(1);
      behind_star = glob;
      retry = text;
      continue;
    }
    const Character character = first_of(text);
    if (const std::size_t size = glob.empty() ? 0 : matching(glob, character.code); size != 0) {
      glob.remove_prefix(size);
      text.remove_prefix(character.size);
      continue;
    }
    if (!behind_star) return false;
    glob = *behind_star;
    retry.remove_prefix(first_of(retry).size);
    text = retry;
  }
  return glob.find_first_not_of('*') == std::string_view::npos;
}

}  // namespace safestructures::inline v0::detail
