#include "tools/type_option.hpp"

#include <string>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::detail {

void check_type_option(const TypeInfo& (*given)(), const TypeInfo& (*own)(),
                       std::string_view option) {
  if (given == nullptr || &given() == &own()) return;
  throw Error(ErrorCode::invalid_argument, std::string(option) + " is not the type of the object",
              {.expected = to_string(own()),
               .found = to_string(given()),
               .advice = "Leave the option out: an object has a type of its own"});
}

}  // namespace safestructures::inline v0::detail
