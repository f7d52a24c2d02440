/// \file
/// A folder for the files of a test.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace safestructures::test {

/// A fresh folder that is removed with all its content.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "safestructures.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  /// Returns the names in the folder, sorted.
  [[nodiscard]] std::vector<std::string> names() const { return names_in(path_); }
  /// Returns the same for any folder.
  [[nodiscard]] static std::vector<std::string> names_in(const std::filesystem::path& path) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace safestructures::test
