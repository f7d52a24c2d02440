/// \file
/// How the two layouts of burnpack are told apart, and that files cut short are files of neither.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <safestructures/safestructures.hpp>
#include "support/burnpack_cases.hpp"

namespace ss = safestructures;
using ss::test::burn_tensor;
using ss::test::burnpack_error;
using ss::test::BurnpackFile;
using ss::test::small_burnpack;

namespace {

const std::string incomplete = ". The file is not complete: copy or download it again.";
const std::string ambiguous =
    ". The file is not complete: copy or download it again. If Burn 0.19 wrote it, it may be "
    "complete: save it again with a 'version' in its metadata.";

}  // namespace

TEST_CASE("a file of one tensor that was cut by its padding is not taken for one of Burn 0.19") {
  // Four bytes, as both layouts would have them, and nothing in the metadata that tells them apart.
  BurnpackFile file = small_burnpack();
  const std::string good = file.text();
  const std::size_t packed = 10 + file.cbor().size();
  CHECK(burnpack_error(good.substr(0, packed + 4)) ==
        "truncated: the file ends before its tensors do: expected 260 bytes, found " +
            std::to_string(packed + 4) + ambiguous);
  file.is_aligned = false;
  CHECK(burnpack_error(file.text()) == "no error");
  // Where the metadata says which version it is, zeros are zeros.
  file.data = std::string(4, '\0');
  CHECK(burnpack_error(file.text()).ends_with(ambiguous));
  file.description["metadata"]["version"] = "0.19.1";
  CHECK(burnpack_error(file.text()) == "no error");
  file.description["metadata"]["version"] = "0.20.0";
  file.data = "data";
  CHECK(burnpack_error(file.text()).ends_with(incomplete));
  CHECK_FALSE(burnpack_error(file.text()).ends_with(ambiguous));
}

TEST_CASE("a file without bytes of tensors has nothing that tells the layouts apart") {
  BurnpackFile file;
  for (const bool has_tensor : {false, true}) {
    if (has_tensor) file.description["tensors"]["a"] = burn_tensor("F32", {0, 3}, 0, 0);
    file.is_aligned = true;
    const std::string aligned = file.text();
    CHECK(burnpack_error(aligned) == "no error");
    file.is_aligned = false;
    const std::size_t packed = file.text().size();
    CHECK(burnpack_error(file.text()) == "no error");
    for (std::size_t size = packed + 1; size < aligned.size(); ++size)
      CHECK(burnpack_error(aligned.substr(0, size)).starts_with("truncated: "));
  }
}

TEST_CASE("no file of the real Burn opens when it is cut short, but by padding before nothing") {
  namespace fs = std::filesystem;
  std::size_t count = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(SAFESTRUCTURES_TEST_DATA "/golden/burn")) {
    if (entry.path().extension() != ".bpk") continue;
    CAPTURE(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    REQUIRE(whole.size() > 10);
    // None of their descriptions has 64 KiB.
    const auto byte = [&](std::size_t i) {
      return std::size_t{static_cast<unsigned char>(whole[i])};
    };
    const std::size_t packed = 10 + byte(6) + 256 * byte(7);
    const bool is_padding_alone = whole.size() == (packed + 255) / 256 * 256;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      if (size == packed && is_padding_alone) continue;
      CAPTURE(size);
      CHECK(burnpack_error(std::string_view(whole).substr(0, size),
                           {.format = ss::formats::burnpack()}) != "no error");
    }
    ++count;
  }
  CHECK(count > 20);
}
