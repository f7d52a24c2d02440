/// \file
/// Masks of attention that are off by one, whatever hides a score, and what is no such mask.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/safestructures.hpp>
#include "support/gaussian.hpp"
#include "support/suspected.hpp"

namespace {

namespace ss = safestructures;
using Numbers = std::vector<float>;

constexpr std::size_t heads = 4;
constexpr std::size_t length = 8;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// How a mask hides a score.
struct Hiding {
  std::string name;
  std::function<float(float)> hidden;
};

std::vector<Hiding> hidings() {
  std::vector<Hiding> all{{"-1e4 added", [](float score) { return score - 1e4F; }}};
  for (const float fill : {-infinity, std::numeric_limits<float>::lowest(), -1e9F, -1e4F, 0.0F})
    all.push_back({std::to_string(fill), [=](float) { return fill; }});
  return all;
}

/// Scores of which each token sees itself, what is before it, and `more`.
Numbers masked(const std::function<float(float)>& hidden, std::ptrdiff_t more,
               Numbers scores = ss::test::gaussian<float>(heads * length * length, 1, 2)) {
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (static_cast<std::ptrdiff_t>(i % length) >
        static_cast<std::ptrdiff_t>(i / length % length) + more)
      scores[i] = hidden(scores[i]);
  return scores;
}

ss::Tensor tensor(Numbers numbers) {
  return ss::Tensor::own(std::move(numbers), {1, heads, length, length});
}

}  // namespace

TEST_CASE("a mask that is off by one is suspected before any other, whatever it hides by") {
  for (const Hiding& one : hidings())
    for (const std::ptrdiff_t more : {1, -1}) {
      CAPTURE(one.name);
      CAPTURE(more);
      const std::vector<ss::Suspicion> found =
          ss::test::suspected(tensor(masked(one.hidden, more)), tensor(masked(one.hidden, 0)));
      REQUIRE(!found.empty());
      CHECK(found[0].fault == "mask off by one");
      CHECK(found[0].evidence ==
            (more > 0 ? "a lets through what b masks, in 28 places, all where the last index is "
                        "the one before it +1"
                      : "b lets through what a masks, in 32 places, all where the last index is "
                        "the one before it +0"));
      CHECK(!ss::test::names(found, "position offset"));
    }
}

TEST_CASE("a mask that is off by one is suspected in the mask itself, too") {
  const auto bools = [](std::ptrdiff_t more) {
    return tensor(masked([](float) { return 0.0F; }, more, Numbers(heads * length * length, 1)))
        .to(ss::DType::BOOL);
  };
  for (const std::ptrdiff_t more : {1, -1}) {
    const std::vector<ss::Suspicion> found = ss::test::suspected(bools(more), bools(0));
    REQUIRE(found.size() == 1);
    CHECK(found[0].fault == "mask off by one");
    CHECK(found[0].explained == 1);
  }
}

TEST_CASE("a comparison shows a mask by infinities that is off by one") {
  const auto file = [](std::ptrdiff_t more) {
    return ss::Value::dict({{"scores", tensor(masked([](float) { return -infinity; }, more))}});
  };
  const ss::Comparison found = ss::compare(file(1), file(0));
  REQUIRE(found.rows.at(0).suspicions.size() == 1);
  CHECK(found.rows[0].suspicions[0].fault == "mask off by one");
}

TEST_CASE("of a large tensor, looked at in parts, a moved mask is no position offset") {
  constexpr std::size_t tokens = 1024;
  const auto file = [](std::size_t more) {
    std::vector<float> scores = ss::test::gaussian<float>(tokens * tokens, 1, 2);
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (i % tokens > i / tokens + more) scores[i] = -1e9F;
    return ss::Value::dict({{"scores", ss::Tensor::own(std::move(scores), {tokens, tokens})}});
  };
  const std::vector<ss::Suspicion> found = ss::compare(file(1), file(0)).rows.at(0).suspicions;
  REQUIRE(!found.empty());
  CHECK(found[0].fault == "mask off by one");
  CHECK(found[0].evidence.ends_with(" of 1048576 numbers"));
  CHECK(!ss::test::names(found, "position offset"));
}

TEST_CASE("two ways to hide the same scores are not taken for different masks") {
  for (const Hiding& a : hidings())
    for (const Hiding& b : hidings()) {
      CAPTURE(a.name);
      CAPTURE(b.name);
      const ss::Tensor of_a = tensor(masked(a.hidden, 0));
      const ss::Tensor of_b = tensor(masked(b.hidden, 0));
      ss::comparing::Case one;
      if (!one.take(of_a, of_b, nullptr, ss::comparing::IndexGrid(of_a.shape()))) continue;
      for (const ss::Suspicion& found : ss::comparing::suspect(one))
        CHECK(found.evidence.find("lets through") == std::string::npos);
    }
}

