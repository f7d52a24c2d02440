/// \file
/// What a comparison of structures and files says, in full.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"
#include "support/verdicts.hpp"

namespace {

namespace ss = safestructures;
using ss::Value;
using ss::Verdict;
using ss::tests::verdicts_of;

ss::Tensor tensor(std::vector<float> numbers) { return ss::Tensor::own(std::move(numbers)); }
ss::Tensor tensor(std::vector<float> numbers, ss::Shape shape) {
  return ss::Tensor::own(std::move(numbers), std::move(shape));
}

std::string text_of(const ss::Comparison& found, const ss::TableOptions& options = {}) {
  std::ostringstream text;
  found.write_text(text, options);
  return text.str();
}

std::string json_of(const ss::Comparison& found) {
  std::ostringstream json;
  found.write_json(json);
  return json.str();
}

Value model() {
  return Value::dict({{"name", "tiny"},
                      {"epochs", 3},
                      {"layers", Value::list({Value::dict({{"weight", tensor({1, 2, 3})}}),
                                              Value::dict({{"weight", tensor({4, 5, 6})}})})}});
}

/// Whether there is something to compare: all but a tensor without a finite number.
bool is_comparable(const Value& value) {
  if (value.kind() != ss::Kind::tensor) return true;
  const ss::Tensor& tensor = value.tensor();
  const auto is_finite = [](auto number) { return std::isfinite(std::abs(number)); };
  if (tensor.dtype() == ss::DType::C64)
    return std::ranges::any_of(tensor.to_vector<std::complex<float>>(), is_finite);
  return std::ranges::any_of(tensor.to_vector<double>(ss::Overflow::saturate), is_finite);
}

/// Numbers that no permutation leaves as they are.
ss::Tensor noise(const ss::Shape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(ss::element_count(shape));
  for (float& number : numbers) number = normal(random);
  return tensor(std::move(numbers), shape);
}

}  // namespace

TEST_CASE("equal structures are equal, and what was compared is counted") {
  const ss::Comparison found = ss::compare(model(), model());
  CHECK(found.is_equal());
  CHECK(found.first_divergence() == nullptr);
  CHECK(found.coverage.tensors == 2);
  CHECK(found.coverage.values == 2);
  CHECK(text_of(found) ==
        "2 equal tensors not shown\n"
        "compared 2 tensors, 6 of 6 numbers finite in both, and 2 other values\n"
        "equal within tolerance\n");
}

TEST_CASE("a number beyond its tolerance is named with its path, index and both values") {
  Value other = model();
  other.at("/layers/1/weight") = tensor({4, 5.5F, 6});
  const ss::Comparison found = ss::compare(other, model());
  CHECK(!found.is_equal());
  CHECK(found.differences() == 1);
  CHECK(text_of(found) ==
        "verdict     max abs   max rel    rel L2  SNR dB      ULP  beyond  path\n"
        "different  5.00e-01  1.00e-01  5.70e-02    24.9  1048576     1/3  /layers/1/weight  "
        "worst at [1]: 5.5 and 5\n"
        "1 equal tensor not shown\n"
        "first divergence: /layers/1/weight, worst at [1]: 5.5 and 5\n"
        "compared 2 tensors, 6 of 6 numbers finite in both, and 2 other values\n"
        "different: 1 difference\n");
}

