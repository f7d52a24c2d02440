// Uses a shared library that has its own copy of safestructures: its values, and its errors.
#include <cstdio>
#include <stdexcept>
#include <string>

#include <safestructures/safestructures.hpp>

#include "user.hpp"

namespace ss = safestructures;

int main() {
  const ss::Value value = user_value();
  if (value["bias"].tensor().data<float>()[1] != 2.0F || value["name"].as_string() != "first") {
    std::puts("the value is another on this side");
    return 1;
  }
  try {
    user_failure();
  } catch (const ss::Error& error) {
    std::puts(error.what());
    return error.code() == ss::ErrorCode::truncated ? 0 : 1;
  }
  return 1;
}
