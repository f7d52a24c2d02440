/// \file
/// Descriptions of types are made once, however many threads ask for them first.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/type_info.hpp>

namespace ss = safestructures;

namespace {

/// Types that nobody has asked for, and that lead to each other.
template <std::size_t N>
struct Number {
  int value;
};
template <std::size_t N>
struct Node {
  Number<N> number;
  std::vector<Node> children;
  std::map<std::string, std::shared_ptr<Node<(N + 1) % 16>>> others;
};

}  // namespace

TEST_CASE("threads that ask for the same and for connected types get the same descriptions") {
  constexpr std::size_t threads = 8;
  constexpr std::size_t types = 16;
  std::array<std::array<const ss::TypeInfo*, types>, threads> found{};
  std::atomic<std::size_t> waiting = threads;
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        // Half of them from the other end.
        if (t % 2 == 0) ((found[t][I] = &ss::type_info<Node<I>>()), ...);
        else ((found[t][types - 1 - I] = &ss::type_info<Node<types - 1 - I>>()), ...);
      }(std::make_index_sequence<types>{});
      for (const ss::TypeInfo* type : found[t])
        if (to_string(*type).empty()) found[t][0] = nullptr;
    });
  }
  for (std::thread& thread : running) thread.join();
  for (std::size_t t = 0; t < threads; ++t) CHECK(found[t] == found[0]);
  for (std::size_t i = 0; i < types; ++i) {
    REQUIRE(found[0][i] != nullptr);
    REQUIRE(found[0][i]->fields.size() == 3);
    CHECK(found[0][i]->fields[2].type->item->item == found[0][(i + 1) % types]);
  }
}
