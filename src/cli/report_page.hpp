/// \file
/// The page of `report`, built from the files in report_page/.
#pragma once

#include <string_view>

namespace safestructures::cli {

/// The whole page, with `@DATA@` in place of its data, which is JSON as `write_packed` writes it.
extern const std::string_view report_page;

}  // namespace safestructures::cli
