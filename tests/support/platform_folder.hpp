/// \file
/// What the tests of the platform layer share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/error.hpp>

#include "platform/atomic_file.hpp"

namespace platform_test {

using Bytes = std::vector<std::byte>;

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;

/// A fresh folder that is removed with all it holds.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "platform_test.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::filesystem::path path_;
};

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline void put(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string get(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void save(const std::filesystem::path& path, const std::string& text) {
  safestructures::platform::AtomicFile file(path);
  file.write(bytes_of(text));
  file.commit();
}

/// Bytes that differ from those at every other offset near them.
inline Bytes pattern(std::size_t size) {
  Bytes bytes(size);
  std::uint32_t state = 1;
  for (std::byte& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::byte>(state >> 24U);
  }
  return bytes;
}

/// The error that `call` throws.
template <class Call>
safestructures::Error error_of(Call call) {
  try {
    call();
  } catch (const safestructures::Error& error) {
    return error;
  }
  FAIL("no error was thrown");
  throw std::logic_error("unreachable");
}

template <class Call>
void check_error(Call call, safestructures::ErrorCode code, const std::string& text) {
  const safestructures::Error error = error_of(call);
  CHECK(to_string(error.code()) == to_string(code));
  CHECK(std::string(error.what()) == text);
}

}  // namespace platform_test
