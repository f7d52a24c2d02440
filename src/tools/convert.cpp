#include <safestructures/tools/convert.hpp>

#include <any>

#include <safestructures/codecs/values.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/formats/safestructures/checksums.hpp>
#include <safestructures/formats/safetensors/reader.hpp>
#include <safestructures/tools/document.hpp>
#include <safestructures/tools/save.hpp>
#include "formats/pytorch/read.hpp"

namespace safestructures::inline v0 {
namespace {

/// Returns the options, completed with everything in the file besides its structure.
SaveOptions options_for(const Document& from, const Format& target, const SaveOptions& options) {
  SaveOptions all = options;
  all.metadata.insert(from.metadata().begin(), from.metadata().end());
  for (const auto& [name, tensor] : from.content().extra_tensors)
    all.extra_tensors.try_emplace(name, tensor);
  // Other formats may not know what a format's own files have, and would refuse it.
  if (target.name() == from.format().name()) {
    all.checksums |= from.content().has_checksums;
    all.schema &= from.has_schema();
  }
  return all;
}

/// Throws if checksums do not match: damaged bytes would get matching ones, or lose those that
/// reveal the damage.
void check_source(const Document& from) {
  if (!from.content().has_checksums) return;
  const std::any& container = from.content().container;
  try {
    // Other containers are those of user-defined formats.
    if (const auto* const file = std::any_cast<safetensors::File>(&container))
      checksums::verify(*file);
    else if (const auto* const archives = std::any_cast<pytorch::Archives>(&container))
      for (const pytorch::Archive& archive : *archives) archive.verify();
  } catch (const Error& error) {
    throw error.with_file(from.name());
  }
}

}  // namespace

SaveReport convert_file(const Document& from, const std::filesystem::path& to,
                        const SaveOptions& options) {
  check_source(from);
  const Format& target =
      options.format ? *options.format : *formats::for_name(to.filename().string());
  return save_file(from.root(), to, options_for(from, target, options));
}

SaveReport convert(const Document& from, std::ostream& out, const SaveOptions& options) {
  check_source(from);
  const Format& target = options.format ? *options.format : *formats::all().front();
  return save(from.root(), out, options_for(from, target, options));
}

}  // namespace safestructures::inline v0
