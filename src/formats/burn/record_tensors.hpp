/// \file
/// The tensors of a record: what their numbers take, and what they are called here.
#pragma once

#include <cstdint>

#include <safestructures/data/precision.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::burn {

/// Counts the tensors of a record that was read, and names them by their places.
/// \param type that is loaded; null: a Value. Where no part of it is one, nobody sees the names,
/// and they are left out: they were a tenth of loading 10,000 small parameters.
void enter_tensors(Content& content, const TypeInfo* type);

/// What the F32 and F64 numbers of all tensors take in an encoding of bytes at least, so that no
/// more is reserved on the disk than the file needs: small integers and halves may take less than
/// their width.
[[nodiscard]] std::uint64_t float_bytes(const Value& item, const Precision& precision);

}  // namespace safestructures::inline v0::burn
