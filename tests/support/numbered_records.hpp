/// \file
/// Records that are identified by their numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recording.hpp>

namespace safestructures::test {

/// Returns the value of a record, which no other record has.
inline std::vector<float> value_of(std::uint64_t i) {
  return std::vector<float>(100 + i, static_cast<float>(i));
}

/// Checks that a recording has the records from 0 on, at least `least` of them.
inline void check_records(const std::filesystem::path& folder, std::uint64_t least) {
  const Recording run(folder);
  CHECK(run.size() >= least);
  for (std::uint64_t i = 0; i < run.size(); ++i) {
    CHECK(run[i].sequence() == i);
    CHECK(run[i].as<std::vector<float>>() == value_of(i));
  }
}

}  // namespace safestructures::test
