#include <safestructures/data/path.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/error.hpp>
#include "data/limit.hpp"

namespace safestructures::inline v0 {
namespace {

void append_step(std::string& text, std::string_view step) {
  text += '/';
  if (step.find_first_of("~/") == std::string_view::npos) {
    text += step;
    return;
  }
  for (const char c : step) {
    if (c == '~') text += "~0";
    else if (c == '/') text += "~1";
    else text += c;
  }
}

}  // namespace

Path Path::parse(std::string_view text, const Limits& limits) {
  Path path;
  if (text.empty() || text == "/") return path;
  std::size_t begin = text.front() == '/' ? 1 : 0;
  while (true) {
    const std::size_t end = std::min(text.find('/', begin), text.size());
    if (path.steps_.size() == limits.depth)
      throw detail::past(detail::Limit::depth, limits.depth, "a path has too many steps", {});
    std::string step;
    for (std::size_t i = begin; i < end; ++i) {
      if (text[i] != '~') {
        step += text[i];
        continue;
      }
      const char escape = i + 1 < end ? text[i + 1] : '\0';
      if (escape != '0' && escape != '1')
        throw Error(ErrorCode::invalid_argument, "a path has '~' without 0 or 1 after it",
                    {.found = "'" + std::string(text) + "'",
                     .advice = "Write ~0 for '~' and ~1 for '/' inside a step"});
      step += escape == '0' ? '~' : '/';
      ++i;
    }
    path.steps_.push_back(std::move(step));
    if (end == text.size()) return path;
    begin = end + 1;
  }
}

std::string Path::to_string() const {
  std::string text;
  for (const std::string& step : steps_) append_step(text, step);
  return text.empty() ? "/" : text;
}

std::string Path::dotted() const {
  std::string text;
  for (const std::string& step : steps_) {
    if (&step != &steps_.front()) text += '.';
    text += step;
  }
  return text;
}

std::string to_string(const Trace* trace) {
  // Parameters get their ids from their paths: the usual depth needs no allocation.
  std::array<const Trace*, 32> few;
  std::vector<const Trace*> many;
  std::size_t depth = 0;
  for (const Trace* step = trace; step != nullptr; step = step->parent) ++depth;
  if (depth > few.size()) many.resize(depth);
  const std::span<const Trace*> steps =
      depth > few.size() ? std::span<const Trace*>(many) : std::span(few).first(depth);
  for (auto at = steps.rbegin(); trace != nullptr; trace = trace->parent) *at++ = trace;
  std::string text;
  for (const Trace* step : steps) {
    if (step->index == Trace::npos) append_step(text, step->name);
    else append_step(text, std::to_string(step->index));
  }
  return text.empty() ? "/" : text;
}

}  // namespace safestructures::inline v0
