/// \file
/// Names that come again: objects of a list have the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <safestructures/data/value.hpp>
#include "data/box.hpp"
#include "data/recent_names.hpp"

namespace safestructures::inline v0::tree {

/// Shares the strings of names that come again. So that those of other files pay nothing, only the
/// marks of names are kept until some have come again.
class RepeatedNames {
 public:
  /// Returns a name as a value, which may share its string with earlier ones.
  [[nodiscard]] Value value_of(std::string_view name) {
    const std::uint64_t hash = detail::quick_hash(name);
    std::uint16_t& mark = marks_[hash >> (64U - index_bits)];
    const auto own = static_cast<std::uint16_t>(hash >> (48U - index_bits));
    if (mark != own) {
      mark = own;
      return Value(name);
    }
    if (!names_) {
      if (++repeated_ < few) return Value(name);
      names_ = std::make_unique<Names>();
    }
    Value shared;
    detail::Box::share_private_string(detail::remember_name(*names_, name, hash), shared);
    return shared;
  }

 private:
  static constexpr unsigned index_bits = 8;
  static constexpr std::size_t count = std::size_t{1} << index_bits;
  using Names = std::array<Value, count>;

  // Room for names takes 500 ns to make and to leave, 30 times what sharing a name saves.
  static constexpr unsigned few = 16;

  std::array<std::uint16_t, count> marks_{};
  unsigned repeated_ = 0;  // Names that came again, up to the first few.
  std::unique_ptr<Names> names_;
};

}  // namespace safestructures::inline v0::tree
