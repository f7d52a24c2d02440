/// \file
/// The golden structures: files of the Python package together with their content in the notation
/// of tests/interop/notation.py.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <safestructures/data/value.hpp>

namespace safestructures::test {

using Json = nlohmann::ordered_json;

inline std::filesystem::path golden_folder() {
  return std::filesystem::path(SAFESTRUCTURES_TEST_DATA) / "golden" / "structures";
}

inline Json read_json(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Json::parse(file);
}

/// Returns the golden structures, ordered by name.
inline std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder()))
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string to_hex(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

/// Returns "0x" and the 16 digits of a double's bits; the same text for every NaN.
inline std::string bits_of(double number) {
  if (std::isnan(number)) return "nan";
  std::string text = "0x";
  const auto bits = std::bit_cast<std::uint64_t>(number);
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(bits >> shift) & 15];
  return text;
}

/// Returns the same for a node's text.
inline std::string bits_of(const Json& text) {
  return bits_of(std::bit_cast<double>(std::stoull(text.get<std::string>(), nullptr, 16)));
}

/// Returns the first place where a value differs from a node of the notation; empty if there is
/// none. Tensor names, attributes, and payloads of custom values are not compared.
std::string difference(const Value& value, const Json& node, const std::string& path = {});

}  // namespace safestructures::test
