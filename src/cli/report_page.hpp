/// \file
/// The page of `report`, made of the files in report_page/ when this is built.
#pragma once

#include <string_view>

namespace safestructures::cli {

/// The whole page; in the place of its data, JSON as `PackedText` writes it, stands `@DATA@`.
extern const std::string_view report_page;

}  // namespace safestructures::cli
