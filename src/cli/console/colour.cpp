#include "cli/console/colour.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <ostream>

#include "cli/console/output.hpp"

namespace safestructures::cli {
namespace {

std::string_view sequence(Role role) {
  switch (role) {
    case Role::fault: return "\033[1;31m";
    case Role::note: return "\033[33m";
    case Role::good: return "\033[32m";
    case Role::label: return "\033[1m";
    case Role::key: return "\033[36m";
    case Role::rule: return "\033[2m";
    case Role::plain: break;
  }
  return {};
}

/// Returns the end of the rules before a line's text: all blanks and non-ASCII characters.
std::size_t end_of_rules(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && (line[end] == ' ' || static_cast<unsigned char>(line[end]) >= 0x80))
    ++end;
  return end;
}

/// Returns the end of the key, if the line has one: before the colon, which quotes may also
/// contain.
std::size_t end_of_key(std::string_view text) {
  std::size_t i = 0;
  if (text.starts_with('"')) {
    for (i = 1; i < text.size() && text[i] != '"'; ++i)
      if (text[i] == '\\') ++i;
    i = std::min(i + 1, text.size());
  } else {
    i = std::min(text.find(": "), text.size());
  }
  return text.substr(i).starts_with(": ") ? i : 0;
}

}  // namespace

bool is_coloured(std::FILE* file) {
  const auto variable = [](const char* name) -> std::string_view {
    const char* const text = std::getenv(name);
    return text == nullptr ? "" : text;
  };
  return is_terminal(file) && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

std::string coloured(std::string_view text, Role role, bool is_on) {
  if (!is_on || role == Role::plain || text.empty()) return std::string(text);
  return std::string(sequence(role)) + std::string(text) + "\033[0m";
}

void print_tree(std::ostream& out, const Value& value, const PrintOptions& options, bool is_on) {
  if (!is_on) return print(out, value, options);
  const std::string text = to_string(value, options);
  std::string_view tree = text;
  while (!tree.empty()) {
    const std::string_view line = tree.substr(0, tree.find('\n'));
    const std::size_t rules = end_of_rules(line);
    const std::string_view node = line.substr(rules);
    // The root has no key: anything that looks like one is part of its text.
    const std::size_t key = rules == 0 ? 0 : end_of_key(node);
    out << coloured(line.substr(0, rules), Role::rule, true)
        << coloured(node.substr(0, key), Role::key, true) << node.substr(key) << '\n';
    tree.remove_prefix(std::min(line.size() + 1, tree.size()));
  }
}

}  // namespace safestructures::cli
