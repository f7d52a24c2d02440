/// \file
/// Random structures, and others that differ from them: however they are stored, read, named and
/// ordered, the same differences are found.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>

#include "support/folder.hpp"
#include "support/random_values.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::Kind;
using ss::Tensor;
using ss::Value;
using ss::Verdict;
using ss::test::Folder;
using ss::test::Random;
using ss::test::random_tensor;
using ss::test::random_value;

/// Returns a tensor that differs from another: in a few bits of a few elements, or altogether.
Tensor changed(Random& random, const Tensor& tensor) {
  if (random.once_in(8)) return random_tensor(random);
  if (tensor.size() == 0) return tensor;
  Tensor other = tensor.contiguous().clone();
  const std::span<std::byte> bytes = other.mutable_bytes();
  for (std::size_t n = 1 + random.below(3); n > 0; --n) {
    std::byte& byte = bytes[random.below(bytes.size())];
    byte ^= tensor.dtype() == ss::DType::BOOL || random.once_in(2)
                ? std::byte{1}
                : static_cast<std::byte>(1U << random.below(8));
  }
  return other;
}

/// Returns a value that differs in some of its parts, or in none.
Value changed(Random& random, const Value& value) {
  if (random.once_in(12)) return random_value(random);
  if (value.kind() == Kind::tensor)
    return random.once_in(2) ? Value(changed(random, value.tensor())) : value;
  if (value.kind() == Kind::list || value.kind() == Kind::tuple) {
    std::vector<Value> items;
    for (const Value& item : value.items()) items.push_back(changed(random, item));
    if (random.once_in(10)) items.push_back(random_value(random));
    return value.kind() == Kind::list ? Value::list(std::move(items))
                                      : Value::tuple(std::move(items));
  }
  if (value.kind() != Kind::dict && value.kind() != Kind::structure) return value;
  Value result = value.kind() == Kind::dict ? Value::dict() : Value::structure(value.type_name());
  for (const ss::Entry& entry : value.entries())
    if (!random.once_in(10)) result.insert_or_assign(entry.key, changed(random, entry.value));
  return result;
}

/// What a row says, without where it stands.
struct Finding {
  Verdict verdict = Verdict::equal;
  std::string detail;
  std::optional<ss::TensorMetrics> metrics;
  std::optional<ss::NoiseFloor> noise;
};

/// Whether two numbers are the same but for the order in which they were summed.
bool alike(std::optional<double> a, std::optional<double> b, double digits = 1e-15) {
  if (!a || !b) return a.has_value() == b.has_value();
  return *a == *b || std::abs(*a - *b) <= digits * std::max(std::abs(*a), std::abs(*b));
}

bool alike(const ss::TensorMetrics& a, const ss::TensorMetrics& b) {
  const auto exact = [](const ss::TensorMetrics& m) {
    return std::tie(m.count, m.compared, m.differing, m.beyond, m.tolerance, m.max_absolute,
                    m.max_relative, m.max_ratio, m.snr_state, m.ulp, m.non_finite);
  };
  if (exact(a) != exact(b) || a.worst.has_value() != b.worst.has_value()) return false;
  for (const auto sum :
       {&ss::TensorMetrics::mean_error, &ss::TensorMetrics::mean_absolute, &ss::TensorMetrics::rmse,
        &ss::TensorMetrics::norm_a, &ss::TensorMetrics::norm_b})
    if (!alike(a.*sum, b.*sum)) return false;
  if (!alike(a.relative_l2, b.relative_l2) || !alike(a.norm_ratio, b.norm_ratio)) return false;
  // Differences of sums, in which digits cancel.
  if (!alike(a.snr, b.snr, 1e-11) || !alike(a.cosine, b.cosine, 1e-11) ||
      !alike(a.cosine_distance, b.cosine_distance, 1e-11))
    return false;
  return !a.worst ||
         (a.worst->index == b.worst->index && a.worst->a == b.worst->a && a.worst->b == b.worst->b);
}

bool alike(const ss::NoiseFloor& a, const ss::NoiseFloor& b) {
  return a.runs == b.runs && a.is_precise == b.is_precise && a.max_absolute == b.max_absolute &&
         alike(a.rmse, b.rmse) && alike(a.relative_l2, b.relative_l2) &&
         alike(a.factor, b.factor) && alike(a.excess, b.excess);
}

