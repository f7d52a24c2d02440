/// \file
/// Codecs of durations and time points.
///
/// A duration is a dict with one entry, its unit and its count: `{"milliseconds": 1500}`. In
/// Python, `datetime.timedelta(**duration)` reads weeks to microseconds. A period without a name is
/// a fraction of a second: `{"1/60 seconds": 90}`. A time point also names its clock:
/// `{"clock": "system_clock", "nanoseconds": 1700000000000000000}`, counted from the clock's epoch
/// (1970-01-01 00:00 UTC for std::chrono::system_clock).
///
/// Any unit loads into any other, either exactly or with an Error `lossy_conversion` or
/// `out_of_range`. A floating-point count becomes the nearest number. A bare number has no unit and
/// is refused.
///
/// The types are detected by their members: the header `chrono` would cost every includer a third
/// of a second.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include <safestructures/codecs/scalars.hpp>
#include <safestructures/codecs/strings.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {

/// The name of a clock in files. Specialise it for a clock of your own.
template <class Clock>
inline constexpr std::string_view clock_name = [] {
  if constexpr (requires(typename Clock::time_point point) { Clock::to_time_t(point); })
    return std::string_view("system_clock");
  else if constexpr (Clock::is_steady) return std::string_view("steady_clock");
  else return std::string_view();
}();

namespace detail {

template <class T>
concept Duration = requires(const T& duration) {
  typename T::rep;
  requires T::period::num > 0 && T::period::den > 0;
  { duration.count() } -> std::same_as<typename T::rep>;
  T(duration.count());
};

template <class T>
concept TimePoint = requires(const T& point) {
  typename T::clock;
  requires Duration<typename T::duration>;
  { point.time_since_epoch() } -> std::same_as<typename T::duration>;
};

/// A number of seconds as a fraction.
struct Period {
  std::int64_t num;
  std::int64_t den;
};

SAFESTRUCTURES_API Value encode_duration(Value count, Period period, std::string_view clock);
/// Returns the count in another period, exactly, within the limits of the target.
SAFESTRUCTURES_API std::int64_t decode_duration(const Value& value, Period period,
                                                std::string_view clock, std::int64_t lowest,
                                                std::int64_t highest, const Decoder& decoder);
SAFESTRUCTURES_API double decode_real_duration(const Value& value, Period period,
                                               std::string_view clock, const Decoder& decoder);

/// Describes the dict of a duration, or if `clock` is not empty, of a time point.
SAFESTRUCTURES_API void describe_duration(TypeDescriber& type, Period period,
                                          std::string_view clock, TypeDescriber::Node& count,
                                          TypeDescriber::Node& text);

template <Duration T>
void describe_duration_of(TypeDescriber& type, std::string_view clock) {
  constexpr Period period{T::period::num, T::period::den};
  describe_duration(type, period, clock, TypeDescriber::node<typename T::rep>(),
                    TypeDescriber::node<std::string_view>());
}

template <Duration T>
Value encode_duration_of(const T& duration, std::string_view clock) {
  constexpr Period period{T::period::num, T::period::den};
  if constexpr (std::is_floating_point_v<typename T::rep>)
    return encode_duration(Value(static_cast<double>(duration.count())), period, clock);
  else return encode_duration(Value(duration.count()), period, clock);
}

template <Duration T>
T decode_duration_of(const Value& value, std::string_view clock, const Decoder& decoder) {
  using Count = typename T::rep;
  constexpr Period period{T::period::num, T::period::den};
  if constexpr (std::is_floating_point_v<Count>) {
    return T(static_cast<Count>(decode_real_duration(value, period, clock, decoder)));
  } else {
    using Bounds = std::numeric_limits<Count>;
    // Unsigned counts above 2^63 - 1 are out of range; so are centuries of nanoseconds.
    constexpr std::int64_t highest = std::is_unsigned_v<Count> && sizeof(Count) == 8
                                         ? (std::numeric_limits<std::int64_t>::max)()
                                         : static_cast<std::int64_t>((Bounds::max)());
    return T(static_cast<Count>(decode_duration(
        value, period, clock, static_cast<std::int64_t>((Bounds::min)()), highest, decoder)));
  }
}

}  // namespace detail

template <detail::Duration T>
struct Codec<T> {
  static constexpr KindSet kinds = Kind::dict;
  static void describe_type(TypeDescriber& type) { detail::describe_duration_of<T>(type, {}); }
  static Value encode(const T& duration, Encoder&) {
    return detail::encode_duration_of(duration, {});
  }
  static T decode(const Value& value, Decoder& decoder) {
    return detail::decode_duration_of<T>(value, {}, decoder);
  }
};

template <detail::TimePoint T>
struct Codec<T> {
  static_assert(!clock_name<typename T::clock>.empty(),
                "safestructures: this clock has no name in files: specialise clock_name<Clock>");
  static constexpr KindSet kinds = Kind::dict;
  static void describe_type(TypeDescriber& type) {
    detail::describe_duration_of<typename T::duration>(type, clock_name<typename T::clock>);
  }
  static Value encode(const T& point, Encoder&) {
    return detail::encode_duration_of(point.time_since_epoch(), clock_name<typename T::clock>);
  }
  static T decode(const Value& value, Decoder& decoder) {
    return T(detail::decode_duration_of<typename T::duration>(value, clock_name<typename T::clock>,
                                                              decoder));
  }
};

}  // namespace safestructures::inline v0
