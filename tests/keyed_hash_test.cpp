/// \file
/// The hash of all tables whose keys come from files.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "data/keyed_hash.hpp"

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
