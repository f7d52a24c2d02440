#include "formats/burn/attributes.hpp"
#include "data/text/printable.hpp"

#include <string>
#include <string_view>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::burn {

void check_attributes(std::string_view what, const Value& value, const SaveOptions& options,
                      const Trace* trace) {
  if (!options.extensions) return;
  for (const Entry& attribute : value.attributes()) {
    const std::string& name = attribute.key.as_string();
    if (name == attributes::burn_id || name == attributes::dtype ||
        name == attributes::class_version)
      continue;
    throw Error(ErrorCode::invalid_argument,
                std::string(what) + " cannot hold attributes of values",
                {.path = to_string(trace),
                 .found = "the attribute '" + detail::for_message(name) + "'",
                 .advice = "Save as safestructures, or without SaveOptions::extensions"});
  }
}

}  // namespace safestructures::inline v0::burn
