// error: safestructures needs exceptions and RTTI: compile without -fno-exceptions and -fno-rtti
// flags: -fno-rtti
#include <safestructures/data/error.hpp>
