/// \file
/// Converting files to another format, another precision, another number of files.
#pragma once

#include <filesystem>
#include <iosfwd>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0 {

class Document;

/// Saves the content of an open file as another file, which may be the same one: the structure, the
/// metadata, the tensors that the structure does not refer to, and checksums if the file has any. A
/// plain file without a schema stays one if the format allows it. Tensors are read and converted in
/// blocks.
/// \param options its metadata and extra tensors are added to those of the file and take precedence
/// \throws Error as `save_file`; `checksum_mismatch` if the file has checksums that do not match,
/// so that damaged data never gets matching ones. The file `to` then stays as it was.
SAFESTRUCTURES_API SaveReport convert_file(const Document& from, const std::filesystem::path& to,
                                           const SaveOptions& options = {
                                               .precision = Precision::preserve});

/// Writes the same to a binary stream, without seeking, in the format of `options` or the default
/// one. `shard_size` is rejected.
SAFESTRUCTURES_API SaveReport convert(const Document& from, std::ostream& out,
                                      const SaveOptions& options = {
                                          .precision = Precision::preserve});

}  // namespace safestructures::inline v0
