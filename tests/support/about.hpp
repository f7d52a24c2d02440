/// \file
/// A recorder's description of a segment, without what differs in every run.
#pragma once

#include <cstddef>
#include <string>

#include <doctest/doctest.h>

namespace safestructures::test {

/// Returns the text of `Recording::about` without the 16 digits that name its run, which must be
/// there.
inline std::string without_run(std::string about) {
  const std::string key = "\"run\": \"";
  const std::size_t at = about.find(key);
  REQUIRE(at != std::string::npos);
  const std::string digits = about.substr(at + key.size(), 16);
  CHECK(digits.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(about.substr(at + key.size() + 16, 3) == "\", ");
  return about.erase(at, key.size() + 16 + 3);
}

}  // namespace safestructures::test
