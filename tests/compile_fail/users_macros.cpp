// error: macro "max" requires 2 arguments|too few arguments provided to function-like macro
// Windows' headers have macros of these names; the standard library's own would not bear them.
#include <algorithm>
#include <any>
#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <complex>
#include <coroutine>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <functional>
#include <future>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <ranges>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <stack>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <valarray>
#include <variant>

#include <boost/pfr.hpp>
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#include <safestructures/burn/burn.hpp>
#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>

struct Timer {
  std::chrono::seconds left;
  enum class State : std::uint8_t { stopped, running } state;
};

std::vector<std::byte> save(const Timer& timer) { return safestructures::save(timer); }
Timer load(const std::vector<std::byte>& bytes) { return safestructures::load<Timer>(bytes); }
#if defined(SHOULD_FAIL)
int largest = std::numeric_limits<int>::max();
#endif
