#include <safestructures/compare/metrics.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>
#include "compare/kernels/float_kernels.hpp"
#include "compare/metrics/accumulator.hpp"
#include "compare/metrics/angle.hpp"
#include "compare/metrics/side.hpp"
#include "compare/metrics/tensor_pair.hpp"
#include "compare/metrics/tolerance.hpp"
#include "platform/parallel.hpp"

namespace safestructures::inline v0 {

using comparing::Accumulator;
using comparing::are_floats;
using comparing::Common;
using comparing::FloatBlock;
using comparing::Grid;
using comparing::Guess;
using comparing::Side;
using comparing::Sums;

namespace {

// How much is read at once: enough to make a request worthwhile, and both sides stay in the cache.
constexpr std::uint64_t read_size = std::uint64_t{1} << 15U;
// The work of one thread; a multiple of it if there would be more than `most_pieces`.
constexpr std::uint64_t least_piece = std::uint64_t{1} << 18U;
constexpr std::uint64_t most_pieces = 4096;

/// How two tensors are compared.
struct Comparing {
  Common common;
  Tolerance tolerance;
  std::optional<Grid> grid;
};

/// A guess from a sample of two tensors, made when the first differing numbers need it: for equal
/// tensors of 512 KiB in F16 it took more than a third of the time.
class SharedGuess {
 public:
  SharedGuess(const Tensor& a, const Tensor& b, const Grid& grid) : a_(a), b_(b), grid_(grid) {}

  /// Returns null if the sample tells nothing. Safe to call from several threads at once.
  [[nodiscard]] const std::optional<Guess>& get() {
    std::call_once(is_made_, [this] { guess_ = comparing::guess_of(a_, b_, grid_); });
    return guess_;
  }

 private:
  const Tensor& a_;
  const Tensor& b_;
  const Grid& grid_;
  std::once_flag is_made_;
  std::optional<Guess> guess_;
};

/// One thread's part of the work.
class Worker {
 public:
  /// \param guess for adding floats; null to look at each number
  Worker(const Tensor& a, const Tensor& b, const Comparing& how, std::size_t block,
         SharedGuess* guess)
      : found(how.tolerance, how.grid),
        guess_(guess),
        common_(how.common),
        parts_(how.common == Common::complex ? 2 : 1),
        is_narrow_(a.dtype() != DType::F64 && b.dtype() != DType::F64),
        has_like_bytes_(a.dtype() == b.dtype() && is_narrow_ && bit_width(a.dtype()) % 8 == 0),
        are_floats_(are_floats(a.dtype())),
        has_words_(how.grid && comparing::has_words(a.dtype(), b.dtype(), how.grid->dtype)),
        room_(std::min(block, Accumulator::block_size / parts_)),
        a_(a, how.common, room_),
        b_(b, how.common, room_) {}

  Sums add(std::uint64_t first, std::uint64_t count) {
    a_.read(first, count);
    b_.read(first, count);
    Sums sums;
    // In pieces that fit into the first-level caches.
    for (std::uint64_t at = 0; at < count; at += room_) {
      const std::uint64_t now = std::min<std::uint64_t>(room_, count - at);
      if (!add_equal(first + at, now, sums) && !add_floats(first + at, now, sums))
        add_some(first + at, now, sums);
    }
    return sums;
  }

  Accumulator found;

 private:
  static std::size_t in_lanes(std::size_t count) {
    return (count + comparing::lanes - 1) / comparing::lanes * comparing::lanes;
  }

