/// \file
/// CHECK_STRUCTURES_NEAR for Catch2, versions 2 and 3, whose headers must be in the include path:
///
///     #include <safestructures/testing/catch2.hpp>
///     CHECK_STRUCTURES_NEAR(model.forward(x), "golden/forward.safetensors", {.rtol = 1e-4});
///
/// Catch2's console wraps lines, the table's included, at CATCH_CONFIG_CONSOLE_WIDTH, which is 80
/// by default.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <safestructures/testing/near.hpp>

/// \cond Catch2's own macros, under the names chosen by this program.
#ifdef CATCH_CONFIG_PREFIX_ALL
#define SAFESTRUCTURES_CATCH_SUCCEED CATCH_SUCCEED
#define SAFESTRUCTURES_CATCH_FAIL_CHECK CATCH_FAIL_CHECK
#else
#define SAFESTRUCTURES_CATCH_SUCCEED SUCCEED
#define SAFESTRUCTURES_CATCH_FAIL_CHECK FAIL_CHECK
#endif
/// \endcond

/// Checks that an object is near the structure in a file; see testing/near.hpp.
#define CHECK_STRUCTURES_NEAR(...)                                      \
  do {                                                                  \
    const ::safestructures::testing::NearResult safestructures_result = \
        ::safestructures::testing::structures_near(__VA_ARGS__);        \
    if (safestructures_result.is_near) SAFESTRUCTURES_CATCH_SUCCEED();  \
    else SAFESTRUCTURES_CATCH_FAIL_CHECK(safestructures_result.text);   \
  } while (false)
