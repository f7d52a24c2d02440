/// \file
/// What the fuzz targets share. A target is a function of bytes that returns, whatever they are:
/// what it finds wrong it throws, and libFuzzer and fuzz_replay_test.cpp both report that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <safestructures/data/error.hpp>

namespace fuzz {

namespace ss = safestructures;

using Bytes = std::span<const std::byte>;

/// A finding: not an Error, which targets expect.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Calls `work` and swallows the Errors that any input may cause.
template <class Work>
void expect_errors(const Work& work) {
  try {
    work();
  } catch (const ss::Error& error) {
    // A full stop ends the text; a zero of the input would end it earlier.
    require(std::string_view(error.what()).ends_with('.'), "the text of an Error has no end");
  }
}

/// Numbers from the front of the input.
class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(bytes) {}

  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const auto value = static_cast<std::uint8_t>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return value;
  }
  [[nodiscard]] Bytes rest() const { return bytes_; }

 private:
  Bytes bytes_;
};

}  // namespace fuzz
