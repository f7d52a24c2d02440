// error: safestructures needs exceptions and RTTI: compile without -fno-exceptions and -fno-rtti
// flags: -fno-exceptions
#include <safestructures/data/error.hpp>
