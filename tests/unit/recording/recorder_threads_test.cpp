/// \file
/// Several threads record at once: each keeps its order, and nothing is lost.
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/verify.hpp>

#include "support/folder.hpp"

namespace {

/// Takes its time to be saved.
struct Slow {
  std::atomic<bool>& is_begun;
  std::atomic<bool>& may_end;
};

}  // namespace

template <>
struct safestructures::Codec<Slow> {
  static Value encode(const Slow& slow, Encoder&) {
    slow.is_begun = true;
    slow.is_begun.notify_one();
    slow.may_end.wait(false);
    return {1};
  }
};

namespace {

namespace ss = safestructures;
using ss::test::Folder;

constexpr int thread_count = 6;
constexpr int records = 300;

std::vector<float> value_of(int thread, int i) {
  return std::vector<float>(static_cast<std::size_t>(i * 7 % 900 + 1),
                            static_cast<float>(thread * records + i));
}

/// Threads that record under scopes of their own, and whatever else goes on meanwhile.
void record_on_threads(ss::ActivationRecorder& recorder, bool with_flushes) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < thread_count; ++thread)
    threads.emplace_back([&recorder, thread, with_flushes] {
      const auto outer = recorder.scope("thread" + std::to_string(thread));
      for (int i = 0; i < records; ++i) {
        const auto inner = recorder.scope(i % 2 == 0 ? "even" : "odd");
        recorder.step(i);
        if (i % 3 == 0) recorder.record("moved", value_of(thread, i));
        else {
          const std::vector<float> value = value_of(thread, i);
          recorder.record("copied", value);
        }
        if (with_flushes && i % 50 == 0) recorder.flush();
        if (i % 100 == 0) static_cast<void>(recorder.report());
      }
    });
  for (std::thread& one : threads) one.join();
}

using Scope = ss::ActivationRecorder::Scope;

/// Records, and leaves a scope, when it is destroyed.
struct Late {
  ss::ActivationRecorder* recorder = nullptr;
  std::optional<Scope> scope;
  ~Late() {
    if (recorder == nullptr) return;
    recorder->record("late", 1);
    scope.reset();
    recorder->record("last", 2);
  }
};

}  // namespace

TEST_CASE(
    "objects destroyed at a thread's end may record and leave a scope, as the thread did before") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  std::thread([&recorder] {
    // Made before anything of the recorder's, so that it is destroyed behind it.
    thread_local Late late;
    late.recorder = &recorder;
    late.scope.emplace(recorder.scope("program"));
    recorder.record("first", 0);
  }).join();
  recorder.record("other", 3);
  recorder.close();
  const ss::Recording run(folder / "run");
  REQUIRE(run.size() == 4);
  CHECK(run[0].name() == "program.first");
  CHECK(run[1].name() == "program.late");
  CHECK(run[2].name() == "last");
  CHECK(run[2].thread() == run[0].thread());
  CHECK(run[3].thread() != run[0].thread());
}

TEST_CASE("objects that the system destroys last at a thread's end may record") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  pthread_key_t first = 0;
  pthread_key_t second = 0;
  const auto last_words = [](void* given) {
    static_cast<ss::ActivationRecorder*>(given)->record("last", 1);
  };
  // One key is older than the recorder's own, one younger: they are destroyed in some order.
  REQUIRE(::pthread_key_create(&first, last_words) == 0);
  recorder.record("before", 0);
  REQUIRE(::pthread_key_create(&second, last_words) == 0);
  std::thread([&] {
    ::pthread_setspecific(first, &recorder);
    recorder.record("inside", 0);
    ::pthread_setspecific(second, &recorder);
  }).join();
  ::pthread_key_delete(first);
  ::pthread_key_delete(second);
  recorder.close();
  CHECK(recorder.report().names.at("last").kept == 2);
}

TEST_CASE("a scope that was moved is left once") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  {
    Scope given = recorder.scope("outer");
    const Scope kept(std::move(given));
    recorder.record("x", 0);
  }
  recorder.record("x", 0);
  recorder.close();
  const ss::Recording run(folder / "run");
  REQUIRE(run.size() == 2);
  CHECK(run[0].name() == "outer.x");
  CHECK(run[1].name() == "x");
}

