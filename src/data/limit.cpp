#include "data/limit.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "platform/stack.hpp"

namespace safestructures::inline v0::detail {
namespace {

struct Words {
  std::string_view problem;
  std::string_view unit;
  std::string_view name;
};

// In the order of Limit.
constexpr Words words[] = {
    {"the header is too large", " bytes", "header_bytes"},
    {"a structure is nested too deeply", " levels", "depth"},
    {"a structure has too many nodes", "", "nodes"},
    {"a tensor has too many dimensions", "", "rank"},
    {"an int has too many digits", "", "digits"},
    {"there are too many tensors", "", "tensors"},
    {"the index names too many files", "", "shards"},
    {"a structure refers to the same tensors too often", " bytes of repeated tensors", "repeats"},
    {"a compressed file is too large when unpacked", " bytes", "expansion"},
    {"a node has too many extension fields", "", "attributes"},
};

/// Returns `size` times `factor`, but at least `least`. Saturates: a file on disk is far below 2^63
/// bytes, but its size times a limit need not be.
std::uint64_t multiple(std::uint64_t size, std::uint32_t factor, std::uint64_t least) noexcept {
  if (size != 0 && factor > UINT64_MAX / size) return UINT64_MAX;
  return std::max(size * factor, least);
}

const Words& words_of(Limit limit) { return words[static_cast<std::size_t>(limit)]; }

}  // namespace

std::string at_most(Limit limit, std::uint64_t most) {
  std::string text = "at most " + std::to_string(most);
  text.append(words_of(limit).unit).append(" (Limits::").append(words_of(limit).name);
  return text += ')';
}

Error past(Limit limit, std::uint64_t most, ErrorDetails details) {
  return past(limit, most, std::string(words_of(limit).problem), std::move(details));
}

Error past(Limit limit, std::uint64_t most, std::string problem, ErrorDetails details) {
  details.expected = at_most(limit, most);
  return {ErrorCode::limit_exceeded, std::move(problem), std::move(details)};
}

std::uint64_t most_repeated(std::uint64_t size, const Limits& limits) noexcept {
  return multiple(size, limits.repeats, std::uint64_t{1} << 30U);
}

std::uint64_t most_unpacked(std::uint64_t size, const Limits& limits) noexcept {
  return multiple(size, limits.expansion, std::uint64_t{1} << 28U);
}

void Descent::check(std::uint32_t depth, std::uint32_t most, const Trace* trace,
                    std::uint32_t outer) {
  if (depth >= std::uint64_t{most} + outer)
    throw past(Limit::depth, most, {.path = to_string(trace)});
  if (platform::stack_is_low()) fail_stack(depth, trace);
}

void Descent::fail_stack(std::uint32_t depth, const Trace* trace) {
  throw Error(ErrorCode::limit_exceeded, "a structure is nested too deeply for this thread's stack",
              {.path = to_string(trace),
               .found = "level " + std::to_string(depth + 1),
               .advice = "Give the thread a larger stack"});
}

}  // namespace safestructures::inline v0::detail
