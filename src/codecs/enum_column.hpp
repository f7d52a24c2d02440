/// \file
/// The names of enums in a column: numbers alone would mean others once the enum is reordered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <safestructures/codecs/enums.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// Returns the name of a number in `attributes::names` of a column; null if it has none.
const std::string* name_in_column(const Value& column, std::int64_t number);

/// Collects the names of the numbers of a column that is saved. Each name is looked up once: a
/// column has few names and many numbers.
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
  std::optional<std::int64_t> last_;  // Is in `names_`.
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
  const EnumTable& table_;
  DType dtype_;
  DType stored_;
  const Value& column_;
  const Decoder& decoder_;
  std::map<std::int64_t, std::int64_t> known_;  // Numbers with a name.
};

}  // namespace safestructures::inline v0::detail
