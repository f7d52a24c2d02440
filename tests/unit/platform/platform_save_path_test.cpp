// Where a saved file comes to be: its permissions, links, folders and names.

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "platform/atomic_file.hpp"
#include "platform/file.hpp"
#include "platform/os.hpp"
#include "support/platform_folder.hpp"

namespace fs = std::filesystem;
using namespace platform_test;
using namespace safestructures::platform;
using safestructures::ErrorCode;

namespace {

mode_t permissions(const fs::path& path) {
  struct stat status{};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("a new file has the permissions that the umask leaves") {
  const Folder folder;
  const mode_t before = ::umask(027);
  save(folder / "f", "x");
  ::umask(before);
  CHECK(permissions(folder / "f") == 0640);
}

TEST_CASE("a replaced file keeps its permissions") {
  const Folder folder;
  for (const mode_t mode : {mode_t{0600}, mode_t{0644}, mode_t{0666}, mode_t{0755}}) {
    put(folder / "f", "old");
    REQUIRE(::chmod((folder / "f").c_str(), mode) == 0);
    save(folder / "f", "new");
    CHECK(permissions(folder / "f") == mode);
    CHECK(get(folder / "f") == "new");
  }
}

TEST_CASE("a symbolic link stays and the file it names is replaced") {
  const Folder folder;
  fs::create_directory(folder / "real");
  put(folder / "real/f", "old");
  fs::create_symlink("real/f", folder / "link");
  fs::create_symlink(folder / "link", folder / "link2");
  save(folder / "link2", "new");
  CHECK(fs::is_symlink(folder / "link2"));
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(get(folder / "real/f") == "new");
  CHECK(folder.names() == std::vector<std::string>{"link", "link2", "real"});
}

TEST_CASE("a chain of as many links as Linux follows is followed") {
  const Folder folder;
  put(folder / "0", "old");
  for (int i = 1; i <= 41; ++i)
    fs::create_symlink(std::to_string(i - 1), folder / std::to_string(i));
  CHECK(get(folder / "40") == "old");
  save(folder / "40", "new");
  CHECK(get(folder / "0") == "new");
  check_error([&] { save(folder / "41", "newer"); }, ErrorCode::cannot_write,
              (folder / "41").string() +
                  ": cannot follow the link: Too many levels of symbolic links. The symbolic link "
                  "points to itself; name the file directly.");
}

TEST_CASE("a link to nothing makes the file it names") {
  const Folder folder;
  fs::create_symlink("f", folder / "link");
  save(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(get(folder / "f") == "new");
}

TEST_CASE("a path that cannot become a file is an error that says why") {
  const Folder folder;
  fs::create_directory(folder / "folder");
  fs::create_symlink("loop", folder / "loop");
  put(folder / "file", "x");
  struct Case {
    fs::path path;
    std::string rest;
  };
  const std::string refused =
      ": cannot replace the file: expected a regular file or nothing, found ";
  const std::string missing =
      ": cannot create a file in its folder: No such file or directory. Create the folder first; "
      "relative paths start at the current folder.";
  const std::vector<Case> cases = {
      {folder / "folder", refused + "a folder. Name a file inside it."},
      {folder / "folder/", refused + "a folder. Name a file inside it."},
      {"/dev/null", refused + "a device. Write to an output stream instead."},
      {folder / "none/f", missing},
      {folder / "file/f",
       ": cannot examine the file: Not a directory. One part of the path is a file, not a folder."},
      {folder / "loop",
       ": cannot follow the link: Too many levels of symbolic links. The symbolic link points to "
       "itself; name the file directly."},
      {folder / std::string(300, 'n'),
       ": cannot examine the file: File name too long. Use a shorter name."},
  };
  for (const Case& one : cases) {
    check_error([&] { save(one.path, "x"); }, ErrorCode::cannot_write,
                one.path.string() + one.rest);
  }
  check_error([&] { save("", "x"); }, ErrorCode::cannot_write,
              "cannot replace the file: expected a regular file or nothing, found an empty path. "
              "Name a file inside it.");
  CHECK(folder.names() == std::vector<std::string>{"file", "folder", "loop"});
}

TEST_CASE("a link of the system to what has no path is refused as what it is") {
  std::array<int, 2> pipe{};
  std::array<int, 2> sockets{};
  REQUIRE(::pipe(pipe.data()) == 0);
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()) == 0);
  const std::vector<std::pair<int, std::string>> cases = {{pipe[1], "a pipe"},
                                                          {sockets[0], "a socket"}};
  for (const auto& [descriptor, found] : cases) {
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    check_error([&] { save(link, "new"); }, ErrorCode::cannot_write,
                link + ": cannot replace the file: expected a regular file or nothing, found " +
                    found + ". Write to an output stream instead.");
  }
  for (const int descriptor : {pipe[0], pipe[1], sockets[0], sockets[1]}) ::close(descriptor);
}

TEST_CASE("a path with a byte 0 in it is refused, and not cut there") {
  const Folder folder;
  put(folder / "victim", "old");
  const fs::path path = folder / std::string("victim\0.safetensors", 19);
  const std::string shown = (folder / "victim").string() + "\\x00.safetensors: ";
  const std::string rest =
      ": expected a path without a zero byte, where the system would end it, found one. Check the "
      "length of the text that the path was made from.";
  check_error([&] { save(path, "new"); }, ErrorCode::invalid_argument,
              shown + "cannot examine the file" + rest);
  check_error([&] { const InputFile file(path); }, ErrorCode::invalid_argument,
              shown + "cannot open the file" + rest);
  std::error_code error;
  put(folder / "other", "other");
  os::rename(folder / "other", path, error);
  CHECK(error == std::errc::invalid_argument);
  os::rename(path, folder / "other", error);
  CHECK(error == std::errc::invalid_argument);
  os::remove(path);
  CHECK(get(folder / "victim") == "old");
  CHECK(get(folder / "other") == "other");
  CHECK(folder.names() == std::vector<std::string>{"other", "victim"});
}

TEST_CASE("the longest names and names without a folder can be saved") {
  const Folder folder;
  const std::string longest(255, 'n');
  save(folder / longest, "x");
  CHECK(get(folder / longest) == "x");
  const fs::path before = fs::current_path();
  fs::current_path(folder / "");
  CHECK_NOTHROW([] {
    AtomicFile file("here", {.size_hint = 0, .durable = true});
    file.commit();
  }());
  fs::current_path(before);
  CHECK(folder.names() == std::vector<std::string>{"here", longest});
}
