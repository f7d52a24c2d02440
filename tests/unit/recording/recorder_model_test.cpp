/// \file
/// Recorders of random options are given random records, and keep what a plain model of
/// docs/recording.md says: which records, under which numbers, and every bit of their values.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>
#include <safestructures/recording/verify_recording.hpp>
#include <safestructures/tools/statistics.hpp>

#include "support/folder.hpp"
#include "support/random_values.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::DType;
using ss::Keep;
using ss::Tensor;
using ss::Value;
using ss::test::Folder;
using ss::test::Random;
using ss::test::random_value;
using ss::test::with_tensors;

std::uint64_t content_of(const Value& value) {
  std::uint64_t bytes = 0;
  ss::walk(value, [&](const ss::Place& place) {
    const Value& node = place.value();
    if (node.has_tensor()) bytes += node.tensor().byte_size();
    if (node.kind() == ss::Kind::string) bytes += node.as_string().size();
    if (node.kind() == ss::Kind::dict)
      for (const ss::Entry& entry : node.entries()) bytes += entry.key.as_string().size();
    return ss::Next::into;
  });
  return bytes;
}

Value stored(const Value& value, const ss::Precision& precision) {
  return with_tensors(value, [&](const Tensor& tensor) {
    return Value(tensor.to(precision.stored(tensor.dtype()), ss::Overflow::allow));
  });
}

Value summarised(const Value& value) {
  return with_tensors(value, [](const Tensor& tensor) { return ss::statistics_value(tensor); });
}

/// A pattern of a rule, and what it means without looking at its text.
struct Pattern {
  const char* text;
  bool is_regex;
  bool (*matches)(const std::string& name);
};
constexpr Pattern patterns[] = {
    {"*", false, [](const std::string&) { return true; }},
    {"a*", false, [](const std::string& name) { return name[0] == 'a'; }},
    {"enc.*", false, [](const std::string& name) { return name.starts_with("enc."); }},
    {"?", false, [](const std::string& name) { return name.size() == 1; }},
    {"*[bc]", false,
     [](const std::string& name) { return name.back() == 'b' || name.back() == 'c'; }},
    {"(enc|dec)\\..", true,
     [](const std::string& name) {
       return name.size() == 5 && (name.starts_with("enc.") || name.starts_with("dec."));
     }},
};

struct Rule {
  const Pattern* pattern;
  ss::KeepRule rule;
};

std::vector<Rule> random_rules(Random& random) {
  std::vector<Rule> rules;
  for (std::size_t n = random.once_in(3) ? 0 : random.below(4); n > 0; --n) {
    const Pattern& pattern = patterns[random.below(std::size(patterns))];
    ss::KeepRule rule{.names = pattern.text, .regex = pattern.is_regex};
    rule.keep = random.one_of({Keep::full, Keep::full, Keep::slice, Keep::statistics, Keep::none});
    if (rule.keep == Keep::slice)
      rule.slices = ss::parse_slices(random.one_of({":2", "::2", "-1:", ":, 1:", ":"}));
    if (random.once_in(3))
      rule.precision = random.one_of(
          {ss::Precision::f16, ss::Precision::f64, ss::Precision{DType::BF16, DType::I16}});
    if (random.once_in(3)) rule.every = 1 + random.below(3);
    if (random.once_in(3)) rule.first = random.below(6);
    if (random.once_in(4))
      rule.predicate = [](const ss::RecordCall& call) { return call.call % 3 != 1; };
    rules.push_back({&pattern, std::move(rule)});
  }
  return rules;
}

struct Expected {
  std::string name;
  std::int64_t step = 0;
  std::uint64_t call = 0;
  std::uint64_t thread = 0;
  Keep keep = Keep::full;
  Value value;
};

/// What a recorder of these options must have kept, and counted, so far.
class Model {
 public:
  Model(const ss::RecorderOptions& options, std::vector<Rule> rules)
      : options_(options), rules_(std::move(rules)) {}

  /// Notes a call. \returns whether `record` must throw
  bool record(const std::string& name, std::int64_t step, std::uint64_t thread,
              const Value& value) {
    ss::RecordCounts& counts = report.names[name];
    const std::uint64_t call = counts.calls++;
    const ss::KeepRule* rule = find(name);
    static const ss::KeepRule everything;
    if (rules_.empty()) rule = &everything;
    if (rule == nullptr || !passes(*rule, name, {name, step, call})) {
      ++counts.filtered;
      return false;
    }
    Value kept = value;
    if (rule->keep == Keep::slice) {
      try {
        kept = with_tensors(
            value, [&](const Tensor& tensor) { return Value(tensor.slice(rule->slices)); });
      } catch (const ss::Error&) {
        ++counts.failed;
        return true;
      }
    }
    const std::uint64_t content = content_of(kept);
    if (content > options_.max_bytes - report.bytes) {
      ++counts.limited;
      return false;
    }
    report.bytes += content;
    ++counts.kept;
    const ss::Precision precision = rule->precision.value_or(options_.precision);
    records.push_back(
        {name, step, call, thread, rule->keep,
         rule->keep == Keep::statistics ? summarised(kept) : stored(kept, precision)});
    return false;
  }

