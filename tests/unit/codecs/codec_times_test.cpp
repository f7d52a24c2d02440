/// \file
/// Durations and time points carry their unit, and convert exactly or not at all.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <map>

#include <safestructures/codecs/chrono.hpp>

#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::load_error;
using codec_test::round_trip;
using ss::Value;
using namespace std::chrono_literals;

namespace {
using Frames = std::chrono::duration<std::int32_t, std::ratio<1, 60>>;
using Fortnights = std::chrono::duration<int, std::ratio<1'209'600>>;
}  // namespace

TEST_CASE("a duration is a dict of its unit and count, as datetime.timedelta takes it") {
  CHECK(Value::from(1500ms) == Value::dict({{"milliseconds", 1500}}));
  CHECK(Value::from(2h) == Value::dict({{"hours", 2}}));
  CHECK(Value::from(std::chrono::duration<double>(0.5)) == Value::dict({{"seconds", 0.5}}));
  CHECK(Value::from(Frames(90)) == Value::dict({{"1/60 seconds", 90}}));
  CHECK(Value::from(Fortnights(2)) == Value::dict({{"1209600 seconds", 2}}));
}

TEST_CASE("durations come back") {
  CHECK(round_trip(std::chrono::nanoseconds::min()) == std::chrono::nanoseconds::min());
  CHECK(round_trip(std::chrono::years(-3)) == std::chrono::years(-3));
  CHECK(round_trip(std::chrono::duration<float, std::milli>(0.25F)).count() == 0.25F);
  CHECK(round_trip(Frames(90)) == Frames(90));
  CHECK(round_trip(Fortnights(2)) == Fortnights(2));
}

TEST_CASE("another unit converts exactly or is an error") {
  const Value value = Value::from(1500ms);
  CHECK(value.as<std::chrono::nanoseconds>() == 1500ms);
  CHECK(value.as<Frames>() == Frames(90));
  CHECK(value.as<std::chrono::duration<double>>().count() == 1.5);
  CHECK(Value::dict({{"days", 2.0}}).as<std::chrono::hours>() == 48h);
  CHECK(load_error<std::chrono::seconds>(value).starts_with(
      "lossy_conversion: at /: a duration has a fraction: expected a whole number of seconds "
      "from "));
  CHECK(load_error<std::chrono::seconds>(value).ends_with(
      "found int 1500 milliseconds. Load it into a duration with a finer period."));
  CHECK(load_error<std::chrono::nanoseconds>(Value::dict({{"years", 1000}}))
            .starts_with("out_of_range: at /: a duration is out of range"));
  CHECK(load_error<std::chrono::duration<std::int8_t>>(Value::dict({{"minutes", 3}})) ==
        "out_of_range: at /: a duration is out of range: expected a whole number of seconds from "
        "-128 to 127, found int 3 minutes.");
  CHECK(load_error<std::chrono::seconds>(Value::dict({{"seconds", 0.5}}))
            .starts_with("lossy_conversion"));
  CHECK(load_error<std::chrono::seconds>(
            Value::dict({{"seconds", std::numeric_limits<double>::quiet_NaN()}}))
            .starts_with("out_of_range"));
  CHECK(load_error<std::chrono::seconds>(Value::dict({{"1/9223372036854775807 seconds", 1}}))
            .starts_with("lossy_conversion"));
  CHECK(load_error<std::chrono::nanoseconds>(Value::dict({{"9223372036854775807 seconds", 1}}))
            .starts_with("out_of_range"));
}

TEST_CASE("a time point names its clock") {
  using std::chrono::system_clock;
  const std::chrono::sys_seconds point(1'700'000'000s);
  CHECK(Value::from(point) == Value::dict({{"clock", "system_clock"}, {"seconds", 1'700'000'000}}));
  CHECK(round_trip(point) == point);
  const auto now = std::chrono::steady_clock::now();
  CHECK(round_trip(now) == now);
  CHECK(load_error<system_clock::time_point>(Value::from(now)) ==
        "type_mismatch: at /: a time point is of another clock: expected 'system_clock', found str "
        "\"steady_clock\".");
}

TEST_CASE("a duration whose count is no number is refused") {
  for (const char* const target : {"whole", "real"}) {
    const Value value = Value::dict({{"seconds", "5"}});
    CHECK((target == std::string("whole") ? load_error<std::chrono::seconds>(value)
                                          : load_error<std::chrono::duration<double>>(value)) ==
          "type_mismatch: at /: a value has the wrong type: expected a count of seconds, found str "
          "\"5\".");
  }
}

TEST_CASE("a number without unit is refused") {
  CHECK(
      load_error<std::chrono::seconds>(Value(5)) ==
      "type_mismatch: at /: a value has the wrong type: expected a duration such as {\"seconds\": "
      "5}, found int 5.");
  CHECK(
      load_error<std::chrono::sys_seconds>(Value::from(5s)) ==
      "type_mismatch: at /: a value has the wrong type: expected a time point such as {\"clock\": "
      "\"system_clock\", \"seconds\": 5}, found dict of 1.");
  for (const char* unit : {"parsecs", "0/1 seconds", "1/0 seconds", "-1 seconds", "1/2/3 seconds",
                           " seconds", "99999999999999999999 seconds"})
    CHECK(
        load_error<std::chrono::seconds>(Value::dict({{unit, 5}})) ==
        "type_mismatch: at /: a duration has an unknown unit: expected nanoseconds to years, or a "
        "unit such as '1/60 seconds', found str \"" +
            std::string(unit) + "\".");
}
