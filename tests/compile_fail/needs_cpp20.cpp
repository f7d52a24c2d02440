// error: safestructures needs C\+\+20: compile with -std=c\+\+20 or newer
// flags: -std=c++17
#include <safestructures/data/limits.hpp>
