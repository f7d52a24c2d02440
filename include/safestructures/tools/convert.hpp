/// \file
/// Converting files: another format, another precision, another number of files.
#pragma once

#include <filesystem>
#include <iosfwd>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0 {

class Document;

/// Saves what an open file holds as another file, which may be the same one: the structure, the
/// metadata, the tensors beside the structure, checksums where there are some. A plain file without
/// a schema stays one in a format that has such files. Tensors are read and converted in blocks.
/// \param options its metadata and extra tensors are added to those of the file, and win
/// \throws Error as `save_file`; `checksum_mismatch` where the file has checksums and they do not
/// match, so that damage never gets some that do. The file `to` is then as it was.
SAFESTRUCTURES_API SaveReport convert_file(const Document& from, const std::filesystem::path& to,
                                           const SaveOptions& options = {
                                               .precision = Precision::preserve});

/// The same to a binary stream, in the format that `options` name or the default, without seeking.
/// `shard_size` is refused.
SAFESTRUCTURES_API SaveReport convert(const Document& from, std::ostream& out,
                                      const SaveOptions& options = {
                                          .precision = Precision::preserve});

}  // namespace safestructures::inline v0
