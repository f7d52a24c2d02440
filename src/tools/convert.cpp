#include <safestructures/tools/convert.hpp>

#include <safestructures/codecs/values.hpp>
#include <safestructures/tools/document.hpp>
#include <safestructures/tools/save.hpp>

namespace safestructures::inline v0 {
namespace {

/// The options with all that goes with the file beside its structure.
SaveOptions options_for(const Document& from, const Format& target, const SaveOptions& options) {
  SaveOptions all = options;
  all.metadata.insert(from.metadata().begin(), from.metadata().end());
  for (const auto& [name, tensor] : from.content().extra_tensors)
    all.extra_tensors.try_emplace(name, tensor);
  // What a format's own files have, other formats may not know and would refuse.
  if (target.name() == from.format().name()) {
    all.checksums |= from.content().has_checksums;
    all.schema &= from.has_schema();
  }
  return all;
}

}  // namespace

SaveReport convert_file(const Document& from, const std::filesystem::path& to,
                        const SaveOptions& options) {
  const Format& target =
      options.format ? *options.format : *formats::for_name(to.filename().string());
  return save_file(from.root(), to, options_for(from, target, options));
}

SaveReport convert(const Document& from, std::ostream& out, const SaveOptions& options) {
  const Format& target = options.format ? *options.format : *formats::all().front();
  return save(from.root(), out, options_for(from, target, options));
}

}  // namespace safestructures::inline v0
