/// \file
/// Buffered output of JSON text to a sink.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <safestructures/data/sink.hpp>

namespace safestructures::inline v0::json {

/// Gathers small pieces of text for a sink.
class Output {
 public:
  /// \param indent spaces per level; 0 for text without any spaces
  Output(Sink& sink, unsigned indent) : sink_(sink), indent_(indent) { text_.reserve(2 * block); }

  /// The text to append to. `pass_on` must be called after each piece of up to about `block` bytes.
  [[nodiscard]] std::string& text() noexcept { return text_; }
  void pass_on() {
    if (text_.size() >= block) send();
  }
  void send() {
    sink_.write_copied(std::as_bytes(std::span(text_)));
    text_.clear();
  }

  [[nodiscard]] bool is_pretty() const noexcept { return indent_ > 0; }
  /// Begins a line of the current level, unless the text is on one line.
  void line() {
    if (!is_pretty()) return;
    text_ += '\n';
    text_.append(level_ * indent_, ' ');
  }
  /// Returns what `line` appends.
  [[nodiscard]] std::string line_text() const {
    return is_pretty() ? "\n" + std::string(level_ * indent_, ' ') : std::string();
  }
  void open(char bracket) {
    text_ += bracket;
    ++level_;
  }
  void close(char bracket) {
    --level_;
    line();
    text_ += bracket;
  }
  /// Leaves a level without beginning a line.
  void leave() noexcept { --level_; }
  /// Writes the comma between items on one line.
  void comma() { text_ += is_pretty() ? ", " : ","; }
  void colon() { text_ += is_pretty() ? ": " : ":"; }

  static constexpr std::size_t block = std::size_t{64} << 10U;

 private:
  Sink& sink_;
  std::string text_;
  unsigned indent_;
  std::size_t level_ = 0;
};

}  // namespace safestructures::inline v0::json
