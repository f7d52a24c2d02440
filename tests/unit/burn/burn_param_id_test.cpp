// How Burn spells the ids of parameters.

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "formats/burn/param_id.hpp"

using safestructures::burn::param_id_text;
using safestructures::burn::parse_param_id;

TEST_CASE("an id is spelled in 13 characters of its bytes, the least first") {
  // By Python's base64.b32encode, with the digits of BASE32_DNSSEC. The last is of a file by Burn.
  const std::vector<std::pair<std::uint64_t, std::string>> ids = {
      {0, "0000000000000"},
      {1, "0400000000000"},
      {0x0123456789ABCDEF, "tv6qn2b78khg2"},
      {std::numeric_limits<std::uint64_t>::max(), "vvvvvvvvvvvvu"},
      {7307477237661669944U, "72d17eukbtkma"}};
  for (const auto& [id, text] : ids) {
    CHECK(param_id_text(id) == text);
    CHECK(parse_param_id(text) == id);
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t id = random();
    CHECK(parse_param_id(param_id_text(id)) == id);
  }
}

TEST_CASE("an id is read as Burn reads it") {
  CHECK(parse_param_id("72D17EUKBTKMA") == 7307477237661669944U);
  CHECK(parse_param_id("") == 0U);
  // Six bytes, 1, 2, 3, 4, 5, 255.
  CHECK(parse_param_id("04106105vs") == 280397007225345U);
}

TEST_CASE("a text that does not spell an id is not an id") {
  CHECK_FALSE(parse_param_id("000000000000"));
  CHECK_FALSE(parse_param_id("00000000000000"));
  CHECK_FALSE(parse_param_id("000000000000w"));
  CHECK_FALSE(parse_param_id("00000000000 0"));
  // Bits behind the last byte.
  CHECK_FALSE(parse_param_id("0000000000001"));
  CHECK_FALSE(parse_param_id("0000000001"));
  CHECK_FALSE(parse_param_id("0000000002"));
  CHECK(parse_param_id("0000000004") == std::uint64_t{1} << 40U);
  CHECK_FALSE(parse_param_id("67e55044-10b1-426f-9247-bb680e5fe0c8"));
}
