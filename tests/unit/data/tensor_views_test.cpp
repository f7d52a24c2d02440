/// \file
/// Strides, slices and permutations are views; what reads them goes in row-major order, block by
/// block.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/tensor.hpp>
#include "support/column_major.hpp"
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::test::ColumnMajor;
using ss::test::counted;
using ss::test::error_of;

TEST_CASE("strides that happen to be row-major make a contiguous tensor") {
  const std::vector<float> values = counted(12);
  const std::byte* origin = std::as_bytes(std::span(values)).data();
  const ss::Tensor plain = ss::Tensor::strided(
      ss::DType::F32, {3, 1, 4}, std::array<std::int64_t, 3>{16, -77, 4}, origin, nullptr);
  CHECK(plain.is_contiguous());
  CHECK(plain.strides().empty());
  CHECK(plain.bytes().data() == origin);
  const ss::Tensor empty = ss::Tensor::strided(ss::DType::F32, {3, 0},
                                               std::array<std::int64_t, 2>{4, 12}, origin, nullptr);
  CHECK(empty.is_contiguous());
  CHECK(empty.origin() == nullptr);
  const ColumnMajor matrix;
  CHECK_FALSE(matrix.tensor.is_contiguous());
  CHECK(matrix.tensor.strides()[1] == 12);
  const ss::Tensor copy = matrix.tensor;
  CHECK(copy.strides()[0] == 4);
  CHECK(error_of([&] {
          return ss::Tensor::strided(ss::DType::F32, {3, 4}, std::array<std::int64_t, 1>{4}, origin,
                                     nullptr);
        }) ==
        "invalid_argument: a stride is needed for each dimension: expected 2 for [3, 4], found 1.");
  CHECK(error_of([&] {
          return ss::Tensor::strided(ss::DType::F4, {4}, std::array<std::int64_t, 1>{4}, origin,
                                     nullptr);
        }) == "invalid_argument: elements narrower than a byte cannot be strided: found F4.");
  CHECK(error_of([&] { return matrix.tensor.reshape({12}); }) ==
        "invalid_argument: a strided tensor cannot be reshaped: found F32 [3, 4]. Call "
        "contiguous() first.");
}

TEST_CASE("a strided tensor is copied, compared and converted in row-major order") {
  const ColumnMajor matrix;
  const ss::Tensor rows = ss::Tensor::of(std::span<const float>(matrix.row_major), {3, 4});
  CHECK(matrix.tensor == rows);
  CHECK(matrix.tensor.contiguous() == rows);
  CHECK(matrix.tensor.contiguous().is_contiguous());
  CHECK(matrix.tensor.to_vector<float>() == matrix.row_major);
  CHECK(matrix.tensor.to_vector<std::uint8_t>() ==
        std::vector<std::uint8_t>{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11});
  CHECK(matrix.tensor.to(ss::DType::F64).shape() == ss::Shape{3, 4});
  CHECK_FALSE(matrix.tensor == ss::Tensor::of(std::span<const float>(matrix.memory), {3, 4}));
}

