#include "data/path_text.hpp"

#include <string>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::detail {

void PathText::fail() const {
  throw Error(
      ErrorCode::limit_exceeded, "the paths of a structure take too much memory",
      {.file = std::string(file_),
       .expected = "at most " + std::to_string(most()) + " bytes: 64 MiB, and 256 for each path",
       .found = std::to_string(size_) + " for the first " + std::to_string(paths_),
       .advice = "Shorten the longest keys or names"});
}

}  // namespace safestructures::inline v0::detail
