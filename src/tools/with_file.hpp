/// \file
/// Errors that learn which file they are about.
#pragma once

#include <exception>
#include <string>

#include <safestructures/data/error.hpp>

namespace safestructures::detail {

/// Called while `error` is handled: throws it again with the file filled in. An exception nested in
/// it, as those of plugins are, stays nested.
[[noreturn]] inline void rethrow_with_file(const Error& error, const std::string& file) {
  if (file.empty() || !error.details().file.empty()) throw;
  try {
    std::rethrow_if_nested(error);
  } catch (...) {
    std::throw_with_nested(error.with_file(file));
  }
  throw error.with_file(file);
}

}  // namespace safestructures::detail
