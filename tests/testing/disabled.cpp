// The macro of doctest where its assertions are disabled, as those of a program beside its code may
// be: what it is given is not called. The cases of cases.hpp compile, which GCC 12 broke off at.
#define DOCTEST_CONFIG_DISABLE
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <safestructures/testing/doctest.hpp>

#include <cstdlib>

#include "cases.hpp"

namespace {

[[maybe_unused]] Layer never_made() { std::abort(); }

[[maybe_unused]] const bool is_checked = [] {
  CHECK_STRUCTURES_NEAR(never_made(), "golden.safetensors");
  return true;
}();

}  // namespace
