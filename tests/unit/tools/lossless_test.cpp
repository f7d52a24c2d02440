/// \file
/// Saves whose conversions lose: what is reported, and what is refused.
#include <bit>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/formats/json.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

#include "support/codec.hpp"
#include "support/platform_folder.hpp"

namespace {

namespace ss = safestructures;
using codec_test::error_of;
using platform_test::Folder;

}  // namespace

TEST_CASE("a lossy conversion is reported with counts, and refused when the caller says so") {
  const auto nan = std::bit_cast<double>(0x7FF8'0000'0000'0001U);  // a payload below float's bits
  const std::vector<double> numbers = {1, 1e-300, 1e300, 0.1, nan};
  const ss::Tensor tensor = ss::Tensor::of<double>(numbers);
  std::ostringstream stream;
  const ss::SaveReport report =
      ss::save(ss::Value(tensor), stream, {.overflow = ss::Overflow::allow});
  REQUIRE(report.conversions.size() == 1);
  CHECK(report.conversions[0].name == "tensor");
  CHECK(report.conversions[0].report ==
        ss::ConversionReport{
            .overflow = 1, .underflow = 1, .inexact = 0, .nan_changes = 1, .first_overflow = 2});
  CHECK(error_of([&] {
          return ss::save(ss::Value(tensor), {.overflow = ss::Overflow::allow, .lossless = true});
        }) ==
        "lossy_conversion: at tensor: a conversion changed values of a tensor: expected all values "
        "of F64 kept in F32, found 1 out of range, 1 that became zero, 1 NaN changed, 1 rounded. "
        "Store it in its own dtype, or do not require a lossless save.");
  CHECK(error_of([&] {
          return ss::save(ss::Value(tensor),
                          {.overflow = ss::Overflow::allow, .refuse_range_losses = true});
        }) ==
        "lossy_conversion: at tensor: a conversion changed values of a tensor: expected all values "
        "of F64 kept in F32, found 1 out of range, 1 that became zero, 1 NaN changed. Store it in "
        "its own dtype, or do not refuse range losses.");
  CHECK(error_of([&] { return ss::save(std::vector<double>{nan}, {.lossless = true}); }) ==
        "lossy_conversion: at tensor: a conversion changed values of a tensor: expected all "
        "values of F64 kept in F32, found 1 NaN changed. Store it in its own dtype, or do not "
        "require a lossless save.");
  const double usual_nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> fine = {1, 0.1, usual_nan, -usual_nan};
  CHECK_NOTHROW(static_cast<void>(ss::save(fine, {.refuse_range_losses = true})));
}

TEST_CASE("a lossless save refuses every number that does not come back with the same bits") {
  CHECK(error_of([] { return ss::save(std::vector<double>{1.0 / 3}, {.lossless = true}); }) ==
        "lossy_conversion: at tensor: a conversion changed values of a tensor: expected all values "
        "of F64 kept in F32, found 1 rounded. Store it in its own dtype, or do not require a "
        "lossless save.");
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> exact = {0.0, -0.0, 1, -2.5, 0.1F, infinity, -infinity};
  CHECK(ss::load<std::vector<double>>(ss::save(exact, {.lossless = true})) == exact);
  // Integers too, and more elements than are compared at once.
  std::vector<std::int64_t> integers(40'001, 5);
  CHECK_NOTHROW(static_cast<void>(ss::save(
      integers, {.precision = {.floats = {}, .integers = ss::DType::I8}, .lossless = true})));
  integers.back() = 300;
  CHECK(error_of([&] {
          return ss::save(integers, {.precision = {.floats = {}, .integers = ss::DType::I8},
                                     .overflow = ss::Overflow::saturate,
                                     .lossless = true});
        }).find("found 1 out of range.") != std::string::npos);
  // In every format.
  CHECK(error_of([] {
          return ss::save(std::vector<double>{1.0 / 3},
                          {.format = ss::formats::json(), .lossless = true});
        }).find("found 1 rounded.") != std::string::npos);
  // One's own dtype is never a loss.
  CHECK_NOTHROW(static_cast<void>(ss::save(
      std::vector<double>{1.0 / 3}, {.precision = ss::Precision::preserve, .lossless = true})));
}

TEST_CASE("a refused lossy save leaves the old file as it was") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  platform_test::put(path, "old");
  const std::vector<double> numbers = {1e-300};
  CHECK_THROWS_AS(static_cast<void>(ss::save_file(numbers, path, {.lossless = true})), ss::Error);
  CHECK(platform_test::get(path) == "old");
  CHECK(folder.names() == std::vector<std::string>{"m.safetensors"});
}
