// error: safestructures cannot load this type
#include <string>
#include <string_view>

#include <safestructures/codecs/strings.hpp>

#ifdef SHOULD_FAIL
using Text = std::string_view;
#else
using Text = std::string;
#endif

Text load(const safestructures::Value& value) { return value.as<Text>(); }
