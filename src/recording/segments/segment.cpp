#include "recording/segments/segment.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/error.hpp>
#include "data/deferred.hpp"
#include "data/rows.hpp"
#include "recording/segments/segment_header.hpp"
#include "recording/segments/small_reads.hpp"

namespace safestructures::inline v0::recording {
namespace {

/// Refuses other layouts: what they say by the same names may be something else.
SegmentAbout about_of(const Document& document, const std::filesystem::path& file) {
  const auto text = document.metadata().find(metadata_key);
  if (text == document.metadata().end()) return {};
  SegmentAbout about = read_about(text->second);
  const std::uint64_t found = about.version.value_or(layout_version);
  if (found == layout_version) return about;
  throw Error(ErrorCode::unsupported_version, "the segment of a recording has an unknown layout",
              {.file = file.string(),
               .expected = "version " + std::to_string(layout_version),
               .found = std::to_string(found),
               .advice = std::string("Read the recording with ") +
                         (found < layout_version ? "the safestructures that recorded it"
                                                 : "a newer safestructures") +
                         ", or open this file alone as a structure"});
}

}  // namespace

Segment::Segment(const Document& document, std::filesystem::path path,
                 platform::SharedBlocks& blocks)
    : document_(document),
      path_(std::move(path)),
      about_(about_of(document_, path_)),
      parts_(read_parts(document_.root(), path_, blocks)) {
  for (const Value& value : values())
    if (!source_ && value.kind() == Kind::tensor) source_ = detail::source_of(value.tensor());
  if (source_) together_ = for_small_reads(source_);
}

Value Segment::row(std::size_t record) const {
  const Value& rows = stored(record);
  std::shared_ptr<const Source> source = detail::source_of(rows.tensor());
  if (source && source == source_) source = together_;
  Value value(
      detail::row_of(rows.tensor(), static_cast<std::uint64_t>(columns().row[record]), source));
  // Any other attribute of the shared tensor would be repeated, and stored, for each row.
  if (const Value* const own = rows.attribute(attributes::dtype);
      own != nullptr && own->kind() == Kind::string)
    value.set_attribute(attributes::dtype, *own);
  return value;
}

}  // namespace safestructures::inline v0::recording
