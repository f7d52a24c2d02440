/// \file
/// CHECK_STRUCTURES_NEAR for Catch2, versions 2 and 3, whose headers must be found by the compiler:
///
///     #include <safestructures/testing/catch2.hpp>
///     CHECK_STRUCTURES_NEAR(model.forward(x), "golden/forward.safetensors", {.rtol = 1e-4});
///
/// Catch2's console breaks lines at CATCH_CONFIG_CONSOLE_WIDTH, 80 unless it was built otherwise,
/// and the table with them.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <safestructures/testing/near.hpp>

/// \cond Catch2's own macros, under the names that this program gives them.
#ifdef CATCH_CONFIG_PREFIX_ALL
#define SAFESTRUCTURES_CATCH_SUCCEED CATCH_SUCCEED
#define SAFESTRUCTURES_CATCH_FAIL_CHECK CATCH_FAIL_CHECK
#else
#define SAFESTRUCTURES_CATCH_SUCCEED SUCCEED
#define SAFESTRUCTURES_CATCH_FAIL_CHECK FAIL_CHECK
#endif
/// \endcond

/// Compares an object that can be saved with the structure in a file, and goes on whether they are
/// near or not: `CHECK_STRUCTURES_NEAR(actual, file)` or `(actual, file, options)`, the options
/// being CompareOptions. Fails with the table of what differs. What the object's codec throws ends
/// the test.
#define CHECK_STRUCTURES_NEAR(...)                                      \
  do {                                                                  \
    const ::safestructures::testing::NearResult safestructures_result = \
        ::safestructures::testing::structures_near(__VA_ARGS__);        \
    if (safestructures_result.is_near) SAFESTRUCTURES_CATCH_SUCCEED();  \
    else SAFESTRUCTURES_CATCH_FAIL_CHECK(safestructures_result.text);   \
  } while (false)
