/// \file
/// Text tables for terminals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace safestructures::inline v0::detail {

/// Cells in lines, two spaces apart. All cells are stored in one text: with a string for each, the
/// table of 100 rows that `diff` prints took twice as long.
class TextTable {
 public:
  /// `none`: no padding, for the last column.
  enum class Align : std::uint8_t { left, right, none };

  explicit TextTable(std::vector<Align> columns)
      : columns_(std::move(columns)), widths_(columns_.size()) {}

  /// Begins the next cell, which must be ASCII unless it is not aligned. \returns the text to
  /// append the cell to, until the next one begins
  std::string& next() {
    end_cell();
    begins_.push_back(text_.size());
    return text_;
  }

  [[nodiscard]] std::size_t lines() const noexcept { return begins_.size() / columns_.size(); }

  /// Appends a line, without a line end. All cells must have been added.
  void append_line(std::string& out, std::size_t line) {
    end_cell();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::size_t begin = begins_[line * columns_.size() + i];
      const std::size_t place = line * columns_.size() + i + 1;
      const std::size_t end = place == begins_.size() ? text_.size() : begins_[place];
      const std::size_t blanks = widths_[i] - std::min(widths_[i], end - begin);
      if (i != 0) out += "  ";
      if (columns_[i] == Align::right) out.append(blanks, ' ');
      out.append(text_, begin, end - begin);
      if (columns_[i] == Align::left) out.append(blanks, ' ');
    }
  }

 private:
  void end_cell() noexcept {
    if (begins_.empty()) return;
    const std::size_t column = (begins_.size() - 1) % columns_.size();
    if (columns_[column] != Align::none)
      widths_[column] = std::max(widths_[column], text_.size() - begins_.back());
  }

  std::vector<Align> columns_;
  std::vector<std::size_t> widths_;
  std::string text_;
  std::vector<std::size_t> begins_;
};

}  // namespace safestructures::inline v0::detail
