/// \file
/// What the test macros stand on: an object beside a file that another program made. The headers
/// beside this one have CHECK_STRUCTURES_NEAR for doctest, GoogleTest and Catch2.
#pragma once

#include <concepts>
#include <filesystem>
#include <string>
#include <type_traits>

#include <safestructures/compare/options.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::testing {

/// What came of a comparison in a test.
struct NearResult {
  bool is_near = false;  ///< Whether all is equal within tolerance, and something was compared.
  std::string text;      ///< Where not, the table of what differs, or what is wrong with the file.
};

/// Compares a structure with that in a file, which is the reference. Tensors in the file that its
/// structure does not refer to make it differ, unless the options leave them out. Never throws for
/// the file: what is wrong with it is in the text.
[[nodiscard]] SAFESTRUCTURES_API NearResult structures_near(const Value& actual,
                                                            const std::filesystem::path& golden,
                                                            const CompareOptions& options = {});

/// The same for any object that can be saved. \throws Error what its codec finds wrong
template <class T>
  requires(!std::same_as<std::remove_cvref_t<T>, Value>)
[[nodiscard]] NearResult structures_near(const T& actual, const std::filesystem::path& golden,
                                         const CompareOptions& options = {}) {
  return structures_near(Value::from(actual), golden, options);
}

}  // namespace safestructures::inline v0::testing
