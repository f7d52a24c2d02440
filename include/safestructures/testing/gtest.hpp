/// \file
/// CHECK_STRUCTURES_NEAR for GoogleTest, whose header must be in the include path:
///
///     #include <safestructures/testing/gtest.hpp>
///     CHECK_STRUCTURES_NEAR(model.forward(x), "golden/forward.safetensors", {.rtol = 1e-4});
#pragma once

#include <gtest/gtest.h>

#include <safestructures/testing/near.hpp>

/// Checks that an object is near the structure in a file; see testing/near.hpp.
#define CHECK_STRUCTURES_NEAR(...)                                      \
  do {                                                                  \
    const ::safestructures::testing::NearResult safestructures_result = \
        ::safestructures::testing::structures_near(__VA_ARGS__);        \
    if (safestructures_result.is_near) GTEST_SUCCEED();                 \
    else ADD_FAILURE() << safestructures_result.text;                   \
  } while (false)
