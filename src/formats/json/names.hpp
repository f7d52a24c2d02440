/// \file
/// The names by which an object says what it stands for (docs/json.md), shared by writer and
/// reader; and the names of tensors.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <safestructures/data/path.hpp>
#include <safestructures/data/tensor.hpp>
#include "data/keyed_hash.hpp"

namespace safestructures::json {

/// What an object stands for, by the name of its first member.
enum class Mark : std::uint8_t {
  floating,
  complex,
  bytes,
  list,
  tuple,
  set,
  dict,
  structure,
  tensor,
  custom,
  plain,  ///< A value marked as plain (Value::plain), where others are not.
  node,   ///< A value that is not, where others are.
};

inline constexpr std::array<std::pair<std::string_view, Mark>, 12> marks = {{
    {"$float", Mark::floating},
    {"$complex", Mark::complex},
    {"$bytes", Mark::bytes},
    {"$list", Mark::list},
    {"$tuple", Mark::tuple},
    {"$set", Mark::set},
    {"$dict", Mark::dict},
    {"$struct", Mark::structure},
    {"$tensor", Mark::tensor},
    {"$custom", Mark::custom},
    {"$plain", Mark::plain},
    {"$node", Mark::node},
}};

constexpr std::string_view name_of(Mark mark) {
  for (const auto& [name, known] : marks)
    if (known == mark) return name;
  return {};
}

constexpr std::optional<Mark> mark_of(std::string_view name) {
  for (const auto& [known, mark] : marks)
    if (known == name) return mark;
  return std::nullopt;
}

inline constexpr std::string_view envelope_name = "$safestructures";
inline constexpr std::string_view metadata_name = "metadata";
inline constexpr std::string_view tensors_name = "tensors";
inline constexpr std::string_view root_name = "root";
inline constexpr std::string_view type_name = "$type";
inline constexpr std::string_view attributes_name = "$attributes";
inline constexpr std::string_view tensor_name = "$name";
inline constexpr std::string_view fields_name = "$fields";
inline constexpr std::string_view shape_name = "shape";
inline constexpr std::string_view data_name = "data";
inline constexpr std::string_view value_name = "value";
inline constexpr std::string_view base64_name = "base64";
inline constexpr std::string_view same_name = "same";

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
  std::unordered_map<std::string, Known, detail::KeyedHash> known_;
  std::unordered_map<std::string, std::size_t, detail::KeyedHash> next_;
};

}  // namespace safestructures::json
