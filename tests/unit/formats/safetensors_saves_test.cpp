/// \file
/// The files of a sharded save carry its identity, by which a mixture of two saves is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safetensors.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

using namespace safestructures;
using safestructures::test::error_of;
using safestructures::test::Folder;
using safetensors::File;
using safetensors::Item;
namespace fs = std::filesystem;

namespace {

constexpr const char* index_name = "m.safetensors.index.json";
constexpr const char* first = "m-00001-of-00002.safetensors";
constexpr const char* second = "m-00002-of-00002.safetensors";

/// Two tensors in two files; the last element of the second is `last`.
void save(const fs::path& folder, float last, const Metadata& metadata = {},
          std::size_t count = 1000, DType stored = DType::F32) {
  std::vector<float> values(count, 1);
  const Tensor a = Tensor::of<float>(values);
  std::vector<float> others = values;
  others.back() = last;
  const Tensor b = Tensor::of<float>(others);
  const std::vector<Item> items{{"a", a, stored}, {"b", b, stored}};
  safetensors::write_sharded(folder / "m", items, metadata, count * bit_width(stored) / 8);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return (std::ostringstream() << in.rdbuf()).str();
}

void put(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string identity(const fs::path& folder) {
  const File file = File::open(folder / index_name);
  return std::string(file.metadata(safetensors::save_key).value());
}

void take(const Folder& from, const Folder& to, const std::string& name) {
  fs::copy_file(from / name, to / name, fs::copy_options::overwrite_existing);
}

std::string open_error(const Folder& folder) {
  return error_of([&] { return File::open(folder / index_name); });
}

}  // namespace

TEST_CASE("equal checkpoints have one identity, and equal bytes") {
  const Folder one;
  const Folder two;
  save(one / ".", 2, {{"k", "v"}});
  save(two / ".", 2, {{"k", "v"}});
  for (const char* name : {index_name, first, second})
    CHECK(text_of(one / name) == text_of(two / name));
  // What is loaded and saved again carries no identity of before.
  save(two / ".", 2, {{"k", "v"}, {std::string(safetensors::save_key), "of before"}});
  CHECK(identity(one / ".") == identity(two / "."));
}

TEST_CASE("checkpoints of other content, size, dtype or metadata have other identities") {
  const Folder folder;
  std::vector<std::string> known;
  const auto check_new = [&](const std::function<void()>& make) {
    make();
    known.push_back(identity(folder / "."));
    for (std::size_t i = 0; i + 1 < known.size(); ++i) CHECK(known[i] != known.back());
  };
  check_new([&] { save(folder / ".", 2); });
  check_new([&] { save(folder / ".", 3); });
  check_new([&] { save(folder / ".", 2, {{"k", "v"}}); });
  check_new([&] { save(folder / ".", 2, {{"k", "w"}}); });
  check_new([&] { save(folder / ".", 2, {{"kv", ""}}); });
  check_new([&] { save(folder / ".", 2, {}, 1001); });
  check_new([&] { save(folder / ".", 2, {}, 1000, DType::F16); });
}

TEST_CASE("an element that changes at the beginning, in the middle or at the end changes it") {
  const Folder folder;
  const auto save_changed = [&](std::size_t count, std::size_t at) {
    std::vector<float> values(count);
    values[at] = 1;
    const Tensor tensor = Tensor::of<float>(values);
    safetensors::write_sharded(folder / "m.safetensors.index.json",
                               std::vector<Item>{{"a", tensor}}, {}, 1 << 20);
    return identity(folder / ".");
  };
  for (const std::size_t count : {1U, 31U, 32U, 33U, 40U, 127U, 1000U}) {
    CAPTURE(count);
    const std::string at_first = save_changed(count, 0);
    if (count > 1) CHECK(save_changed(count, count - 1) != at_first);
    if (count == 32) CHECK(save_changed(count, 16) != save_changed(count, 17));
  }
}

TEST_CASE("tensors of every dtype and layout have samples") {
  const Folder folder;
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    for (const std::uint64_t count : {0U, 8U, 32U, 40U, 1000U}) {
      CAPTURE(to_string(dtype));
      CAPTURE(count);
      const Tensor tensor = Tensor::allocate(dtype, {count});
      Tensor zero = tensor;
      if (count != 0) std::ranges::fill(zero.mutable_bytes(), std::byte{0});
      safetensors::write_sharded(folder / "m.safetensors.index.json",
                                 std::vector<Item>{{"a", zero}}, {}, 1 << 20);
      CHECK(identity(folder / ".").size() == 32);
    }
  }
  std::vector<float> values(60);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Tensor rows = Tensor::of<float>(values).reshape({6, 10});
  const Tensor turned = rows.permute(std::vector<std::size_t>{1, 0});
  safetensors::write_sharded(folder / "m.safetensors.index.json", std::vector<Item>{{"a", turned}},
                             {}, 1 << 20);
  const std::string of_view = identity(folder / ".");
  const Tensor copy = turned.contiguous();
  safetensors::write_sharded(folder / "m.safetensors.index.json", std::vector<Item>{{"a", copy}},
                             {}, 1 << 20);
  CHECK(identity(folder / ".") == of_view);
}

TEST_CASE("files of two saves are refused, whichever they are") {
  const Folder folder;
  const Folder other;
  const auto restore = [&] {
    save(folder / ".", 2);
    save(other / ".", 3);
  };
  restore();
  const std::string ours = "save " + identity(folder / ".");
  const std::string theirs = "save " + identity(other / ".");
  const auto mixed = [&](const std::string& file, const std::string& expected,
                         const std::string& found) {
    return "mixed_saves: " + (folder / file).string() +
           ": the files of a checkpoint come from different saves: expected " + expected +
           ", found " + found + ". Take all files, and the index, from one save.";
  };
  // As a crash between two renames leaves it: the index is the last to come.
  take(other, folder, first);
  CHECK(open_error(folder) == mixed(first, ours, theirs));
  restore();
  take(other, folder, second);
  CHECK(open_error(folder) == mixed(second, ours, theirs));
  restore();
  take(other, folder, index_name);
  CHECK(open_error(folder) == mixed(first, theirs, ours));
  // A file that another program has written.
  restore();
  put(folder / first,
      replaced(text_of(folder / first), "_safestructures_save_", "_safestructures_oops_"));
  CHECK(open_error(folder) == mixed(first, ours, "a file that names no save"));
  // An index that another program has written.
  restore();
  const std::string index = text_of(folder / index_name);
  const std::string foreign = replaced(index, "_safestructures_save_", "another_key");
  put(folder / index_name, foreign);
  CHECK(open_error(folder) == "no error");
  take(other, folder, second);
  CHECK(open_error(folder) == mixed(second, ours, theirs));
}

TEST_CASE("a checkpoint that says nothing of a save is opened") {
  const Folder folder;
  save(folder / ".", 2);
  for (const char* name : {index_name, first, second})
    put(folder / name,
        replaced(text_of(folder / name), "_safestructures_save_", "_another_program_key_"));
  CHECK(open_error(folder) == "no error");
  // An identity that is no text is none.
  const std::string index = text_of(folder / index_name);
  const std::size_t at = index.find("\"_another_program_key_\": \"");
  std::string number = index;
  number.replace(at, std::string("\"_another_program_key_\": \"").size() + 33,
                 "\"_safestructures_save_\": [1]");
  put(folder / index_name, number);
  CHECK(open_error(folder) == "no error");
  put(folder / index_name, replaced(index, "{\n  \"metadata\": {", "{\n  \"metadata\": [{"));
  CHECK(open_error(folder).starts_with("invalid_header: "));
}
