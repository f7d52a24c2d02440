// error: safestructures needs char8_t: compile without -fno-char8_t
// flags: -fno-char8_t
#include <safestructures/data/error.hpp>