  std::vector<Expected> records;
  ss::RecorderReport report;

 private:
  const ss::KeepRule* find(const std::string& name) const {
    for (const Rule& rule : rules_)
      if (rule.pattern->matches(name)) return &rule.rule;
    return nullptr;
  }
  bool passes(const ss::KeepRule& rule, const std::string& name, const ss::RecordCall& call) {
    if (rule.keep == Keep::none) return false;
    if (call.step % static_cast<std::int64_t>(rule.every) != 0) return false;
    if (rule.predicate && !rule.predicate(call)) return false;
    return passed_by_name_[name]++ < rule.first;
  }

  const ss::RecorderOptions& options_;
  std::vector<Rule> rules_;
  std::map<std::string, std::uint64_t> passed_by_name_;
};

void check_records(const ss::Recording& run, const std::vector<Expected>& expected) {
  REQUIRE(run.size() == expected.size());
  std::vector<std::string> names;
  std::set<std::int64_t> steps;
  std::set<std::pair<std::string, std::int64_t>> found;
  for (std::size_t i = 0; i < run.size(); ++i) {
    CAPTURE(i);
    const ss::Record& record = run[i];
    const Expected& one = expected[i];
    CHECK(record.name() == one.name);
    CHECK(record.step() == one.step);
    CHECK(record.call() == one.call);
    CHECK(record.sequence() == i);
    CHECK(record.thread() == one.thread);
    CHECK(record.kept() == one.keep);
    CHECK(record.value() == one.value);
    if (std::ranges::find(names, one.name) == names.end()) names.push_back(one.name);
    steps.insert(one.step);
    CHECK(run.find_call(one.name, one.call) == &record);
    if (found.emplace(one.name, one.step).second) CHECK(run.find(one.name, one.step) == &record);
  }
  CHECK(run.names() == names);
  CHECK(run.steps() == std::vector<std::int64_t>(steps.begin(), steps.end()));
  CHECK(run.select("*").size() == expected.size());
  CHECK(run.find("a", 99) == nullptr);
}

