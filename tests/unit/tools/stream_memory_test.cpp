/// \file
/// What reading a stream costs, by counting what the allocator is asked for.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <istream>
#include <streambuf>

#include <safestructures/data/source.hpp>
#include "support/counting_memory.hpp"

namespace {

/// Gives so many zeros, out of no memory.
class Zeros : public std::streambuf {
 public:
  explicit Zeros(std::size_t size) : left_(size) {}

 private:
  std::streamsize xsgetn(char* to, std::streamsize size) override {
    const std::size_t count = std::min(left_, static_cast<std::size_t>(size));
    std::fill_n(to, count, '\0');
    left_ -= count;
    return static_cast<std::streamsize>(count);
  }

  std::size_t left_;
};

}  // namespace

TEST_CASE("a stream takes the memory of its bytes, and of their copies while it grows") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1000}, std::size_t{20} << 20U}) {
    CAPTURE(size);
    const std::size_t peak = counting_memory::peak_of([&] {
      Zeros zeros(size);
      std::istream in(&zeros);
      CHECK(safestructures::Source::read_all(in)->size() == size);
    });
    CHECK(peak <= 3 * size + (std::size_t{1} << 20U));
  }
}

TEST_CASE("a stream is read as a whole, or memory runs out") {
  using counting_memory::Ends;
  counting_memory::run_out(
      Ends::for_good,
      [] {
        Zeros zeros(std::size_t{1} << 20U);
        std::istream in(&zeros);
        return safestructures::Source::read_all(in, "zeros")->size() == std::size_t{1} << 20U;
      },
      [](bool) {});
}
