/// \file
/// Adds the file, and the place in it, to errors.
#pragma once

#include <exception>
#include <string>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::detail {

/// Called while `error` is handled: rethrows it with the file filled in and its path below another
/// one. An exception nested in it, as in errors of plugins, stays nested.
[[noreturn]] inline void rethrow_with_place(const Error& error, const std::string& file,
                                            const std::string& path) {
  const bool is_known = file.empty() || !error.details().file.empty();
  if (is_known && path == "/") throw;
  try {
    std::rethrow_if_nested(error);
  } catch (...) {
    std::throw_with_nested(error.with_parent_path(path).with_file(file));
  }
  throw error.with_parent_path(path).with_file(file);
}

/// Does the same without a path.
[[noreturn]] inline void rethrow_with_file(const Error& error, const std::string& file) {
  rethrow_with_place(error, file, "/");
}

}  // namespace safestructures::inline v0::detail
