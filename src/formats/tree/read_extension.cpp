#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "formats/tree/reader.hpp"

namespace safestructures::inline v0::tree {
namespace {

constexpr std::int64_t messagepack_timestamp = -1;
constexpr std::int64_t cbor_epoch = 1;
constexpr std::uint32_t nanoseconds_in_second = 1'000'000'000;

/// Returns the value that the codecs of std::chrono read (codecs/chrono.hpp).
Value time_point(std::string_view unit, Value count) {
  return Value::dict({{"clock", "system_clock"}, {Value(unit), std::move(count)}});
}

template <class T>
T load_big(std::span<const std::byte> bytes) {
  T value = 0;
  for (const std::byte byte : bytes) value = static_cast<T>(value << 8U | std::to_integer<T>(byte));
  return value;
}

/// Reads a timestamp in one of its three forms; returns nothing for other bytes, or if 64 bits of
/// nanoseconds cannot hold it.
std::optional<Value> timestamp(std::span<const std::byte> bytes) {
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  switch (bytes.size()) {
    case 4: seconds = load_big<std::uint32_t>(bytes); break;
    case 8: {
      const auto both = load_big<std::uint64_t>(bytes);
      constexpr unsigned second_bits = 34;
      nanoseconds = static_cast<std::uint32_t>(both >> second_bits);
      seconds = static_cast<std::int64_t>(both & ((std::uint64_t{1} << second_bits) - 1));
      break;
    }
    case 12:
      nanoseconds = load_big<std::uint32_t>(bytes.first(4));
      seconds = static_cast<std::int64_t>(load_big<std::uint64_t>(bytes.last(8)));
      break;
    default: return std::nullopt;
  }
  constexpr std::int64_t most =
      std::numeric_limits<std::int64_t>::max() / nanoseconds_in_second - 1;
  if (nanoseconds >= nanoseconds_in_second || seconds > most || seconds < -most)
    return std::nullopt;
  return time_point("nanoseconds", seconds * nanoseconds_in_second + nanoseconds);
}

}  // namespace

Value Reader::extension(const Trace* trace) {
  Value number = input_.number();
  const bool is_cbor = input_.format() == "CBOR";
  if (input_.next() == Token::bytes && !is_cbor && number == Value(messagepack_timestamp))
    if (std::optional<Value> time = timestamp(input_.bytes(trace)->bytes()))
      return *std::move(time);
  const detail::Descent level(depth_, limits_.depth, trace);
  Value content = value(Unmarked::node, trace, nullptr);
  const bool is_time = content.kind() == Kind::integer || content.kind() == Kind::floating;
  if (is_cbor && is_time && number == Value(cbor_epoch))
    return time_point("seconds", std::move(content));
  return Value::custom(is_cbor ? "cbor.Tag" : "messagepack.Extension",
                       Value::list({std::move(number), std::move(content)}));
}

}  // namespace safestructures::inline v0::tree
