/// \file
/// Chooses one value of a file or a recording, for the commands that show one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <safestructures/data/value.hpp>
#include "cli/input.hpp"

namespace CLI {
class App;
}

namespace safestructures::cli {

/// The value that a command was asked for.
struct ValueChoice {
  /// For a recording, the record's name followed by the path in it: `decoder/logits`.
  std::string path;
  std::optional<std::int64_t> step;   ///< The step of the record.
  std::optional<std::uint64_t> call;  ///< The call of the record.
};

/// Adds `--step` and `--call`.
void add_record_options(CLI::App& command, ValueChoice& choice);

/// Returns the value at the path, or the tensor of that name in the file; for a recording, the
/// value of the record.
/// \throws CallError if there is no such value, if several records match, or if a step or a call is
/// given for a file
Value chosen_value(const Input& input, const ValueChoice& choice);

}  // namespace safestructures::cli
