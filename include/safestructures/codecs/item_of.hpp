/// \file
/// Passes items of containers and holders to an encoder.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0::detail {

/// Returns an item from a container or holder as an encoder should receive it: as a const Item to
/// borrow from if it is in the container; as an rvalue if it was returned by value or made from a
/// proxy.
template <class Item, class Given>
  requires(!std::is_same_v<std::remove_cvref_t<Given>, std::reference_wrapper<Item>> &&
           !std::is_same_v<std::remove_cvref_t<Given>, std::reference_wrapper<const Item>>)
decltype(auto) item_of(Given&& given) {
  if constexpr (!std::is_convertible_v<std::remove_reference_t<Given>*, const Item*>)
    return static_cast<Item>(std::forward<Given>(given));
  else if constexpr (std::is_lvalue_reference_v<Given>) return static_cast<const Item&>(given);
  else return static_cast<const Item&&>(given);
}
template <class Item>
const Item& item_of(std::reference_wrapper<const Item> given) {
  return given;
}

}  // namespace safestructures::inline v0::detail
