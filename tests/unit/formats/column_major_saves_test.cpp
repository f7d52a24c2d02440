/// \file
/// Large tensors in another memory order are saved in parts of many rows: the files, the reports
/// and the errors are those of the same tensors in row-major order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/safestructures.hpp>

#include "support/folder.hpp"

namespace ss = safestructures;
using ss::DType;
using ss::Shape;
using ss::Tensor;

namespace {

/// A tensor whose dimensions lie in memory in another order.
struct Ordered {
  std::vector<double> numbers;
  Shape shape;
  std::vector<std::int64_t> strides;

  /// \param order the dimensions, from the nearest in memory to the farthest
  Ordered(Shape the_shape, const std::vector<std::size_t>& order)
      : shape(std::move(the_shape)), strides(shape.size()) {
    std::int64_t stride = 1;
    for (const std::size_t i : order) {
      strides[i] = stride;
      stride *= static_cast<std::int64_t>(shape[i]);
    }
    numbers.resize(static_cast<std::size_t>(stride));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<double>(i % 30'011) / 7;
  }

  [[nodiscard]] Tensor view() const {
    std::vector<std::int64_t> bytes(strides);
    for (std::int64_t& stride : bytes) stride *= 8;
    return Tensor::strided(DType::F64, shape, bytes, std::as_bytes(std::span(numbers)).data(),
                           nullptr);
  }
  /// The number at an index of two dimensions.
  double& at(std::uint64_t row, std::uint64_t column) {
    return numbers[static_cast<std::size_t>(row) * static_cast<std::size_t>(strides[0]) +
                   static_cast<std::size_t>(column) * static_cast<std::size_t>(strides[1])];
  }
};

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What saving gives: a file's bytes and the report, or the error.
struct Saved {
  std::string bytes;
  std::vector<std::uint64_t> report;
  std::string error;

  friend bool operator==(const Saved&, const Saved&) = default;
};

Saved saved(const Tensor& tensor, const std::string& path, const ss::SaveOptions& options) {
  try {
    const ss::SaveReport report = ss::save_file(ss::Value(tensor), path, options);
    Saved result{file_text(path), {report.bytes}, {}};
    for (const ss::ConvertedTensor& one : report.conversions)
      for (const std::uint64_t count :
           {one.report.overflow, one.report.underflow, one.report.inexact, one.report.nan_changes,
            one.report.first_overflow.value_or(std::numeric_limits<std::uint64_t>::max())})
        result.report.push_back(count);
    return result;
  } catch (const ss::Error& error) {
    return {{}, {}, error.what()};
  }
}

std::string in_memory(const Tensor& tensor, const ss::SaveOptions& options) {
  const std::vector<std::byte> bytes = ss::save(ss::Value(tensor), options);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string in_stream(const Tensor& tensor, const ss::SaveOptions& options) {
  std::ostringstream out;
  static_cast<void>(ss::save(ss::Value(tensor), out, options));
  return out.str();
}

}  // namespace

TEST_CASE(
    "a tensor in any memory order is saved as its row-major copy, to files, memory, streams") {
  const ss::test::Folder folder;
  const std::string path = (folder / "f.safetensors").string();
  const std::vector<Ordered> tensors = {
      {{16, 140'003}, {0, 1}},
      {{5, 4, 120'000}, {0, 1, 2}},
      {{2, 20, 60'000}, {1, 2, 0}},
      {{3, 800'000}, {0, 1}},
  };
  for (const Ordered& ordered : tensors) {
    CAPTURE(ordered.shape.size());
    CAPTURE(ordered.shape[0]);
    struct Case {
      DType from;
      ss::Precision precision;
    };
    for (const Case& one :
         {Case{DType::F64, ss::Precision::f32}, Case{DType::F64, ss::Precision::preserve},
          Case{DType::F32, ss::Precision::preserve}, Case{DType::F32, ss::Precision::f16},
          Case{DType::BF16, ss::Precision::f32}}) {
      const DType from = one.from;
      CAPTURE(ss::to_string(from));
      // The same order of dimensions with elements of another width.
      const Tensor flat = Tensor::of<double>(ordered.numbers, {ordered.numbers.size()}).to(from);
      const auto width = static_cast<std::int64_t>(ss::bit_width(from) / 8);
      std::vector<std::int64_t> strides(ordered.strides);
      for (std::int64_t& stride : strides) stride *= width;
      const Tensor view = Tensor::strided(from, ordered.shape, strides, flat.origin(), nullptr);
      const Tensor rows = view.contiguous();
      CHECK(view == rows);
      const ss::SaveOptions options{.precision = one.precision};
      const Saved expected = saved(rows, path, options);
      REQUIRE(expected.error.empty());
      CHECK((saved(view, path, options) == expected));
      CHECK((in_memory(view, options) == expected.bytes));
      CHECK((in_stream(view, options) == expected.bytes));
    }
  }
}

TEST_CASE("losses in a matrix that lies column by column are reported and refused as by rows") {
  const ss::test::Folder folder;
  const std::string path = (folder / "f.safetensors").string();
  Ordered matrix({70, 30'000}, {0, 1});
  matrix.at(69, 5) = 1e300;
  matrix.at(3, 29'000) = -1e300;
  matrix.at(3, 29'001) = 1e-300;
  const Tensor view = matrix.view();
  const Tensor rows = view.contiguous();
  const ss::SaveOptions allowed{.overflow = ss::Overflow::allow};
  const Saved report = saved(view, path, allowed);
  REQUIRE(report.report.size() == 6);
  CHECK(report.report[1] == 2);
  CHECK(report.report[2] == 1);
  CHECK(report.report[5] == 3 * 30'000 + 29'000);
  CHECK((report == saved(rows, path, allowed)));

  const Saved refused = saved(view, path, {});
  CHECK(refused.error.find("element 119000") != std::string::npos);
  CHECK(refused.error == saved(rows, path, {}).error);
  const ss::SaveOptions lossless{.overflow = ss::Overflow::allow, .lossless = true};
  CHECK(saved(view, path, lossless).error.find("rounded") != std::string::npos);
  CHECK(saved(view, path, lossless).error == saved(rows, path, lossless).error);
}
