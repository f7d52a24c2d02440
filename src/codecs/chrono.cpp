#include <safestructures/codecs/chrono.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::detail {
namespace {

struct Unit {
  std::string_view name;
  Period period;
};

constexpr std::array<Unit, 10> units{{{"nanoseconds", {1, 1'000'000'000}},
                                      {"microseconds", {1, 1'000'000}},
                                      {"milliseconds", {1, 1000}},
                                      {"seconds", {1, 1}},
                                      {"minutes", {60, 1}},
                                      {"hours", {3600, 1}},
                                      {"days", {86400, 1}},
                                      {"weeks", {604800, 1}},
                                      {"months", {2629746, 1}},
                                      {"years", {31556952, 1}}}};

constexpr std::string_view seconds_suffix = " seconds";

std::string unit_name(Period period) {
  for (const Unit& unit : units)
    if (unit.period.num == period.num && unit.period.den == period.den)
      return std::string(unit.name);
  std::string text = std::to_string(period.num);
  if (period.den != 1) text += "/" + std::to_string(period.den);
  return text + std::string(seconds_suffix);
}

/// Parses a positive number that is the whole text.
std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number <= 0) return std::nullopt;
  return number;
}

std::optional<Period> parse_unit(std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return unit.period;
  if (!name.ends_with(seconds_suffix)) return std::nullopt;
  name.remove_suffix(seconds_suffix.size());
  const std::size_t slash = name.find('/');
  const auto num = parse_number(name.substr(0, slash));
  const auto den =
      slash == name.npos ? std::optional<std::int64_t>(1) : parse_number(name.substr(slash + 1));
  if (!num || !den) return std::nullopt;
  return Period{*num, *den};
}

/// The content of a dict: a count of periods.
struct Stored {
  const Value& count;
  Period period;
};

Stored open(const Value& value, std::string_view clock, const Decoder& decoder) {
  const std::string expected = clock.empty() ? "a duration such as {\"seconds\": 5}"
                                             : "a time point such as {\"clock\": \"" +
                                                   std::string(clock) + "\", \"seconds\": 5}";
  if (!value.is_mapping() || value.size() != (clock.empty() ? 1U : 2U))
    decoder.mismatch(expected, value);
  if (!clock.empty()) {
    const Value* found = value.find("clock");
    if (found == nullptr) decoder.mismatch(expected, value);
    if (found->kind() != Kind::string || found->as_string() != clock)
      decoder.fail(ErrorCode::type_mismatch, "a time point is of another clock",
                   {.expected = "'" + std::string(clock) + "'", .found = describe(*found)});
  }
  for (const Entry& entry : value.entries()) {
    if (entry.key.kind() != Kind::string || entry.key.as_string() == "clock") continue;
    const auto period = parse_unit(entry.key.as_string());
    if (!period)
      decoder.fail(ErrorCode::type_mismatch, "a duration has an unknown unit",
                   {.expected = "nanoseconds to years, or a unit such as '1/60 seconds'",
                    .found = describe(entry.key)});
    return {entry.value, *period};
  }
  decoder.mismatch(expected, value);
}

/// A reduced fraction.
struct Fraction {
  std::int64_t num;
  std::int64_t den;
};

/// Returns how many target periods a stored period is; null beyond 64 bits.
std::optional<Fraction> ratio(Period stored, Period target) {
  const std::int64_t a = std::gcd(stored.num, target.num);
  const std::int64_t b = std::gcd(stored.den, target.den);
  const std::int64_t c = std::gcd(stored.num / a, stored.den / b);
  const std::int64_t d = std::gcd(target.den / b, target.num / a);
  Fraction result{};
  if (__builtin_mul_overflow(stored.num / a / c, target.den / b / d, &result.num) ||
      __builtin_mul_overflow(stored.den / b / c, target.num / a / d, &result.den))
    return std::nullopt;
  const std::int64_t e = std::gcd(result.num, result.den);
  return Fraction{result.num / e, result.den / e};
}

}  // namespace

void describe_duration(TypeDescriber& type, Period period, std::string_view clock,
                       TypeDescriber::Node& count, TypeDescriber::Node& text) {
  type.record(text);
  if (!clock.empty()) type.field("clock", text, {});
  type.field(unit_name(period), count, {});
}

Value encode_duration(Value count, Period period, std::string_view clock) {
  Value value = Value::dict();
  if (!clock.empty()) value.insert(Value("clock"), Value(clock));
  value.insert(Value(unit_name(period)), std::move(count));
  return value;
}

std::int64_t decode_duration(const Value& value, Period period, std::string_view clock,
                             std::int64_t lowest, std::int64_t highest, const Decoder& decoder) {
  const Stored stored = open(value, clock, decoder);
  const std::string target = "a whole number of " + unit_name(period) + " from " +
                             std::to_string(lowest) + " to " + std::to_string(highest);
  const std::string found = describe(stored.count) + " " + unit_name(stored.period);
  const auto out_of_range = [&] {
    decoder.fail(ErrorCode::out_of_range, "a duration is out of range",
                 {.expected = target, .found = found});
  };
  if (stored.count.kind() != Kind::integer && stored.count.kind() != Kind::floating)
    decoder.mismatch("a count of " + unit_name(stored.period), stored.count);

  std::optional<std::int64_t> count;
  if (stored.count.kind() == Kind::integer) {
    count = stored.count.as_int64();
    if (!count) out_of_range();
  } else {
    const double number = stored.count.as_double();
    if (!(std::abs(number) < 9.2e18)) out_of_range();
    if (number != std::floor(number))
      decoder.fail(ErrorCode::lossy_conversion, "a duration has a fraction",
                   {.expected = target,
                    .found = found,
                    .advice = "Load it into a duration with a floating-point count"});
    count = static_cast<std::int64_t>(number);
  }
  const auto factor = ratio(stored.period, period);
  if (!factor) out_of_range();
  if (*count % factor->den != 0)
    decoder.fail(ErrorCode::lossy_conversion, "a duration has a fraction",
                 {.expected = target,
                  .found = found,
                  .advice = "Load it into a duration with a finer period"});
  std::int64_t result = 0;
  if (__builtin_mul_overflow(*count / factor->den, factor->num, &result) || result < lowest ||
      result > highest)
    out_of_range();
  return result;
}

double decode_real_duration(const Value& value, Period period, std::string_view clock,
                            const Decoder& decoder) {
  const Stored stored = open(value, clock, decoder);
  double count = 0;
  if (stored.count.kind() == Kind::floating) count = stored.count.as_double();
  else if (const auto number =
               stored.count.kind() == Kind::integer ? stored.count.as_int64() : std::nullopt)
    count = static_cast<double>(*number);
  else decoder.mismatch("a count of " + unit_name(stored.period), stored.count);
  if (stored.period.num == period.num && stored.period.den == period.den) return count;
  return count * (static_cast<double>(stored.period.num) * static_cast<double>(period.den)) /
         (static_cast<double>(stored.period.den) * static_cast<double>(period.num));
}

}  // namespace safestructures::inline v0::detail
