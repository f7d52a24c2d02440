/// \file
/// Helpers that the tests of the platform layer share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/error.hpp>

#include "platform/atomic_file.hpp"
#include "platform/file.hpp"
#include "platform/mapping.hpp"
#include "support/folder.hpp"

namespace platform_test {

using Bytes = std::vector<std::byte>;

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;

using safestructures::test::Folder;

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

/// Returns bytes that differ from those at every nearby offset.
inline Bytes pattern(std::size_t size) {
  Bytes bytes(size);
  std::uint32_t state = 1;
  for (std::byte& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::byte>(state >> 24U);
  }
  return bytes;
}

/// Maps a whole file.
inline std::shared_ptr<const safestructures::platform::Mapping> map_whole(
    const safestructures::platform::InputFile& file) {
  return safestructures::platform::Mapping::of(file, 0, static_cast<std::size_t>(file.size()));
}
inline std::shared_ptr<const safestructures::platform::Mapping> map_whole(
    const std::filesystem::path& path) {
  return map_whole(safestructures::platform::InputFile(path));
}

/// Returns the error that `call` throws.
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
