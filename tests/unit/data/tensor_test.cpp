/// \file
/// A tensor is a dtype, a shape and bytes that it owns, shares or borrows; no call copies elements
/// unless it says so.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <safestructures/data/tensor.hpp>
#include "support/column_major.hpp"
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::test::ColumnMajor;
using ss::test::counted;
using ss::test::error_of;

TEST_CASE("a shape holds any number of dimensions through copies and moves") {
  for (std::size_t rank = 0; rank < 9; ++rank) {
    std::vector<std::uint64_t> sizes(rank);
    std::iota(sizes.begin(), sizes.end(), 1);
    const ss::Shape shape{std::span<const std::uint64_t>(sizes)};
    ss::Shape copy = shape;
    CHECK(copy == shape);
    CHECK(copy.size() == rank);
    ss::Shape moved = std::move(copy);
    CHECK(moved == shape);
    CHECK(copy.empty());  // NOLINT(bugprone-use-after-move): moved-from shapes are scalars.
    ss::Shape assigned{9, 9, 9, 9, 9, 9};
    assigned = moved;
    CHECK(assigned == shape);
    assigned = ss::Shape{4};
    CHECK(assigned == ss::Shape{4});
    assigned = std::move(moved);
    CHECK(assigned == shape);
    const ss::Shape& same = assigned;
    assigned = same;
    CHECK(assigned == shape);
  }
  CHECK(ss::to_string(ss::Shape{}) == "[]");
  CHECK(ss::to_string(ss::Shape{7}) == "[7]");
  CHECK(ss::to_string(ss::Shape{2, 0, 3}) == "[2, 0, 3]");
  CHECK_FALSE(ss::Shape{2, 3} == ss::Shape{2, 3, 1});
}

TEST_CASE("element counts and byte sizes are exact up to 2^63 - 1") {
  constexpr std::uint64_t half = std::uint64_t{1} << 62U;
  CHECK(ss::element_count({}) == 1);
  CHECK(ss::element_count({half}) == half);
  CHECK(ss::element_count({0, half}) == 0);
  CHECK(ss::element_count({2 * half - 1}) == 2 * half - 1);
  CHECK(ss::byte_size(ss::DType::U8, {2 * half - 1}) == 2 * half - 1);
  CHECK(ss::byte_size(ss::DType::F64, {half, 0}) == 0);
  CHECK(ss::byte_size(ss::DType::F64, {half / 8, 1}) == half);
  CHECK(ss::byte_size(ss::DType::F4, {3, 2}) == 3);
  CHECK(ss::byte_size(ss::DType::F6_E2M3, {4}) == 3);
  CHECK(ss::byte_size(ss::DType::F4, {2 * half - 2}) == half - 1);

  CHECK(error_of([] { return ss::element_count({half, 2}); }) ==
        "invalid_shape: the shape is too large: expected at most 9223372036854775807 elements, "
        "sizes of 0 not counted, found [4611686018427387904, 2].");
  CHECK(error_of([] { return ss::element_count({half, 0, 4}); }) ==
        "invalid_shape: the shape is too large: expected at most 9223372036854775807 elements, "
        "sizes of 0 not counted, found [4611686018427387904, 0, 4].");
  CHECK(error_of([] { return ss::byte_size(ss::DType::F32, {half}); }) ==
        "invalid_shape: the shape is too large: expected at most 9223372036854775807 bytes, found "
        "F32 [4611686018427387904].");
  CHECK(error_of([] { return ss::byte_size(ss::DType::F6_E3M2, {2, 1}); }) ==
        "invalid_shape: the elements do not fill whole bytes: expected a number of elements of 6 "
        "bits that makes a multiple of 8 bits, found F6_E3M2 [2, 1].");
}