  /// Adds a range whose bytes are equal. \returns false if they are not
  bool add_equal(std::uint64_t first, std::uint64_t count, Sums& sums) {
    if (!has_like_bytes_) return false;
    const std::span<const std::byte> bytes = a_.bytes(first, count);
    if (std::memcmp(bytes.data(), b_.bytes(first, count).data(), bytes.size()) != 0) return false;
    const std::size_t used = static_cast<std::size_t>(count) * parts_;
    const std::size_t whole = in_lanes(used);
    if (are_floats_) {
      const auto added =
          found.add_equal(FloatBlock{.count = whole, .a = a_.floats(first, count)}, used);
      sums += added ? *added : add_equal_finite(a_.copied_floats(first, count), used, first);
      return true;
    }
    a_.load(first, count);
    std::fill(a_.numbers.begin() + static_cast<std::ptrdiff_t>(used),
              a_.numbers.begin() + static_cast<std::ptrdiff_t>(whole), 0);
    const std::span<double> numbers = std::span(a_.numbers).first(whole);
    const auto added = found.add_equal(numbers, used);
    sums += added ? *added : add_equal_finite(numbers, used, first * parts_);
    return true;
  }

  /// \returns false if the range must be compared number by number
  bool add_floats(std::uint64_t first, std::uint64_t count, Sums& sums) {
    if (SharedGuess* const guess = std::exchange(guess_, nullptr))
      if (guess->get()) found.expect(*guess->get());
    if (!found.takes_floats()) return false;
    const auto used = static_cast<std::size_t>(count);
    std::optional<comparing::WordBlock> words;
    if (has_words_) words = {used, a_.bytes(first, count).data(), b_.bytes(first, count).data()};
    std::optional<Sums> added;
    if (!was_masked_)
      added = found.add_floats(
          {.count = in_lanes(used), .a = a_.floats(first, count), .b = b_.floats(first, count)},
          words, used, first);
    if (!added) added = add_finite_floats(first, used);
    if (added) sums += *added;
    return added.has_value();
  }

  /// Adds those numbers of a range that are finite in both, and counts the others.
  std::optional<Sums> add_finite_floats(std::uint64_t first, std::size_t used) {
    const std::span<float> a = a_.copied_floats(first, used);
    const std::span<float> b = b_.copied_floats(first, used);
    const comparing::NonFinite removed = comparing::remove_non_finite(a, b);
    const bool is_tried = !std::exchange(was_masked_, removed.pairs != 0);
    if (is_tried && removed.pairs == 0) return std::nullopt;
    const auto added = found.add_floats(
        {.count = a.size(), .a = std::as_bytes(a).data(), .b = std::as_bytes(b).data()},
        std::nullopt, used - removed.pairs, first);
    if (added) found.take(removed, first);
    return added;
  }

  /// The same for numbers that are equal on both sides. \param numbers are overwritten
  template <class Number>
  Sums add_equal_finite(std::span<Number> numbers, std::size_t used, std::uint64_t first) {
    const comparing::NonFinite removed = comparing::remove_non_finite(numbers, numbers);
    found.take(removed, first);
    const std::size_t rest = used - removed.pairs;
    if constexpr (std::is_same_v<Number, float>)
      return found
          .add_equal(FloatBlock{.count = numbers.size(), .a = std::as_bytes(numbers).data()}, rest)
          .value();
    else return found.add_equal(numbers, rest).value();
  }

  void add_some(std::uint64_t first, std::uint64_t count, Sums& sums) {
    a_.load(first, count);
    b_.load(first, count);
    differences_.resize(a_.numbers.size());
    references_.resize(a_.numbers.size());
    const std::size_t used = static_cast<std::size_t>(count) * parts_;
    if (common_ == Common::integer) {
      for (std::size_t i = 0; i < used; ++i)
        differences_[i] = difference(a_.integer(i), b_.integer(i));
      for (std::size_t i = 0; i < used; ++i) references_[i] = std::abs(b_.numbers[i]);
    } else {
      comparing::block_kernels().subtract(a_.numbers.data(), b_.numbers.data(), in_lanes(used),
                                          differences_.data(), references_.data());
    }
    for (std::size_t i = 0; parts_ == 2 && i < used; ++i) {
      // Relative to an infinite part everything would be small.
      const double modulus = std::hypot(b_.numbers[i / 2 * 2], b_.numbers[i / 2 * 2 + 1]);
      if (std::isfinite(modulus)) references_[i] = modulus;
    }
    for (std::size_t i = used; i % comparing::lanes != 0; ++i)
      a_.numbers[i] = b_.numbers[i] = differences_[i] = references_[i] = 0;
    const std::size_t size = in_lanes(used);
    sums += found.add({.count = used,
                       .a = std::span(a_.numbers).first(size),
                       .b = std::span(b_.numbers).first(size),
                       .difference = std::span(differences_).first(size),
                       .reference = std::span(references_).first(size),
                       .first = first * parts_,
                       .is_narrow = is_narrow_});
  }

