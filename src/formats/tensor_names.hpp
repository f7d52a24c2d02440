/// \file
/// The names of tensors in formats that store tensors in place, where the tree holds them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <safestructures/data/path.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/walk.hpp>
#include "data/keyed_hash.hpp"

namespace safestructures::inline v0::detail {

/// Returns the name for a tensor that was given none: its place, as `Path::dotted` spells it, cut
/// to its first 512 bytes and `...` if it is longer. Otherwise each of 1,000 tensors below a key of
/// 100 KB would have a name of 100 KB.
/// @{
std::string place_name(const Trace* trace);
std::string place_name(const Place& place);
/// @}

/// Returns the path of a tensor that is read later, for its errors; it is cut to 512 bytes, too.
std::string place_path(const Trace* trace);

/// The tensors of a file by their names.
class NamedTensors {
 public:
  struct Known {
    Tensor tensor;
    DType stored;
  };

  [[nodiscard]] const Known* find(std::string_view name) const {
    const auto found = known_.find(std::string(name));
    return found == known_.end() ? nullptr : &found->second;
  }
  void enter(std::string name, Tensor tensor, DType stored) {
    known_.emplace(std::move(name), Known{std::move(tensor), stored});
  }
  /// Enters a tensor under its name, or under a distinct one if that is taken. Returns the name
  /// used.
  const std::string& enter_distinct(std::string name, Tensor tensor, DType stored) {
    const auto [place, is_new] = known_.try_emplace(name);
    const auto found = is_new ? place : known_.try_emplace(distinct(std::move(name))).first;
    found->second = {std::move(tensor), stored};
    return found->first;
  }
  /// Returns the name, followed by `#2`, `#3` ... if it is taken.
  [[nodiscard]] std::string distinct(std::string name) {
    if (find(name) == nullptr) return name;
    std::size_t& count = next_.try_emplace(name, 1).first->second;
    std::string other;
    do other = name + "#" + std::to_string(++count);
    while (find(other) != nullptr);
    return other;
  }
  [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }

 private:
  std::unordered_map<std::string, Known, KeyedHash> known_;
  std::unordered_map<std::string, std::size_t, KeyedHash> next_;
};

}  // namespace safestructures::inline v0::detail
