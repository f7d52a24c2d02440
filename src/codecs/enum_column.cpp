#include "codecs/enum_column.hpp"

#include <array>
#include <cstring>
#include <string>

#include <safestructures/data/error.hpp>
#include "data/text/column_names.hpp"

namespace safestructures::inline v0::detail {
namespace {

std::int64_t load(const std::byte* from, DType dtype) {
  const auto as = [&](auto number) {
    std::memcpy(&number, from, sizeof number);
    return static_cast<std::int64_t>(number);
  };
  switch (dtype) {
    case DType::I8: return as(std::int8_t{});
    case DType::U8: return as(std::uint8_t{});
    case DType::I16: return as(std::int16_t{});
    case DType::U16: return as(std::uint16_t{});
    case DType::I32: return as(std::int32_t{});
    case DType::U32: return as(std::uint32_t{});
    default: return as(std::int64_t{});
  }
}

void store(std::int64_t number, std::byte* to, DType dtype) {
  // Little-endian: the first bytes are the lowest.
  std::memcpy(to, &number, bit_width(dtype) / 8);
}

/// Whether an integer type holds a number loaded from another.
bool is_of(std::int64_t number, DType stored, DType dtype) {
  std::int64_t same = 0;
  std::array<std::byte, sizeof same> bytes{};
  store(number, bytes.data(), dtype);
  same = load(bytes.data(), dtype);
  // As bits, a U64 above all numbers of I64 is a negative one, and the other way round.
  const bool is_other_sign = number < 0 && (stored == DType::U64) != (dtype == DType::U64);
  return same == number && !is_other_sign;
}

/// Throws if a number without a name is not a value of the enum.
void check(std::int64_t number, const EnumTable& table, DType dtype, const Walker& walker) {
  if (dtype == DType::U64 && number < 0)
    static_cast<void>(table.checked_large(static_cast<std::uint64_t>(number), walker));
  else static_cast<void>(table.checked(number, walker));
}

}  // namespace

void EnumNamer::add(const std::byte* number) {
  const std::int64_t one = load(number, dtype_);
  if (recent_.find(one) != nullptr) return;
  if (names_.contains(one)) return recent_.add(one, one);
  const bool is_too_large = dtype_ == DType::U64 && one < 0;
  const std::string* const name = is_too_large ? nullptr : table_.name_of(one);
  // Of two numbers with one name, loading by name finds the first.
  if (name != nullptr && table_.number_of(*name) == one) names_.emplace(one, name);
  else check(one, table_, dtype_, encoder_);
  recent_.add(one, one);
}

Value EnumNamer::names() const {
  Value names = Value::dict({});
  for (const auto& [number, name] : names_) names.insert(Value(*name), Value(number));
  return names;
}

EnumNumberer::EnumNumberer(const EnumTable& table, DType dtype, const Value& column,
                           const Decoder& decoder)
    : table_(table), dtype_(dtype), stored_(dtype), column_(column), decoder_(decoder) {
  if (column.has_tensor() && is_integer(column.tensor().dtype()) &&
      names_of_column(column) != nullptr)
    stored_ = column.tensor().dtype();
}

void EnumNumberer::decode(const std::byte* from, std::byte* to) {
  const std::int64_t number = load(from, stored_);
  if (const std::int64_t* const known = recent_.find(number)) return store(*known, to, dtype_);
  const std::int64_t known = look_up(number);
  recent_.add(number, known);
  store(known, to, dtype_);
}

std::int64_t EnumNumberer::look_up(std::int64_t number) {
  if (const auto met = named_.find(number); met != named_.end()) return met->second;
  // As bits, a U64 above all numbers of I64 is a negative one, whose name it has not.
  const bool is_too_large = stored_ == DType::U64 && number < 0;
  const std::string* const name = is_too_large ? nullptr : name_in_column(column_, number);
  if (name == nullptr) return checked(number);
  return named_.emplace(number, table_.decode_name(Value(*name), decoder_)).first->second;
}

std::int64_t EnumNumberer::checked(std::int64_t number) const {
  check(number, table_, stored_, decoder_);
  if (is_of(number, stored_, dtype_)) return number;
  decoder_.fail(ErrorCode::out_of_range, "a number is not a value of the enum",
                {.expected = "numbers of " + std::string(to_string(dtype_)),
                 .found = stored_ == DType::U64 ? std::to_string(static_cast<std::uint64_t>(number))
                                                : std::to_string(number)});
}

}  // namespace safestructures::inline v0::detail
