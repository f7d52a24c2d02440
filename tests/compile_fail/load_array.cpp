// error: load an object, not a reference or a C array: .* in place of a T\[3\] a std::array<T, 3>
#include <array>
#include <cstddef>
#include <span>

#include <safestructures/codecs/array.hpp>
#include <safestructures/tools/load.hpp>

#ifdef SHOULD_FAIL
using Row = float[3];
#else
using Row = std::array<float, 3>;
#endif

void load(std::span<const std::byte> bytes) { static_cast<void>(safestructures::load<Row>(bytes)); }
