/// \file
/// No depth exhausts the stack, whatever a thread's stack and whatever `Limits::depth`: what is too
/// deep is an Error.
#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/safestructures.hpp>
#include "malformed/attacks.hpp"
#include "malformed/case.hpp"
#include "support/errors.hpp"
#include "support/json_values.hpp"
#include "support/stack.hpp"

namespace ss = safestructures;
using ss::Value;
using ss::test::error_of;
using ss::test::load_json;
using ss::test::save_json;
using ss::test::stack_factor;
using ss::test::with_stack;

namespace {

constexpr ss::Limits endless{.header_bytes = 100'000'000, .depth = 4'000'000'000};

Value deep_list(std::size_t depth) {
  Value inmost = 1;
  for (std::size_t i = 0; i < depth; ++i) {
    Value around = Value::list();
    around.push_back(std::move(inmost));
    inmost = std::move(around);
  }
  return inmost;
}

std::string deep_json(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

/// \param blank makes the spelling one that only the general reader takes
std::string deep_schema(std::size_t depth, std::string_view blank = "") {
  const std::string head = R"({"data_type": "list", )" + std::string(blank) + R"("value": [)";
  return attacks::repeated(head, depth) + attacks::repeated("]}", depth);
}

ss::Value read_schema(const std::string& text, const ss::Limits& limits) {
  return ss::schema::read(
      text, [](std::string_view) { return std::optional<ss::Tensor>(); }, limits);
}

struct Chain {
  std::unique_ptr<Chain> next;
};

/// Not destroyed recursively.
struct LongChain {
  explicit LongChain(std::size_t depth) {
    for (std::size_t i = 0; i < depth; ++i) {
      auto around = std::make_unique<Chain>();
      around->next = std::move(head.next);
      head.next = std::move(around);
    }
  }
  LongChain(const LongChain&) = delete;
  LongChain& operator=(const LongChain&) = delete;
  ~LongChain() {
    while (head.next) head.next = std::move(head.next->next);
  }
  Chain head;
};

/// A container with a tensor of that name, or with a surplus member of that text.
std::vector<std::byte> container(const std::string& name, const std::string& surplus = "") {
  const std::string text = ss::malformed::container(
      "{\"" + name + R"(":{"dtype":"U8","shape":[],"data_offsets":[0,1])" + surplus + "}}", 1);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Everything that goes down a structure, each with the depth it is given.
struct Way {
  std::string_view name;
  std::function<void(std::size_t depth, const ss::Limits& limits)> go;
};

const std::vector<Way>& ways() {
  using Depth = std::size_t;
  using L = ss::Limits;
  static const std::vector<Way> all = {
      {"JSON is read", [](Depth depth, const L& l) { load_json(deep_json(depth), {.limits = l}); }},
      {"JSON is written",
       [](Depth depth, const L& l) { save_json(deep_list(depth), {}, {.limits = l}); }},
      {"a schema is read", [](Depth depth, const L& l) { read_schema(deep_schema(depth), l); }},
      {"a schema is read in another spelling",
       [](Depth depth, const L& l) { read_schema(deep_schema(depth, " "), l); }},
      {"a schema is written",
       [](Depth depth, const L& l) {
         static_cast<void>(ss::save(deep_list(depth), {.limits = l}));
       }},
      {"an object is encoded",
       [](Depth depth, const L& l) {
         const LongChain chain(depth);
         const Value value = ss::Encoder({.limits = l}).encode(chain.head);
       }},
      {"an object is decoded",
       [](Depth depth, const L& l) {
         Value value = nullptr;
         for (Depth i = 0; i < depth; ++i) {
           Value around = Value::structure("Chain");
           around.insert("next", std::move(value));
           value = std::move(around);
         }
         const auto chain = value.as<Chain>(ss::DecodeOptions{.limits = l});
         static_cast<void>(chain);
       }},
      {"names become a structure",
       [](Depth depth, const L& l) {
         static_cast<void>(
             ss::load(container(attacks::repeated("a.", depth) + "a"), {.limits = l}));
       }},
      {"a surplus member of a header is passed over",
       [](Depth depth, const L& l) {
         static_cast<void>(ss::load(container("a", R"(,"x":)" + deep_json(depth)), {.limits = l}));
       }},
  };
  return all;
}

}  // namespace

TEST_CASE("the depth that the default limit allows needs at most half a megabyte of stack") {
  for (const Way& way : ways()) {
    CAPTURE(way.name);
    with_stack(512 * stack_factor,
               [&] { CHECK(ss::test::error_of_void([&] { way.go(490, {}); }) == "no error"); });
  }
}

TEST_CASE("a small stack makes deep structures an Error and nothing worse") {
  for (const Way& way : ways()) {
    for (const std::size_t kib : {64U, 128U}) {
      CAPTURE(way.name);
      CAPTURE(kib);
      with_stack(kib * stack_factor, [&] {
        CHECK(ss::test::error_of_void([&] { way.go(10, {}); }) == "no error");
        const std::string error = ss::test::error_of_void([&] { way.go(490, {}); });
        if (error != "no error") {
          CHECK(error.starts_with("limit_exceeded: "));
          CHECK(error.find(
                    "a structure is nested too deeply for this thread's stack: found level ") !=
                std::string::npos);
          CHECK(error.ends_with(". Give the thread a larger stack."));
        }
      });
    }
  }
}

TEST_CASE("a limit that no stack can hold makes deep structures an Error and nothing worse") {
  for (const Way& way : ways()) {
    CAPTURE(way.name);
    const std::string error = ss::test::error_of_void([&] { way.go(300'000, endless); });
    if (error != "no error") CHECK(error.starts_with("limit_exceeded: "));
  }
}
