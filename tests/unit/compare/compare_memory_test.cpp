/// \file
/// What a comparison costs in memory, by counting what the allocator is asked for.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/compare/compare.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/recording/recorder.hpp>

#include "support/counting_memory.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using counting_memory::peak_of;

/// Floats that count up, with one that does not, made when they are read.
class Floats final : public ss::Source {
 public:
  Floats(std::uint64_t count, std::uint64_t odd, std::uint64_t transposed_from = 1)
      : count_(count), odd_(odd), columns_(transposed_from) {}

  const std::string& name() const noexcept override { return name_; }
  std::uint64_t size() const noexcept override { return count_ * sizeof(float); }
  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    for (std::size_t i = 0; i < into.size(); i += sizeof(float)) {
      const std::uint64_t place = (offset + i) / sizeof(float);
      const std::uint64_t rows = count_ / columns_;
      const std::uint64_t index = place % rows * columns_ + place / rows;
      const float value = index == odd_ ? -1 : static_cast<float>(index % 1000);
      std::memcpy(into.data() + i, &value, sizeof(float));
    }
  }

 private:
  std::string name_ = "floats";
  std::uint64_t count_;
  std::uint64_t odd_;
  std::uint64_t columns_;  // Of the matrix whose transpose this is; 1 where it is none.
};

}  // namespace

TEST_CASE("tensors of 256 MiB are compared within 8 MiB, transposes looked for included") {
  constexpr std::uint64_t side = 8192;
  constexpr std::uint64_t count = side * side;
  constexpr std::uint64_t odd = count - 12345;
  const auto tensor = [&](std::uint64_t at) {
    return ss::Value(ss::Tensor::deferred(ss::DType::F32, {side, side},
                                          std::make_shared<const Floats>(count, at), 0, "x"));
  };
  const ss::Value a = tensor(odd);
  const ss::Value b = tensor(count);
  std::optional<ss::Comparison> compared;
  CHECK(peak_of([&] { compared.emplace(ss::compare(a, b)); }) < std::size_t{8} << 20U);
  const ss::Comparison& found = *compared;
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows.at(0).metrics->beyond == 1);
  CHECK(found.rows.at(0).metrics->worst->index == odd);
  CHECK(!a.tensor().is_loaded());
}

TEST_CASE("few records of 200 KiB behind many tiny ones are not read all at once") {
  const ss::test::Folder folder;
  for (const char* name : {"a", "b"}) {
    ss::ActivationRecorder recorder(folder / name);
    for (std::size_t i = 0; i < 20'000; ++i) recorder.record("tiny", std::vector<float>(4, 1));
    for (std::size_t i = 0; i < 200; ++i)
      recorder.record("large", std::vector<float>(50'000, name[0] == 'a' ? 1.0F : 2.0F));
    recorder.close();
  }
  std::optional<ss::Comparison> compared;
  CHECK(peak_of([&] { compared.emplace(ss::compare_files(folder / "a", folder / "b")); }) <
        std::size_t{20} << 20U);
  const ss::Comparison& found = *compared;
  CHECK(found.rows.size() == 20'200);
  CHECK(found.differences() == 200);
}

TEST_CASE("20,000 small records are compared beside their noise within 16 MiB") {
  const ss::test::Folder folder;
  for (const std::string name : {"a", "b", "again"}) {
    ss::ActivationRecorder recorder(folder / name);
    for (std::size_t i = 0; i < 20'000; ++i)
      recorder.record("tiny", std::vector<float>(16, name == "a" ? 1.0F : 2.0F));
    recorder.close();
  }
  std::optional<ss::Comparison> compared;
  CHECK(peak_of([&] {
          compared.emplace(
              ss::compare_files(folder / "a", folder / "b", {.noise = {folder / "again"}}));
        }) < std::size_t{16} << 20U);
  const ss::Comparison& found = *compared;
  CHECK(found.differences() == 20'000);
  CHECK(found.coverage.without_noise == 0);
}

TEST_CASE(
    "only a sample of a transposed tensor of 256 MiB in a file is examined, which is reported") {
  constexpr std::uint64_t rows = 4096;
  constexpr std::uint64_t columns = 16'384;
  const auto tensor = [](ss::Shape shape, bool is_transposed) {
    return ss::Value(ss::Tensor::deferred(
        ss::DType::F32, std::move(shape),
        std::make_shared<const Floats>(rows * columns, rows * columns, is_transposed ? columns : 1),
        0, "x"));
  };
  std::optional<ss::Comparison> compared;
  CHECK(peak_of([&] {
          compared.emplace(
              ss::compare(tensor({rows, columns}, false), tensor({columns, rows}, true)));
        }) < std::size_t{8} << 20U);
  const ss::ComparisonRow& row = compared->rows.at(0);
  CHECK(!compared->is_equal());
  CHECK(row.permutation == std::vector<std::size_t>{1, 0});
  CHECK(row.detail.ends_with("b is a permuted by [1, 0], exactly in a sample"));
}
