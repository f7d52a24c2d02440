/// \file
/// CHECK_STRUCTURES_NEAR for doctest, whose header must be in the include path:
///
///     #include <safestructures/testing/doctest.hpp>
///     CHECK_STRUCTURES_NEAR(model.forward(x), "golden/forward.safetensors", {.rtol = 1e-4});
#pragma once

#include <doctest/doctest.h>

#include <safestructures/testing/near.hpp>

/// Checks that an object is near the structure in a file; see testing/near.hpp. Like doctest's own
/// assertions, it does nothing if DOCTEST_CONFIG_DISABLE is defined.
#ifdef DOCTEST_CONFIG_DISABLE
#define CHECK_STRUCTURES_NEAR(...) static_cast<void>(0)
#else
#define CHECK_STRUCTURES_NEAR(...)                                                   \
  do {                                                                               \
    const ::safestructures::testing::NearResult safestructures_result =              \
        ::safestructures::testing::structures_near(__VA_ARGS__);                     \
    if (safestructures_result.is_near) DOCTEST_CHECK(safestructures_result.is_near); \
    else DOCTEST_FAIL_CHECK(safestructures_result.text);                             \
  } while (false)
#endif
