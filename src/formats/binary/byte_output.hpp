/// \file
/// Buffered output of bytes to a sink.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/sink.hpp>

namespace safestructures::inline v0::binary {

/// Gathers small pieces for a sink.
class ByteOutput {
 public:
  explicit ByteOutput(Sink& sink) : sink_(sink) { bytes_.reserve(2 * block); }

  /// The text to which bytes are appended. `pass_on` must be called after each piece of up to about
  /// `block` bytes.
  [[nodiscard]] std::string& text() noexcept { return bytes_; }
  /// Returns the position of the next byte, counted as the sink counts.
  [[nodiscard]] std::uint64_t position() const noexcept { return sink_.position() + bytes_.size(); }

  void byte(unsigned value) { bytes_.push_back(static_cast<char>(value)); }
  void raw(std::string_view bytes) {
    bytes_.append(bytes);
    if (bytes_.size() >= block) send();
  }
  void raw(std::span<const std::byte> bytes) {
    raw(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  template <std::unsigned_integral T>
  void little(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      byte(static_cast<unsigned>(value >> (8 * i)) & 0xFFU);
  }
  /// Passes on what was gathered; must be called from time to time, and before the sink is used.
  void send() {
    sink_.write_copied(std::as_bytes(std::span(bytes_)));
    bytes_.clear();
  }
  void pass_on() {
    if (bytes_.size() >= block) send();
  }
  /// Returns the sink after passing everything on to it.
  [[nodiscard]] Sink& sink() {
    send();
    return sink_;
  }

 private:
  static constexpr std::size_t block = std::size_t{64} << 10U;
  Sink& sink_;
  std::string bytes_;
};

}  // namespace safestructures::inline v0::binary