ss::RecorderOptions random_options(Random& random) {
  ss::RecorderOptions options;
  options.precision = random.one_of(
      {ss::Precision::preserve, ss::Precision::preserve, ss::Precision::f32, ss::Precision::bf16});
  options.segment_bytes = random.one_of<std::uint64_t>({1, 5'000, 100'000, 1U << 28U});
  options.header_bytes = random.one_of<std::uint64_t>({0, 10'000, 1U << 18U});
  options.memory = random.one_of<std::uint64_t>({1, 30'000, 1U << 28U});
  options.checksums = !random.once_in(3);
  if (random.once_in(4)) options.max_bytes = random.below(100'000);
  return options;
}

void run_model(std::uint32_t seed) {
  CAPTURE(seed);
  Random random(seed);
  const Folder folder;
  ss::RecorderOptions options = random_options(random);
  const std::vector<Rule> rules = random_rules(random);
  for (const Rule& rule : rules) options.rules.push_back(rule.rule);
  Model model(options, rules);

  std::optional<ss::ActivationRecorder> recorder(std::in_place, folder / "run", options);
  std::uint64_t threads = 0;
  std::int64_t common_step = 0;
  // What one thread does: `count` operations, in nested scopes.
  const auto act = [&](std::size_t count) {
    std::optional<std::uint64_t> thread;
    const auto number = [&] {
      if (!thread) thread = threads++;
      return *thread;
    };
    struct Level {
      ss::ActivationRecorder::Scope scope;
      std::string prefix;
      std::optional<std::int64_t> step;
    };
    std::vector<Level> levels;
    for (; count > 0; --count) {
      const std::string prefix = levels.empty() ? "" : levels.back().prefix;
      const std::optional<std::int64_t> own_step =
          levels.empty() ? std::nullopt : levels.back().step;
      switch (random.below(16)) {
        case 0:
          common_step = static_cast<std::int64_t>(random.below(9)) - 2;
          recorder->step(common_step);
          break;
        case 1: {
          if (levels.size() > 2) break;
          const std::string name = random.one_of({"enc", "dec", "a"});
          number();
          levels.push_back({recorder->scope(name), prefix + name + '.', own_step});
          break;
        }
        case 2: {
          if (levels.size() > 2) break;
          const auto step = static_cast<std::int64_t>(random.below(9));
          number();
          levels.push_back({recorder->step_scope(step), prefix, step});
          break;
        }
        case 3:
          if (!levels.empty()) levels.pop_back();
          break;
        default: {
          const std::string name = random.one_of({"a", "b", "c", "layer.0"});
          Value value = random_value(random);
          const bool throws =
              model.record(prefix + name, own_step.value_or(common_step), number(), value);
          const bool is_moved = random.once_in(3);
          if (is_moved) value.own();
          const auto record = [&] {
            if (is_moved) recorder->record(name, std::move(value));
            else recorder->record(name, value);
          };
          if (throws) CHECK_THROWS_AS(record(), ss::Error);
          else CHECK_NOTHROW(record());
        }
      }
    }
    while (!levels.empty()) levels.pop_back();
  };

  std::optional<ss::Recording> followed;
  for (std::size_t round = 1 + random.below(6); round > 0; --round) {
    std::thread(act, random.below(60)).join();
    if (random.once_in(2)) {
      CHECK(recorder->flush() == model.records.size());
      if (followed) followed->refresh();
      else followed.emplace(folder / "run");
      check_records(*followed, model.records);
      fs::remove_all(folder / "died");
      fs::copy(folder / "run", folder / "died");
      const ss::RecoveryReport recovered = ss::recover_recording(folder / "died");
      CHECK(recovered.lost == 0);
      CHECK(!recovered.is_lossy());
      check_records(ss::Recording(folder / "died"), model.records);
      CHECK(ss::verify_recording(folder / "died").is_fine());
    }
  }
  const ss::RecorderReport report = recorder->report();
  CHECK(report.names == model.report.names);
  CHECK(report.bytes == model.report.bytes);
  if (random.once_in(2)) recorder->close();
  recorder.reset();
  if (report.all.calls == 0 && !fs::exists(folder / "run" / "segment-000001.safetensors")) return;
  check_records(ss::Recording(folder / "run"), model.records);
  if (followed) {
    followed->refresh();
    check_records(*followed, model.records);
    CHECK(followed->is_closed());
    CHECK(followed->problems() == std::vector<std::string>());
  }
  const ss::VerifyRecordingReport verified = ss::verify_recording(folder / "run");
  CHECK(verified.problems == std::vector<std::string>());
  CHECK(verified.records == model.records.size());
  CHECK(verified.is_closed);
}

/// Records of several threads, some of which are left out or summarised for lack of memory.
void run_threads(std::uint32_t seed) {
  CAPTURE(seed);
  Random random(seed);
  const Folder folder;
  ss::RecorderOptions options = random_options(random);
  options.when_full = random.one_of({ss::WhenFull::drop, ss::WhenFull::thin, ss::WhenFull::block});
  options.max_bytes = std::numeric_limits<std::uint64_t>::max();
  // What each thread gave, by name and call.
  constexpr std::size_t thread_count = 3;
  std::vector<std::vector<Value>> given(thread_count);
  {
    ss::ActivationRecorder recorder(folder / "run", options);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < thread_count; ++t)
      threads.emplace_back(
          [&, own = Random(seed * 10 + static_cast<std::uint32_t>(t)), t]() mutable {
            const auto scope = recorder.scope("thread" + std::to_string(t));
            for (std::size_t n = own.below(100); n > 0; --n) {
              const auto step = recorder.step_scope(static_cast<std::int64_t>(n));
              given[t].push_back(random_value(own));
              Value value = given[t].back();
              if (own.once_in(3)) {
                value.own();
                recorder.record("x", std::move(value));
              } else {
                recorder.record("x", value);
              }
            }
          });
    for (std::thread& thread : threads) thread.join();
    recorder.close();
    const ss::RecorderReport report = recorder.report();
    CHECK(report.all.calls == given[0].size() + given[1].size() + given[2].size());
    CHECK(report.all.kept + report.all.dropped == report.all.calls);
    CHECK(report.all.dropped * (options.when_full == ss::WhenFull::block ? 1U : 0U) == 0);
    CHECK(ss::Recording(folder / "run").size() == report.all.kept);
    CHECK(report.written == report.all.kept);
  }
  const ss::Recording run(folder / "run");
  std::vector<std::uint64_t> next(thread_count);
  for (std::size_t i = 0; i < run.size(); ++i) {
    const ss::Record& record = run[i];
    CAPTURE(record.name());
    CAPTURE(record.call());
    const auto thread = static_cast<std::size_t>(record.name()[6] - '0');
    CHECK(record.sequence() == i);
    REQUIRE(record.call() >= next[thread]);
    next[thread] = record.call() + 1;
    const std::vector<Value>& all = given[thread];
    REQUIRE(record.call() < all.size());
    const auto call = static_cast<std::size_t>(record.call());
    CHECK(record.step() == static_cast<std::int64_t>(all.size() - call));
    const bool is_thinned = record.kept() == Keep::statistics;
    CHECK((!is_thinned || options.when_full == ss::WhenFull::thin));
    CHECK(record.value() ==
          (is_thinned ? summarised(all[call]) : stored(all[call], options.precision)));
  }
  CHECK(ss::verify_recording(folder / "run").problems == std::vector<std::string>());
}

constexpr std::uint32_t seeds = 50;

}  // namespace

TEST_CASE("a recorder of random options keeps what a model of it says") {
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) run_model(seed);
}

TEST_CASE(
    "a recorder without memory keeps some records of each thread in order, whole or summarised") {
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) run_threads(seed);
}
