/// \file
/// A segment that was read: what its columns say of its records, and their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <safestructures/data/source.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/tools/document.hpp>
#include "recording/segments/segment_columns.hpp"

namespace safestructures::inline v0::recording {

/// May be used by several threads at once.
class Segment {
 public:
  /// \param blocks for its columns \throws Error what is wrong with its root, naming the file
  Segment(const Document& document, std::filesystem::path path, platform::SharedBlocks& blocks);

  [[nodiscard]] const Document& document() const noexcept { return document_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] const ReadColumns& columns() const noexcept { return parts_.columns; }
  [[nodiscard]] std::size_t size() const noexcept { return columns().sequence.size(); }
  /// Of `columns().name`.
  [[nodiscard]] const std::vector<Value>& names() const noexcept { return *parts_.names; }
  /// What records' values are, or are rows of.
  [[nodiscard]] const std::vector<Value>& values() const noexcept { return *parts_.values; }
  /// The one of a record.
  [[nodiscard]] const Value& stored(std::size_t record) const {
    return (*parts_.values)[columns().value[record]];
  }
  [[nodiscard]] bool is_row(std::size_t record) const { return columns().row[record] != no_row; }
  /// The value of a record that is a row, with the dtype that it had before it was converted. Its
  /// bytes are read when they are touched, together with those around them.
  [[nodiscard]] Value row(std::size_t record) const;

 private:
  Document document_;
  std::filesystem::path path_;
  SegmentParts parts_;
  // Of its tensors, which have one, as a rule; null where those are in memory.
  std::shared_ptr<const Source> source_;
  std::shared_ptr<const Source> together_;
};

}  // namespace safestructures::inline v0::recording
