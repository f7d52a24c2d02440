#include <safestructures/compare/metrics.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>
#include "compare/accumulator.hpp"
#include "platform/parallel.hpp"

namespace safestructures::inline v0 {

using comparing::Accumulator;
using comparing::Grid;
using comparing::Guess;
using comparing::Sums;

namespace {

// What is read at once: a request should be worth its way, and both sides stay in the cache.
constexpr std::uint64_t read_size = std::uint64_t{1} << 15U;
// What a thread takes; a multiple of it where there would be more than `most_pieces`.
constexpr std::uint64_t least_piece = std::uint64_t{1} << 18U;
constexpr std::uint64_t most_pieces = 4096;

/// The dtype in which both sides are compared: one that tells all their numbers apart.
enum class Common : std::uint8_t { real, complex, integer };

Common common_of(DType a, DType b) {
  if (a == DType::C64 || b == DType::C64) return Common::complex;
  if (is_integer(a) && is_integer(b)) return Common::integer;
  return Common::real;
}

/// An integer of 64 bits of either sign.
struct Integer {
  bool is_negative;
  std::uint64_t magnitude;
};

/// a - b, which is 0 only where they are equal.
double difference(const Integer& a, const Integer& b) {
  if (a.is_negative != b.is_negative) {
    const double sum = static_cast<double>(a.magnitude) + static_cast<double>(b.magnitude);
    return a.is_negative ? -sum : sum;
  }
  const double apart = static_cast<double>(a.magnitude > b.magnitude ? a.magnitude - b.magnitude
                                                                     : b.magnitude - a.magnitude);
  return (a.magnitude > b.magnitude) == a.is_negative ? -apart : apart;
}

bool are_floats(DType dtype) {
  switch (dtype) {
    case DType::F32:
    case DType::BF16:
    case DType::F16: return true;
    default: return false;
  }
}

/// The numbers of one side, range by range.
class Side {
 public:
  /// \param room numbers that are loaded at once
  Side(const Tensor& tensor, Common common, std::size_t room)
      : tensor_(tensor),
        common_(common),
        most_(room),
        is_there_(tensor.is_loaded() && tensor.is_contiguous()) {}

  /// Has the bytes of a range at hand, which `bytes` and `load` take parts of.
  void read(std::uint64_t first, std::uint64_t count) {
    if (is_there_) {
      bytes_ = tensor_.bytes();
      return;
    }
    room_.resize(packed(count));
    tensor_.copy_elements(first, count, tensor_.dtype(), room_, Overflow::allow);
    bytes_ = room_;
    first_ = first;
  }

  /// A part of them; `first` is a multiple of eight.
  [[nodiscard]] std::span<const std::byte> bytes(std::uint64_t first, std::uint64_t count) const {
    return bytes_.subspan(packed(first - first_), packed(count));
  }

  void load(std::uint64_t first, std::uint64_t count) {
    const auto used = static_cast<std::size_t>(count);
    if (numbers.empty()) make_room();
    if (common_ == Common::integer) {
      copy(first, count, is_wide() ? DType::U64 : DType::I64, std::span(words_).first(used));
      for (std::size_t i = 0; i < used; ++i) {
        const Integer value = integer(i);
        numbers[i] = value.is_negative ? -static_cast<double>(value.magnitude)
                                       : static_cast<double>(value.magnitude);
      }
    } else if (tensor_.dtype() == DType::C64) {
      copy(first, count, DType::C64, std::span(floats_).first(2 * used));
      std::copy_n(floats_.begin(), 2 * used, numbers.begin());
    } else {
      copy(first, count, DType::F64, std::span(numbers).first(used));
      if (common_ == Common::complex) {
        for (std::size_t i = used; i-- > 0;) {
          numbers[2 * i] = numbers[i];
          numbers[2 * i + 1] = 0;
        }
      }
    }
  }

  /// A part of what was read, of a dtype whose numbers are floats: those of the tensor itself where
  /// they are floats and fill whole lanes, or a copy, filled up with zeros.
  [[nodiscard]] const std::byte* floats(std::uint64_t first, std::uint64_t count) {
    const auto used = static_cast<std::size_t>(count);
    if (tensor_.dtype() == DType::F32 && used % comparing::lanes == 0)
      return bytes(first, count).data();
    floats_.resize((used + comparing::lanes - 1) / comparing::lanes * comparing::lanes);
    copy(first, count, DType::F32, std::span(floats_).first(used));
    std::fill(floats_.begin() + static_cast<std::ptrdiff_t>(used), floats_.end(), 0.0F);
    return std::as_bytes(std::span(floats_)).data();
  }

