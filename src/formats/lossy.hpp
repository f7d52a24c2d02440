/// \file
/// What all formats say of a conversion that a lossless save refuses.
#pragma once

#include <string_view>

#include <safestructures/data/convert.hpp>

namespace safestructures::detail {

/// \throws Error `lossy_conversion` \param tensor its name, as messages show it
[[noreturn]] void fail_lossy(std::string_view tensor, DType from, DType to,
                             const ConversionReport& conversion);

}  // namespace safestructures::detail
