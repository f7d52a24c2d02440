/// \file
/// A tensor is a dtype, a shape and bytes that it owns, shares or borrows; no call copies elements
/// unless it says so.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/tensor.hpp>

namespace ss = safestructures;

namespace {

template <class Call>
std::string error_of(ss::ErrorCode code, const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const ss::Error& error) {
    CHECK(error.code() == code);
    return error.what();
  }
  return "no error";
}

std::vector<float> counted(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

// 3 x 4 floats, column-major in memory.
struct ColumnMajor {
  std::vector<float> memory = counted(12);
  ss::Tensor tensor =
      ss::Tensor::strided(ss::DType::F32, {3, 4}, std::array<std::int64_t, 2>{4, 12},
                          std::as_bytes(std::span(memory)).data(), nullptr);
  std::vector<float> row_major = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11};
};

}  // namespace

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

  CHECK(error_of(ss::ErrorCode::invalid_shape, [] { return ss::element_count({half, 2}); }) ==
        "the shape is too large: expected at most 9223372036854775807 elements, sizes of 0 not "
        "counted, found [4611686018427387904, 2].");
  CHECK(error_of(ss::ErrorCode::invalid_shape, [] { return ss::element_count({half, 0, 4}); }) ==
        "the shape is too large: expected at most 9223372036854775807 elements, sizes of 0 not "
        "counted, found [4611686018427387904, 0, 4].");
  CHECK(error_of(ss::ErrorCode::invalid_shape,
                 [] { return ss::byte_size(ss::DType::F32, {half}); }) ==
        "the shape is too large: expected at most 9223372036854775807 bytes, found F32 "
        "[4611686018427387904].");
  CHECK(
      error_of(ss::ErrorCode::invalid_shape,
               [] { return ss::byte_size(ss::DType::F6_E3M2, {2, 1}); }) ==
      "the elements do not fill whole bytes: expected a number of elements of 6 bits that makes a "
      "multiple of 8 bits, found F6_E3M2 [2, 1].");
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
  CHECK(error_of(ss::ErrorCode::shape_mismatch, [&] {
          return ss::Tensor::of(std::span<const float>(values), {2, 3});
        }) == "the bytes do not fit the shape: expected 24 bytes for F32 [2, 3], found 20 bytes.");
  CHECK(error_of(ss::ErrorCode::shape_mismatch,
                 [&] { return ss::Tensor::of(std::span<const float>(values)).reshape({2, 3}); }) ==
        "the shapes hold different numbers of elements: expected 5 as in [5], found 6 in [2, 3].");
}

TEST_CASE("typed access checks the element type, the alignment and truth values") {
  alignas(8) std::array<std::byte, 16> memory{};
  const ss::Tensor floats = ss::Tensor::borrow(ss::DType::F32, {2}, std::span(memory).first(8));
  CHECK(error_of(ss::ErrorCode::type_mismatch, [&] { return floats.data<double>(); }) ==
        "the tensor has another element type: expected F64, found F32 [2]. Convert it with "
        "to(DType::F64).");
  const ss::Tensor odd = ss::Tensor::borrow(ss::DType::F32, {2}, std::span(memory).subspan(2, 8));
  CHECK(
      error_of(ss::ErrorCode::misaligned, [&] { return odd.data<float>(); }) ==
      "the elements of F32 [2] are not aligned: expected an address that is a multiple of 4, found "
      "2 bytes after one. Make an aligned copy with clone().");
  const ss::Tensor aligned = odd.clone();
  CHECK(aligned.data<float>().size() == 2);
  memory[3] = std::byte{2};
  const ss::Tensor flags = ss::Tensor::borrow(ss::DType::BOOL, {4}, std::span(memory).first(4));
  CHECK(error_of(ss::ErrorCode::out_of_range, [&] { return flags.data<bool>(); }) ==
        "element 3 is no truth value: expected 0 or 1, found 2.");
  memory[3] = std::byte{1};
  CHECK(flags.data<bool>()[3]);
  const ColumnMajor matrix;
  CHECK(error_of(ss::ErrorCode::invalid_argument, [&] { return matrix.tensor.data<float>(); }) ==
        "the bytes of a strided tensor are not in row-major order: found F32 [3, 4]. Call "
        "contiguous() first.");
}

