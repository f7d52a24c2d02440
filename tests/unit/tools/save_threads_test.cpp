/// \file
/// `SaveOptions::threads` and `LoadOptions::threads`: the same bytes, values and errors for any
/// number.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/minifloat.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/formats/format.hpp>
#include <safestructures/tools/document.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

#include "support/platform_folder.hpp"

namespace {

namespace ss = safestructures;
using platform_test::Folder;

constexpr unsigned thread_counts[] = {1, 2, 3, 8, 16};
constexpr std::size_t kib = 1024;

std::string bytes_of(const std::filesystem::path& path) {
  std::string bytes(static_cast<std::size_t>(std::filesystem::file_size(path)), '\0');
  std::ifstream(path, std::ios::binary)
      .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

/// Names of items in the order of the file.
std::string item_name(std::size_t item) {
  std::string digits = std::to_string(item);
  return std::string(4 - digits.size(), '0') + digits;
}

template <class T>
std::vector<T> numbers(std::size_t count, std::size_t seed) {
  std::vector<T> result(count);
  for (std::size_t i = 0; i < count; ++i)
    result[i] = static_cast<T>(static_cast<float>((i * 7 + seed * 13) % 251));
  return result;
}

/// Tensors of many sizes, some of which are converted, reordered or copied: a batch of more than
/// 64 MiB as F32, which is worth 16 threads.
ss::Value mixed() {
  ss::Value root = ss::Value::dict();
  const auto add = [&](std::size_t item, ss::Tensor tensor) {
    root.insert(item_name(item), ss::Value(std::move(tensor)));
  };
  const std::size_t counts[] = {1, 7, 256, 5'000, 16'383, 40'000, 300'000};
  for (std::size_t item = 0; item < 400; ++item) {
    // What needs no conversion is small, or it would end a batch.
    const std::size_t count = counts[item % (item % 4 == 2 ? 5 : 7)];
    switch (item % 4) {
      case 0: add(item, ss::Tensor::own(numbers<ss::bfloat16>(count, item))); break;
      case 1: add(item, ss::Tensor::own(numbers<double>(count, item))); break;
      case 2: add(item, ss::Tensor::own(numbers<float>(count, item))); break;
      default: {
        const std::size_t transposed[] = {1, 0};
        const ss::Tensor flat = ss::Tensor::own(numbers<float>(count * 3, item));
        add(item, flat.reshape(ss::Shape{count, 3}).permute(transposed));
      }
    }
  }
  return root;
}

/// Bytes, and the threads that read large pieces of them.
class WatchedSource final : public ss::Source {
 public:
  explicit WatchedSource(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  const std::string& name() const noexcept override { return name_; }
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (into.size() >= 64 * kib) await_others();
    std::memcpy(into.data(), bytes_.data() + offset, into.size());
  }
  /// Reads wait a while for so many threads.
  void expect(std::size_t threads) const {
    expected_ = threads;
    ids_.clear();
  }
  std::set<std::thread::id> threads() const { return ids_; }

 private:
  void await_others() const {
    std::unique_lock lock(mutex_);
    ids_.insert(std::this_thread::get_id());
    arrived_.notify_all();
    // Once for all: where they are not there by then, there are none.
    if (!arrived_.wait_for(lock, std::chrono::milliseconds(500),
                           [&] { return ids_.size() >= expected_; }))
      expected_ = 0;
  }

  std::string name_ = "watched";
  std::vector<std::byte> bytes_;
  mutable std::mutex mutex_;
  mutable std::condition_variable arrived_;
  mutable std::size_t expected_ = 0;
  mutable std::set<std::thread::id> ids_;
};

/// Gives a tensor of a source that is to get another dtype.
class WatchedFormat final : public ss::Format {
 public:
  explicit WatchedFormat(ss::Tensor tensor) : tensor_(std::move(tensor)) {}

  std::string_view name() const noexcept override { return "watched"; }
  std::span<const std::string_view> extensions() const noexcept override { return {}; }
  bool recognises(std::span<const std::byte>, std::uint64_t) const override { return false; }
  ss::Content read(const std::shared_ptr<const ss::Source>&,
                   const ss::LoadOptions&) const override {
    ss::Content content;
    content.root = ss::Value(tensor_);
    content.root.set_attribute("dtype", "F64");
    return content;
  }
  ss::SaveReport write(const ss::Value&, ss::Sink&, const ss::SaveOptions&) const override {
    return {};
  }

 private:
  ss::Tensor tensor_;
};

std::string message_of(const auto& work) {
  try {
    work();
  } catch (const ss::Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a file is the same for any number of threads") {
  const Folder folder;
  ss::Value root = mixed();
  const ss::Tensor columns = ss::Tensor::own(numbers<double>(3'200'000, 1));
  const std::size_t transposed[] = {1, 0};
  root.insert("matrix", ss::Value(columns.reshape({40'000, 80}).permute(transposed)));
  ss::save_file(root, folder / "one.safetensors", {.threads = 1});
  const std::string expected = bytes_of(folder / "one.safetensors");
  REQUIRE(expected.size() > 64 * kib * kib);
  for (const unsigned threads : thread_counts) {
    for (const bool durable : {false, true}) {
      if (durable && threads != 3 && threads != 16) continue;
      CAPTURE(threads);
      CAPTURE(durable);
      const auto path = folder / "many.safetensors";
      ss::save_file(root, path, {.durable = durable, .threads = threads});
      const bool is_same = bytes_of(path) == expected;
      CHECK(is_same);
    }
  }
  const std::vector<std::byte> memory = ss::save(root, {.threads = 3});
  const bool is_same =
      std::string_view(reinterpret_cast<const char*>(memory.data()), memory.size()) == expected;
  CHECK(is_same);
}

TEST_CASE("a packed file is the same for any number of threads") {
  const Folder folder;
  const std::vector<double> object = numbers<double>(3'000'000, 1);
  ss::save_file(object, folder / "one.safetensors.gz", {.threads = 1});
  const std::string expected = bytes_of(folder / "one.safetensors.gz");
  for (const unsigned threads : thread_counts) {
    CAPTURE(threads);
    ss::save_file(object, folder / "many.safetensors.gz", {.threads = threads});
    const bool is_same = bytes_of(folder / "many.safetensors.gz") == expected;
    CHECK(is_same);
  }
}

TEST_CASE("what is loaded is the same for any number of threads") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  const ss::Value root = mixed();
  ss::save_file(root, path);
  const std::vector<double> wide = numbers<double>(9'000'000, 5);
  ss::save_file(wide, folder / "wide.safetensors");
  for (const unsigned threads : thread_counts) {
    for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
      if (access != ss::Access::map && threads != 3) continue;
      CAPTURE(threads);
      const bool is_same = ss::load_file(path, {.access = access, .threads = threads}) == root;
      CHECK(is_same);
      const bool is_wide_same =
          ss::load_file<std::vector<double>>(folder / "wide.safetensors",
                                             {.access = access, .threads = threads}) == wide;
      CHECK(is_wide_same);
      const auto tensors = ss::load_file<std::map<std::string, ss::Tensor>>(
          path, {.access = access, .threads = threads});
      const bool are_equal = tensors.at("0005") == root["0005"].tensor() &&
                             tensors.at("0319") == root["0319"].tensor();
      CHECK(are_equal);
    }
  }
}

TEST_CASE("the first tensor that cannot be saved is reported for any number of threads") {
  const Folder folder;
  std::map<std::string, std::vector<double>> object;
  for (std::size_t item = 0; item < 100; ++item)
    object[item_name(item)] = numbers<double>(80'000, item);
  object["0040"][79'999] = 1e300;
  object["0041"][0] = 1e300;
  object["0090"][5] = 1e300;
  const auto path = folder / "m.safetensors";
  const std::string expected = message_of([&] { ss::save_file(object, path, {.threads = 1}); });
  CHECK(expected.find("0040") != std::string::npos);
  for (const unsigned threads : thread_counts) {
    for (int round = 0; round < 3; ++round)
      CHECK(message_of([&] { ss::save_file(object, path, {.threads = threads}); }) == expected);
  }
  CHECK(folder.names().empty());
}

TEST_CASE("a refused loss before an error is reported for any number of threads") {
  const Folder folder;
  std::map<std::string, std::vector<double>> object;
  for (std::size_t item = 0; item < 100; ++item)
    object[item_name(item)] = numbers<double>(80'000, item);
  object["0020"][7] = 0.1;
  object["0022"][0] = 1e300;
  const auto path = folder / "m.safetensors";
  const auto save = [&](unsigned threads) {
    return message_of([&] { ss::save_file(object, path, {.lossless = true, .threads = threads}); });
  };
  const std::string expected = save(1);
  CHECK(expected.find("0020") != std::string::npos);
  for (const unsigned threads : thread_counts) CHECK(save(threads) == expected);
}

TEST_CASE("conversions are reported in the order of the structure") {
  const Folder folder;
  std::vector<std::vector<double>> object;
  for (std::size_t item = 0; item < 60; ++item) {
    object.push_back(numbers<double>(60'000, item));
    if (item % 7 == 3) object.back()[100 + item] = 1e300;
  }
  for (const unsigned threads : thread_counts) {
    CAPTURE(threads);
    const ss::SaveReport report = ss::save_file(
        object, folder / "m.safetensors", {.overflow = ss::Overflow::allow, .threads = threads});
    REQUIRE(report.conversions.size() == 9);
    for (std::size_t i = 0; i < 9; ++i) {
      CHECK(report.conversions[i].name == std::to_string(i * 7 + 3));
      CHECK(report.conversions[i].report.overflow == 1);
      CHECK(report.conversions[i].report.first_overflow == 103 + i * 7);
    }
  }
}

TEST_CASE("the first tensor that cannot be loaded is reported for any number of threads") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  // As F16 in C++ and F32 in the file; what other tools changed there no longer fits.
  std::map<std::string, std::vector<ss::half>> object;
  for (std::size_t item = 0; item < 300; ++item)
    object[item_name(item)] = numbers<ss::half>(60'000, item);
  ss::save_file(object, path);
  std::string bytes = bytes_of(path);
  const std::size_t data = bytes.size() - std::size_t{300} * 60'000 * 4;
  for (const std::size_t item : {std::size_t{120}, std::size_t{121}, std::size_t{280}}) {
    const float large = 1e30F;
    bytes.replace(data + (item * 60'000 + 9) * 4, 4, reinterpret_cast<const char*>(&large), 4);
  }
  std::ofstream(path, std::ios::binary) << bytes;
  const std::string expected =
      message_of([&] { static_cast<void>(ss::load_file(path, {.threads = 1})); });
  CHECK(expected.find("/0120") != std::string::npos);
  for (const unsigned threads : thread_counts)
    CHECK(message_of([&] { static_cast<void>(ss::load_file(path, {.threads = threads})); }) ==
          expected);
}

TEST_CASE("saving and loading use no more threads than they may, and so many where it pays") {
  const Folder folder;
  const std::vector<double> wide = numbers<double>(4'000'000, 1);
  const auto bytes = std::as_bytes(std::span(wide));
  const auto plain =
      std::make_shared<const WatchedSource>(std::vector<std::byte>(bytes.begin(), bytes.end()));
  const auto packed = std::make_shared<const WatchedSource>(ss::save(wide));
  const auto tensor_of = [&](ss::DType dtype) {
    return ss::Tensor::deferred(dtype, {wide.size()}, plain, 0, "x");
  };
  const ss::Value saved = tensor_of(ss::DType::F64);
  const auto watched = std::make_shared<const WatchedFormat>(tensor_of(ss::DType::F32));
  for (const unsigned threads : {1U, 3U}) {
    CAPTURE(threads);
    const auto check = [&](const WatchedSource& source, const auto& work) {
      source.expect(std::max(threads, 2U));
      work();
      CHECK(source.threads().size() == threads);
      CHECK(source.threads().contains(std::this_thread::get_id()));
    };
    check(*plain, [&] { ss::save_file(saved, folder / "m.safetensors", {.threads = threads}); });
    check(*plain, [&] {
      static_cast<void>(
          ss::load(std::vector<std::byte>(1), {.format = watched, .threads = threads}));
    });
    const ss::Document open =
        ss::Document::open(packed, {.access = ss::Access::read, .threads = threads});
    check(*packed, [&] { CHECK(open.as<ss::Tensor>().dtype() == ss::DType::F64); });
  }
}
