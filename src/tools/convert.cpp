#include <safestructures/tools/convert.hpp>

#include <safestructures/codecs/values.hpp>
#include <safestructures/tools/document.hpp>
#include <safestructures/tools/save.hpp>

namespace safestructures {

SaveReport convert_file(const Document& from, const std::filesystem::path& to,
                        const SaveOptions& options) {
  SaveOptions all = options;
  all.metadata.insert(from.metadata().begin(), from.metadata().end());
  for (const auto& [name, tensor] : from.content().extra_tensors)
    all.extra_tensors.try_emplace(name, tensor);
  const Format& target =
      options.format ? *options.format : *formats::for_name(to.filename().string());
  // What a format's own files have, other formats may not know and would refuse.
  if (target.name() == from.format().name()) {
    all.checksums |= from.content().has_checksums;
    all.schema &= from.has_schema();
  }
  return save_file(from.root(), to, all);
}

}  // namespace safestructures
