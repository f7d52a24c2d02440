/// \file
/// Compressed text inside a page.
#pragma once

#include <functional>
#include <ostream>

namespace safestructures::cli {

/// Writes what `fill` streams as gzip (RFC 1952) in base64 (RFC 4648, section 4), using about 20
/// MiB of memory whatever its size. Equal text gives equal bytes.
void write_packed(std::ostream& out, const std::function<void(std::ostream&)>& fill);

}  // namespace safestructures::cli
