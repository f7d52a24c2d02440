#include <safestructures/codecs/enums.hpp>

#include <algorithm>
#include <bit>
#include <limits>

#include <safestructures/codecs/field_names.hpp>
#include <safestructures/data/error.hpp>
#include "data/text/nearest_name.hpp"

namespace safestructures::inline v0::detail {
namespace {

/// Parses the names from `... Values = {(E)-1, ns::E::red, ...}]` of GCC or `... Values = <...>]`
/// of Clang. A value without a name is printed as a cast: its last identifier is a number.
EnumTable::Names read_names(std::string_view text, std::int64_t first) {
  EnumTable::Names names;
  text.remove_prefix(text.find("Values = ") + 10);
  std::size_t begin = 0;
  int depth = 0;  // Nesting of brackets in `ns::(anonymous namespace)::Outer<int, float>::E::red`.
  for (std::size_t i = 0; i < text.size() && depth >= 0; ++i) {
    const char c = text[i];
    if (c == '(' || c == '<' || c == '{') ++depth;
    else if (c == ')' || c == '>' || c == '}') --depth;
    if (depth > 0 || (depth == 0 && c != ',')) continue;
    const std::string_view name = last_identifier(text.substr(begin, i - begin));
    if (!name.empty() && !(name[0] >= '0' && name[0] <= '9')) names.emplace_back(first, name);
    ++first;
    begin = i + 1;
  }
  return names;
}

}  // namespace

EnumTable::EnumTable(Names names, Numbers numbers)
    : names_(std::move(names)),
      numbers_(numbers),
      lowest_(std::numeric_limits<std::int64_t>::min()),
      highest_(std::numeric_limits<std::int64_t>::max()) {
  if (numbers_ != Numbers::bits) return;
  // [dcl.enum]: the values are those of the smallest bit-field that can hold all enumerators.
  std::uint64_t magnitudes = 0;
  bool negative = false;
  for (const auto& [number, name] : names_) {
    negative = negative || number < 0;
    magnitudes |= static_cast<std::uint64_t>(number < 0 ? -(number + 1) : number);
  }
  const auto width = std::bit_width(magnitudes);
  highest_ = width >= 63 ? highest_ : (std::int64_t{1} << width) - 1;
  lowest_ = negative ? -highest_ - 1 : 0;
}

EnumTable::EnumTable(std::string_view pretty_function, std::int64_t first, Numbers numbers)
    : EnumTable(read_names(pretty_function, first), numbers) {}

void EnumTable::describe_type(TypeDescriber& type, std::string_view name,
                              TypeDescriber::Node& underlying) const {
  type.enumeration(name, underlying);
  for (const auto& [number, text] : names_) type.enumerator(text, number);
}

const std::string* EnumTable::name_of(std::int64_t number) const noexcept {
  const auto known = std::ranges::find(names_, number, &Names::value_type::first);
  return known == names_.end() ? nullptr : &known->second;
}

std::optional<std::int64_t> EnumTable::number_of(std::string_view name) const noexcept {
  const auto known = std::ranges::find(names_, name, &Names::value_type::second);
  return known == names_.end() ? std::nullopt : std::optional(known->first);
}

Value EnumTable::encode(std::int64_t number, const Encoder& encoder) const {
  if (const std::string* const name = name_of(number)) return Value(*name);
  return Value(checked(number, encoder));
}

std::int64_t EnumTable::decode_name(const Value& value, const Decoder& decoder) const {
  if (value.kind() != Kind::string) decoder.mismatch("the name or number of an enum value", value);
  if (const auto number = number_of(value.as_string())) return *number;
  const std::vector<std::string_view> known_names = all_names();
  std::string advice;
  if (const auto nearest = nearest_name(value.as_string(), known_names))
    advice = "Perhaps '" + std::string(*nearest) + "' is meant";
  decoder.fail(ErrorCode::out_of_range, "an enum has no value of that name",
               {.expected = known_names.empty() ? "a number, as no names are known"
                                                : list_names(known_names),
                .found = describe(value),
                .advice = advice});
}

std::vector<std::string_view> EnumTable::all_names() const {
  std::vector<std::string_view> names;
  names.reserve(names_.size());
  for (const auto& [number, name] : names_) names.push_back(name);
  return names;
}

void EnumTable::nameless(const std::string& number, const Walker& walker) const {
  const std::vector<std::string_view> known_names = all_names();
  walker.fail(
      ErrorCode::out_of_range, "an enum's value has no name",
      {.expected = known_names.empty() ? "a value that has a name" : list_names(known_names),
       .found = number,
       .advice = "Name it in EnumNames, or set EnumNames::any_number if every number is a value, "
                 "as in flags"});
}

std::uint64_t EnumTable::checked_large(std::uint64_t number, const Walker& walker) const {
  if (numbers_ == Numbers::named) nameless(std::to_string(number), walker);
  return number;
}

std::int64_t EnumTable::checked(std::int64_t number, const Walker& walker) const {
  if (numbers_ == Numbers::named) {
    if (name_of(number) == nullptr) nameless(std::to_string(number), walker);
    return number;
  }
  if (number >= lowest_ && number <= highest_) return number;
  walker.fail(ErrorCode::out_of_range, "a number is not a value of the enum",
              {.expected = std::to_string(lowest_) + " to " + std::to_string(highest_),
               .found = std::to_string(number),
               .advice = "Give the enum a fixed underlying type, or name its values in EnumNames"});
}

}  // namespace safestructures::inline v0::detail
