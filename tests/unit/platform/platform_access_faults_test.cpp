/// \file
/// Who may open a file while it is written and afterwards, and what every failing system call
/// leaves. The system calls are replaced at link time, as in platform_faults_test.cpp.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/error.hpp>

#include "platform/atomic_file.hpp"
#include "platform/file.hpp"
#include "support/failing_system.hpp"
#include "support/platform_folder.hpp"

namespace fs = std::filesystem;
using namespace safestructures::platform;
using failing_system::script;
using platform_test::bytes_of;
using safestructures::Error;

namespace {

/// A folder that holds the file "f" with these permissions, and a system that tells what it is
/// asked for.
class Folder {
 public:
  explicit Folder(mode_t mode) {
    script = {};
    platform_test::put(file(), "old");
    REQUIRE(::chmod(file().c_str(), mode) == 0);
    script.tracing = true;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { script = {}; }

  [[nodiscard]] fs::path file() const { return folder_ / "f"; }
  [[nodiscard]] std::vector<std::string> names() const { return folder_.names(); }
  [[nodiscard]] std::string content() const { return platform_test::get(file()); }
  [[nodiscard]] struct stat status() const {
    struct stat found{};
    REQUIRE(::stat(file().c_str(), &found) == 0);
    return found;
  }
  [[nodiscard]] mode_t mode() const { return status().st_mode & 07777; }

 private:
  platform_test::Folder folder_;
};

bool has(const std::vector<std::string>& trace, std::string_view call) {
  return std::ranges::find(trace, call) != trace.end();
}

/// True in a process that may give files to others, as tests of owners need.
bool is_privileged() {
  if (::geteuid() == 0) return true;
  MESSAGE("not root: owners and groups are not tested");
  return false;
}

/// Runs `work` in a child process and gives what it returns.
int in_a_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(work());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a file is created for its owner alone, until it has the group of what it replaces") {
  for (const mode_t mode : {mode_t{0600}, mode_t{0640}, mode_t{0666}, mode_t{0755}}) {
    const Folder folder(mode);
    {
      AtomicFile file(folder.file());
      file.write(bytes_of("new"));
      file.commit();
    }
    CHECK(script.create_modes == std::vector<unsigned>{0600});
    CHECK(folder.mode() == mode);
  }
  const Folder folder(0600);
  AtomicFile file(fs::path(folder.file()) += "2");
  CHECK(script.create_modes == std::vector<unsigned>{0666});
}

TEST_CASE("no file is created over another, and no child process inherits one") {
  const Folder folder(0644);
  {
    AtomicFile file(folder.file(), {.size_hint = 0, .durable = true});
    file.commit();
  }
  const InputFile read(folder.file());
  REQUIRE(script.open_flags.size() == 3);  // The file, its folder, and the file to be read.
  for (const int flags : script.open_flags) CHECK((flags & O_CLOEXEC) != 0);
  CHECK((script.open_flags[0] & O_EXCL) != 0);
  CHECK((script.open_flags[0] & O_TRUNC) == 0);
}

TEST_CASE("a name that is taken, also by a link to nothing, is not created over") {
  const Folder folder(0644);
  fs::create_symlink("nothing", fs::path(folder.file()) += "-link");
  std::error_code error;
  for (const std::string_view name : {"", "-link"}) {
    const os::File made = os::create_new(fs::path(folder.file()) += name, 0600, error);
    CHECK(error == std::errc::file_exists);
    CHECK_FALSE(made.is_open());
  }
  CHECK(folder.content() == "old");
}

TEST_CASE("whether a file may be replaced is asked for the effective user") {
  const Folder folder(0644);
  platform_test::save(folder.file(), "new");
  CHECK((script.access_flags & AT_EACCESS) != 0);
  if (!is_privileged()) return;
  fs::permissions(folder.file().parent_path(), fs::perms::all);
  // Of the two ids, one may write the file: the effective one decides.
  const auto save_as = [&](uid_t real, uid_t effective) {
    return in_a_child([&] {
      if (::setresuid(real, effective, 0) != 0) return 2;
      try {
        platform_test::save(folder.file(), "newer");
        return 0;
      } catch (const Error&) {
        return 1;
      }
    });
  };
  CHECK(save_as(65534, 0) == 0);
  CHECK(save_as(0, 65534) == 1);
}

TEST_CASE("owner and group are kept where the system allows, before the permissions") {
  if (!is_privileged()) return;
  const Folder folder(0640);
  REQUIRE(::chown(folder.file().c_str(), 1234, 4321) == 0);
  platform_test::save(folder.file(), "new");
  CHECK(folder.status().st_uid == 1234);
  CHECK(folder.status().st_gid == 4321);
  CHECK(folder.mode() == 0640);
  const auto place = [](std::string_view call) { return std::ranges::find(script.trace, call); };
  REQUIRE(has(script.trace, "fchown"));
  CHECK(place("fchown") < place("fchmod"));
}

TEST_CASE("if the group cannot be kept, it gets no more permissions than everybody") {
  if (!is_privileged()) return;
  for (const auto& [before, after] :
       {std::pair<mode_t, mode_t>{0664, 0644}, {0670, 0600}, {0672, 0622}, {0647, 0647}}) {
    const Folder folder(before);
    REQUIRE(::chown(folder.file().c_str(), 0, 4321) == 0);
    script.call = "fchown";
    script.times = 2;
    script.error = EPERM;
    platform_test::save(folder.file(), "new");
    CHECK(script.times == 0);
    CHECK(folder.status().st_gid == ::getegid());
    CHECK(folder.mode() == after);
  }
}

TEST_CASE("a child of a fork does not take its parent's file away") {
  const Folder folder(0644);
  auto file = std::make_unique<AtomicFile>(folder.file());
  file->write(bytes_of("new"));
  CHECK(in_a_child([&] {
          file.reset();
          return 0;
        }) == 0);
  file->commit();
  CHECK(folder.content() == "new");
  CHECK(folder.names() == std::vector<std::string>{"f"});
}

TEST_CASE("whichever call fails, and however often, the file is the old or the new one, whole") {
  const std::string large(platform_test::mib * 3, 'x');
  std::size_t refused = 0;
  for (const std::string_view call :
       {"create", "fallocate", "write", "sync", "ftruncate", "fsync", "fchmod", "close", "rename"})
    for (const int error : {EIO, ENOSPC, EPERM})
      for (int skip = 0; skip < 4; ++skip)
        for (const int times : {1, 1000}) {
          CAPTURE(call);
          CAPTURE(error);
          CAPTURE(skip);
          const Folder folder(0755);
          script.tracing = false;
          script.call = call;
          script.skip = skip;
          script.times = times;
          script.error = error;
          std::string text;
          try {
            AtomicFile file(folder.file(), {.size_hint = 4 * platform_test::mib, .durable = true});
            file.write(bytes_of(large));
            file.flush();
            file.write(bytes_of("end"));
            file.commit();
          } catch (const Error& failure) {
            text = failure.what();
          }
          const bool is_new =
              text.empty() || text.find("the file is in place, but") != std::string::npos;
          script.call = {};
          CHECK(folder.names() == std::vector<std::string>{"f"});
          CHECK(folder.content() == (is_new ? large + "end" : "old"));
          if (!text.empty()) {
            ++refused;
            CHECK(text.starts_with(folder.file().string() + ": "));
            CHECK(text.ends_with("."));
          }
        }
  CHECK(refused > 50);
}