TEST_CASE("every difference of structure has its verdict") {
  const Value a = Value::dict({{"kind", 1},
                               {"tuple", Value::tuple({1})},
                               {"text", "one"},
                               {"big", Value::integer("123456789012345678901234567890")},
                               {"list", Value::list({1, 2})},
                               {"shape", tensor({1, 2, 3, 4}, {4})},
                               {"set", Value::set({1, 2})},
                               {"empty", Value::list()},
                               {"lost", Value::dict({{"x", tensor({1})}})},
                               {"float", 1.0}});
  const Value b = Value::dict({{"float", 1.0 + 1e-9},
                               {"kind", "1"},
                               {"tuple", Value::list({1})},
                               {"text", "two"},
                               {"big", Value::integer("123456789012345678901234567891")},
                               {"list", Value::list({1, 2, 3})},
                               {"shape", tensor({1, 2, 3, 4}, {2, 2})},
                               {"set", Value::set({2, 1})},
                               {"more", true},
                               {"empty", Value::list()}});
  const ss::Comparison found = ss::compare(a, b);
  CHECK(verdicts_of(found) == std::vector<std::string>{"/kind kind", "/tuple kind", "/text value",
                                                       "/big value", "/list size", "/shape shape",
                                                       "/lost/x only in a", "/float close",
                                                       "/list/2 only in b", "/more only in b"});
  CHECK(text_of(found, {.order = ss::RowOrder::call}) ==
        "verdict     max abs   max rel    rel L2  SNR dB      ULP  beyond  path\n"
        "kind              -         -         -       -        -       -  /kind  int 1 and str "
        "\"1\"\n"
        "kind              -         -         -       -        -       -  /tuple  tuple of 1 and "
        "list of 1\n"
        "value             -         -         -       -        -       -  /text  str \"one\" and "
        "str \"two\"\n"
        "value             -         -         -       -        -       -  /big  int "
        "123456789012345678901234567890 and int 123456789012345678901234567891\n"
        "size              -         -         -       -        -       -  /list  list of 2 and "
        "list of 3\n"
        "shape             -         -         -       -        -       -  /shape  [4] and [2, 2]\n"
        "only in a         -         -         -       -        -       -  /lost/x  tensor F32 "
        "[1]\n"
        "close      1.00e-09  1.00e-09  1.00e-09   180.0  4503600     0/1  /float\n"
        "only in b         -         -         -       -        -       -  /list/2  int 3\n"
        "only in b         -         -         -       -        -       -  /more  bool True\n"
        "first divergence: /kind: int 1 and str \"1\"\n"
        "compared 1 tensor, 1 of 1 number finite in both, and 6 other values; 1 only in a, 2 only "
        "in b\n"
        "different: 9 differences\n");
}

TEST_CASE("a value in only one side is the first divergence if nothing else differs") {
  const ss::Comparison found =
      ss::compare(Value::dict({{"a", 1}, {"b", 2}}), Value::dict({{"b", 2}}));
  REQUIRE(found.first_divergence() != nullptr);
  CHECK(found.first_divergence()->path == "/a");
  CHECK(text_of(found).find("\nfirst divergence: /a, only in a: int 1\n") != std::string::npos);
}

TEST_CASE("a comparison in which nothing was compared is not equal") {
  const std::string nothing =
      "compared 0 tensors, 0 of 0 numbers finite in both, and 0 other values";
  const ss::Comparison filtered = ss::compare(model(), model(), {.only = {"*bias"}});
  CHECK(!filtered.is_equal());
  CHECK(filtered.differences() == 0);
  CHECK(text_of(filtered) == "note: only: the glob *bias matched nothing\n" + nothing +
                                 "; 4 left out by the filter\nnot equal: nothing was compared\n");
  const Value empty = Value::dict({{"x", tensor({}, {0, 3})}});
  const ss::Comparison hollow = ss::compare(empty, empty);
  CHECK(!hollow.is_equal());
  CHECK(hollow.rows.at(0).verdict == Verdict::nothing);
  CHECK(hollow.coverage.nothing == 1);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(!ss::compare(Value(tensor({nan, nan})), Value(tensor({nan, nan}))).is_equal());
  CHECK(ss::compare(Value(tensor({nan, 1})), Value(tensor({nan, 1}))).is_equal());
}

TEST_CASE("tolerances are those of the call, and of paths before these") {
  const Value a = Value::dict({{"x", tensor({1.01F})}, {"y", tensor({1.01F})}, {"n", tensor({2})}});
  const Value b = Value::dict({{"x", tensor({1})}, {"y", tensor({1})}, {"n", tensor({2})}});
  CHECK(ss::compare(a, b).differences() == 2);
  CHECK(ss::compare(a, b, {.rtol = 0.1}).is_equal());
  CHECK(ss::compare(a, b, {.rtol = 0.1}).rows.at(0).metrics->tolerance == ss::Tolerance{0.1, 1e-5});
  CHECK(ss::compare(a, b, {.rtol = 0, .atol = 0.1}).is_equal());
  const ss::Comparison one = ss::compare(a, b, {.tolerances = {{"/x", {0.1, 0}}}});
  REQUIRE(one.first_divergence() != nullptr);
  CHECK(one.first_divergence()->path == "/y");
  CHECK(one.differences() == 1);
  // Integers are exact but for a tolerance of their path.
  const Value i = Value::dict({{"i", ss::Tensor::own(std::vector<int>{10})}});
  const Value j = Value::dict({{"i", ss::Tensor::own(std::vector<int>{11})}});
  CHECK(!ss::compare(i, j, {.rtol = 0.5}).is_equal());
  CHECK(ss::compare(i, j, {.tolerances = {{"*", {0.5, 0}}}}).is_equal());
  CHECK(ss::test::error_of([&] { return ss::compare(a, b, {.rtol = -1}); }) ==
        "invalid_argument: a tolerance is not valid: expected finite numbers, 0 or larger, found "
        "rtol -1, atol 0.");
}

