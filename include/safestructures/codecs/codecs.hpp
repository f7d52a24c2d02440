/// \file
/// All codecs of the library. Each header serves the standard header with its name; scalars,
/// strings, enums, structs and values serve built-in types and types of this library.
#pragma once

#include <safestructures/codecs/any.hpp>
#include <safestructures/codecs/array.hpp>
#include <safestructures/codecs/chrono.hpp>
#include <safestructures/codecs/columns.hpp>
#include <safestructures/codecs/deque.hpp>
#include <safestructures/codecs/enums.hpp>
#include <safestructures/codecs/forward_list.hpp>
#include <safestructures/codecs/list.hpp>
#include <safestructures/codecs/map.hpp>
#include <safestructures/codecs/memory.hpp>
#include <safestructures/codecs/optional.hpp>
#include <safestructures/codecs/scalars.hpp>
#include <safestructures/codecs/set.hpp>
#include <safestructures/codecs/span.hpp>
#include <safestructures/codecs/strings.hpp>
#include <safestructures/codecs/structs.hpp>
#include <safestructures/codecs/tuple.hpp>
#include <safestructures/codecs/unordered_map.hpp>
#include <safestructures/codecs/unordered_set.hpp>
#include <safestructures/codecs/values.hpp>
#include <safestructures/codecs/variant.hpp>
#include <safestructures/codecs/vector.hpp>
