/// \file
/// The common part of the test macros: comparing an object with a file that another program made.
/// The other headers in this folder define CHECK_STRUCTURES_NEAR for doctest, GoogleTest and
/// Catch2: `CHECK_STRUCTURES_NEAR(actual, file)` or `(actual, file, options)` with CompareOptions.
///
/// The macro compares an object that can be saved with the structure in a file, as
/// `structures_near` does, and the test continues either way. A failure shows the table of
/// differences, at the line of the call. Exceptions of the object's codec end the test.
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

/// The result of a comparison in a test.
struct NearResult {
  /// Whether everything is equal within tolerance, and something was compared.
  bool is_near = false;
  std::string text;  ///< If not, the table of differences, or what is wrong with the file.
};

/// Compares a structure with the one in a file, which is the reference. Tensors that the file's
/// structure does not refer to count as differences unless the options leave them out. Never throws
/// because of the file: the text says what is wrong with it.
[[nodiscard]] SAFESTRUCTURES_API NearResult structures_near(const Value& actual,
                                                            const std::filesystem::path& golden,
                                                            const CompareOptions& options = {});

/// Does the same for any object that can be saved. \throws Error the error of its codec
template <class T>
  requires(!std::same_as<std::remove_cvref_t<T>, Value>)
[[nodiscard]] NearResult structures_near(const T& actual, const std::filesystem::path& golden,
                                         const CompareOptions& options = {}) {
  return structures_near(Value::from(actual), golden, options);
}

}  // namespace safestructures::inline v0::testing