TEST_CASE("dtypes are reported, and are a difference on request") {
  const Value a = Value::dict({{"x", tensor({1, 2})}});
  const Value b = Value::dict({{"x", tensor({1, 2}).to(ss::DType::F16)}});
  const ss::Comparison found = ss::compare(a, b);
  CHECK(found.is_equal());
  CHECK(found.rows.at(0).detail == "F32 and F16");
  CHECK(ss::compare(a, b, {.exact_dtypes = true}).rows.at(0).verdict == Verdict::dtype);
}

TEST_CASE("both values are shown with digits that tell them apart") {
  const Value a = Value::dict({{"x", tensor({0.1F})}});
  const Value b = Value::dict({{"x", ss::Tensor::own(std::vector<double>{0.1})}});
  CHECK(text_of(ss::compare(a, b, {.rtol = 0, .atol = 0}))
            .find("/x, worst at [0]: 0.10000000149011612 and 0.1\n") != std::string::npos);
  CHECK(text_of(ss::compare(a, Value::dict({{"x", tensor({0.7F})}})))
            .find("/x, worst at [0]: 0.1 and 0.7\n") != std::string::npos);
}

TEST_CASE("both values are shown as numbers of their own dtypes, none rounded to a double") {
  struct Case {
    ss::Tensor a;
    ss::Tensor b;
    std::string text;
    std::string json;
  };
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  const std::array<std::uint8_t, 2> bools = {0, 1};
  const auto boolean = [&](std::size_t place) {
    return ss::Tensor::borrow(ss::DType::BOOL, {1}, std::as_bytes(std::span(&bools[place], 1)));
  };
  using Complex = std::complex<float>;
  for (const Case& one : std::vector<Case>{
           {ss::Tensor::own(std::vector{large}), ss::Tensor::own(std::vector{large - 1}),
            "1152921504606846977 and 1152921504606846976",
            R"("a": 1152921504606846977, "b": 1152921504606846976)"},
           {ss::Tensor::own(std::vector{~std::uint64_t{0}}), ss::Tensor::own(std::vector{-1}),
            "18446744073709551615 and -1", R"("a": 18446744073709551615, "b": -1)"},
           {ss::Tensor::own(std::vector{Complex(3, 4)}),
            ss::Tensor::own(std::vector{Complex(3, 5)}), "(3+4j) and (3+5j)",
            R"("a": [3.0, 4.0], "b": [3.0, 5.0])"},
           {boolean(1), boolean(0), "True and False", R"("a": true, "b": false)"}}) {
    const ss::Comparison found = ss::compare(Value(one.a), Value(one.b));
    CHECK(text_of(found).find("first divergence: /, worst at [0]: " + one.text + "\n") !=
          std::string::npos);
    CHECK(json_of(found).find(R"("worst": {"index": 0, )" + one.json + "}") != std::string::npos);
  }
}

