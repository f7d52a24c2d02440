/// \file
/// The check of options that name a dtype.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <safestructures/data/dtype.hpp>

namespace safestructures::cli {

inline CLI::Validator known_dtype() {
  const auto check = [](const std::string& name) -> std::string {
    if (parse_dtype(name)) return {};
    std::string known;
    for (std::size_t i = 0; i < dtype_count; ++i)
      known += (i == 0 ? "" : ", ") + std::string(to_string(static_cast<DType>(i)));
    return "there is no dtype '" + name + "': the dtypes are " + known;
  };
  return {check, "DTYPE", "dtype"};
}

}  // namespace safestructures::cli
