/// \file
/// Handmade burnpack files, with CBOR by nlohmann/json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <safestructures/formats/options.hpp>
#include <safestructures/tools/load.hpp>
#include "support/errors.hpp"
#include "support/gzip_cases.hpp"

namespace safestructures::test {

/// A file in the layout of Burn 0.20 and later, or of 0.19.
struct BurnpackFile {
  nlohmann::json description = {{"tensors", nlohmann::json::object()}};
  std::string data;
  bool is_aligned = true;

  [[nodiscard]] std::string cbor() const {
    const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(description);
    return {bytes.begin(), bytes.end()};
  }
  [[nodiscard]] std::string text() const { return text_of_cbor(cbor()); }
  [[nodiscard]] std::string text_of_cbor(std::string_view cbor) const {
    std::string text = "NRUB" + little_endian(1, 2) + little_endian(cbor.size(), 4);
    text += cbor;
    if (is_aligned) text.resize((text.size() + 255) / 256 * 256);
    return text + data;
  }
};

inline nlohmann::json burn_tensor(const nlohmann::json& dtype, std::vector<std::uint64_t> shape,
                                  std::uint64_t begin, std::uint64_t end) {
  return {{"dtype", dtype}, {"shape", std::move(shape)}, {"data_offsets", {begin, end}}};
}

/// Returns the error of reading such a file.
inline std::string burnpack_error(std::string_view text, const ReadOptions& options = {}) {
  return error_of([&] { return load(bytes_of(text), options); });
}

/// Returns a file with a tensor `a` of four U8, to which a test may add.
inline BurnpackFile small_burnpack() {
  BurnpackFile file;
  file.description["tensors"]["a"] = burn_tensor("U8", {4}, 0, 4);
  file.data = std::string("\1\2\3\4", 4);
  return file;
}

}  // namespace safestructures::test
