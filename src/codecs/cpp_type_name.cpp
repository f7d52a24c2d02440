#include "codecs/cpp_type_name.hpp"

#include <cstdlib>
#include <memory>

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

namespace safestructures::inline v0::detail {

std::string cpp_type_name(const std::type_info& type) {
#if __has_include(<cxxabi.h>)
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  if (text) return text.get();
#endif
  return type.name();
}

}  // namespace safestructures::inline v0::detail
