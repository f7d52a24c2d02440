/// \file
/// Saving and loading whole documents when the system fails, on the system as it is: child
/// processes get the limits, the user or the file system that make it fail.
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/formats/safetensors.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

#include "support/platform_folder.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using platform_test::Folder;
using platform_test::mib;
using Model = std::vector<std::vector<float>>;

/// A structure of some 400 KB that is all of one number.
Model model(float number) { return Model(3, std::vector<float>(33'333, number)); }

std::string saved(float number) {
  const std::vector<std::byte> bytes = ss::save(model(number), {.checksums = true});
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// How a child process that ran `work` ended. `work` returns its exit code.
int status_of(const std::function<int()>& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int code = 99;
    try {
      code = work();
    } catch (...) {
    }
    ::_exit(code);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

/// The code with which a child ended; -1 when a signal ended it.
int exit_code_of(const std::function<int()>& work) {
  const int status = status_of(work);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// 0 when saving throws Error `cannot_write` whose text holds `text`.
int refuses_to_save(const fs::path& path, const std::string& text, bool durable = false) {
  try {
    ss::save_file(model(2), path, {.durable = durable});
    return 1;
  } catch (const ss::Error& error) {
    if (error.code() != ss::ErrorCode::cannot_write) return 2;
    const std::string what = error.what();
    if (what.starts_with(path.string() + ": ") && what.find(text) != std::string::npos) return 0;
    std::cerr << what << '\n';
    return 3;
  }
}

/// Takes away what lets root write everywhere. Everybody may: other users have nothing to lose.
bool give_up_capabilities() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  const std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none = {};
  return ::syscall(SYS_capset, &header, none.data()) == 0;
}

void cut(const fs::path& path, std::uintmax_t size) { fs::resize_file(path, size); }

}  // namespace

TEST_CASE("a save over the limit of file sizes leaves the old file and no temporary one") {
  const Folder folder;
  const fs::path path = folder / "m.safetensors";
  ss::save_file(model(1), path, {.checksums = true});
  CHECK(exit_code_of([&] {
          std::signal(SIGXFSZ, SIG_IGN);
          const rlimit small = {100'000, 100'000};
          if (::setrlimit(RLIMIT_FSIZE, &small) != 0) return 50;
          return refuses_to_save(path, "File too large");
        }) == 0);
  CHECK(platform_test::get(path) == saved(1));
  CHECK(folder.names() == std::vector<std::string>{"m.safetensors"});
}

TEST_CASE("a save to a full disk leaves the old file and no temporary one") {
  const Folder folder;
  fs::create_directory(folder / "disk");
  const fs::path path = folder / "disk" / "m.safetensors";
  // The parent would not see the child's disk: all is checked in there.
  const int code = exit_code_of([&] {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", (folder / "disk").c_str(), "tmpfs", 0, "size=600k") != 0)
      return 77;
    ss::save_file(model(1), path, {.checksums = true});
    const int refused = refuses_to_save(path, "No space left on device");
    if (refused != 0) return refused;
    if (platform_test::get(path) != saved(1)) return 10;
    return std::distance(fs::directory_iterator(path.parent_path()), fs::directory_iterator()) == 1
               ? 0
               : 11;
  });
  // Set by .ci/run where it is root, who can.
  if (code == 77 && std::getenv("SAFESTRUCTURES_SKIP_NOTHING") == nullptr)
    MESSAGE("NOT CHECKED: this user cannot mount a tmpfs");
  else CHECK(code == 0);
}

TEST_CASE("a save into a folder that cannot be written is refused") {
  const Folder folder;
  const fs::path path = folder / "m.safetensors";
  ss::save_file(model(1), path, {.checksums = true});
  fs::permissions(path, fs::perms::all);
  fs::permissions(path.parent_path(), fs::perms::owner_read | fs::perms::owner_exec);
  const int code = exit_code_of([&] {
    if (!give_up_capabilities()) return 50;
    return refuses_to_save(path, "Permission denied. Check the permissions");
  });
  fs::permissions(path.parent_path(), fs::perms::owner_all);
  CHECK(code == 0);
  CHECK(platform_test::get(path) == saved(1));
  CHECK(folder.names() == std::vector<std::string>{"m.safetensors"});
}

TEST_CASE("a save onto a folder is refused, one onto a link replaces what it names") {
  const Folder folder;
  fs::create_directory(folder / "folder");
  CHECK(refuses_to_save(folder / "folder", "folder") == 0);
  CHECK(refuses_to_save(folder / "absent" / "m.safetensors", "No such file or directory") == 0);

  ss::save_file(model(1), folder / "m.safetensors", {.checksums = true});
  fs::create_symlink("m.safetensors", folder / "link");
  ss::save_file(model(2), folder / "link", {.checksums = true});
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(platform_test::get(folder / "m.safetensors") == saved(2));
  CHECK(folder.names() == std::vector<std::string>{"folder", "link", "m.safetensors"});
}

TEST_CASE("what was loaded keeps its bytes when the file is replaced, however it was opened") {
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
    const Folder folder;
    const fs::path path = folder / "m.safetensors";
    ss::save_file(model(1), path);
    const ss::Document document = ss::open(path, {.access = access});
    const ss::Value value = ss::load_file(path, {.access = access});
    ss::save_file(model(2), path);
    CHECK(document.as<Model>() == model(1));
    CHECK(value.as<Model>() == model(1));
    CHECK(document.container<ss::safetensors::File>().tensor(0) == value[0].tensor());
    CHECK(ss::load_file<Model>(path) == model(2));
  }
}

TEST_CASE("a file cut short while it is open is an Error when it is read by position") {
  const Folder folder;
  const fs::path path = folder / "m.safetensors";
  ss::save_file(model(1), path);
  const auto file = ss::safetensors::File::open(path, {.access = ss::Access::read});
  const ss::Tensor tensor = file.tensor(2);
  cut(path, 4096);
  try {
    static_cast<void>(tensor.bytes());
    FAIL("nothing was thrown");
  } catch (const ss::Error& error) {
    CHECK(error.code() == ss::ErrorCode::truncated);
  }
}

TEST_CASE("a file cut short after it was read into memory is whole there") {
  const Folder folder;
  const fs::path path = folder / "m.safetensors";
  ss::save_file(model(1), path);
  const ss::Document document = ss::open(path, {.access = ss::Access::memory});
  cut(path, 0);
  CHECK(document.as<Model>() == model(1));
}

TEST_CASE("a file cut short while it is mapped ends the process that touches it, as documented") {
  const Folder folder;
  const fs::path path = folder / "m.safetensors";
  ss::save_file(model(1), path);
  const int status = status_of([&] {
    // A sanitizer's handler would print a report of what is expected here.
    std::signal(SIGBUS, SIG_DFL);
    std::signal(SIGSEGV, SIG_DFL);
    const ss::Document document = ss::open(path, {.access = ss::Access::map});
    cut(path, 4096);
    return document.as<Model>() == model(1) ? 1 : 2;
  });
  REQUIRE(WIFSIGNALED(status));
  CHECK((WTERMSIG(status) == SIGBUS || WTERMSIG(status) == SIGSEGV));
}

TEST_CASE("a save killed at any moment leaves the old or the new file, whole") {
#if defined(__SANITIZE_ADDRESS__)
  constexpr int kills = 100;  // A fork copies AddressSanitizer's tables.
#else
  constexpr int kills = 1000;
#endif
  const Folder folder;
  const fs::path path = folder / "m.safetensors";
  ss::save_file(model(0), path, {.checksums = true});
  const std::vector<std::string> whole = {saved(0), saved(1)};
  const auto seed = static_cast<std::uint32_t>(std::random_device()());
  MESSAGE("seed " << seed);
  std::mt19937 random(seed);
  std::size_t left_behind = 0;
  for (int kill = 0; kill < kills; ++kill) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      try {
        for (int i = 0;; ++i)
          ss::save_file(model(static_cast<float>(i % 2)), path, {.checksums = true});
      } catch (...) {
        ::_exit(1);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 10'000));
    REQUIRE(::kill(child, SIGKILL) == 0);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    const std::string content = platform_test::get(path);
    REQUIRE((content == whole[0] || content == whole[1]));
    for (const std::string& name : folder.names()) {
      if (name == "m.safetensors") continue;
      // The temporary file of this kill, and of no other.
      REQUIRE((name.starts_with(".m.safetensors.") && name.ends_with(".tmp")));
      REQUIRE(fs::remove(folder / name));
      ++left_behind;
    }
  }
  CHECK(left_behind <= static_cast<std::size_t>(kills));
  MESSAGE(kills << " kills, " << left_behind << " of them left a temporary file");
}
