/// \file
/// The names of tensors in formats whose tensors stand where they are met.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <safestructures/data/path.hpp>
#include <safestructures/data/tensor.hpp>
#include "data/keyed_hash.hpp"

namespace safestructures::inline v0::detail {

/// The name of a tensor that is given none: its place, as `Path::dotted` spells it.
inline std::string place_name(const Trace* trace) {
  std::string name;
  std::size_t size = 0;
  for (const Trace* step = trace; step != nullptr; step = step->parent) {
    const std::string text =
        step->index == Trace::npos ? std::string(step->name) : std::to_string(step->index);
    // Backwards: each step is appended reversed, and the whole turned round at the end.
    if (size++ > 0) name += '.';
    name.append(text.rbegin(), text.rend());
  }
  std::reverse(name.begin(), name.end());
  return name.empty() ? "tensor" : name;
}

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
  /// Enters a tensor under its name, or where that is taken under a distinct one, which it returns.
  const std::string& enter_distinct(std::string name, Tensor tensor, DType stored) {
    const auto [place, is_new] = known_.try_emplace(name);
    const auto found = is_new ? place : known_.try_emplace(distinct(std::move(name))).first;
    found->second = {std::move(tensor), stored};
    return found->first;
  }
  /// The name, with `#2`, `#3` ... behind it when it is taken.
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
