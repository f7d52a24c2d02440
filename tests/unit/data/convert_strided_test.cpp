/// \file
/// Converting a matrix that lies column by column gives what converting its rows gives: the same
/// bytes, the same report, and of several faults the first one.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/tensor.hpp>

namespace ss = safestructures;
using ss::DType;
using ss::Overflow;
using ss::Tensor;

namespace {

struct Matrix {
  std::vector<double> numbers;  ///< Column by column.
  std::uint64_t rows;
  std::uint64_t columns;

  [[nodiscard]] Tensor view() const {
    const std::int64_t strides[] = {8, static_cast<std::int64_t>(8 * rows)};
    return Tensor::strided(DType::F64, {rows, columns}, strides,
                           std::as_bytes(std::span(numbers)).data(), nullptr);
  }
  double& at(std::uint64_t row, std::uint64_t column) {
    return numbers[static_cast<std::size_t>(column * rows + row)];
  }
};

Matrix matrix_of(std::uint64_t rows, std::uint64_t columns) {
  Matrix matrix{std::vector<double>(static_cast<std::size_t>(rows * columns)), rows, columns};
  for (std::size_t i = 0; i < matrix.numbers.size(); ++i)
    matrix.numbers[i] = static_cast<double>(i % 65'521) / 7;
  return matrix;
}

/// What comes of a range: bytes and report, or the error.
struct Converted {
  std::vector<std::byte> bytes;
  ss::ConversionReport report;
  std::string error;

  friend bool operator==(const Converted&, const Converted&) = default;
};

Converted convert(const Tensor& tensor, std::uint64_t first, std::uint64_t count, DType dtype,
                  Overflow overflow) {
  Converted result;
  result.bytes.resize(static_cast<std::size_t>(count) * ss::bit_width(dtype) / 8);
  try {
    result.report = tensor.copy_elements(first, count, dtype, result.bytes, overflow);
  } catch (const ss::Error& error) {
    result.bytes.clear();
    result.error = error.what();
  }
  return result;
}

}  // namespace

TEST_CASE("any range of a column-major matrix converts as its rows do") {
  const unsigned seed = std::random_device()();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  const auto below = [&](std::uint64_t most) { return random() % most; };
  for (int i = 0; i < 60; ++i) {
    const bool is_wide = i % 2 == 0;
    Matrix matrix = matrix_of(1 + below(is_wide ? 40 : 900), 1 + below(is_wide ? 3000 : 300));
    const std::uint64_t size = matrix.rows * matrix.columns;
    for (std::uint64_t faults = below(4); faults > 0; --faults)
      matrix.at(below(matrix.rows), below(matrix.columns)) = 1e300;
    const Tensor view = matrix.view();
    const Tensor rows = view.contiguous();
    const std::uint64_t first = below(2) == 0 ? 0 : below(size);
    const std::uint64_t few = 1 + below(std::min<std::uint64_t>(size - first, 20));
    const std::uint64_t count = std::array{size - first, 1 + below(size - first), few}[below(3)];
    CAPTURE(matrix.rows);
    CAPTURE(matrix.columns);
    CAPTURE(first);
    CAPTURE(count);
    for (const DType dtype : {DType::F32, DType::F16, DType::F8_E4M3})
      for (const Overflow overflow : {Overflow::allow, Overflow::error})
        CHECK((convert(view, first, count, dtype, overflow) ==
               convert(rows, first, count, dtype, overflow)));
  }
}

TEST_CASE(
    "of several numbers that do not fit, the first in order is named, whatever is looked at "
    "first") {
  Matrix matrix = matrix_of(300, 1000);
  // Blocks of columns: this one is looked at before the other.
  matrix.at(100, 3) = 1e300;
  matrix.at(2, 900) = -1e300;
  const Tensor view = matrix.view();
  const auto converted = convert(view, 0, 300'000, DType::F32, Overflow::allow);
  CHECK(converted.report.overflow == 2);
  CHECK(converted.report.first_overflow == 2'900U);
  const auto failed = convert(view, 0, 300'000, DType::F32, Overflow::error);
  CAPTURE(failed.error);
  CHECK(failed.error.find("element 2900") != std::string::npos);
  CHECK(failed.error == convert(view.contiguous(), 0, 300'000, DType::F32, Overflow::error).error);
}