  SharedGuess* guess_;  // Null once it was used.
  Common common_;
  std::size_t parts_;
  bool is_narrow_;
  bool has_like_bytes_;  // Equal bytes are equal numbers, and half as much to read.
  bool are_floats_;      // Requires like bytes: converting to doubles would write them once more.
  bool has_words_;       // Requires like bytes: 16-bit numbers of the grid's dtype.
  // Whether numbers of the last range were not finite: masks have many, and are looked for first.
  bool was_masked_ = false;
  std::size_t room_;
  Side a_;
  Side b_;
  std::vector<double> differences_;
  std::vector<double> references_;
};

/// Returns an element as a value: exact, whatever its dtype.
Value element(const Tensor& tensor, std::uint64_t index) {
  // Elements narrower than a byte come in groups of eight.
  const std::uint64_t first = index / 8 * 8;
  const std::uint64_t count = std::min<std::uint64_t>(8, tensor.size() - first);
  const auto place = static_cast<std::size_t>(index - first);
  const auto read = [&]<class T>(T) {
    std::array<T, 8> values{};
    tensor.copy_elements(first, count, dtype_of<T>,
                         std::as_writable_bytes(std::span(values))
                             .first(static_cast<std::size_t>(count) * sizeof(T)),
                         Overflow::allow);
    return values[place];
  };
  const DType dtype = tensor.dtype();
  if (dtype == DType::BOOL) return read(std::uint8_t{}) != 0;
  if (dtype == DType::U64) return read(std::uint64_t{});
  if (is_integer(dtype)) return read(std::int64_t{});
  if (dtype != DType::C64) return read(double{});
  const auto value = read(std::complex<float>{});
  return std::complex<double>(static_cast<double>(value.real()), static_cast<double>(value.imag()));
}

struct Compared {
  Accumulator found;
  Sums sums;
};

/// How two tensors are divided into blocks and pieces.
struct Division {
  explicit Division(const Tensor& a, const Tensor& b) : size(a.size()) {
    // Use larger blocks if small ones would read the same memory again and again.
    const std::uint64_t best = std::max(a.block_elements(read_size), b.block_elements(read_size));
    block = std::max<std::uint64_t>(std::min(best, (size + 7) / 8 * 8), 8);
    blocks = (size + block - 1) / block;
    const std::uint64_t least = std::max<std::uint64_t>(least_piece / block, 1);
    piece = std::max(least, (blocks + most_pieces - 1) / most_pieces);
  }

