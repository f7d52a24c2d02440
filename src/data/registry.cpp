#include <safestructures/data/registry.hpp>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0 {

const Registry::Type* Registry::find(std::string_view name) const noexcept {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second.get();
}

const Registry::Type* Registry::find(const std::type_info& type) const noexcept {
  const auto found = by_type_.find(type);
  return found == by_type_.end() ? nullptr : found->second.get();
}

void Registry::insert(Type type) {
  if (find(type.name) != nullptr)
    throw Error(ErrorCode::duplicate_name, "two types are registered under one name",
                {.found = "'" + type.name + "'", .advice = "Give each type its own name"});
  if (by_type_.contains(type.type))
    throw Error(ErrorCode::duplicate_name, "a type is registered twice",
                {.found = "'" + type.name + "' and '" + by_type_.at(type.type)->name + "'",
                 .advice = "Add each type once"});
  auto shared = std::make_shared<const Type>(std::move(type));
  by_name_.emplace(shared->name, shared);
  by_type_.emplace(shared->type, shared);
}

}  // namespace safestructures::inline v0
