#include "formats/refuse_checksums.hpp"

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::detail {

void refuse_checksums(const LoadOptions& options) {
  if (options.verify_checksums)
    throw Error(ErrorCode::checksum_mismatch, "the file has no checksums",
                {.advice = "Save it as safestructures with SaveOptions::checksums, or load it "
                           "without LoadOptions::verify_checksums"});
}

}  // namespace safestructures::inline v0::detail