TEST_CASE("records of many threads are all there, each thread's in its order") {
  for (const std::uint64_t memory :
       {std::uint64_t{1}, std::uint64_t{20'000}, std::uint64_t{1} << 30}) {
    CAPTURE(memory);
    const Folder folder;
    ss::ActivationRecorder recorder(folder / "run", {.memory = memory, .segment_bytes = 200'000});
    record_on_threads(recorder, memory != 1);
    recorder.close();
    CHECK(recorder.report().all.kept == thread_count * records);
    const ss::Recording run(folder / "run");
    REQUIRE(run.size() == thread_count * records);
    std::map<std::string, int> next;
    std::map<std::uint64_t, std::string> scopes;
    for (const ss::Record& record : run) {
      const std::string scope = record.name().substr(0, record.name().find('.'));
      // A thread has one number and one scope.
      CHECK(scopes.try_emplace(record.thread(), scope).first->second == scope);
      const int thread = scope.back() - '0';
      const int i = next[scope]++;
      const std::string name =
          scope + (i % 2 == 0 ? ".even." : ".odd.") + (i % 3 == 0 ? "moved" : "copied");
      CHECK(record.name() == name);
      CHECK(record.as<std::vector<float>>() == value_of(thread, i));
    }
    CHECK(scopes.size() == thread_count);
  }
}

TEST_CASE("records dropped by many threads are counted to the last one") {
  for (const ss::WhenFull when_full : {ss::WhenFull::drop, ss::WhenFull::thin}) {
    const Folder folder;
    ss::ActivationRecorder recorder(folder / "run", {.memory = 10'000, .when_full = when_full});
    record_on_threads(recorder, false);
    recorder.close();
    const ss::RecordCounts all = recorder.report().all;
    CHECK(all.calls == thread_count * records);
    CHECK(all.kept + all.dropped == all.calls);
    CHECK(ss::Recording(folder / "run").size() == all.kept);
  }
}

TEST_CASE("a record beyond the limit on all bytes limits no other thread's") {
  const Folder folder;
  constexpr std::uint64_t most = std::uint64_t{1} << 20U;
  constexpr std::uint64_t count = 50'000;
  ss::ActivationRecorder recorder(folder / "run", {.max_bytes = most});
  std::atomic<bool> is_done{false};
  std::thread other([&] {
    const std::vector<std::byte> large(most + 1);
    const ss::Tensor tensor = ss::Tensor::share(ss::DType::U8, {large.size()}, large, nullptr);
    while (!is_done) recorder.record("large", tensor);
  });
  for (std::uint64_t i = 0; i < count; ++i) recorder.record("small", std::vector<float>{1});
  is_done = true;
  other.join();
  recorder.close();
  const ss::RecorderReport report = recorder.report();
  CHECK(report.names.at("small") == ss::RecordCounts{.calls = count, .kept = count});
  CHECK(report.names.at("large").limited == report.names.at("large").calls);
  CHECK(report.bytes == count * sizeof(float));
}

TEST_CASE("of many threads' records as many are kept as the limit on all bytes allows") {
  const Folder folder;
  constexpr std::uint64_t most = 40'000;
  ss::ActivationRecorder recorder(folder / "run", {.max_bytes = most});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < thread_count; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) recorder.record("x", std::vector<float>(10));
    });
  for (std::thread& one : threads) one.join();
  recorder.close();
  CHECK(recorder.report().bytes == most);
  CHECK(recorder.report().all == ss::RecordCounts{.calls = 6000, .kept = 1000, .limited = 5000});
}

TEST_CASE("a recording is followed while threads record") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run", {.segment_bytes = 50'000});
  std::atomic<bool> is_done{false};
  std::thread reader([&] {
    ss::Recording run(folder / "run");
    while (!run.is_closed()) {
      const bool was_done = is_done;
      static_cast<void>(run.refresh());
      for (std::size_t i = 0; i < run.size(); ++i)
        if (run[i].sequence() != i) return;
      if (was_done && !run.is_closed()) break;
    }
    CHECK(run.size() == thread_count * records);
    CHECK(run.problems().empty());
  });
  record_on_threads(recorder, true);
  recorder.close();
  is_done = true;
  reader.join();
}

TEST_CASE("a reader misses no segment that is sealed while it looks at a large folder") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run", {.segment_bytes = 100, .header_bytes = 4096});
  // A look at so many files takes several system calls.
  for (int i = 0; i < 1000; ++i) std::ofstream(folder / "run" / ("other-" + std::to_string(i)));
  constexpr int segments = 200;
  std::atomic<bool> is_done{false};
  std::thread reader([&] {
    ss::Recording run(folder / "run");
    for (bool was_done = false; !was_done && !run.is_closed();) {
      was_done = is_done;
      static_cast<void>(run.refresh());
    }
    CHECK(run.is_closed());
    CHECK(run.size() == segments);
    CHECK(run.problems() == std::vector<std::string>());
  });
  for (int i = 0; i < segments; ++i) {
    recorder.record("x", std::vector<float>(30, static_cast<float>(i)));
    recorder.flush();
  }
  recorder.close();
  is_done = true;
  reader.join();
}

TEST_CASE("threads read a recording of more segments than files are open") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run", {.segment_bytes = 1, .header_bytes = 4096});
  constexpr int segments = 100;
  for (int i = 0; i < segments; ++i) recorder.record("x", value_of(1, i));
  recorder.close();
  const ss::Recording run(folder / "run", {.access = ss::Access::read});
  REQUIRE(run.size() == segments);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < thread_count; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < segments; ++i) {
        const int record = (i * 7 + thread) % segments;
        const ss::Record& found = run[static_cast<std::size_t>(record)];
        if (found.as<std::vector<float>>() != value_of(1, record)) ++wrong;
      }
    });
  for (std::thread& one : threads) one.join();
  CHECK(wrong == 0);
}

