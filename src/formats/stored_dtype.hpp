/// \file
/// The dtype in which each tensor of a structure is stored, and the note that lets loading restore
/// the original one.
#pragma once

#include <optional>
#include <string_view>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/precision.hpp>
#include <safestructures/data/value.hpp>
#include "data/column_count.hpp"

namespace safestructures::inline v0::detail {

/// Answers, for each tensor that a format's writer meets on its walk down the tree, how to store
/// it.
class StoredDTypes {
 public:
  explicit StoredDTypes(const Precision& precision) : precision_(precision) {}

  /// Marks, for its lifetime, that the walk is below a struct: columns stand for scalars, which are
  /// stored exactly.
  class Below {
   public:
    Below(StoredDTypes& dtypes, const Value& structure)
        : dtypes_(dtypes), outer_(dtypes.in_columns_) {
      if (!outer_) dtypes.in_columns_ = is_columns(structure);
    }
    ~Below() { dtypes_.in_columns_ = outer_; }
    Below(const Below&) = delete;
    Below& operator=(const Below&) = delete;

   private:
    StoredDTypes& dtypes_;
    bool outer_;
  };

  /// Returns the dtype of a tensor or bytes value in the file. A plain tensor has no node that
  /// could record its original dtype, so it is stored as it is.
  [[nodiscard]] DType of(const Value& value) const {
    const DType dtype = value.tensor().dtype();
    const bool is_free = value.kind() == Kind::tensor && !value.is_plain() && !in_columns_;
    return is_free ? precision_.stored(dtype) : dtype;
  }

  /// Returns the dtype to note with a tensor so that loading can restore it, or nothing if it is
  /// the stored one. A tensor that was loaded without being converted back has its original dtype
  /// in its attribute.
  [[nodiscard]] std::optional<std::string_view> original(const Value& value) const {
    const Value* known = value.attribute(attributes::dtype);
    if (known != nullptr && known->kind() != Kind::string) return std::nullopt;
    const DType stored = of(value);
    if (known == nullptr && value.tensor().dtype() == stored) return std::nullopt;
    const std::string_view original =
        known != nullptr ? std::string_view(known->as_string()) : to_string(value.tensor().dtype());
    return original == to_string(stored) ? std::nullopt : std::optional(original);
  }

  /// Returns whether an attribute is such a note, which `original` replaces.
  static bool is_note(const Value& value, const Entry& attribute) {
    return value.kind() == Kind::tensor && attribute.key.as_string() == attributes::dtype &&
           attribute.value.kind() == Kind::string;
  }

 private:
  /// Returns whether a struct holds columns; a user's own attribute of that name does not count.
  static bool is_columns(const Value& structure) {
    const Value* const count = structure.attribute(attributes::columns);
    if (count == nullptr || count->kind() != Kind::integer) return false;
    return count->as_uint64() == column_count(structure);
  }

  const Precision& precision_;
  bool in_columns_ = false;
};

}  // namespace safestructures::inline v0::detail