TEST_CASE("a default tensor is F32 of shape [0], and so is one that was moved from") {
  const auto check_empty = [](const ss::Tensor& tensor) {
    CHECK(tensor.dtype() == ss::DType::F32);
    CHECK(tensor.shape() == ss::Shape{0});
    CHECK(tensor.size() == 0);
    CHECK(tensor.bytes().empty());
    CHECK(tensor.data<float>().empty());
    CHECK(tensor.is_contiguous());
    CHECK_FALSE(tensor.is_owned());
    CHECK(tensor == ss::Tensor());
  };
  check_empty(ss::Tensor());
  ss::Tensor original = ss::Tensor::own(std::vector<double>{1, 2, 3});
  const ss::Tensor constructed = std::move(original);
  check_empty(original);  // NOLINT(bugprone-use-after-move): that is the contract.
  CHECK(constructed.data<double>()[2] == 3);
  ColumnMajor matrix;
  ss::Tensor target;
  target = std::move(matrix.tensor);
  check_empty(matrix.tensor);
  CHECK(target.to_vector<float>() == matrix.row_major);
}

TEST_CASE("allocated memory is aligned to 64 bytes, writable, and shared by copies") {
  ss::Tensor tensor = ss::Tensor::allocate(ss::DType::I32, {2, 3});
  CHECK(reinterpret_cast<std::uintptr_t>(tensor.origin()) % 64 == 0);
  CHECK(tensor.is_owned());
  const std::span<std::int32_t> numbers = tensor.mutable_data<std::int32_t>();
  std::iota(numbers.begin(), numbers.end(), 1);
  const ss::Tensor copy = tensor;
  numbers[0] = 9;
  CHECK(copy.to_vector<std::int32_t>() == std::vector<std::int32_t>{9, 2, 3, 4, 5, 6});
  ss::Tensor empty = ss::Tensor::allocate(ss::DType::F64, {0, 5});
  CHECK(empty.mutable_bytes().empty());
  ss::Tensor packed = ss::Tensor::allocate(ss::DType::F4, {3, 2});
  CHECK(packed.mutable_bytes().size() == 3);
}

TEST_CASE("allocated truth values are false, whatever was in the memory before") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{1} << 20U}) {
    const ss::Shape shape{size};
    const void* address = nullptr;
    {
      ss::Tensor before = ss::Tensor::allocate(ss::DType::U8, shape);
      std::ranges::fill(before.mutable_bytes(), std::byte{0xC0});
      address = before.identity();
    }
    ss::Tensor tensor = ss::Tensor::allocate(ss::DType::BOOL, shape);
    CAPTURE(address == tensor.identity());
    const std::span<bool> values = tensor.mutable_data<bool>();
    CHECK(std::ranges::count(values, false) == static_cast<std::ptrdiff_t>(size));
    values.back() = true;
    CHECK(tensor.data<bool>().back());
  }
}

TEST_CASE("views share memory: nothing is copied") {
  const std::vector<float> values = counted(6);
  const ss::Tensor flat = ss::Tensor::of(std::span<const float>(values));
  CHECK(flat.shape() == ss::Shape{6});
  CHECK(flat.data<float>().data() == values.data());
  CHECK_FALSE(flat.is_owned());
  const ss::Tensor matrix = ss::Tensor::of(std::span<const float>(values), {2, 3});
  CHECK(matrix.byte_size() == 24);
  CHECK(matrix.reshape({3, 2}).origin() == flat.origin());
  CHECK(matrix.contiguous().origin() == matrix.origin());
  CHECK(matrix.to(ss::DType::F32).origin() == matrix.origin());

  std::vector<std::int64_t> taken{1, 2, 3, 4};
  const std::int64_t* address = taken.data();
  const ss::Tensor owned = ss::Tensor::own(std::move(taken), {2, 2});
  CHECK(owned.data<std::int64_t>().data() == address);

  auto owner = std::make_shared<const std::vector<float>>(values);
  ss::Tensor shared =
      ss::Tensor::share(ss::DType::F32, {6}, std::as_bytes(std::span(*owner)), owner);
  CHECK(owner.use_count() == 2);
  shared = ss::Tensor();
  CHECK(owner.use_count() == 1);
}

