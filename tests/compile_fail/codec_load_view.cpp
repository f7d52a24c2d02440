// error: can save this type, but not load it: .* a std::string in place of a std::string_view
#include <string>
#include <string_view>

#include <safestructures/codecs/strings.hpp>

#ifdef SHOULD_FAIL
using Text = std::string_view;
#else
using Text = std::string;
#endif

Text load(const safestructures::Value& value) { return value.as<Text>(); }
