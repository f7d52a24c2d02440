#include "platform/mapping.hpp"

#include <string>
#include <system_error>

#include "platform/system_error.hpp"

namespace safestructures::inline v0::platform {

std::shared_ptr<const Mapping> Mapping::of(const InputFile& file, std::uint64_t offset,
                                           std::size_t size) {
  if (offset > file.size() || size > file.size() - offset) {
    const std::uint64_t found = offset > file.size() ? 0 : file.size() - offset;
    throw Error(ErrorCode::truncated, "the file ends too early",
                {.file = file.path().string(),
                 .path = {},
                 .expected = std::to_string(size) + " bytes",
                 .found = std::to_string(found),
                 .advice = "It may have been cut short while it was copied or downloaded",
                 .offset = offset});
  }
  // Created before the mapping, so that a failed allocation cannot leak one.
  std::shared_ptr<Mapping> mapping(new Mapping);
  if (size == 0) return mapping;  // The system refuses empty mappings.
  const std::size_t skipped = static_cast<std::size_t>(offset % os::page_size());
  std::error_code error;
  mapping->address_ = os::map(file.handle(), offset - skipped, size + skipped, error);
  if (error) {
    throw system_error(ErrorCode::cannot_read, "cannot map the file", file.path(), error, offset);
  }
  mapping->length_ = size + skipped;
  mapping->bytes_ = {mapping->address_ + skipped, size};
  return mapping;
}

Mapping::~Mapping() {
  if (address_ != nullptr) os::unmap(address_, length_);
}

}  // namespace safestructures::inline v0::platform