TEST_CASE("ranges of elements are copied and converted as parts of the whole tensor") {
  std::vector<double> values(200'000);
  std::iota(values.begin(), values.end(), -7.0);
  // Contiguous, and as a column: the same elements.
  const std::byte* origin = std::as_bytes(std::span(values)).data();
  const ss::Tensor plain = ss::Tensor::of(std::span<const double>(values), {400, 500});
  const ss::Tensor mirrored = ss::Tensor::strided(
      ss::DType::F64, {500, 400}, std::array<std::int64_t, 2>{8, 4000}, origin, nullptr);
  for (const ss::Tensor& tensor : {plain, mirrored}) {
    const std::vector<float> whole = tensor.to_vector<float>();
    for (const auto& [first, count] : {std::pair<std::uint64_t, std::uint64_t>{0, 200'000},
                                       {0, 0},
                                       {200'000, 0},
                                       {777, 150'001},
                                       {199'999, 1}}) {
      std::vector<float> part(count);
      tensor.copy_elements(first, count, ss::DType::F32, std::as_writable_bytes(std::span(part)),
                           ss::Overflow::error);
      CHECK(part == std::vector<float>(whole.begin() + static_cast<std::ptrdiff_t>(first),
                                       whole.begin() + static_cast<std::ptrdiff_t>(first + count)));
    }
    std::vector<float> small(3);
    const auto target = std::as_writable_bytes(std::span(small));
    CHECK(error_of([&] {
            return tensor.copy_elements(199'998, 3, ss::DType::F32, target, ss::Overflow::error);
          }) ==
          "out_of_range: the range is outside the tensor: expected a range of 200000 elements, "
          "found 3 elements from element 199998 on.");
    CHECK(error_of([&] {
            return tensor.copy_elements(0, 2, ss::DType::F32, target, ss::Overflow::error);
          }) ==
          "shape_mismatch: the target has the wrong length: expected 8 bytes, found 12 bytes.");
  }
}

TEST_CASE("reports of all blocks are added up and count elements from the tensor's start") {
  std::vector<double> values(300'000, 1.0);
  values[250'001] = 1e300;  // In the last rows of the mirrored view.
  values[270'002] = 1e300;
  const ss::Tensor mirrored =
      ss::Tensor::strided(ss::DType::F64, {300'000 / 2, 2}, std::array<std::int64_t, 2>{16, 8},
                          std::as_bytes(std::span(values)).data(), nullptr);
  const ss::Tensor reversed = mirrored.slice(ss::parse_slices("::-1"));
  CHECK_FALSE(reversed.is_contiguous());
  std::vector<float> out(300'000);
  const ss::ConversionReport report = reversed.copy_to(
      ss::DType::F32, std::as_writable_bytes(std::span(out)), ss::Overflow::saturate);
  CHECK(report.overflow == 2);
  CHECK(report.first_overflow == 300'000 - 2 - 270'002);
  CHECK(out[300'000 - 2 - 270'002] == std::numeric_limits<float>::max());
  CHECK(error_of([&] {
          return reversed.to(ss::DType::F32);
        }).find(std::to_string(300'000 - 2 - 270'002)) != std::string::npos);
}

TEST_CASE("packed elements are copied in groups of eight") {
  ss::Tensor packed = ss::Tensor::allocate(ss::DType::F4, {20});
  for (std::size_t i = 0; i < 10; ++i) packed.mutable_bytes()[i] = static_cast<std::byte>(i * 17);
  std::vector<std::byte> part(6);
  packed.copy_elements(8, 12, ss::DType::F4, part, ss::Overflow::error);
  CHECK(std::equal(part.begin(), part.end(), packed.bytes().begin() + 4));
  CHECK(packed.to(ss::DType::F32).to(ss::DType::F4) == packed);
  CHECK(error_of([&] {
          return packed.copy_elements(4, 8, ss::DType::F4, std::span(part).first(4),
                                      ss::Overflow::error);
        }) ==
        "invalid_argument: the range cuts a packed group of elements: expected multiples of 8 for "
        "elements of 4 bits, found 8 elements from element 4 on.");
  CHECK(error_of([&] { return packed.slice(ss::parse_slices("2:4")); }) ==
        "invalid_argument: elements narrower than a byte cannot be sliced: found F4 [20]. Convert "
        "the tensor to U8 or F32 first.");
}

TEST_CASE("slices are views with the elements that NumPy gives") {
  std::vector<std::int32_t> values(60);
  std::iota(values.begin(), values.end(), 0);
  const ss::Tensor cube = ss::Tensor::of(std::span<const std::int32_t>(values), {3, 4, 5});
  const struct {
    std::string text;
    ss::Shape shape;
    std::vector<std::int32_t> elements;
  } cases[] = {
      {"1", {4, 5}, {20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
                     30, 31, 32, 33, 34, 35, 36, 37, 38, 39}},
      {"2,-1,3", {}, {58}},
      {":,1,2", {3}, {7, 27, 47}},
      {"::-2,0,::4", {2, 2}, {40, 44, 0, 4}},
      {"0,1:3,-2:", {2, 2}, {8, 9, 13, 14}},
      {"5:,0", {0, 5}, {}},
      {"1:2,3:1:-1,100:-100:-3", {1, 2, 2}, {39, 36, 34, 31}},
  };
  for (const auto& one : cases) {
    CAPTURE(one.text);
    const ss::Tensor part = cube.slice(ss::parse_slices(one.text));
    CHECK(part.shape() == one.shape);
    CHECK(part.to_vector<std::int32_t>() == one.elements);
    if (part.size() != 0) {
      CHECK(part.origin() >= cube.origin());
      CHECK(part.origin() < cube.origin() + cube.byte_size());
    }
  }
  CHECK(cube.slice(ss::parse_slices("1")).is_contiguous());
  const ss::Tensor twice = cube.slice(ss::parse_slices(":,::-1")).slice(ss::parse_slices("1,0"));
  CHECK(twice.to_vector<std::int32_t>() == std::vector<std::int32_t>{35, 36, 37, 38, 39});
}

TEST_CASE("slices that lead nowhere are refused") {
  const std::vector<float> values = counted(6);
  const ss::Tensor matrix = ss::Tensor::of(std::span<const float>(values), {2, 3});
  CHECK(error_of([&] { return matrix.slice(ss::parse_slices(":,3")); }) ==
        "out_of_range: the index is outside dimension 1: expected an index from -3 to 2, found 3.");
  CHECK(
      error_of([&] { return matrix.slice(ss::parse_slices("-3")); }) ==
      "out_of_range: the index is outside dimension 0: expected an index from -2 to 1, found -3.");
  CHECK(error_of([&] { return ss::Tensor().slice(ss::parse_slices("0")); }) ==
        "out_of_range: the index is outside dimension 0: expected no index, as the dimension is "
        "empty, found 0.");
  CHECK(error_of([&] { return matrix.slice(ss::parse_slices(":,:,0")); }) ==
        "invalid_argument: more slices than dimensions: expected at most 2 for shape [2, 3], found "
        "3.");
  CHECK(error_of([&] { return matrix.slice(std::array{ss::Slice{{}, {}, 0, false}}); }) ==
        "invalid_argument: the slice of dimension 0 has the step 0. Use a positive step, or a "
        "negative one to go backwards.");
}

TEST_CASE("block sizes grow only for memory in another order, and not without bound") {
  const auto column_major = [](std::uint64_t rows, std::uint64_t columns) {
    static const float nothing = 0;
    return ss::Tensor::strided(ss::DType::F32, {rows, columns},
                               std::array<std::int64_t, 2>{4, static_cast<std::int64_t>(rows) * 4},
                               reinterpret_cast<const std::byte*>(&nothing), nullptr);
  };
  const std::vector<float> values = counted(6);
  CHECK(ss::Tensor::of(std::span<const float>(values)).block_elements(1000) == 1000);
  CHECK(column_major(100'000, 10).block_elements(1024) == 1024);
  CHECK(column_major(1000, 100'000).block_elements(1024) >= 3'200'000);
  CHECK(column_major(1000, 100'000).block_elements(1024) % 8 == 0);
  CHECK(column_major(1000, 100'000'000).block_elements(1024) <= 8'388'616);
}

TEST_CASE("permuting gives a view with the dimensions in another order") {
  std::vector<std::int32_t> values(24);
  std::iota(values.begin(), values.end(), 0);
  const ss::Tensor cube = ss::Tensor::of(std::span<const std::int32_t>(values), {2, 3, 4});
  const ss::Tensor turned = cube.permute(std::array<std::size_t, 3>{2, 0, 1});
  CHECK(turned.shape() == ss::Shape{4, 2, 3});
  CHECK(turned.origin() == cube.origin());
  CHECK(turned.slice(ss::parse_slices("3,1,2")).to_vector<std::int32_t>()[0] == 23);
  CHECK(turned.slice(ss::parse_slices("1")).to_vector<std::int32_t>() ==
        std::vector<std::int32_t>{1, 5, 9, 13, 17, 21});
  CHECK(turned.permute(std::array<std::size_t, 3>{1, 2, 0}) == cube);
  CHECK(turned.permute(std::array<std::size_t, 3>{1, 2, 0}).is_contiguous());
  CHECK(ss::Tensor::allocate(ss::DType::F32, {0, 5})
            .permute(std::array<std::size_t, 2>{1, 0})
            .shape() == ss::Shape{5, 0});
  CHECK(error_of([&] { return cube.permute(std::array<std::size_t, 3>{0, 1, 1}); }) ==
        "invalid_argument: the order does not name each dimension once: expected the dimensions of "
        "[2, 3, 4], counted from 0, found [0, 1, 1].");
}
