#include "formats/tree/shape_reader.hpp"

#include <span>
#include <utility>

#include <safestructures/data/error.hpp>
#include "data/limit.hpp"

namespace safestructures::inline v0::tree {

void ShapeReader::wrong(std::string found, std::uint64_t offset) const {
  throw Error(ErrorCode::invalid_shape, "a shape has the wrong form",
              {.path = to_string(trace_),
               .expected = "an array of ints from 0 to 9223372036854775807",
               .found = std::move(found),
               .offset = offset});
}

void ShapeReader::add(std::uint64_t size) {
  if (sizes_.size() >= limits_.rank)
    throw detail::past(detail::Limit::rank, limits_.rank,
                       {.path = to_string(trace_), .offset = offset_});
  sizes_.push_back(size);
}

Shape ShapeReader::finish(DType dtype) const {
  Shape shape{std::span<const std::uint64_t>(sizes_)};
  try {
    static_cast<void>(byte_size(dtype, shape));
  } catch (const Error& error) {
    ErrorDetails details = error.details();
    details.path = to_string(trace_);
    details.offset = offset_;
    throw Error(error.code(), error.problem(), std::move(details));
  }
  return shape;
}

}  // namespace safestructures::inline v0::tree
