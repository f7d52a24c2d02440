/// \file
/// The names of tensors in formats that store tensors in place, where the tree holds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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

/// The tensors of a file by their names. These keep their addresses.
class NamedTensors {
 public:
  struct Known {
    std::string name;
    Tensor tensor;
    DType stored;
  };

  [[nodiscard]] const Known* find(std::string_view name) const;
  /// Enters a tensor under its name, which is moved from. Returns false if the name is taken; then
  /// nothing is changed.
  bool enter(std::string& name, const Tensor& tensor, DType stored);
  /// Enters a tensor under its name, or, if that is taken, under its name followed by `#2`, `#3`
  /// ... Returns the name used.
  const std::string& enter_distinct(std::string name, const Tensor& tensor, DType stored);
  [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }

 private:
  struct Slot {
    std::uint32_t hash = 0;   // Growing needs no name for it.
    std::uint32_t place = 0;  // In `known_`, plus one; 0 if free.
  };
  static std::uint32_t hash_of(std::string_view name);
  /// Returns the slot of a name, or the free one where it belongs.
  [[nodiscard]] std::size_t slot_of(std::string_view name, std::uint32_t hash) const;
  void grow();

  std::deque<Known> known_;
  std::vector<Slot> slots_;  // A power of two, at most half full.
  std::unordered_map<std::string, std::size_t, KeyedHash> next_;
};

}  // namespace safestructures::inline v0::detail