  /// Of the range that was loaded last.
  [[nodiscard]] Integer integer(std::size_t i) const {
    const std::uint64_t word = words_[i];
    const bool is_negative = !is_wide() && word >> 63U != 0;
    return {is_negative, is_negative ? std::uint64_t{0} - word : word};
  }

  std::vector<double> numbers;

 private:
  [[nodiscard]] bool is_wide() const { return tensor_.dtype() == DType::U64; }
  template <class T>
  void copy(std::uint64_t first, std::uint64_t count, DType dtype, std::span<T> into) {
    convert(tensor_.dtype(), bytes(first, count), dtype, std::as_writable_bytes(into), count,
            Overflow::allow, first);
  }
  /// Most blocks are looked at as they are; for a small tensor zeros take as long as its numbers.
  void make_room() {
    const std::size_t parts = common_ == Common::complex ? 2 : 1;
    // The last block may be filled up with zeros.
    numbers.resize(most_ * parts + comparing::lanes);
    if (tensor_.dtype() == DType::C64) floats_.resize(most_ * parts);
    if (common_ == Common::integer) words_.resize(most_);
  }
  [[nodiscard]] std::size_t packed(std::uint64_t count) const {
    return static_cast<std::size_t>(byte_size(tensor_.dtype(), Shape{count}));
  }

  const Tensor& tensor_;
  Common common_;
  std::size_t most_;
  bool is_there_;
  std::vector<std::byte> room_;
  std::span<const std::byte> bytes_;  // What is at hand: all where that is there.
  std::uint64_t first_ = 0;           // Of its elements.
  std::vector<float> floats_;         // Of complex numbers, or converted.
  std::vector<std::uint64_t> words_;
};

/// What two tensors are compared by.
struct Comparing {
  Common common;
  Tolerance tolerance;
  std::optional<Grid> grid;
};

/// One thread's part of the work.
class Worker {
 public:
  Worker(const Tensor& a, const Tensor& b, const Comparing& how, std::size_t block,
         const std::optional<Guess>& guess)
      : found(how.tolerance, how.grid, guess),
        takes_floats_(guess.has_value()),
        common_(how.common),
        parts_(how.common == Common::complex ? 2 : 1),
        is_narrow_(a.dtype() != DType::F64 && b.dtype() != DType::F64),
        has_like_bytes_(a.dtype() == b.dtype() && is_narrow_ && bit_width(a.dtype()) % 8 == 0),
        room_(std::min(block, Accumulator::block_size / parts_)),
        a_(a, how.common, room_),
        b_(b, how.common, room_) {}

