/// \file
/// Suggests which tensors and records that only one side has may be the same.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/data/value.hpp>
#include "compare/pairing/located.hpp"

namespace safestructures::inline v0::comparing {

/// A tensor, or the statistics that stand for one.
struct Leaf {
  std::string path;  ///< Path within its record; empty if the tensor itself is suggested.
  const Value* value = nullptr;
};

/// An item without a counterpart: a tensor, or a record with all of its tensors.
struct Lone {
  std::string name;
  std::vector<Leaf> leaves;  ///< At least one.
};

/// Pairs items whose leaves have the same paths and shapes, so that a rename pairs all leaves:
/// first by their numbers, then by their order.
/// \param name_of may be null
/// \throws Error with the path of a tensor that cannot be read
std::vector<RenameSuggestion> suggest(std::span<const Lone> a, std::span<const Lone> b,
                                      const NameOf& name_of);

}  // namespace safestructures::inline v0::comparing
