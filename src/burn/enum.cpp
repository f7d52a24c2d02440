#include <safestructures/burn/enum.hpp>

#include <algorithm>
#include <string>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::detail {

VariantOfRecord find_variant(const Value& value, std::span<const std::string_view> names,
                             const Decoder& decoder) {
  // Never destroyed: destructors of static objects may load.
  static const Value& nothing = *new Value;
  const bool is_map = value.is_mapping() && value.size() == 1;
  if (!is_map && value.kind() != Kind::string)
    decoder.mismatch("a map of one variant, or its name", value);
  const std::string name = is_map ? value.entries().front().key.key_label() : value.as_string();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    std::string all;
    for (const std::string_view one : names) all.append(all.empty() ? "" : ", ").append(one);
    decoder.fail(ErrorCode::out_of_range, "an enum has no such variant",
                 {.expected = "one of " + all, .found = "'" + name + "'"});
  }
  return {static_cast<std::size_t>(found - names.begin()),
          is_map ? &value.entries().front().value : &nothing};
}

}  // namespace safestructures::inline v0::detail
