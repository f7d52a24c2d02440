/// \file
/// Files of earlier versions (tests/golden/earlier) open, and hold what those wrote; recordings of
/// before the columns are refused, with what to do.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>
#include "support/earlier_files.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
namespace burn = ss::burn;
namespace fs = std::filesystem;
using ss::test::error_of;
using ss::test::Folder;

const fs::path golden = fs::path(SAFESTRUCTURES_TEST_DATA) / "golden" / "earlier";
const std::vector<fs::path> versions = {golden / "2026-11-22", golden / "2026-11-24"};
const ss::SaveOptions every_bit{.precision = ss::Precision::preserve};

/// All of a structure, to compare it with another: NaN included, which is not equal to itself.
template <class T>
std::vector<std::byte> bytes_of(const T& object) {
  return ss::save(object, every_bit);
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("structures of earlier versions come back to the last bit, from every format") {
  for (const fs::path& version : versions) {
    for (const std::string extension : {"safetensors", "json", "msgpack", "cbor", "json.gz"}) {
      CAPTURE(version);
      CAPTURE(extension);
      const fs::path everything = version / ("everything." + extension);
      CHECK(bytes_of(ss::load_file<earlier::Everything>(everything)) ==
            bytes_of(earlier::Everything{}));
      CHECK(ss::open(everything).metadata().at("run") == "42");
      CHECK(bytes_of(ss::load_file(version / ("dtypes." + extension))) ==
            bytes_of(earlier::every_dtype()));
      CHECK_NOTHROW(static_cast<void>(ss::verify_file(everything)));
    }
  }
}

TEST_CASE("equal structures are the bytes that earlier versions wrote") {
  const Folder folder;
  const ss::SaveOptions options{.metadata = {{"run", "42"}}, .precision = ss::Precision::preserve};
  for (const std::string extension : {"safetensors", "msgpack", "cbor"}) {
    CAPTURE(extension);
    const std::string everything = "everything." + extension;
    const std::string dtypes = "dtypes." + extension;
    ss::save_file(earlier::Everything{}, folder / everything, options);
    ss::save_file(earlier::every_dtype(), folder / dtypes, options);
    for (const fs::path& version : versions) {
      CHECK(text_of(folder / everything) == text_of(version / everything));
      CHECK(text_of(folder / dtypes) == text_of(version / dtypes));
    }
  }
}

TEST_CASE("checksums, notes of dtypes, numbered names and shards of earlier versions are read") {
  const ss::LoadOptions verified{.verify_checksums = true};
  for (const fs::path& version : versions) {
    CAPTURE(version);
    const auto half = ss::load_file<earlier::Everything>(version / "sums.safetensors", verified);
    CHECK(half.tagged_tensor.index() == 1);
    CHECK(half.points[1].y == 4);
    CHECK(ss::open(version / "sums.safetensors").at("/special").tensor().dtype() == ss::DType::F16);
    CHECK(ss::load_file(version / "sums.safetensors").at("/special").tensor().dtype() ==
          ss::DType::F64);
    const auto numbers = ss::load_file<earlier::Everything>(version / "numbers.safetensors");
    CHECK(numbers.matrix == earlier::Everything{}.matrix);
    using Weights = std::map<std::string, std::vector<float>>;
    const Weights weights = {{"a.0", {1, 2}}, {"a.1", {3, 4}}};
    CHECK(ss::load_file<Weights>(version / "plain.safetensors") == weights);
    CHECK(ss::load_file<Weights>(version / "shards.safetensors.index.json", verified) == weights);
  }
}

TEST_CASE("files that earlier versions wrote for Burn are read") {
  const auto check = [](const earlier::Module& module) {
    CHECK(module.linear.weight.value.to_vector<float>() == std::vector<float>{1, 2, 3, 4});
    REQUIRE(module.linear.bias);
    CHECK(module.linear.bias->value.to_vector<float>() == std::vector<float>{5, 6});
  };
  for (const fs::path& version : versions) {
    for (const auto& named : earlier::burn_versions) {
      const std::string& name = named.second;
      CAPTURE(version);
      CAPTURE(name);
      check(ss::load_file<earlier::Module>(version / (name + ".mpk")));
      check(ss::load_file<earlier::Module>(version / (name + ".json")));
      check(burn::BinFileRecorder<>().load<earlier::Module>(version / name));
    }
    const ss::Value pack = ss::load_file(version / "model.bpk");
    CHECK(pack.at("/weight").tensor().to_vector<float>() == std::vector<float>{1, 2, 3, 4});
    CHECK(pack.at("/count").as_int64() == 3);
  }
}

namespace {

void check_recording(const ss::Recording& run) {
  CHECK(run.problems().empty());
  CHECK(run.size() == earlier::recorded_steps * earlier::records_of_step);
  for (std::int64_t step = 0; step < earlier::recorded_steps; ++step) {
    CAPTURE(step);
    const auto number = static_cast<float>(step);
    const auto find = [&](const std::string& name) -> const ss::Record& {
      const ss::Record* const found = run.find("block." + name, step);
      REQUIRE(found != nullptr);
      return *found;
    };
    CHECK(find("out").as<std::vector<float>>() == std::vector<float>{number, number + 1});
    CHECK(find("half").as<std::vector<double>>() == std::vector<double>{number, 0.5});
    CHECK(find("half").tensor().dtype() == ss::DType::F16);
    CHECK(find("part").as<std::vector<std::int64_t>>() == std::vector<std::int64_t>{step, 2});
    CHECK(find("part").kept() == ss::Keep::slice);
    CHECK(find("point").as<earlier::Point>().x == static_cast<double>(step));
    CHECK(find("loss").as<double>() == 0.5 * static_cast<double>(step));
    CHECK(find("both").value().at("/0").tensor().to_vector<float>() == std::vector<float>{number});
    CHECK(find("brief").kept() == ss::Keep::statistics);
    // There were no quantiles yet.
    CHECK(find("brief").value().at("/min").as_double() == -1);
    CHECK(find("brief").value().find("quantiles") == nullptr);
  }
}

}  // namespace

TEST_CASE("a recording of an earlier version is read, killed or closed, and recovered") {
  const Folder folder;
  const fs::path version = golden / "2026-11-24";
  check_recording(ss::Recording(version / "closed"));
  check_recording(ss::Recording(version / "killed"));
  fs::copy(version / "killed", folder / "killed");
  const ss::RecoveryReport report = ss::recover_recording(folder / "killed");
  CHECK_FALSE(report.is_lossy());
  CHECK(report.repaired == 1);
  check_recording(ss::Recording(folder / "killed"));
  for (const std::string segment : {"segment-000001.safetensors", "segment-000002.safetensors"})
    CHECK_NOTHROW(static_cast<void>(ss::verify_file(folder / "killed" / segment)));
}

TEST_CASE("a recording of before the columns is refused, with what to do, and stays as it is") {
  const Folder folder;
  fs::copy(golden / "2026-11-22" / "closed", folder / "closed");
  const std::string unknown =
      ": the segment of a recording has an unknown layout: expected version 2, found 1. Read the "
      "recording with the safestructures that recorded it, or open this file alone as a structure.";
  CHECK(error_of([&] { return ss::Recording(folder / "closed"); }) ==
        "unsupported_version: " + (folder / "closed" / "segment-000001.safetensors").string() +
            unknown);
  // So is it said: as a structure it opens.
  const ss::Value records = ss::load_file(folder / "closed" / "segment-000001.safetensors");
  CHECK(records.at("/0/name").as_string() == "block.out");
  CHECK(records.at("/0/value").tensor().to_vector<float>() == std::vector<float>{0, 1});

  fs::copy(golden / "2026-11-22" / "killed", folder / "killed");
  const std::vector<std::string> names = Folder::names_in(folder / "killed");
  const ss::RecoveryReport report = ss::recover_recording(folder / "killed");
  REQUIRE(report.losses.size() == 2);
  CHECK(report.losses[0] ==
        "segment-000002.part: the journal cannot be used: the journal has an unknown version: "
        "expected 2, found 1. Recover the recording with the safestructures that wrote it.");
  CHECK(report.losses[1] == (folder / "killed" / "segment-000001.safetensors").string() + unknown);
  CHECK(Folder::names_in(folder / "killed") == names);
}