  Sums add(std::uint64_t first, std::uint64_t count) {
    a_.read(first, count);
    b_.read(first, count);
    Sums sums;
    // In pieces that stay in the first-level caches.
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

  /// Takes a range whose bytes are the same. \returns false where they are not, or hold what is no
  /// number
  bool add_equal(std::uint64_t first, std::uint64_t count, Sums& sums) {
    if (!has_like_bytes_) return false;
    const std::span<const std::byte> bytes = a_.bytes(first, count);
    if (std::memcmp(bytes.data(), b_.bytes(first, count).data(), bytes.size()) != 0) return false;
    a_.load(first, count);
    const std::size_t used = static_cast<std::size_t>(count) * parts_;
    const std::size_t whole = in_lanes(used);
    std::fill(a_.numbers.begin() + static_cast<std::ptrdiff_t>(used),
              a_.numbers.begin() + static_cast<std::ptrdiff_t>(whole), 0);
    const auto added = found.add_equal(std::span(a_.numbers).first(whole), used);
    if (added) sums += *added;
    return added.has_value();
  }

  /// \returns false where a range must be looked at number by number
  bool add_floats(std::uint64_t first, std::uint64_t count, Sums& sums) {
    if (!takes_floats_) return false;
    const auto used = static_cast<std::size_t>(count);
    const auto added = found.add_floats(
        {.count = in_lanes(used), .a = a_.floats(first, count), .b = b_.floats(first, count)}, used,
        first);
    if (added) sums += *added;
    return added.has_value();
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
      // Beside an infinite part everything would be small.
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

  bool takes_floats_;
  Common common_;
  std::size_t parts_;
  bool is_narrow_;
  bool has_like_bytes_;  // The same bytes are the same numbers, and half as much to look at.
  std::size_t room_;
  Side a_;
  Side b_;
  std::vector<double> differences_;
  std::vector<double> references_;
};

/// An element as a value of its own: exact, whatever its dtype.
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

Compared compare_all(const Tensor& a, const Tensor& b, const Comparing& how,
                     const std::optional<Guess>& guess,
                     const std::function<void(std::uint64_t)>& progress) {
  const std::uint64_t size = a.size();
  // Where small blocks would read the same memory again and again, larger ones are cut.
  const std::uint64_t best = std::max(a.block_elements(read_size), b.block_elements(read_size));
  const std::uint64_t block = std::max<std::uint64_t>(std::min(best, (size + 7) / 8 * 8), 8);
  const std::uint64_t units = (size + block - 1) / block;
  const std::uint64_t least = std::max<std::uint64_t>(least_piece / block, 1);
  const std::uint64_t piece = std::max(least, (units + most_pieces - 1) / most_pieces);
  std::vector<Sums> sums(static_cast<std::size_t>((units + piece - 1) / piece));
  const unsigned threads = platform::threads_for(static_cast<std::size_t>(size), least_piece);
  std::vector<std::optional<Worker>> workers(threads);
  std::atomic<std::uint64_t> done = 0;
  platform::in_pieces(
      static_cast<std::size_t>(units), static_cast<std::size_t>(piece),
      [&](std::size_t offset, std::size_t count, unsigned number) {
        std::optional<Worker>& worker = workers[number];
        if (!worker) worker.emplace(a, b, how, static_cast<std::size_t>(block), guess);
        for (std::uint64_t unit = offset; unit < offset + count; ++unit) {
          const std::uint64_t first = unit * block;
          const std::uint64_t now = std::min(block, size - first);
          sums[offset / static_cast<std::size_t>(piece)] += worker->add(first, now);
          done += now;
          if (number == 0 && progress) progress(done.exchange(0));
        }
      },
      threads);
  if (progress && done != 0) progress(done);

  Sums total;
  for (const Sums& one : sums) total += one;
  // Of a small tensor it takes as long as the rest to merge them.
  if (threads == 1 && workers.front()) return {std::move(workers.front()->found), total};
  Accumulator all(how.tolerance, how.grid, guess);
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
  const DType dtype_a = comparing::effective_dtype(a.dtype(), recorded.a);
  const DType dtype_b = comparing::effective_dtype(b.dtype(), recorded.b);
  const Tolerance mine = default_tolerance(dtype_a);
  const Tolerance other = default_tolerance(dtype_b);
  Comparing how{.common = common_of(a.dtype(), b.dtype()),
                .tolerance = given.value_or(
                    Tolerance{std::max(mine.rtol, other.rtol), std::max(mine.atol, other.atol)}),
                .grid = {}};
  const auto grid_a = comparing::grid_of(dtype_a);
  const auto grid_b = comparing::grid_of(dtype_b);
  if (grid_a && grid_b) how.grid = comparing::coarser(*grid_a, *grid_b);

  std::optional<Guess> guess;
  if (are_floats(a.dtype()) && are_floats(b.dtype()) && how.grid && are_floats(how.grid->dtype))
    guess = comparing::guess_of(a, b, *how.grid);
  Compared compared = compare_all(a, b, how, guess, progress);
  if (!compared.found.is_certain(compared.sums)) compared = compare_all(a, b, how, {}, {});
  const std::uint64_t parts = how.common == Common::complex ? 2 : 1;
  TensorMetrics found = compared.found.result(compared.sums, a.size() * parts);
  if (const std::optional<std::uint64_t> worst = compared.found.worst()) {
    const std::uint64_t index = *worst / parts;
    found.worst = WorstElement{index, element(a, index), element(b, index)};
  }
  return found;
}

}  // namespace safestructures::inline v0
