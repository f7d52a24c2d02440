#include "formats/cbor/encoder.hpp"

#include <optional>
#include <vector>

#include "formats/cbor/big_integer.hpp"

namespace safestructures::inline v0::cbor {

void Encoder::integer(const Value& value) {
  if (const std::optional<std::int64_t> small = value.as_int64()) return integer(*small);
  if (const std::optional<std::uint64_t> positive = value.as_uint64())
    return unsigned_integer(*positive);
  const std::string digits = value.integer_text();
  const bool is_negative = digits.starts_with('-');
  std::vector<std::uint8_t> magnitude =
      big_from_digits(std::string_view(digits).substr(is_negative ? 1 : 0));
  if (is_negative) subtract_one(magnitude);
  if (magnitude.size() <= sizeof(std::uint64_t)) {  // So it is negative.
    std::uint64_t bits = 0;
    for (const std::uint8_t byte : magnitude) bits = bits << 8U | byte;
    return head(1, bits);
  }
  tag(is_negative ? negative_big : positive_big);
  bytes(magnitude.size());
  text_.append(magnitude.begin(), magnitude.end());
}

}  // namespace safestructures::inline v0::cbor