TEST_CASE("a scope may outlive its recorder, on any thread") {
  const Folder folder;
  auto a = std::make_unique<ss::ActivationRecorder>(folder / "a");
  const auto scope = a->scope("scope");
  std::thread other([&] {
    const auto inner = a->scope("inner");
    a->record("x", 1);
    a.reset();
  });
  other.join();
  CHECK(ss::Recording(folder / "a")[0].name() == "inner.x");
  ss::ActivationRecorder b(folder / "b");
  b.record("x", 1);
  b.close();
  CHECK(ss::Recording(folder / "b")[0].name() == "x");
}

TEST_CASE("two recorders on one thread have scopes of their own") {
  const Folder folder;
  ss::ActivationRecorder a(folder / "a");
  ss::ActivationRecorder b(folder / "b");
  const auto of_a = a.scope("a");
  const auto of_b = b.scope("b");
  a.record("x", 1);
  b.record("x", 2);
  a.close();
  b.close();
  CHECK(ss::Recording(folder / "a")[0].name() == "a.x");
  CHECK(ss::Recording(folder / "b")[0].name() == "b.x");
}

TEST_CASE("a large batch, hashed by one thread while another writes it, has checksums that fit") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  for (int i = 0; i < 6; ++i)
    recorder.record("x", std::vector<float>(std::size_t{1} << 20U, static_cast<float>(i)));
  recorder.close();
  const ss::Recording run(folder / "run");
  REQUIRE(run.size() == 6);
  CHECK(ss::verify_file(run[0].file()).has_checksums);
}

TEST_CASE("a call in progress while a segment is sealed does not count as left out") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run", {.segment_bytes = 1});
  std::atomic<bool> is_begun = false;
  std::atomic<bool> may_end = false;
  std::thread other([&] { recorder.record("slow", Slow{is_begun, may_end}); });
  is_begun.wait(false);
  for (int i = 0; i < 2; ++i) {
    recorder.record("x", std::vector<int>(4, i));
    recorder.flush();
  }
  {
    const ss::Recording run(folder / "run");
    CHECK(run.size() == 2);
    CHECK(run.about().find("\"left_out\": {}") != std::string::npos);
  }
  may_end = true;
  may_end.notify_one();
  other.join();
  recorder.close();
  CHECK(ss::Recording(folder / "run").size() == 3);
}

TEST_CASE("a record whose call began before close() and arrives after it is refused and counted") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  std::atomic<bool> is_begun = false;
  std::atomic<bool> may_end = false;
  std::string said;
  std::thread other([&] {
    try {
      recorder.record("slow", Slow{is_begun, may_end});
    } catch (const ss::Error& error) {
      said = error.what();
    }
  });
  is_begun.wait(false);
  recorder.close();
  may_end = true;
  may_end.notify_one();
  other.join();
  CHECK(said == (folder / "run").string() + ": the recorder is closed: found a record of 'slow'.");
  CHECK(recorder.report().all == ss::RecordCounts{.calls = 1, .failed = 1});
  const ss::Recording run(folder / "run");
  CHECK(run.empty());
  CHECK(run.is_closed());
}

TEST_CASE("a recording is closed when a call of close() returns, whoever closes it") {
  for (int round = 0; round < 10; ++round) {
    const Folder folder;
    ss::ActivationRecorder recorder(folder / "run");
    for (int i = 0; i < 100; ++i) recorder.record("x", std::vector<float>(20'000, 1));
    std::atomic<int> closed = 0;
    const auto close = [&] {
      recorder.close();
      if (const ss::Recording run(folder / "run"); run.is_closed() && run.size() == 100) ++closed;
    };
    std::thread other(close);
    close();
    other.join();
    CHECK(closed == 2);
  }
}