using Findings = std::map<std::string, Finding>;

void check_alike(const Findings& a, const Findings& b) {
  for (const auto& [path, finding] : a) {
    const std::string about =
        path + ' ' + std::string(to_string(finding.verdict)) + ' ' + finding.detail;
    CAPTURE(about);
    const auto other = b.find(path);
    REQUIRE(other != b.end());
    CHECK(finding.verdict == other->second.verdict);
    CHECK(finding.detail == other->second.detail);
    REQUIRE(finding.metrics.has_value() == other->second.metrics.has_value());
    if (finding.metrics) CHECK(alike(*finding.metrics, *other->second.metrics));
    REQUIRE(finding.noise.has_value() == other->second.noise.has_value());
    if (finding.noise) CHECK(alike(*finding.noise, *other->second.noise));
  }
  for (const auto& [path, finding] : b) {
    const std::string about =
        path + ' ' + std::string(to_string(finding.verdict)) + ' ' + finding.detail;
    CAPTURE(about);
    CHECK(a.contains(path));
  }
}

Findings findings_of(const ss::Comparison& found) {
  Findings all;
  for (const ss::ComparisonRow& row : found.rows) {
    std::string path = row.path;
    if (row.record)
      path = "/" + row.record->name + "@" + std::to_string(row.record->step) + "@" +
             std::to_string(row.record->call) + path.substr(row.record->name.size());
    INFO(path);
    Finding finding{row.verdict, row.detail, row.metrics, {}};
    if (row.noise) finding.noise = *row.noise;
    CHECK(all.emplace(path, std::move(finding)).second);
  }
  return all;
}

void check_coverage(const ss::Coverage& a, const ss::Coverage& b) {
  CHECK(a.tensors == b.tensors);
  CHECK(a.values == b.values);
  CHECK(a.elements == b.elements);
  CHECK(a.compared_elements == b.compared_elements);
  CHECK(a.only_a == b.only_a);
  CHECK(a.only_b == b.only_b);
  CHECK(a.nothing == b.nothing);
  CHECK(a.without_noise == b.without_noise);
  CHECK(a.large_noise == b.large_noise);
}

constexpr std::uint32_t seeds = 50;

Value random_dict(Random& random) {
  Value dict = Value::dict();
  for (std::size_t n = 1 + random.below(12); n > 0; --n)
    dict.insert_or_assign(Value("key" + std::to_string(random.below(20))), random_value(random));
  return dict;
}

}  // namespace

