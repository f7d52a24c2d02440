/// \file
/// Helpers that tests of failures share.
#pragma once

#include <string>

#include <safestructures/data/error.hpp>

namespace safestructures::test {

/// Returns "code: text" of the Error that a call throws.
template <class Call>
std::string error_of(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "no error";
}

/// The same for a call whose result cannot be used.
template <class Call>
std::string error_of_void(const Call& call) {
  return error_of([&] {
    call();
    return 0;
  });
}

}  // namespace safestructures::test
