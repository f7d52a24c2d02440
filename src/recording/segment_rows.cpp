#include "recording/segment_rows.hpp"

#include <span>

#include <safestructures/data/attributes.hpp>
#include "data/deferred.hpp"
#include "data/rows.hpp"
#include "platform/memory.hpp"
#include "recording/small_reads.hpp"

namespace safestructures::inline v0::recording {
namespace {

// Rows of up to this size are read with those around them: a promise for each and the memory of its
// own would take more than they do.
constexpr std::uint64_t small_row = 1024;

}  // namespace

std::shared_ptr<std::byte> RowMemory::take(std::size_t size) {
  constexpr std::size_t much = platform::huge_page / 2;
  taken_ += size;
  if (size > much || taken_ <= much) return platform::allocate_buffer(size);
  if (size > left_) {
    block_ = platform::allocate_buffer(platform::huge_page);
    left_ = platform::huge_page;
  }
  std::shared_ptr<std::byte> taken(block_, block_.get() + (platform::huge_page - left_));
  const std::size_t aligned = (size + platform::buffer_alignment - 1) / platform::buffer_alignment *
                              platform::buffer_alignment;
  left_ -= aligned;
  return taken;
}

SegmentRows::SegmentRows(std::size_t records, RowMemory& memory)
    : memory_(memory), left_(records * small_row) {}

SegmentRows::Rows SegmentRows::rows_of(const Tensor& tensor) {
  std::shared_ptr<const Source> source = detail::source_of(tensor);
  if (!source) return {tensor, nullptr};
  const std::uint64_t size = tensor.byte_size();
  // A file may name one row of a tensor as large as itself.
  if (size <= left_ && size <= tensor.shape()[0] * small_row) {
    left_ -= size;
    const auto bytes = static_cast<std::size_t>(size);
    const std::shared_ptr<std::byte> memory = memory_.take(bytes);
    detail::DeferredBytes::of(tensor)->read(0, {memory.get(), bytes});
    return {Tensor::share(tensor.dtype(), tensor.shape(), {memory.get(), bytes}, memory), nullptr};
  }
  if (source != source_) {
    source_ = source;
    together_ = for_small_reads(source);
  }
  return {tensor, together_};
}

Value SegmentRows::at(const Value& rows, std::int32_t row) {
  if (last_ != &rows) {
    auto found = known_.find(&rows);
    if (found == known_.end()) found = known_.emplace(&rows, rows_of(rows.tensor())).first;
    last_ = &rows;
    last_rows_ = &found->second;
  }
  Value value(
      detail::row_of(last_rows_->tensor, static_cast<std::uint64_t>(row), last_rows_->source));
  // What else a file says beside all of them would be said, and held, once for each.
  if (const Value* const own = rows.attribute(attributes::dtype);
      own != nullptr && own->kind() == Kind::string)
    value.set_attribute(attributes::dtype, *own);
  return value;
}

}  // namespace safestructures::inline v0::recording
