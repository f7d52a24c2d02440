/// \file
/// The member names that mark what an object stands for (docs/json.md, docs/messagepack.md), shared
/// by writer and reader.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace safestructures::inline v0::tree {

/// The meaning of an object, given by the name of its first member.
enum class Mark : std::uint8_t {
  floating,  ///< Used in JSON, which has no infinite numbers.
  integer,   ///< Used in MessagePack, whose integers have 64 bits.
  complex,
  bytes,
  list,
  tuple,
  set,
  dict,
  structure,
  tensor,
  custom,
  plain,  ///< A value marked as plain (Value::plain) among values that are not.
  node,   ///< A value not marked as plain among values that are.
};

inline constexpr std::array<std::pair<std::string_view, Mark>, 13> marks = {{
    {"$float", Mark::floating},
    {"$int", Mark::integer},
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
inline constexpr std::string_view pad_name = "pad";
inline constexpr std::string_view value_name = "value";
inline constexpr std::string_view base64_name = "base64";
inline constexpr std::string_view same_name = "same";

}  // namespace safestructures::inline v0::tree
