/// \file
/// Threads that are started once for many pieces of work.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>

#include "platform/crew.hpp"
#include "platform/parallel.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using safestructures::platform::Crew;
using safestructures::platform::CrewScope;
using safestructures::platform::in_pieces;

/// The threads that work on many pieces, each of which waits until all of them are there.
std::set<std::thread::id> threads_of_pieces(unsigned threads) {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  std::atomic<unsigned> missing = threads;
  in_pieces(
      threads, 1,
      [&](std::size_t, std::size_t, unsigned) {
        {
          const std::lock_guard lock(mutex);
          ids.insert(std::this_thread::get_id());
        }
        --missing;
        while (missing != 0) std::this_thread::yield();
      },
      threads);
  return ids;
}

TEST_CASE("a crew starts its threads once, however often it is asked") {
  const CrewScope crew;
  const std::set<std::thread::id> first = threads_of_pieces(3);
  REQUIRE(first.size() == 3);
  for (int i = 0; i < 20; ++i) CHECK(threads_of_pieces(3) == first);
  // Of fewer only some are asked, and more are added.
  for (const std::thread::id id : threads_of_pieces(2)) CHECK(first.contains(id));
  const std::set<std::thread::id> more = threads_of_pieces(4);
  REQUIRE(more.size() == 4);
  for (const std::thread::id id : first) CHECK(more.contains(id));
}

TEST_CASE("every piece is worked on once, whether helpers are there in time or too late") {
  const CrewScope crew;
  for (int round = 0; round < 2000; ++round) {
    std::array<std::atomic<int>, 7> calls{};
    std::array<std::size_t, 3> sums{};  // Of each worker alone.
    in_pieces(
        calls.size(), 1,
        [&](std::size_t piece, std::size_t size, unsigned worker) {
          ++calls[piece];
          sums[worker] += size;
          // Helpers that sleep meanwhile, in some rounds.
          if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        },
        3);
    for (const auto& count : calls) REQUIRE(count == 1);
    REQUIRE(std::accumulate(sums.begin(), sums.end(), std::size_t{0}) == calls.size());
  }
}

TEST_CASE("the failure of the foremost piece is thrown, and the crew goes on") {
  const CrewScope crew;
  for (int round = 0; round < 50; ++round) {
    std::string thrown;
    try {
      in_pieces(
          100, 1,
          [](std::size_t piece, std::size_t, unsigned) {
            if (piece >= 10) throw std::runtime_error(std::to_string(piece));
          },
          4);
    } catch (const std::runtime_error& error) {
      thrown = error.what();
    }
    CHECK(thrown == "10");
  }
  CHECK(threads_of_pieces(4).size() == 4);
}

TEST_CASE("the crew is that of its thread, while it is not at work and until it is dismissed") {
  CHECK(Crew::current() == nullptr);
  CrewScope outer;
  Crew* const crew = Crew::current();
  REQUIRE(crew != nullptr);
  {
    CrewScope inner;
    CHECK(Crew::current() == crew);
    inner.dismiss();
    CHECK(Crew::current() == crew);
  }
  CHECK(Crew::current() == crew);
  std::array<const Crew*, 2> within = {crew, crew};
  std::array<std::size_t, 2> threads_within{};
  in_pieces(
      2, 1,
      [&](std::size_t piece, std::size_t, unsigned) {
        // Work within work has its own.
        within[piece] = Crew::current();
        threads_within[piece] = threads_of_pieces(2).size();
      },
      2);
  CHECK(within == std::array<const Crew*, 2>{nullptr, nullptr});
  CHECK(threads_within == std::array<std::size_t, 2>{2, 2});
  CHECK(Crew::current() == crew);
  outer.dismiss();
  CHECK(Crew::current() == nullptr);
  CHECK(threads_of_pieces(2).size() == 2);
}

TEST_CASE("comparisons have a crew, from their first report of progress to their last") {
  const ss::test::Folder folder;
  for (const char* const name : {"a", "b"}) {
    ss::ActivationRecorder recorder(folder / name);
    for (int i = 0; i < 100; ++i) recorder.record("layer", std::vector<float>(64, 1.5F));
    recorder.close();
    ss::save_file(std::vector<float>(64, 1.5F), folder / (std::string(name) + ".safetensors"));
  }
  for (const char* const ending : {"", ".safetensors"}) {
    CAPTURE(ending);
    int reports = 0;
    int without = 0;
    const auto progress = [&](std::uint64_t, std::uint64_t) {
      ++reports;
      without += static_cast<int>(Crew::current() == nullptr);
    };
    const ss::Comparison found =
        ss::compare_files(folder / ("a" + std::string(ending)),
                          folder / ("b" + std::string(ending)), {.progress = progress});
    CHECK(found.differences() == 0);
    CHECK(reports != 0);
    CHECK(without == 0);
    CHECK(Crew::current() == nullptr);
  }
}

}  // namespace