TEST_CASE("zeros that are on one diagonal by chance are not taken for a mask") {
  constexpr std::size_t side = 16;
  for (const std::ptrdiff_t diagonal : {-7, 0, 1, 7}) {
    CAPTURE(diagonal);
    Numbers b = ss::test::gaussian<float>(side * side, 1);
    // As after a ReLU, which rounding lets pass or not.
    for (float& number : b) number = std::max(number, 0.0F);
    Numbers a = b;
    for (float& number : a) number *= 1.001F;
    for (const std::size_t row : {7U, 8U}) {
      const auto column = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(row) + diagonal);
      b[row * side + column] = 1;
      a[row * side + column] = 0;
    }
    const auto matrix = [](Numbers numbers) {
      return ss::Tensor::own(std::move(numbers), {side, side});
    };
    CHECK(!ss::test::names(ss::test::suspected(matrix(a), matrix(b)), "mask off by one"));
    CHECK(!ss::test::names(ss::test::suspected(matrix(b), matrix(a)), "mask off by one"));
  }
}

TEST_CASE("a mask that is off by one is suspected beside padding that both sides mask") {
  // The last tokens of the second text are padding, and so are nearly all of the third.
  const auto scores = [](std::ptrdiff_t more) {
    Numbers all = masked([](float) { return -infinity; }, more,
                         ss::test::gaussian<float>(heads * length * length, 1, 2));
    for (std::size_t text = 1; text < 3; ++text)
      for (std::size_t i = 0; i < length * length; ++i)
        if (i % length > (text == 1 ? 5U : 1U)) all[text * length * length + i] = -infinity;
    return tensor(std::move(all));
  };
  for (const std::ptrdiff_t more : {1, -1})
    CHECK(ss::test::names(ss::test::suspected(scores(more), scores(0)), "mask off by one"));
}

TEST_CASE("a mask that is off by one is suspected beside what both sides let through") {
  constexpr std::size_t side = 16;
  // Whether a row lets a key through; in place of `window` one that is longer or shorter by one.
  using Sees = std::function<bool(std::size_t row, std::size_t key, std::size_t window)>;
  const Sees with_sink = [](std::size_t row, std::size_t key, std::size_t window) {
    return key <= row && (key + window > row || key < 2);
  };
  const Sees with_prefix = [](std::size_t row, std::size_t key, std::size_t window) {
    return key + 5 <= row + window || key < 6;
  };
  // A row of padding whose keys are all hidden by one number gets equal probabilities.
  const Sees with_padding = [](std::size_t row, std::size_t key, std::size_t window) {
    return row < 3 || (key >= 3 && key + 5 <= row + window);
  };
  for (const Sees& sees : {with_sink, with_prefix, with_padding})
    for (const float hidden : {0.0F, -infinity, -1e9F}) {
      const auto scores = [&](std::size_t window) {
        Numbers all = ss::test::gaussian<float>(side * side, 1, 2);
        for (std::size_t i = 0; i < all.size(); ++i)
          if (!sees(i / side, i % side, window)) all[i] = hidden;
        return ss::Tensor::own(std::move(all), {side, side});
      };
      CAPTURE(hidden);
      for (const std::size_t window : {4U, 6U})
        CHECK(ss::test::names(ss::test::suspected(scores(window), scores(5)), "mask off by one"));
    }
}

TEST_CASE("rows that moved under a mask are not taken for a different mask") {
  const auto hidden = [](float) { return -1e9F; };
  const Numbers scores = ss::test::gaussian<float>(heads * length * length, 1, 2);
  Numbers later = masked(hidden, 0, scores);
  const Numbers right = later;
  for (std::size_t i = 0; i + length < later.size(); ++i)
    if (i / length % length + 1 < length) later[i] = right[i + length];
  const std::vector<ss::Suspicion> found = ss::test::suspected(tensor(later), tensor(right));
  REQUIRE(!found.empty());
  CHECK(found[0].fault == "position offset");
}

TEST_CASE("scores without their mask are not taken for multiples of the masked ones") {
  for (const float fill : {-1e4F, -1e9F, std::numeric_limits<float>::lowest()}) {
    Numbers scores = ss::test::gaussian<float>(heads * length * length, 1, 2);
    const ss::Tensor all = tensor(scores);
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (i % length > 5) scores[i] = fill;
    CHECK(!ss::test::names(ss::test::suspected(all, tensor(scores)), "missing scale"));
    CHECK(!ss::test::names(ss::test::suspected(tensor(scores), all), "missing scale"));
  }
}
