// A record as users see it.
#include <safestructures/recording/recording.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <safestructures/data/error.hpp>
#include "recording/segments/segment.hpp"

namespace safestructures::inline v0 {

Record::Record(std::shared_ptr<const recording::Segment> segment, std::size_t record)
    : segment_(std::move(segment)), record_(record) {
  const recording::ReadColumns& columns = segment_->columns();
  name_ = &segment_->names()[columns.name[record]].as_string();
  sequence_ = columns.sequence[record];
  step_ = columns.step[record];
  call_ = columns.call[record];
  time_ = columns.time[record];
  thread_ = columns.thread[record];
  kept_ = static_cast<Keep>(columns.kept[record]);
  if (segment_->is_row(record)) row_ = segment_->row(record);
  else whole_ = &segment_->stored(record);
}

const std::filesystem::path& Record::file() const& noexcept { return segment_->path(); }

Path Record::place() const {
  const recording::ReadColumns& columns = segment_->columns();
  Path path;
  path.push_back(std::string(recording::fields::values));
  path.push_back(std::to_string(columns.value[record_]));
  if (segment_->is_row(record_)) path.push_back(std::to_string(columns.row[record_]));
  return path;
}

Node Record::node() const { return segment_->document().node(place(), value()); }

Tensor Record::tensor() const {
  return read([](const Node& node) { return node.tensor(); });
}

void Record::rethrow(const Error& error) const {
  throw Error(error.code(),
              error.problem() + ", in the record '" + name() + "', step " + std::to_string(step()) +
                  " call " + std::to_string(call()),
              error.details());
}

}  // namespace safestructures::inline v0
