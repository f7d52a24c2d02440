/// \file
/// CHECK_STRUCTURES_NEAR for doctest, whose header must be found by the compiler:
///
///     #include <safestructures/testing/doctest.hpp>
///     CHECK_STRUCTURES_NEAR(model.forward(x), "golden/forward.safetensors", {.rtol = 1e-4});
#pragma once

#include <doctest/doctest.h>

#include <safestructures/testing/near.hpp>

/// Compares an object that can be saved with the structure in a file, and goes on whether they are
/// near or not: `CHECK_STRUCTURES_NEAR(actual, file)` or `(actual, file, options)`, the options
/// being CompareOptions. Fails with the table of what differs. What the object's codec throws ends
/// the test.
#define CHECK_STRUCTURES_NEAR(...)                                                   \
  do {                                                                               \
    const ::safestructures::testing::NearResult safestructures_result =              \
        ::safestructures::testing::structures_near(__VA_ARGS__);                     \
    if (safestructures_result.is_near) DOCTEST_CHECK(safestructures_result.is_near); \
    else DOCTEST_FAIL_CHECK(safestructures_result.text);                             \
  } while (false)
