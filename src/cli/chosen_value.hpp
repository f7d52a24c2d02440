/// \file
/// One value of a file or a recording, for the commands that show one.
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

/// Which value a command was asked for.
struct ValueChoice {
  std::string path;  ///< Of a recording the record's name, then the path in it: `decoder/logits`.
  std::optional<std::int64_t> step;   ///< Of the record.
  std::optional<std::uint64_t> call;  ///< Of the record.
};

/// Adds `--step` and `--call`.
void add_record_options(CLI::App& command, ValueChoice& choice);

/// What is at the path, or the tensor that has this name in the file; of a recording what the
/// record holds.
/// \throws CallError where nothing is there, where the choice leaves several records, and for a
/// step or a call of a file
Value chosen_value(const Input& input, const ValueChoice& choice);

}  // namespace safestructures::cli
