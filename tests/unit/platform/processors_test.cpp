/// \file
/// How many processors control groups grant, and how many threads share work.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "platform/processors.hpp"
#include "support/platform_folder.hpp"

namespace {

using namespace safestructures::platform;
using platform_test::Folder;

void put(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

using Quota = std::optional<unsigned>;

}  // namespace

TEST_CASE("a quota of version 2 is rounded up to whole processors") {
  const Folder folder;
  put(folder / "a/cpu.max", "150000 100000\n");
  CHECK(quota_processors(folder / ".", "0::/a\n") == Quota(2));
  put(folder / "a/cpu.max", "100 100000\n");
  CHECK(quota_processors(folder / ".", "0::/a\n") == Quota(1));
  put(folder / "a/cpu.max", "400000 100000\n");
  CHECK(quota_processors(folder / ".", "0::/a") == Quota(4));
}

TEST_CASE("groups without a quota, without files and of other text grant all processors") {
  const Folder folder;
  CHECK(quota_processors(folder / ".", "0::/a\n") == std::nullopt);
  for (const std::string text : {"max 100000\n", "", "x", "100000", "100000 0\n", "-1 100000\n"}) {
    CAPTURE(text);
    put(folder / "a/cpu.max", text);
    CHECK(quota_processors(folder / ".", "0::/a\n") == std::nullopt);
  }
  put(folder / "a/cpu.max", "100000 100000\n");
  for (const std::string text : {"", "\n", "0", "0:", "0:\n:", "1:memory:/a\n", "2:cpuset:/a\n"}) {
    CAPTURE(text);
    CHECK(quota_processors(folder / ".", text) == std::nullopt);
  }
}

TEST_CASE("the least quota of a group and of those above it counts") {
  const Folder folder;
  put(folder / "a/cpu.max", "300000 100000\n");
  put(folder / "a/b/cpu.max", "max 100000\n");
  put(folder / "a/b/c/cpu.max", "500000 100000\n");
  CHECK(quota_processors(folder / ".", "0::/a/b/c\n") == Quota(3));
  put(folder / "a/b/c/cpu.max", "200000 100000\n");
  CHECK(quota_processors(folder / ".", "0::/a/b/c\n") == Quota(2));
}

TEST_CASE("in a container, the group whose path is not there is the root of what is mounted") {
  const Folder folder;
  put(folder / "cpu.max", "200000 100000\n");
  CHECK(quota_processors(folder / ".", "0::/docker/0123456789\n") == Quota(2));
  CHECK(quota_processors(folder / ".", "0::/\n") == Quota(2));
}

TEST_CASE("version 1 keeps the quota in the folder of its controllers") {
  const Folder folder;
  put(folder / "cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
  put(folder / "cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  const std::string membership = "9:memory:/job\n4:cpu,cpuacct:/job\n0::/\n";
  CHECK(quota_processors(folder / ".", membership) == Quota(3));
  put(folder / "cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  CHECK(quota_processors(folder / ".", membership) == std::nullopt);
}

TEST_CASE("a thread more pays for each share, up to what was asked for") {
  CHECK(available_processors() >= 1);
  CHECK(threads_for(0, 10) == 1);
  {
    const LimitScope limit(3);
    CHECK(threads_for(19, 10) == 1);
    CHECK(threads_for(20, 10) == 2);
    CHECK(threads_for(1000, 10) == 3);
    {
      const LimitScope one(1);
      CHECK(threads_for(1000, 10) == 1);
    }
    CHECK(threads_for(1000, 10) == 3);
    const LimitScope many(4'000'000'000U);
    CHECK(threads_for(100'000, 10) == 256);
  }
  CHECK(available_processors() <= affine_processors());
  // Two are not worth asking for quotas.
  const unsigned two = std::min(affine_processors(), 2U);
  CHECK(threads_for(20, 10) == two);
  CHECK(threads_for(1'000'000, 10) == std::clamp(available_processors(), two, 16U));
}
