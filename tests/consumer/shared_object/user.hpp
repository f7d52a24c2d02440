// What a shared library that uses safestructures offers its own users.
#pragma once

#include <safestructures/data/value.hpp>

#define USER_API __attribute__((visibility("default")))

/// Saves a structure and loads it dynamically.
USER_API safestructures::Value user_value();
/// Throws safestructures::Error, `truncated`.
USER_API void user_failure();
