/// \file
/// Records that wait for room while another thread's record takes some of it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>

#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using ss::test::Folder;
using namespace std::chrono_literals;

/// Zeros that are there when somebody says so.
class LateZeros final : public ss::Source {
 public:
  explicit LateZeros(std::size_t size) : size_(size) {}

  const std::string& name() const noexcept override { return name_; }
  std::uint64_t size() const noexcept override { return size_; }
  void read(std::uint64_t, std::span<std::byte> into) const override {
    is_begun = true;
    is_begun.notify_one();
    may_end.wait(false);
    std::ranges::fill(into, std::byte{0});
  }

  mutable std::atomic<bool> is_begun = false;
  std::atomic<bool> may_end = false;

 private:
  std::string name_ = "late";
  std::size_t size_;
};

/// A record, made on a thread of its own, that takes that much of the memory until it is ended.
class Occupant {
 public:
  Occupant(ss::ActivationRecorder& recorder, std::size_t size)
      : zeros_(std::make_shared<LateZeros>(size)), thread_([&recorder, zeros = zeros_] {
          recorder.record("occupant",
                          ss::Tensor::deferred(ss::DType::U8, {zeros->size()}, zeros, 0, "late"));
        }) {
    zeros_->is_begun.wait(false);
  }
  Occupant(const Occupant&) = delete;
  Occupant& operator=(const Occupant&) = delete;
  ~Occupant() { end(); }

  void end() {
    zeros_->may_end = true;
    zeros_->may_end.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::shared_ptr<LateZeros> zeros_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("small records that come after a large one that waits let it go first") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run", {.memory = std::uint64_t{1} << 20U});
  Occupant occupant(recorder, 65'536);
  std::thread large([&] { recorder.record("large", std::vector<float>(260'000)); });
  while (!recorder.report().names.contains("large")) std::this_thread::sleep_for(1ms);
  constexpr int most = 5000;
  std::atomic<int> recorded = 0;
  std::thread small([&] {
    for (; recorded < most; ++recorded) {
      recorder.record("small", 1.5);
      std::this_thread::sleep_for(100us);
    }
  });
  // Until it waits, or has passed the large one for good.
  for (int before = -1; before != recorded && recorded < most;) {
    before = recorded;
    std::this_thread::sleep_for(100ms);
  }
  occupant.end();
  large.join();
  small.join();
  recorder.close();
  const ss::Recording run(folder / "run");
  CHECK(run.size() == most + 2);
  CHECK(run.find("large", 0)->sequence() < run[run.size() - 1].sequence());
}

TEST_CASE("the capacity of a vector counts as memory when it is taken over") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run",
                                  {.memory = 100'000, .when_full = ss::WhenFull::drop});
  Occupant occupant(recorder, 50'000);
  std::vector<float> values(10);
  values.reserve(20'000);
  recorder.record("copied", values);
  recorder.record("moved", std::move(values));
  occupant.end();
  recorder.close();
  const ss::RecorderReport report = recorder.report();
  CHECK(report.names.at("copied").kept == 1);
  CHECK(report.names.at("moved").dropped == 1);
}

TEST_CASE("a thinned-out value may change at once, including bytes next to tensors") {
  const Folder folder;
  ss::ActivationRecorder recorder(
      folder / "run", {.memory = std::uint64_t{1} << 20U, .when_full = ss::WhenFull::thin});
  Occupant occupant(recorder, 1'000'000);
  const auto bytes = std::make_shared<std::vector<std::byte>>(300, std::byte{1});
  const std::vector<float> numbers(100'000, 1);
  const ss::Value value = ss::Value::dict(
      {{"bytes", ss::Value::bytes(ss::Tensor::share(ss::DType::U8, {300}, *bytes, bytes))},
       {"numbers", ss::Tensor::of<float>(numbers)}});
  recorder.record("x", value);
  std::ranges::fill(*bytes, std::byte{2});
  occupant.end();
  recorder.close();
  const ss::Recording run(folder / "run");
  const ss::Record* const record = run.find("x", 0);
  REQUIRE(record != nullptr);
  CHECK(record->kept() == ss::Keep::statistics);
  CHECK(record->value().entries()[0].value.tensor().bytes()[0] == std::byte{1});
}
