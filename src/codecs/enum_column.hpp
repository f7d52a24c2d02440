/// \file
/// The names of enums in a column: numbers alone would mean others once the enum is reordered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <safestructures/codecs/enums.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// Numbers that were looked up, by their lowest bits: a column has few names and many numbers. With
/// a map, saving a million random ones of eight took 15 ms in place of 5.
class RecentNumbers {
 public:
  /// Returns what was added for a number; null if that was replaced, or nothing was.
  [[nodiscard]] const std::int64_t* find(std::int64_t number) const noexcept {
    const Slot& slot = slots_[index(number)];
    return slot.is_used && slot.number == number ? &slot.known : nullptr;
  }
  void add(std::int64_t number, std::int64_t known) noexcept {
    slots_[index(number)] = {number, known, true};
  }

 private:
  static constexpr std::size_t slot_count = 256;  // All numbers of a byte.

  struct Slot {
    std::int64_t number = 0;
    std::int64_t known = 0;
    bool is_used = false;
  };
  static std::size_t index(std::int64_t number) noexcept {
    return static_cast<std::uint64_t>(number) % slot_count;
  }

  std::array<Slot, slot_count> slots_{};
};

/// Collects the names of the numbers of a column that is saved.
class EnumNamer {
 public:
  EnumNamer(const EnumTable& table, DType dtype, const Encoder& encoder)
      : table_(table), dtype_(dtype), encoder_(encoder) {}

  /// \throws Error `out_of_range` for a number that is not a value of the enum
  void add(const std::byte* number);
  /// Returns the attribute, a dict in ascending order of the numbers.
  [[nodiscard]] Value names() const;

 private:
  const EnumTable& table_;
  DType dtype_;
  const Encoder& encoder_;
  RecentNumbers recent_;
  std::map<std::int64_t, const std::string*> names_;
};

/// Turns the numbers of a column that is loaded into those that their names have today.
class EnumNumberer {
 public:
  /// \param dtype of the enum
  EnumNumberer(const EnumTable& table, DType dtype, const Value& column, const Decoder& decoder);

  /// Returns the dtype of the numbers to decode: with names, that of the file, since the enum's may
  /// have become too narrow for the numbers of another time.
  [[nodiscard]] DType stored() const noexcept { return stored_; }
  /// \throws Error `out_of_range` for a name that the enum does not have, or a number without a
  /// name that is not a value of the enum
  void decode(const std::byte* from, std::byte* to);

 private:
  [[nodiscard]] std::int64_t look_up(std::int64_t number);
  /// Returns a number without a name.
  [[nodiscard]] std::int64_t checked(std::int64_t number) const;

  const EnumTable& table_;
  DType dtype_;
  DType stored_;
  const Value& column_;
  const Decoder& decoder_;
  RecentNumbers recent_;
  std::map<std::int64_t, std::int64_t> named_;  // Those that have a name, all that were met.
};

}  // namespace safestructures::inline v0::detail