TEST_CASE("renamed paths and names are paired, each * kept, and useless rules are told") {
  const Value a = Value::dict({{"enc", Value::dict({{"0", tensor({1})}, {"1", tensor({2})}})}});
  const Value b =
      Value::dict({{"layers", Value::dict({{"0", Value::dict({{"w", tensor({1})}})},
                                           {"1", Value::dict({{"w", tensor({2})}})}})}});
  CHECK(ss::compare(a, b).coverage.only_a == 2);
  const ss::Comparison paths = ss::compare(a, b, {.renames = {{"/enc/*", "/layers/*/w"}}});
  CHECK(paths.coverage.only_a == 0);
  CHECK(paths.coverage.tensors == 2);
  const ss::Comparison names =
      ss::compare(a, b, {.renames = {{"enc.*", "layers.*.w"}, {"dec", "decoder"}}});
  CHECK(names.coverage.only_a == 0);
  CHECK(names.rows.at(0).other_path == "/layers/0/w");
  CHECK(names.notes == std::vector<std::string>{"the rename dec=decoder matched nothing"});
  // What a container holds has paths of its own; what b lacks, or another has, is no pair.
  for (const ss::RenameRule& rule :
       {ss::RenameRule{"/enc", "/layers"}, {"/enc/0", "/none"}, {"enc.0", "layers.none"}})
    CHECK(ss::compare(a, b, {.renames = {rule}}).notes ==
          std::vector<std::string>{"the rename " + rule.from + "=" + rule.to + " paired nothing"});
  CHECK(ss::compare(a, b, {.renames = {{"enc.0", "layers.0.w"}, {"enc.1", "layers.0.w"}}}).notes ==
        std::vector<std::string>{"the rename enc.1=layers.0.w paired nothing"});
  const auto error = [&](ss::RenameRule rule) {
    return ss::test::error_of([&] { return ss::compare(a, b, {.renames = {rule}}); });
  };
  CHECK(error({"a*", "b"}) ==
        "invalid_argument: a rename rule is not valid: expected the same number of * on both "
        "sides, found "
        "a*=b.");
  CHECK(error({"/a", "b"}) ==
        "invalid_argument: a rename rule is not valid: expected paths on both sides, or names on "
        "both sides, found /a=b.");
  for (const ss::RenameRule& rule : {ss::RenameRule{"", "b"}, {"b", ""}})
    CHECK(error(rule) ==
          "invalid_argument: a rename rule is not valid: expected a name on both sides, found " +
              rule.from + "=" + rule.to + ".");
}

TEST_CASE("names that both sides have may be exchanged") {
  const Value a = Value::dict({{"x", tensor({1})}, {"y", tensor({2})}});
  const Value b = Value::dict({{"x", tensor({2})}, {"y", tensor({1})}});
  CHECK(ss::compare(a, b).differences() == 2);
  CHECK(ss::compare(a, b, {.renames = {{"x", "y"}, {"y", "x"}}}).is_equal());
}

TEST_CASE("names are suggested by numbers, then by order, and never applied") {
  const Value a = Value::dict({{"q", noise({8, 4}, 1)},
                               {"k", noise({8, 4}, 2)},
                               {"v", noise({3}, 3)},
                               {"z", noise({5}, 4)}});
  const Value b = Value::dict({{"key", noise({8, 4}, 2)},
                               {"query", noise({8, 4}, 1)},
                               {"value", noise({3}, 9)},
                               {"other", noise({6}, 4)}});
  const ss::Comparison found = ss::compare(a, b);
  CHECK(!found.is_equal());
  CHECK(found.coverage.tensors == 0);
  std::vector<std::string> texts;
  for (const ss::RenameSuggestion& one : found.suggestions)
    texts.push_back(one.from + " " + one.to + " " + one.reason);
  CHECK(texts == std::vector<std::string>{"/q /query same statistics", "/k /key same statistics",
                                          "/v /value the only ones left of their shape"});
  CHECK(
      json_of(found).find(
          R"("suggestions": [{"from": "/q", "to": "/query", "reason": "same statistics"}, )"
          R"({"from": "/k", "to": "/key", "reason": "same statistics"}, )"
          R"({"from": "/v", "to": "/value", "reason": "the only ones left of their shape"}], )") !=
      std::string::npos);
  CHECK(ss::compare(a, b, {.suggest = false}).suggestions.empty());
}

TEST_CASE("a tensor in another order of dimensions is recognised, and does not pass") {
  const ss::Tensor weight = noise({6, 4, 2}, 5);
  const std::vector<std::size_t> order = {2, 0, 1};
  const ss::Comparison other_shape =
      ss::compare(Value(weight), Value(weight.permute(order).contiguous()));
  CHECK(!other_shape.is_equal());
  CHECK(other_shape.rows.at(0).permutation == order);
  CHECK(other_shape.rows.at(0).detail ==
        "[6, 4, 2] and [2, 6, 4]; b is a permuted by [2, 0, 1], exactly");
  const ss::Tensor square = noise({64, 64}, 6);
  const std::vector<std::size_t> turned = {1, 0};
  const ss::Comparison same_shape =
      ss::compare(Value(square), Value(square.permute(turned).contiguous()));
  CHECK(!same_shape.is_equal());
  CHECK(same_shape.rows.at(0).permutation == turned);
  CHECK(same_shape.rows.at(0).detail == "b is a permuted by [1, 0], exactly");
  CHECK(json_of(same_shape).find(R"(, "permutation": [1, 0], "shape": [64, 64], )") !=
        std::string::npos);
  // Other numbers are no transpose.
  CHECK(ss::compare(Value(square), Value(noise({64, 64}, 7))).rows.at(0).permutation.empty());
  CHECK(ss::compare(Value(noise({6, 4}, 1)), Value(noise({4, 6}, 2))).rows.at(0).detail ==
        "[6, 4] and [4, 6]");
}

