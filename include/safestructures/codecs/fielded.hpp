/// \file
/// Concepts for types that are saved as a struct of their fields.
#pragma once

#include <type_traits>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

template <class T>
struct Rules;
template <class T>
struct BlockLayout;

namespace detail {

template <class T>
concept Aggregate = std::is_class_v<T> && std::is_aggregate_v<T>;

/// A class whose rules list its members.
template <class T>
concept ListsMembers = std::is_class_v<T> && requires { Rules<T>::members; };

/// A type that has fields, even if it is declared to consist of numbers.
template <class T>
concept HasFields = Aggregate<T> || ListsMembers<T>;

/// A type that is saved as a struct of its fields, unless it has its own codec.
template <class T>
concept Fielded = HasFields<T> && !requires { BlockLayout<T>::dtype; };

}  // namespace detail
}  // namespace safestructures::inline v0
