/// \file
/// Tolerances that are said for a dtype: which numbers they are of, and what they stand before.
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/safestructures.hpp>
#include <safestructures/testing/near.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"
#include "support/verdicts.hpp"

namespace {

namespace ss = safestructures;
using ss::Value;
using ss::tests::verdicts_of;

ss::Tensor tensor(std::vector<float> numbers) { return ss::Tensor::own(std::move(numbers)); }

}  // namespace

TEST_CASE("a tolerance of a dtype is that of its numbers alone, the looser beside another") {
  const auto dict = [](float number) {
    const ss::Tensor full = tensor({number});
    return Value::dict({{"half", full.to(ss::DType::F16)},
                        {"full", full},
                        {"int", ss::Tensor::own(std::vector<int>{static_cast<int>(number)})}});
  };
  const Value a = dict(11);
  const Value b = dict(10);
  const auto verdicts = [&](const std::vector<ss::ToleranceRule>& rules) {
    return verdicts_of(ss::compare(a, b, {.tolerances = rules}));
  };
  const ss::ToleranceRule halves{"*", {0.2, 0}, ss::DType::F16};
  CHECK(verdicts({halves}) ==
        std::vector<std::string>{"/half close", "/full different", "/int different"});
  CHECK(verdicts({{"*", {0.2, 0}, ss::DType::I32}}) ==
        std::vector<std::string>{"/half different", "/full different", "/int close"});
  CHECK(verdicts({{"/full", {0.2, 0}, ss::DType::F16}}).at(0) == "/half different");
  // The first that matches decides, before what the call says for all.
  CHECK(verdicts({halves, {"/half", {0, 0}}}).at(0) == "/half close");
  CHECK(verdicts({{"/half", {0, 0}}, halves}).at(0) == "/half different");
  const ss::Comparison both =
      ss::compare(a, b, {.rtol = 0.5, .tolerances = {{"*", {0, 0}, ss::DType::F16}}});
  CHECK(verdicts_of(both) ==
        std::vector<std::string>{"/half different", "/full close", "/int different"});
  const auto mixed = [](const ss::ToleranceRule& rule) {
    return ss::compare(Value(tensor({1})), Value(tensor({1}).to(ss::DType::F16)),
                       {.tolerances = {rule}})
        .rows.at(0)
        .metrics->tolerance;
  };
  CHECK(mixed({"*", {0.2, 0}, ss::DType::F16}) == ss::Tolerance{0.2, 1e-5});
  CHECK(mixed({"*", {0, 0.2}, ss::DType::F32}) == ss::Tolerance{1e-3, 0.2});
  struct Case {
    ss::Tolerance tolerance;
    std::string text;
  };
  for (const Case& one :
       std::vector<Case>{{{0, -1}, "rtol 0, atol -1"},
                         {{-1e-9, 0}, "rtol -1e-09, atol 0"},
                         {{HUGE_VAL, 0}, "rtol inf, atol 0"},
                         {{0, HUGE_VAL}, "rtol 0, atol inf"},
                         {{0.1, std::numeric_limits<double>::quiet_NaN()}, "rtol 0.1, atol nan"}})
    CHECK(
        ss::test::error_of([&] { return verdicts({{"*", one.tolerance, ss::DType::F16}}); }) ==
        "invalid_argument: a tolerance is not valid: expected finite numbers, 0 or larger, found " +
            one.text + ".");
}

TEST_CASE("a tolerance of a dtype holds for files, for what had the dtype, and in tests") {
  const ss::test::Folder folder;
  const Value a = Value::dict({{"x", tensor({1.01F, 2})}});
  ss::save_file(a, folder / "a.safetensors");
  ss::save_file(Value::dict({{"x", tensor({1, 2}).to(ss::DType::F16)}}),
                folder / "half.safetensors");
  const ss::CompareOptions loose{.tolerances = {{"*", {0.125, 0}, ss::DType::F16}}};
  CHECK(!ss::compare_files(folder / "a.safetensors", folder / "half.safetensors").is_equal());
  const ss::Comparison found =
      ss::compare_files(folder / "a.safetensors", folder / "half.safetensors", loose);
  CHECK(found.is_equal());
  CHECK(found.rows.at(0).detail == "F32 and F32, was F16");
  std::ostringstream json;
  found.write_json(json);
  CHECK(json.str().find(R"("rtol": 0.125, "atol": 1e-05)") != std::string::npos);
  CHECK(ss::testing::structures_near(a, folder / "half.safetensors", loose).is_near);
  CHECK(!ss::testing::structures_near(a, folder / "half.safetensors").is_near);
}
