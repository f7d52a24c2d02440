/// \file
/// Which types are saved as a struct of their fields.
#pragma once

#include <type_traits>

namespace safestructures::inline v0 {

template <class T>
struct Rules;

namespace detail {

template <class T>
concept Aggregate = std::is_class_v<T> && std::is_aggregate_v<T>;

/// A class whose rules list its members.
template <class T>
concept ListsMembers = std::is_class_v<T> && requires { Rules<T>::members; };

/// A type that is saved as a struct of its fields, unless a codec says otherwise.
template <class T>
concept Fielded = Aggregate<T> || ListsMembers<T>;

}  // namespace detail
}  // namespace safestructures::inline v0
