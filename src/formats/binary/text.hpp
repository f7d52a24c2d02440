/// \file
/// What is text in binary formats.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace safestructures::inline v0::binary {

/// The offset of the first byte that is no UTF-8, where half a surrogate pair counts as three bytes
/// (WTF-8), as Python writes it by `surrogatepass`; a pair in six bytes does not.
[[nodiscard]] std::optional<std::size_t> find_malformed(std::string_view text) noexcept;

}  // namespace safestructures::inline v0::binary
