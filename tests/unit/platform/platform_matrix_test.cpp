/// \file
/// Matrices that are computed in parts of many rows are the same in every sink.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "platform/atomic_file.hpp"
#include "platform/sink.hpp"
#include "support/platform_folder.hpp"

using namespace platform_test;
using namespace safestructures::platform;
using safestructures::Sink;

namespace {

struct Matrix {
  std::uint64_t rows;
  std::uint64_t row_size;
  std::size_t unit;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(rows * row_size); }
};

bool is_equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

/// A sink of somebody else, without ways of its own.
class OwnSink final : public Sink {
 public:
  void write(std::span<const std::byte> bytes) override {
    taken.insert(taken.end(), bytes.begin(), bytes.end());
  }
  [[nodiscard]] std::uint64_t position() const noexcept override { return taken.size(); }

  Bytes taken;
};

void check_in_every_sink(const Matrix& matrix, std::size_t lead, bool durable) {
  CAPTURE(matrix.rows);
  CAPTURE(matrix.row_size);
  CAPTURE(matrix.unit);
  CAPTURE(lead);
  const Folder folder;
  const Bytes source = pattern(matrix.size() + lead);
  const std::span content = std::span(source).subspan(lead);
  AtomicFile file(folder / "f", {.size_hint = source.size(), .durable = durable});
  std::ostringstream stream;
  StreamSink stream_sink(stream);
  Bytes memory;
  VectorSink memory_sink(memory);
  OwnSink own;
  std::atomic<bool> are_parts_good{true};
  std::atomic<std::uint64_t> produced{0};
  Sink* const sinks[] = {&file, &stream_sink, &memory_sink, &own};
  for (Sink* sink : sinks) {
    sink->write(std::span(source).first(lead));
    produced = 0;
    sink->compute_matrix(
        matrix.rows, matrix.row_size, matrix.unit,
        [&](const Sink::Part& part, std::span<std::byte> room) {
          const bool is_inside = part.rows >= 1 && part.row + part.rows <= matrix.rows &&
                                 part.size >= 1 && part.begin + part.size <= matrix.row_size;
          const bool is_whole = part.begin % matrix.unit == 0 && part.size % matrix.unit == 0 &&
                                room.size() == part.rows * part.size;
          if (!is_inside || !is_whole) {
            are_parts_good = false;
            return;
          }
          for (std::uint64_t i = 0; i < part.rows; ++i)
            std::memcpy(room.data() + i * part.size,
                        content.data() + (part.row + i) * matrix.row_size + part.begin, part.size);
          produced += room.size();
        });
    CHECK(produced == matrix.size());
    sink->write_copied(bytes_of("end"));
    REQUIRE(sink->position() == source.size() + 3);
    sink->flush();
  }
  file.commit();
  CHECK(are_parts_good);
  CHECK(is_equal(std::span(memory).first(source.size()), source));
  CHECK(is_equal(std::span(memory).last(3), bytes_of("end")));
  CHECK(is_equal(map_whole(folder / "f")->bytes(), memory));
  CHECK(is_equal(bytes_of(stream.str()), memory));
  CHECK(is_equal(own.taken, memory));
}

}  // namespace

TEST_CASE("a matrix computed in parts is the same in every sink, whatever its size and place") {
  check_in_every_sink({1, 1, 1}, 0, false);
  check_in_every_sink({64, 32'768, 4}, 100, false);
  check_in_every_sink({65, 32'776, 8}, 2 * mib - 3, false);
  check_in_every_sink({3, 3 * mib, 4}, 7, true);
  check_in_every_sink({300, 70'002, 6}, 4096, true);
  // Rows that no sink gathers whole.
  check_in_every_sink({2, 33 * mib, 8}, 1, false);
  const unsigned seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 12; ++i) {
    const std::size_t unit = std::size_t{1} << random() % 4;
    const std::uint64_t rows = 1 + random() % 200;
    check_in_every_sink({rows, unit * (1 + random() % 6000), unit}, random() % 5000, i % 3 == 0);
  }
}

TEST_CASE("files and memory ask for parts of 64 rows, as far as there are so many") {
  const Folder folder;
  for (const std::uint64_t rows : {std::uint64_t{5}, std::uint64_t{64}, std::uint64_t{200}}) {
    AtomicFile file(folder / "f");
    Bytes memory;
    VectorSink memory_sink(memory);
    for (Sink* sink : {static_cast<Sink*>(&file), static_cast<Sink*>(&memory_sink)}) {
      std::atomic<bool> are_tall{true};
      sink->compute_matrix(rows, 400'000, 4, [&](const Sink::Part& part, std::span<std::byte>) {
        const std::uint64_t left = rows - part.row;
        if (part.rows != std::min<std::uint64_t>(64, left)) are_tall = false;
      });
      CHECK(are_tall);
    }
    file.commit();
  }
}

TEST_CASE("when a part of a matrix fails nothing is left, and the foremost failure is told") {
  const Folder folder;
  put(folder / "f", "old");
  for (int round = 0; round < 10; ++round) {
    AtomicFile file(folder / "f");
    CHECK_THROWS_WITH_AS(file.compute_matrix(640, 65'536, 8,
                                             [](const Sink::Part& part, std::span<std::byte>) {
                                               if (part.row >= 128)
                                                 throw std::runtime_error(std::to_string(part.row));
                                             }),
                         "128", std::runtime_error);
  }
  CHECK(folder.names() == std::vector<std::string>{"f"});
  CHECK(get(folder / "f") == "old");
}