TEST_CASE("only memory that the library allocated is writable") {
  std::vector<float> values = counted(4);
  ss::Tensor borrowed = ss::Tensor::of(std::span<const float>(values));
  CHECK(
      error_of(ss::ErrorCode::invalid_argument, [&] { return borrowed.mutable_bytes(); }) ==
      "this tensor's bytes are not ours to change: expected a tensor made by allocate, clone or a "
      "converting copy, found borrowed memory. Change a copy made by clone().");
  ss::Tensor owned = ss::Tensor::own(std::move(values));
  CHECK(
      error_of(ss::ErrorCode::invalid_argument, [&] { return owned.mutable_data<float>(); }) ==
      "this tensor's bytes are not ours to change: expected a tensor made by allocate, clone or a "
      "converting copy, found shared memory. Change a copy made by clone().");
  ss::Tensor copy = owned.clone();
  copy.mutable_data<float>()[0] = 7;
  CHECK(owned.data<float>()[0] == 0);
  ss::Tensor converted = owned.to(ss::DType::F64);
  CHECK(converted.mutable_data<double>()[3] == 3);
}

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
  CHECK(error_of(ss::ErrorCode::invalid_argument, [&] {
          return ss::Tensor::strided(ss::DType::F32, {3, 4}, std::array<std::int64_t, 1>{4}, origin,
                                     nullptr);
        }) == "a stride is needed for each dimension: expected 2 for [3, 4], found 1.");
  CHECK(error_of(ss::ErrorCode::invalid_argument, [&] {
          return ss::Tensor::strided(ss::DType::F4, {4}, std::array<std::int64_t, 1>{4}, origin,
                                     nullptr);
        }) == "elements narrower than a byte cannot be strided: found F4.");
  CHECK(error_of(ss::ErrorCode::invalid_argument, [&] { return matrix.tensor.reshape({12}); }) ==
        "a strided tensor cannot be reshaped: found F32 [3, 4]. Call contiguous() first.");
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
    CHECK(error_of(ss::ErrorCode::out_of_range,
                   [&] {
                     return tensor.copy_elements(199'998, 3, ss::DType::F32, target,
                                                 ss::Overflow::error);
                   }) ==
          "the range is outside the tensor: expected a range of 200000 elements, found 3 "
          "elements from element 199998 on.");
    CHECK(error_of(ss::ErrorCode::shape_mismatch, [&] {
            return tensor.copy_elements(0, 2, ss::DType::F32, target, ss::Overflow::error);
          }) == "the target has the wrong length: expected 8 bytes, found 12 bytes.");
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
  CHECK(error_of(ss::ErrorCode::out_of_range, [&] {
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
  CHECK(error_of(ss::ErrorCode::invalid_argument,
                 [&] {
                   return packed.copy_elements(4, 8, ss::DType::F4, std::span(part).first(4),
                                               ss::Overflow::error);
                 }) ==
        "the range cuts a packed group of elements: expected multiples of 8 for elements of 4 "
        "bits, found 8 elements from element 4 on.");
  CHECK(
      error_of(ss::ErrorCode::invalid_argument,
               [&] { return packed.slice(ss::parse_slices("2:4")); }) ==
      "elements narrower than a byte cannot be sliced: found F4 [20]. Convert the tensor to U8 or "
      "F32 first.");
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
  CHECK(error_of(ss::ErrorCode::out_of_range, [&] {
          return matrix.slice(ss::parse_slices(":,3"));
        }) == "the index is outside dimension 1: expected an index from -3 to 2, found 3.");
  CHECK(error_of(ss::ErrorCode::out_of_range, [&] {
          return matrix.slice(ss::parse_slices("-3"));
        }) == "the index is outside dimension 0: expected an index from -2 to 1, found -3.");
  CHECK(error_of(ss::ErrorCode::out_of_range,
                 [&] { return ss::Tensor().slice(ss::parse_slices("0")); }) ==
        "the index is outside dimension 0: expected no index, as the dimension is empty, found 0.");
  CHECK(error_of(ss::ErrorCode::invalid_argument, [&] {
          return matrix.slice(ss::parse_slices(":,:,0"));
        }) == "more slices than dimensions: expected at most 2 for shape [2, 3], found 3.");
  CHECK(error_of(ss::ErrorCode::invalid_argument,
                 [&] { return matrix.slice(std::array{ss::Slice{{}, {}, 0, false}}); }) ==
        "the slice of dimension 0 has the step 0. Use a positive step, or a negative one to go "
        "backwards.");
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
  CHECK(
      error_of(ss::ErrorCode::invalid_argument,
               [&] { return cube.permute(std::array<std::size_t, 3>{0, 1, 1}); }) ==
      "the order does not name each dimension once: expected the dimensions of [2, 3, 4], counted "
      "from 0, found [0, 1, 1].");
}
