/// \file
/// The tree of a JSON text that need not be good, as places in the text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace fuzz::grammar {

/// A value of a text: what is spelled at [begin, end).
struct Part {
  std::size_t item;  ///< Where its key begins, for a member of an object; else `begin`.
  std::size_t key_end;
  std::size_t begin;
  std::size_t end;
  std::size_t parent;
};

inline constexpr std::size_t none = static_cast<std::size_t>(-1);

inline std::size_t end_of_string(std::string_view text, std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2U : 1U;
  return std::min(i + 1, text.size());
}

/// The values of a text that need not be good JSON, outer ones first; at most 2000 of them.
inline std::vector<Part> parts_of(std::string_view text) {
  constexpr std::string_view marks = " \t\r\n,:{}[]\"";
  std::vector<Part> parts;
  std::vector<std::size_t> open;
  std::size_t item = none;
  std::size_t key_end = none;
  const auto add = [&](std::size_t begin, std::size_t end) {
    parts.push_back({item == none ? begin : item, key_end == none ? begin : key_end, begin, end,
                     open.empty() ? none : open.back()});
    item = key_end = none;
  };
  for (std::size_t i = 0; i < text.size() && parts.size() < 2000;) {
    const char c = text[i];
    std::size_t end = i + 1;
    if (c == '{' || c == '[') {
      add(i, text.size());
      open.push_back(parts.size() - 1);
    } else if (c == '}' || c == ']') {
      if (!open.empty()) {
        parts[open.back()].end = end;
        open.pop_back();
      }
    } else if (c == '"') {
      end = end_of_string(text, i);
      const std::size_t next = text.find_first_not_of(" \t\r\n", end);
      const bool is_key = item == none && next != std::string_view::npos && text[next] == ':';
      if (is_key) std::tie(item, key_end) = std::pair(i, end);
      else add(i, end);
    } else if (marks.find(c) == std::string_view::npos) {
      end = std::min(text.find_first_of(marks, i), text.size());
      add(i, end);
    }
    i = end;
  }
  return parts;
}

inline std::string_view view_of(std::string_view text, const Part& part) {
  return text.substr(part.begin, part.end - part.begin);
}
inline std::string_view key_of(std::string_view text, const Part& part) {
  return text.substr(part.item, part.key_end - part.item);
}
/// The value of that key, without escapes, in the object at `parent`.
inline const Part* member(std::string_view text, std::span<const Part> parts, std::size_t parent,
                          std::string_view key) {
  for (const Part& part : parts)
    if (part.parent == parent && part.key_end - part.item == key.size() + 2 &&
        text.substr(part.item + 1, key.size()) == key)
      return &part;
  return nullptr;
}

inline std::string spelled(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) result += c;
    else result += std::string("\\u00") + (c < 16 ? "0" : "1") + "0123456789abcdef"[c & 15];
  }
  return result + '"';
}

/// What a string of JSON says, as far as `spelled` and Python's `json.dumps` spell it.
inline std::string unspelled(std::string_view literal) {
  std::string result;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    char c = literal[i];
    if (c == '\\' && i + 2 < literal.size()) {
      c = literal[++i];
      if (c == 'n') c = '\n';
      if (c == 't') c = '\t';
      if (c == 'u') result += '\\';  // Stays an escape, of the text inside.
    }
    result += c;
  }
  return result;
}

}  // namespace fuzz::grammar