TEST_CASE("records differ as the same values in structures do") {
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Folder folder;
    Value a = Value::dict();
    Value b = Value::dict();
    Value again = Value::dict();
    {
      ss::RecorderOptions options;
      options.segment_bytes = random.one_of<std::uint64_t>({1, 5'000, 1U << 28U});
      ss::ActivationRecorder first(folder / "a", options);
      options.segment_bytes = random.one_of<std::uint64_t>({1, 5'000, 1U << 28U});
      ss::ActivationRecorder second(folder / "b", options);
      ss::ActivationRecorder further(folder / "again", options);
      std::map<std::string, std::uint64_t> calls;
      for (std::int64_t step = 0; step < 3; ++step) {
        first.step(step);
        second.step(step);
        further.step(step);
        for (const std::string name : {"enc", "dec.0", "dec.1", "out"}) {
          Value value = random_value(random);
          for (std::size_t n = random.below(6); n > 0; --n) {
            const Value key(name + "@" + std::to_string(step) + "@" +
                            std::to_string(calls[name]++));
            if (random.once_in(4)) value = random_value(random);
            first.record(name, value);
            a.insert(key, value);
            value = changed(random, value);
            second.record(name, value);
            b.insert(key, value);
            const Value other = random.once_in(2) ? changed(random, value) : value;
            further.record(name, other);
            again.insert(key, other);
          }
        }
      }
    }
    ss::CompareOptions options;
    options.suggest = false;
    if (random.once_in(3)) options.rtol = 1e-3;
    if (random.once_in(3)) options.atol = 0.5;
    options.exact_dtypes = random.once_in(3);
    if (random.once_in(4)) options.access = ss::Access::map;
    const bool has_noise = random.once_in(2);
    if (has_noise) options.noise = {folder / "again"};
    const ss::Comparison records = ss::compare_files(folder / "a", folder / "b", options);
    if (has_noise) options.noise = {std::make_shared<const Value>(again)};
    const ss::Comparison values = ss::compare(a, b, options);
    Findings of_values = findings_of(values);
    // A root that is a dict differs in its size; a recording has none.
    of_values.erase("/");
    check_alike(findings_of(records), of_values);
    check_coverage(records.coverage, values.coverage);
  }
}

TEST_CASE("structures differ alike in every format, and both ways round") {
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Folder folder;
    const Value a = random_dict(random);
    const Value b = changed(random, a);
    ss::CompareOptions options;
    options.suggest = false;
    const ss::Comparison found = ss::compare(a, b, options);
    const Findings expected = findings_of(found);
    for (const char* const extension : {".safetensors", ".json", ".msgpack", ".cbor", ".json.gz"}) {
      CAPTURE(extension);
      const fs::path first = folder / (std::string("a") + extension);
      const fs::path second = folder / (std::string("b") + extension);
      ss::save_file(a, first, {.precision = ss::Precision::preserve});
      ss::save_file(b, second, {.precision = ss::Precision::preserve});
      options.access = random.one_of({ss::Access::map, ss::Access::read, ss::Access::memory});
      const ss::Comparison files = ss::compare_files(first, second, options);
      check_alike(findings_of(files), expected);
      check_coverage(files.coverage, found.coverage);
    }
    const ss::Comparison reverse = ss::compare(b, a, options);
    for (const ss::ComparisonRow& row : reverse.rows) {
      INFO(row.path);
      const auto other = expected.find(row.path);
      REQUIRE(other != expected.end());
      const Verdict verdict = other->second.verdict;
      if (verdict == Verdict::only_a) CHECK(row.verdict == Verdict::only_b);
      else if (verdict == Verdict::only_b) CHECK(row.verdict == Verdict::only_a);
      else if (verdict != Verdict::close && verdict != Verdict::different)
        CHECK(row.verdict == verdict);
      if (!row.metrics) continue;
      CHECK(row.metrics->max_absolute == other->second.metrics->max_absolute);
      CHECK(row.metrics->differing == other->second.metrics->differing);
      CHECK(row.metrics->norm_a == other->second.metrics->norm_b);
      CHECK(row.metrics->non_finite.nan_only_a == other->second.metrics->non_finite.nan_only_b);
    }
    CHECK(reverse.rows.size() == found.rows.size());
    CHECK(reverse.coverage.only_a == found.coverage.only_b);
  }
}

TEST_CASE("renamed, chosen and ignored paths differ as they do among all") {
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Value a = random_dict(random);
    const Value b = changed(random, a);
    if (b.kind() != Kind::dict) continue;
    ss::CompareOptions options;
    options.suggest = false;
    const Findings all = findings_of(ss::compare(a, b, options));

    Value renamed = Value::dict();
    for (const ss::Entry& entry : b.entries())
      renamed.insert(Value("new." + entry.key.as_string()), entry.value);
    options.renames = {{"/key*", "/new.key*"}};
    Findings found = findings_of(ss::compare(a, renamed, options));
    for (const auto& [path, finding] : all) {
      if (finding.verdict != Verdict::only_b) continue;
      auto one = found.extract("/new." + path.substr(1));
      REQUIRE(!one.empty());
      one.key() = path;
      found.insert(std::move(one));
    }
    check_alike(found, all);
    options.renames.clear();

    const std::string digit = std::to_string(random.below(10));
    const auto is_chosen = [&](const std::string& path) {
      return path.starts_with("/key" + digit);
    };
    const auto part = [&](bool chosen) {
      Findings some = all;
      std::erase_if(some, [&](const auto& one) { return is_chosen(one.first) != chosen; });
      return some;
    };
    options.only = {"/key" + digit + "*"};
    check_alike(findings_of(ss::compare(a, b, options)), part(true));
    options.ignore = std::exchange(options.only, {});
    Findings rest = findings_of(ss::compare(a, b, options));
    // The number of entries that are not ignored may be the same.
    Findings expected = part(false);
    rest.erase("/");
    expected.erase("/");
    check_alike(rest, expected);
  }
}
