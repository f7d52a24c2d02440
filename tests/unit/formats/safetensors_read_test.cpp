// Opening files in every way, and reading tensors and parts of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safetensors.hpp>

#include "support/platform_folder.hpp"

namespace safestructures {
namespace {

using platform_test::Folder;
using safetensors::File;
using safetensors::Item;

constexpr std::array<Access, 3> every_access{Access::map, Access::read, Access::memory};

// More than what is read as a whole.
std::vector<float> many_values() {
  std::vector<float> values(100'000);
  std::iota(values.begin(), values.end(), 0.F);
  return values;
}

std::filesystem::path write(const Folder& folder, std::span<const Item> items,
                            const Metadata& metadata = {}) {
  const std::filesystem::path path = folder / "x.safetensors";
  safetensors::write_file(path, items, metadata);
  return path;
}

TEST_CASE("a file reads the same whichever way it is opened") {
  const Folder folder;
  const std::vector<float> values = many_values();
  const Tensor large = Tensor::of<float>(values, {100, 1000});
  const Tensor small = Tensor::of<float>(std::span(values).first(3));
  const Tensor empty = Tensor::allocate(DType::F64, {0});
  for (const bool long_file : {false, true}) {
    std::vector<Item> items{{"small", small}, {"empty", empty}};
    if (long_file) items.emplace_back("large", large);
    const auto path = write(folder, items, {{"k", "v"}});
    for (const Access access : every_access) {
      const File file = File::open(path, {.access = access});
      REQUIRE(file.size() == items.size());
      CHECK(file.metadata("k") == std::string_view("v"));
      CHECK(file.tensor("small") == small);
      CHECK(file.tensor("empty") == empty);
      if (long_file) CHECK(file.tensor("large") == large);
      CHECK(file.file_count() == 1);
      CHECK(file.path(0) == path);
      CHECK(file.data_size() + file.file_offset(0) == std::filesystem::file_size(path));
      std::vector<float> into(3);
      static_cast<void>(
          file.tensor("small").copy_to(DType::F32, std::as_writable_bytes(std::span(into))));
      CHECK(into == std::vector<float>{0, 1, 2});
    }
  }
}

TEST_CASE("a file with a long header and no data reads") {
  const Folder folder;
  const auto path = write(folder, {}, {{"k", std::string(200'000, 'v')}});
  for (const Access access : every_access) {
    const File file = File::open(path, {.access = access});
    CHECK(file.size() == 0);
    CHECK(file.data_size() == 0);
    CHECK(file.metadata("k")->size() == 200'000);
  }
}

TEST_CASE("tensors of a mapped file and of memory are views") {
  const Folder folder;
  const std::vector<float> values = many_values();
  const Tensor tensor = Tensor::of<float>(values);
  const auto path = write(folder, std::vector<Item>{{"a", tensor}});
  for (const Access access : {Access::map, Access::memory}) {
    const File file = File::open(path, {.access = access});
    CHECK(file.tensor(0).origin() == file.tensor(0).origin());
  }
  const std::vector<std::byte> bytes = safetensors::to_bytes(std::vector<Item>{{"a", tensor}});
  const File file = File::from_bytes(bytes, nullptr);
  CHECK(file.tensor(0).origin() == bytes.data() + file.file_offset(0));
  CHECK_FALSE(file.tensor(0).is_owned());
}

TEST_CASE("a tensor outlives its file, also when the file is deleted") {
  const std::vector<float> values = many_values();
  const Tensor tensor = Tensor::of<float>(values);
  for (const Access access : every_access) {
    std::optional<Tensor> kept;
    {
      const Folder folder;
      kept =
          File::open(write(folder, std::vector<Item>{{"a", tensor}}), {.access = access}).tensor(0);
    }
    CHECK(*kept == tensor);
  }
}

TEST_CASE("from_bytes keeps the owner alive as long as a tensor") {
  const std::vector<float> values{1, 2, 3};
  const Tensor tensor = Tensor::of<float>(values);
  auto owner = std::make_shared<const std::vector<std::byte>>(
      safetensors::to_bytes(std::vector<Item>{{"a", tensor}}));
  const std::weak_ptr<const void> watch = owner;
  std::optional<Tensor> kept = File::from_bytes(*owner, owner).tensor(0);
  owner.reset();
  CHECK(*kept == tensor);
  CHECK_FALSE(watch.expired());
  kept.reset();
  CHECK(watch.expired());
}

// The same part by Tensor::slice, which slice_test.cpp holds to NumPy's rules.
void check_slice(const std::vector<File>& files, const Tensor& whole, std::string_view text) {
  CAPTURE(text);
  const std::vector<Slice> slices = parse_slices(text);
  const Tensor expected = whole.slice(slices).contiguous();
  for (const File& file : files) CHECK(file.slice(0, slices).contiguous() == expected);
}

TEST_CASE("slices read the same whichever way the file is opened") {
  const Folder folder;
  std::vector<std::int32_t> values(400 * 50 * 30);
  std::iota(values.begin(), values.end(), 0);
  for (const Shape& shape :
       {Shape{400, 50, 30}, Shape{600'000}, Shape{2, 300'000}, Shape{4, 0, 9}}) {
    const std::uint64_t count = element_count(shape);
    const Tensor whole = Tensor::of<std::int32_t>(
        std::span<const std::int32_t>(values).first(static_cast<std::size_t>(count)), shape);
    const Tensor rest = Tensor::of<std::int32_t>(values);
    const auto path = write(folder, std::vector<Item>{{"a", whole}, {"b", rest}});
    std::vector<File> files;
    for (const Access access : every_access) files.push_back(File::open(path, {.access = access}));
    for (const std::string_view text :
         {"[0]", "[-1]", "[:]", "[::2]", "[::-1]", "[1:2]", "[5:1]", "[3:1:-1]", "[0:4:3]"})
      check_slice(files, whole, text);
    if (shape.size() > 1 && shape[1] != 0) {
      for (const std::string_view text :
           {"[:, 3]", "[:, 10:20]", "[::-1, ::-1]", "[1, 4:40:7]", "[:, -1]", "[0:2, 49:0:-5]"})
        check_slice(files, whole, text);
    }
    if (shape.size() == 3 && shape[1] != 0) {
      for (const std::string_view text : {"[:, :, 0]", "[::3, ::7, ::11]", "[7, 8, 9]", "[:, 2, :]",
                                          "[300:100:-50, 40:, 5:6]", "[:, ::-1, 3:5]"})
        check_slice(files, whole, text);
    }
  }
}

TEST_CASE("random slices read the same whichever way the file is opened") {
  const Folder folder;
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t bound) {
    return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random);
  };
  std::vector<std::int16_t> values(std::size_t{1} << 20U);
  std::iota(values.begin(), values.end(), std::int16_t{0});
  for (int round = 0; round < 60; ++round) {
    std::vector<std::uint64_t> sizes;
    std::uint64_t count = 1;
    for (auto rank = below(5); rank >= 0; --rank) {
      const auto size = static_cast<std::uint64_t>(1 + below(round % 3 == 0 ? 5000 : 40));
      if (count * size > values.size()) break;
      sizes.push_back(size);
      count *= size;
    }
    const Tensor whole =
        Tensor::of<std::int16_t>(std::span<const std::int16_t>(values).first(count),
                                 Shape(std::span<const std::uint64_t>(sizes)));
    const Tensor rest =
        Tensor::of<std::int16_t>(std::span<const std::int16_t>(values).first(40'000));
    const auto path = write(folder, std::vector<Item>{{"a", whole}, {"b", rest}});
    const File file = File::open(path, {.access = Access::read});
    for (int k = 0; k < 20; ++k) {
      std::vector<Slice> slices;
      for (const std::uint64_t size : sizes) {
        const auto n = static_cast<std::int64_t>(size);
        Slice slice;
        if (below(2) == 0) slice.start = below(3 * n) - n - n / 2;
        if (below(2) == 0) slice.stop = below(3 * n) - n - n / 2;
        if (below(2) == 0) slice.step = below(2) == 0 ? -1 - below(n) : 1 + below(n);
        if (below(5) == 0) slice = {.start = below(n), .stop = {}, .step = 1, .index = true};
        slices.push_back(slice);
      }
      CHECK(file.slice(0, slices) == whole.slice(slices).contiguous());
    }
  }
}

TEST_CASE("tensors that cannot be sliced are refused in the same way") {
  const Folder folder;
  const std::vector<float> values = many_values();
  const Tensor large = Tensor::of<float>(values, {100, 1000});
  const Tensor f4 = large.to(DType::F4, Overflow::saturate);
  const auto path = write(folder, std::vector<Item>{{"a", large}, {"b", f4}});
  for (const Access access : every_access) {
    const File file = File::open(path, {.access = access});
    const auto text_of = [&](std::size_t index, std::string_view slices) {
      try {
        static_cast<void>(file.slice(index, parse_slices(slices)));
        return std::string("no error");
      } catch (const Error& error) {
        return std::string(error.what());
      }
    };
    CHECK(text_of(0, "[0, 0, 0]") == path.string() +
                                         ": at a: more slices than dimensions: expected at most 2 "
                                         "for shape [100, 1000], found 3.");
    CHECK(
        text_of(1, "[0]") ==
        path.string() +
            ": at b: elements narrower than a byte cannot be sliced: found F4 [100, 1000]. Convert "
            "the tensor to U8 or F32 first.");
    CHECK(text_of(0, "[100]").find(": at a: ") != std::string::npos);
  }
}

TEST_CASE("a file cut short after it was opened is an error when it is read by position") {
  const Folder folder;
  const std::vector<float> values = many_values();
  const Tensor tensor = Tensor::of<float>(values, {100, 1000});
  const auto path = write(folder, std::vector<Item>{{"a", tensor}});
  const File file = File::open(path, {.access = Access::read});
  std::filesystem::resize_file(path, 200'000);
  const auto code_of = [&](const auto& work) {
    try {
      work();
      return std::string("no error");
    } catch (const Error& error) {
      CHECK(error.details().file == path.string());
      CHECK(error.details().path == "a");
      return std::string(to_string(error.code()));
    }
  };
  CHECK(code_of([&] {
          const Tensor a = file.tensor(0);
          static_cast<void>(a.bytes());
        }) == "truncated");
  CHECK(code_of([&] { static_cast<void>(file.slice(0, parse_slices("[:, 3]"))); }) == "truncated");
  std::vector<std::byte> into(400'000);
  CHECK(code_of([&] { file.tensor(0).copy_to(DType::F32, into); }) == "truncated");
  CHECK(file.slice(0, parse_slices("[3]")) == tensor.slice(parse_slices("[3]")).contiguous());
}

TEST_CASE("what is not there is an error that names it") {
  const std::vector<float> values{1};
  const Tensor tensor = Tensor::of<float>(values);
  const std::vector<std::byte> bytes = safetensors::to_bytes(std::vector<Item>{{"a", tensor}});
  const File file = File::from_bytes(bytes, nullptr);
  CHECK_THROWS_WITH_AS(static_cast<void>(file.tensor("b")),
                       "at b: there is no tensor of that name.", Error);
  CHECK_THROWS_WITH_AS(static_cast<void>(file.tensor(1)),
                       "there is no tensor of that index: expected an index below 1, found 1.",
                       Error);
  const Folder folder;
  try {
    static_cast<void>(File::open(folder / "absent.safetensors"));
    FAIL("it was opened");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::cannot_open);
    CHECK(error.details().file == (folder / "absent.safetensors").string());
  }
}

TEST_CASE("a malformed file is named in the error") {
  const Folder folder;
  const auto path = folder / "bad.safetensors";
  const std::vector<std::byte> three(3);
  {
    platform::AtomicFile file(path);
    file.write(three);
    file.commit();
  }
  for (const Access access : every_access) {
    CHECK_THROWS_WITH_AS(static_cast<void>(File::open(path, {.access = access})),
                         (path.string() + ": the file is too short for a safetensors file: "
                                          "expected at least 8 bytes, found 3. Check "
                                          "that this is a safetensors file.")
                             .c_str(),
                         Error);
  }
}

TEST_CASE("tensors at odd offsets are aligned when they are used, in every access") {
  const Folder folder;
  for (const std::size_t lead : {1U, 100'001U}) {
    const std::string sizes = std::to_string(lead);
    const std::string end = std::to_string(lead + 8);
    const std::string header =
        R"({"a":{"dtype":"U8","shape":[)" + sizes + R"(],"data_offsets":[0,)" + sizes +
        R"(]},"b":{"dtype":"F64","shape":[1],"data_offsets":[)" + sizes + "," + end + "]}}";
    std::vector<std::byte> bytes(8 + header.size() + lead);
    bytes[0] = static_cast<std::byte>(header.size());
    std::transform(header.begin(), header.end(), bytes.begin() + 8,
                   [](char c) { return static_cast<std::byte>(c); });
    const auto number = std::bit_cast<std::array<std::byte, 8>>(1.5);
    bytes.insert(bytes.end(), number.begin(), number.end());
    const auto path = folder / "odd.safetensors";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    for (const Access access : every_access) {
      CAPTURE(lead);
      const File file = File::open(path, {.access = access});
      const Tensor number_again = file.tensor("b");
      CHECK(number_again.data<double>()[0] == 1.5);
      CHECK(file.tensor("b").to_vector<float>() == std::vector<float>{1.5F});
    }
    const File file = File::from_bytes(bytes, nullptr);
    const Tensor number_again = file.tensor("b");
    CHECK(number_again.data<double>()[0] == 1.5);
    const Tensor viewed = file.tensor("a");
    CHECK(viewed.bytes().data() == bytes.data() + 8 + header.size());
  }
}

TEST_CASE("every name is found from wherever it is looked for, in any order of names") {
  const std::vector<float> one{1};
  const Tensor floating = Tensor::of<float>(one);
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(std::to_string(i) + ".x");
  // Of one dtype they ascend in the file, of two they do not; a single one, and none.
  for (const std::size_t count : {0U, 1U, 2U, 40U})
    for (const bool mixed : {false, true}) {
      std::vector<Item> items;
      for (std::size_t i = 0; i < count; ++i)
        items.emplace_back(names[i], floating, mixed && i % 3 == 0 ? DType::F64 : floating.dtype());
      const Folder folder;
      const File file = File::open(write(folder, items));
      for (std::size_t near = 0; near < count + 3; ++near) {
        for (std::size_t i = 0; i < count; ++i) REQUIRE(file.find(file.name(i), near) == i);
        for (const char* other : {"", "0", "1.", "10.y", "zz", "9.x9"})
          REQUIRE(!file.find(other, near));
      }
    }
}

}  // namespace
}  // namespace safestructures
