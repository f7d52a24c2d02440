// The macro of catch2, with the cases of cases.hpp.
#if !__has_include(<catch2/catch_test_macros.hpp>)
#define CATCH_CONFIG_MAIN
#endif
#include <safestructures/testing/catch2.hpp>

#include "cases.hpp"
