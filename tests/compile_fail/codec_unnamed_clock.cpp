// error: this clock has no name in files: specialise clock_name<Clock>
#include <chrono>

#include <safestructures/codecs/chrono.hpp>

struct FrameClock {
  using duration = std::chrono::milliseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<FrameClock>;
  static constexpr bool is_steady = false;
  static time_point now();
};
#ifndef SHOULD_FAIL
template <>
inline constexpr std::string_view safestructures::clock_name<FrameClock> = "frame_clock";
#endif

safestructures::Value save(FrameClock::time_point point) {
  return safestructures::Value::from(point);
}
