// What opening a file reads: its header and schema, and of tensors nothing until they are touched.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"
#include "support/memory_source.hpp"

namespace ss = safestructures;
using ss::Access;
using ss::Tensor;
using ss::Value;
using ss::test::Folder;

namespace {

struct Model {
  Tensor large;
  Tensor small;
};

constexpr std::uint64_t floats = std::uint64_t{768} << 20U;  // 3 GiB of them.

/// A file with a schema whose first tensor is a hole of 3 GiB, and its size.
std::uint64_t write_sparse(const std::filesystem::path& path) {
  const std::string schema =
      R"({"data_type": "SafestructuresDataclass", "value": {"large": {"data_type": "numpy.ndarray", "value": "large"}, "small": {"data_type": "numpy.ndarray", "value": "small"}}})";
  std::string quoted;
  for (const char c : schema) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
  const std::string size = std::to_string(floats * 4);
  const std::string end = std::to_string(floats * 4 + 8);
  std::string header =
      R"({"__metadata__":{"_safestructures_schema_":")" + quoted +
      R"(","_safestructures_schema_version_":"1.0.0"},"large":{"dtype":"F32","shape":[)" +
      std::to_string(floats) + R"(],"data_offsets":[0,)" + size +
      R"(]},"small":{"dtype":"F32","shape":[2],"data_offsets":[)" + size + "," + end + "]}}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::uint64_t length = header.size();
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << header;
  const float last[2] = {1.5F, 2.5F};
  out.seekp(static_cast<std::streamoff>(8 + length + floats * 4));
  out.write(reinterpret_cast<const char*>(last), sizeof last);
  return 8 + length + floats * 4 + 8;
}

/// A file on disk of which every byte that is read is counted.
class CountingFile final : public ss::Source {
 public:
  explicit CountingFile(const std::filesystem::path& path) : file_(Source::open(path)) {}

  const std::string& name() const noexcept override { return file_->name(); }
  std::uint64_t size() const noexcept override { return file_->size(); }
  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    bytes_ += into.size();
    file_->read(offset, into);
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  std::shared_ptr<const ss::Source> file_;
  mutable std::uint64_t bytes_ = 0;
};

/// The resident memory of this process that no file backs, in bytes.
std::uint64_t memory_of_own() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::stoull(line.substr(8)) << 10U;
  return 0;
}

}  // namespace

TEST_CASE("opening under Access::read reads header and schema, and tensors when they are touched") {
  const Folder folder;
  const auto path = folder / "sparse.safetensors";
  const std::uint64_t size = write_sparse(path);
  const auto source = std::make_shared<CountingFile>(path);
  CHECK(source->size() == size);
  const ss::Document document = ss::Document::open(source, {.access = Access::read});
  const std::uint64_t header = size - floats * 4 - 8;
  const auto allowed = 2 * header + ss::Format::sniffed_bytes;
  CHECK(source->bytes() <= allowed);
  const std::uint64_t opened = source->bytes();

  CHECK(document.at("/large").tensor().shape() == ss::Shape{floats});
  const auto typed = document.as<Model>();
  const auto value = document.as<Value>();
  CHECK(typed.large.shape() == value["large"].tensor().shape());
  CHECK(source->bytes() == opened);
  CHECK(typed.small.to_vector<float>() == std::vector<float>{1.5F, 2.5F});
  CHECK(source->bytes() == opened + 8);
  const ss::Slice one[] = {
      {.start = static_cast<std::int64_t>(floats) - 1, .stop = {}, .step = 1, .index = true}};
  CHECK(typed.large.slice(one).to_vector<float>() == std::vector<float>{0});
  CHECK(source->bytes() <= opened + 8 + 64);
}

TEST_CASE("none of the ways to open a file takes memory for a tensor that is not touched") {
  const Folder folder;
  const auto path = folder / "sparse.safetensors";
  write_sparse(path);
  const std::uint64_t before = memory_of_own();
  REQUIRE(before > 0);
  for (const Access access : {Access::map, Access::read}) {
    const ss::Document document = ss::open(path, {.access = access});
    const auto typed = ss::load_file<Model>(path, {.access = access});
    const auto named = ss::load_file<std::map<std::string, Tensor>>(path, {.access = access});
    const Value dynamic = ss::load_file(path, {.access = access});
    CHECK(document.at("/small").as<std::vector<float>>()[1] == 2.5F);
    CHECK(typed.small.to_vector<float>()[1] == 2.5F);
    CHECK(named.at("small").to_vector<float>()[1] == 2.5F);
    CHECK(dynamic["small"].tensor().to_vector<float>()[1] == 2.5F);
    CHECK(memory_of_own() < before + (std::uint64_t{64} << 20U));
  }
}

TEST_CASE("tensors of a small file with an unpadded header are aligned in memory that is ours") {
  const Folder folder;
  const auto path = folder / "unpadded.safetensors";
  for (const std::string blanks : {"", " ", "   "}) {
    const std::string header =
        R"({"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}})" + blanks;
    std::uint64_t length = header.size();
    const double numbers[2] = {1.5, 2.5};
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(&length), sizeof length);
    out << header;
    out.write(reinterpret_cast<const char*>(numbers), sizeof numbers);
    out.close();
    for (const Access access : {Access::map, Access::read, Access::memory}) {
      const Value value = ss::load_file(path, {.access = access});
      CHECK(value["a"].tensor().data<double>()[1] == 2.5);
    }
  }
}
