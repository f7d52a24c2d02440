/// \file
/// A segment that was read: the columns and values of its records.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include <safestructures/data/source.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/tools/document.hpp>
#include "recording/segments/segment_about.hpp"
#include "recording/segments/segment_columns.hpp"

namespace safestructures::inline v0::recording {

/// Safe to use from several threads at once.
class Segment {
 public:
  /// \param blocks for its columns
  /// \throws Error if its root is invalid, and `unsupported_version`, naming the file
  Segment(const Document& document, std::filesystem::path path, platform::SharedBlocks& blocks);

  [[nodiscard]] const Document& document() const noexcept { return document_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Returns what its metadata state. Valid as long as this.
  [[nodiscard]] const SegmentAbout& about() const noexcept { return about_; }
  [[nodiscard]] const ReadColumns& columns() const noexcept { return parts_.columns; }
  [[nodiscard]] std::size_t size() const noexcept { return columns().sequence.size(); }
  /// Returns the names that `columns().name` indexes.
  [[nodiscard]] const std::vector<Value>& names() const noexcept { return *parts_.names; }
  /// Returns the records' values, or the tensors that they are rows of.
  [[nodiscard]] const std::vector<Value>& values() const noexcept { return *parts_.values; }
  /// Returns the stored value of a record.
  [[nodiscard]] const Value& stored(std::size_t record) const {
    return (*parts_.values)[columns().value[record]];
  }
  [[nodiscard]] bool is_row(std::size_t record) const { return columns().row[record] != no_row; }
  /// Returns the value of a record that is a row, with its dtype before conversion. Its bytes are
  /// read on first access, together with those around them.
  [[nodiscard]] Value row(std::size_t record) const;

 private:
  Document document_;
  std::filesystem::path path_;
  SegmentAbout about_;
  SegmentParts parts_;
  // The source that its tensors usually share; null if they are in memory.
  std::shared_ptr<const Source> source_;
  std::shared_ptr<const Source> together_;
};

}  // namespace safestructures::inline v0::recording