TEST_CASE("a transpose beneath noise is recognised with what is left") {
  const ss::Tensor weight = noise({32, 16}, 8);
  const std::vector<std::size_t> turned = {1, 0};
  ss::Tensor other = weight.permute(turned).clone();
  for (float& number : other.mutable_data<float>()) number += 1e-3F;
  const ss::Comparison found = ss::compare(Value(weight), Value(other));
  CHECK(found.rows.at(0).permutation == turned);
  CHECK(found.rows.at(0).detail.find(", to a relative L2 of 1.0") != std::string::npos);
}

TEST_CASE("files of any format are compared, with the tensors outside their structures") {
  const ss::test::Folder folder;
  ss::save_file(model(), folder / "a.safetensors");
  ss::save_file(model(), folder / "b.json");
  CHECK(ss::compare_files(folder / "a.safetensors", folder / "b.json").is_equal());
  // What was of another dtype before it was stored decides on the tolerance.
  ss::save_file(Value::dict({{"x", tensor({1, 2}).to(ss::DType::F16)}}),
                folder / "half.safetensors");
  ss::save_file(Value::dict({{"x", tensor({1.0005F, 2})}}), folder / "full.safetensors");
  const ss::Comparison stored =
      ss::compare_files(folder / "full.safetensors", folder / "half.safetensors");
  CHECK(stored.is_equal());
  CHECK(stored.rows.at(0).detail == "F32 and F32, was F16");
  CHECK(stored.rows.at(0).metrics->ulp->dtype == ss::DType::F16);
  ss::save_file(model(), folder / "extra.safetensors",
                {.extra_tensors = {{"beside", tensor({1, 2})}}});
  const ss::Comparison extra =
      ss::compare_files(folder / "extra.safetensors", folder / "a.safetensors");
  CHECK(verdicts_of(extra).back() == "beside only in a");
  CHECK(ss::test::error_of([&] {
          return ss::compare_files(folder / "a.safetensors", folder / "none");
        }).substr(0, 12) == "cannot_open:");
}

TEST_CASE("any structure is equal to itself") {
  const std::uint64_t seed = std::random_device{}();
  MESSAGE("seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 50; ++round) {
    std::vector<Value> items;
    for (int i = 0; i < 5; ++i) {
      const auto dtype = static_cast<ss::DType>(random() % ss::dtype_count);
      ss::Tensor some = ss::Tensor::allocate(dtype, {random() % 4 * 8, 3});
      for (std::byte& byte : some.mutable_bytes())
        byte = static_cast<std::byte>(dtype == ss::DType::BOOL ? random() % 2 : random() % 256);
      items.emplace_back(some);
      items.push_back(Value::tuple({static_cast<std::int64_t>(random()), "x", nullptr}));
    }
    const Value value = Value::list(std::move(items));
    const ss::Comparison found = ss::compare(value, value);
    CHECK(found.is_equal());
    for (const ss::ComparisonRow& row : found.rows)
      CHECK(row.verdict == (is_comparable(value.at(row.path)) ? Verdict::equal : Verdict::nothing));
  }
}

TEST_CASE("a table and its JSON are safe whatever the names") {
  const Value a = Value::dict({{"\x1b[2J\n\"<&", tensor({1})}});
  const Value b = Value::dict({{"\x1b[2J\n\"<&", tensor({2})}});
  const ss::Comparison found = ss::compare(a, b);
  const std::string text = text_of(found);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("/\\x1b[2J\\n\"<&") != std::string::npos);
  CHECK(json_of(found).find("\"path\": \"/\\u001b[2J\\n\\\"<&\"") != std::string::npos);
}
