/// \file
/// The hash of all tables whose keys come from files.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <xxhash.h>

#include "data/keyed_hash.hpp"
#include "malformed/colliding_names.hpp"

namespace {

using safestructures::detail::keyed_hash;

const std::string name = "layers.0.weight";

/// What another process of this program prints for the name.
std::string hash_of_a_process() {
  const std::string command = std::filesystem::read_symlink("/proc/self/exe").string() +
                              " --test-case='equal names have one hash in a process'";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(::popen(command.c_str(), "r"),
                                                               &::pclose);
  REQUIRE(static_cast<bool>(output));
  char line[200];
  while (std::fgets(line, sizeof line, output.get()) != nullptr)
    if (const std::string text = line; text.starts_with("hash ")) return text;
  return {};
}

}  // namespace

TEST_CASE("equal names have one hash in a process") {
  const std::string copy = name;
  const std::uint64_t hash = keyed_hash(name.data(), name.size());
  CHECK(keyed_hash(copy.data(), copy.size()) == hash);
  CHECK(keyed_hash(copy.data(), copy.size() - 1) != hash);
  // The next test reads this line.
  std::printf("hash %llu\n", static_cast<unsigned long long>(hash));
}

TEST_CASE("hash tables have another key in every process") {
  const std::string first = hash_of_a_process();
  CHECK(first.starts_with("hash "));
  CHECK(hash_of_a_process() != first);
}

TEST_CASE("names that were chosen to collide without the key do not collide with it") {
  const std::vector<std::string> names = attacks::colliding_names(1000);
  std::set<std::uint64_t> hashes;
  for (const std::string& one : names) {
    CHECK(XXH3_64bits(one.data(), one.size()) == XXH3_64bits(names[0].data(), names[0].size()));
    hashes.insert(keyed_hash(one.data(), one.size()));
  }
  // hostile_memory_test.cpp has files of such names; 64 bits make one collision of 1000 a wonder.
  CHECK(hashes.size() == 1000);
}