TEST_CASE("bytes that do not fit the shape are refused") {
  const std::vector<float> values = counted(5);
  CHECK(error_of([&] { return ss::Tensor::of(std::span<const float>(values), {2, 3}); }) ==
        "shape_mismatch: the bytes do not fit the shape: expected 24 bytes for F32 [2, 3], found "
        "20 bytes.");
  CHECK(error_of([&] { return ss::Tensor::of(std::span<const float>(values)).reshape({2, 3}); }) ==
        "shape_mismatch: the shapes hold different numbers of elements: expected 5 as in [5], "
        "found 6 in [2, 3].");
}

TEST_CASE("typed access checks the element type, the alignment and truth values") {
  alignas(8) std::array<std::byte, 16> memory{};
  const ss::Tensor floats = ss::Tensor::borrow(ss::DType::F32, {2}, std::span(memory).first(8));
  CHECK(error_of([&] { return floats.data<double>(); }) ==
        "type_mismatch: the tensor has another element type: expected F64, found F32 [2]. Convert "
        "it with to(DType::F64).");
  const ss::Tensor odd = ss::Tensor::borrow(ss::DType::F32, {2}, std::span(memory).subspan(2, 8));
  CHECK(error_of([&] { return odd.data<float>(); }) ==
        "misaligned: the elements of F32 [2] are not aligned: expected an address that is a "
        "multiple of 4, found 2 bytes after one. Make an aligned copy with clone().");
  const ss::Tensor aligned = odd.clone();
  CHECK(aligned.data<float>().size() == 2);
  memory[3] = std::byte{2};
  const ss::Tensor flags = ss::Tensor::borrow(ss::DType::BOOL, {4}, std::span(memory).first(4));
  CHECK(error_of([&] { return flags.data<bool>(); }) ==
        "out_of_range: element 3 is not a truth value: expected 0 or 1, found 2.");
  memory[3] = std::byte{1};
  CHECK(flags.data<bool>()[3]);
  const ColumnMajor matrix;
  CHECK(error_of([&] { return matrix.tensor.data<float>(); }) ==
        "invalid_argument: the bytes of a strided tensor are not in row-major order: found F32 [3, "
        "4]. Call contiguous() first.");
}

TEST_CASE("only memory that the library allocated is writable") {
  std::vector<float> values = counted(4);
  ss::Tensor borrowed = ss::Tensor::of(std::span<const float>(values));
  CHECK(error_of([&] { return borrowed.mutable_bytes(); }) ==
        "invalid_argument: this tensor's bytes cannot be changed: expected a tensor made by "
        "allocate, clone or a converting copy, found borrowed memory. Change a copy made by "
        "clone().");
  ss::Tensor owned = ss::Tensor::own(std::move(values));
  CHECK(
      error_of([&] { return owned.mutable_data<float>(); }) ==
      "invalid_argument: this tensor's bytes cannot be changed: expected a tensor made by "
      "allocate, clone or a converting copy, found shared memory. Change a copy made by clone().");
  ss::Tensor copy = owned.clone();
  copy.mutable_data<float>()[0] = 7;
  CHECK(owned.data<float>()[0] == 0);
  ss::Tensor converted = owned.to(ss::DType::F64);
  CHECK(converted.mutable_data<double>()[3] == 3);
}

TEST_CASE("equality is by dtype, shape and bits") {
  const std::vector<float> zero = {0.0F};
  const std::vector<float> negative = {-0.0F};
  const std::vector<float> nan = {std::numeric_limits<float>::quiet_NaN()};
  const auto view = [](const std::vector<float>& values, ss::Shape shape) {
    return ss::Tensor::of(std::span<const float>(values), std::move(shape));
  };
  CHECK(view(zero, {1}) == view(std::vector<float>(zero), {1}));
  CHECK_FALSE(view(zero, {1}) == view(negative, {1}));
  CHECK(view(nan, {1}) == view(nan, {1}));
  CHECK_FALSE(view(zero, {1}) == view(zero, {1, 1}));
  CHECK_FALSE(view(zero, {1}) == view(zero, {1}).to(ss::DType::F64));
}