  std::uint64_t size;    // The number of elements.
  std::uint64_t block;   // Elements that are read at once.
  std::uint64_t blocks;  // The number of blocks.
  std::uint64_t piece;   // Blocks that are summed before the next ones are added.
};

/// Compares some of the blocks. \param progress called with the number of elements of each
template <class Progress>
Sums add_piece(Worker& worker, const Division& division, std::uint64_t begin, std::uint64_t end,
               const Progress& progress) {
  Sums sums;
  for (std::uint64_t at = begin; at < end; ++at) {
    const std::uint64_t first = at * division.block;
    const std::uint64_t now = std::min(division.block, division.size - first);
    sums += worker.add(first, now);
    progress(now);
  }
  return sums;
}

Compared compare_all(const Tensor& a, const Tensor& b, const Comparing& how, SharedGuess* guess,
                     const std::function<void(std::uint64_t)>& progress) {
  const Division division(a, b);
  const std::size_t block = static_cast<std::size_t>(division.block);
  const std::size_t piece = static_cast<std::size_t>(division.piece);
  const unsigned threads =
      platform::threads_for(static_cast<std::size_t>(division.size), least_piece);
  if (threads == 1) {
    // For a small tensor, threads and their results take as long as its numbers.
    Worker worker(a, b, how, block, guess);
    Sums total;
    for (std::uint64_t begin = 0; begin < division.blocks; begin += piece)
      total += add_piece(worker, division, begin, std::min(begin + piece, division.blocks),
                         [&](std::uint64_t now) {
                           if (progress) progress(now);
                         });
    return {std::move(worker.found), total};
  }
  std::vector<Sums> sums(static_cast<std::size_t>((division.blocks + piece - 1) / piece));
  std::vector<std::optional<Worker>> workers(threads);
  std::atomic<std::uint64_t> done = 0;
  platform::in_pieces(
      static_cast<std::size_t>(division.blocks), piece,
      [&](std::size_t begin, std::size_t count, unsigned number) {
        std::optional<Worker>& worker = workers[number];
        if (!worker) worker.emplace(a, b, how, block, guess);
        sums[begin / piece] =
            add_piece(*worker, division, begin, begin + count, [&](std::uint64_t now) {
              done += now;
              if (number == 0 && progress) progress(done.exchange(0));
            });
      },
      threads);
  if (progress && done != 0) progress(done);

  Sums total;
  for (const Sums& one : sums) total += one;
  Accumulator all(how.tolerance, how.grid);
  for (const std::optional<Worker>& worker : workers)
    if (worker) all.merge(worker->found);
  return {std::move(all), total};
}

}  // namespace

TensorMetrics compare_tensors(const Tensor& a, const Tensor& b,
                              const std::optional<Tolerance>& given, const RecordedDTypes& recorded,
                              const std::function<void(std::uint64_t)>& progress) {
  if (a.shape() != b.shape())
    throw Error(ErrorCode::shape_mismatch, "tensors of different shapes cannot be compared",
                {.expected = to_string(b.shape()), .found = to_string(a.shape())});
  const comparing::BothDTypes dtypes{{a.dtype(), recorded.a}, {b.dtype(), recorded.b}};
  Comparing how{.common = comparing::common_of(a.dtype(), b.dtype()),
                .tolerance = given.value_or(comparing::usual_tolerance(dtypes)),
                .grid = {}};
  const auto grid_a = comparing::grid_of(dtypes.a.effective());
  const auto grid_b = comparing::grid_of(dtypes.b.effective());
  if (grid_a && grid_b) how.grid = comparing::coarser(*grid_a, *grid_b);

  std::optional<SharedGuess> guess;
  if (are_floats(a.dtype()) && are_floats(b.dtype()) && how.grid && are_floats(how.grid->dtype))
    guess.emplace(a, b, *how.grid);
  Compared compared = compare_all(a, b, how, guess ? &*guess : nullptr, progress);
  if (!compared.found.is_certain(compared.sums)) compared = compare_all(a, b, how, nullptr, {});
  const std::uint64_t parts = how.common == Common::complex ? 2 : 1;
  TensorMetrics found =
      comparing::metrics_of(compared.found.result(compared.sums, a.size() * parts));
  if (comparing::are_far_apart(compared.sums.a_squares, compared.sums.b_squares))
    comparing::measure_angle(a, b, compared.sums, found);
  if (const std::optional<std::uint64_t> worst = compared.found.worst()) {
    const std::uint64_t index = *worst / parts;
    found.worst = WorstElement{index, element(a, index), element(b, index)};
  }
  return found;
}

}  // namespace safestructures::inline v0
