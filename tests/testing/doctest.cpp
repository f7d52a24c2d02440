// The macro of doctest, with the cases of cases.hpp.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <safestructures/testing/doctest.hpp>

#include "cases.hpp"
