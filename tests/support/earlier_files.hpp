/// \file
/// The content of the golden files of earlier versions (tests/golden/earlier, which
/// tests/golden/make_earlier.sh makes those versions write). They compile this header, too, so it
/// uses only what they have, and its content must stay as it is, like the files.
#pragma once

#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/Core>

#include <safestructures/burn/burn.hpp>
#include <safestructures/data/decoder.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/plugins/eigen.hpp>
#include <safestructures/recording/options.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>

namespace earlier {

namespace ss = safestructures;

enum class Colour { red, green };

struct Point {
  double x = 0;
  double y = 0;
};

class Money {
 public:
  explicit Money(std::int64_t cents) : cents_(cents) {}
  [[nodiscard]] std::int64_t cents() const { return cents_; }

 private:
  std::int64_t cents_;
};

struct Second {
  unsigned a = 1;
};

}  // namespace earlier

template <>
struct safestructures::Codec<earlier::Money> {
  static constexpr std::string_view type_name = "acme.Money";
  static Value encode(const earlier::Money& money, Encoder&) { return money.cents(); }
  static earlier::Money decode(const Value& value, Decoder& decoder) {
    return earlier::Money(decoder.decode<std::int64_t>(value));
  }
};

template <>
struct safestructures::Rules<earlier::Second> {
  static constexpr unsigned version = 2;
};

namespace earlier {

/// The rows of the README's table, and types that are stored in more than one way.
struct Everything {
  bool boolean = true;
  std::uint64_t integer = 18446744073709551615U;
  double floating = 0.1;
  std::vector<double> special = {-0.0, std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()};
  std::complex<double> complex{3, 4};
  std::vector<std::complex<double>> complexes{{1, 2}, {3, 4}};
  std::string text = "h\xC3\xA4ll\xC3\xB6 \n\"";
  std::filesystem::path path = "/b";
  Colour colour = Colour::green;
  std::vector<bool> flags{true, false, true};
  std::array<std::int32_t, 2> integers{-1, 2};
  Eigen::MatrixXf matrix = (Eigen::MatrixXf(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  std::vector<std::string> texts{"a", ""};
  std::tuple<int, std::string, double> tuple{1, "a", 0.5};
  std::set<int> set{1, 2};
  std::unordered_map<std::string, int> map{{"b", 1}, {"a", 2}};
  std::map<std::pair<int, int>, float> pairs{{{1, 2}, 0.5F}};
  std::optional<std::optional<int>> nothing = std::optional<int>();
  std::shared_ptr<Point> pointer = std::make_shared<Point>(Point{1, 2});
  std::variant<int, long> tagged = 5L;
  std::variant<std::vector<float>, std::vector<double>> tagged_tensor = std::vector<double>{0.5};
  std::vector<std::byte> bytes{std::byte{1}, std::byte{255}};
  Money money{5};
  std::chrono::milliseconds duration{1500};
  std::array<char, 4> chars{'a', 'b', 0, 0};
  std::vector<Point> points{{1, 2}, {3, 4}};
  Second second;
};

/// Returns a tensor of each dtype with eight elements of varied bits.
inline ss::Value every_dtype() {
  constexpr std::array dtypes = {
      ss::DType::BOOL,    ss::DType::F4,          ss::DType::F6_E2M3,     ss::DType::F6_E3M2,
      ss::DType::U8,      ss::DType::I8,          ss::DType::F8_E5M2,     ss::DType::F8_E4M3,
      ss::DType::F8_E8M0, ss::DType::F8_E4M3FNUZ, ss::DType::F8_E5M2FNUZ, ss::DType::I16,
      ss::DType::U16,     ss::DType::F16,         ss::DType::BF16,        ss::DType::I32,
      ss::DType::U32,     ss::DType::F32,         ss::DType::F64,         ss::DType::I64,
      ss::DType::U64,     ss::DType::C64};
  ss::Value tensors = ss::Value::dict();
  for (const ss::DType dtype : dtypes) {
    ss::Tensor tensor = ss::Tensor::allocate(dtype, {2, 4});
    const auto bytes = tensor.mutable_bytes();
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(dtype == ss::DType::BOOL ? i % 2 : (i * 37 + 11) % 256);
    tensors.insert(std::string(ss::to_string(dtype)), tensor);
  }
  return tensors;
}

/// A module of Burn.
struct Module {
  ss::burn::Linear linear;
  ss::burn::Constant dropout;

  static Module filled() {
    Module module;
    module.linear.weight.value = ss::Tensor::own(std::vector<float>{1, 2, 3, 4}, {2, 2});
    module.linear.bias.emplace().value = ss::Tensor::own(std::vector<float>{5, 6});
    return module;
  }
};

/// The versions of Burn for which there is a record, with their files' names without extension.
inline const std::map<std::string, std::string> burn_versions = {
    {"0.13", "burn_13"}, {"0.17", "burn_17"}, {"0.21", "burn_21"}};

/// Returns the options of the golden recordings, which keep something of everything that can be
/// kept.
inline ss::RecorderOptions recorder_options(std::uint64_t segment_bytes) {
  return {.rules = {{.names = "*.mask", .first = 0},
                    {.names = "*.brief", .keep = ss::Keep::statistics},
                    {.names = "*.half", .precision = ss::Precision::f16},
                    {.names = "*.part", .keep = ss::Keep::slice, .slices = ss::parse_slices(":2")},
                    {.names = "*"}},
          .segment_bytes = segment_bytes,
          .header_bytes = 4096};
}

constexpr std::int64_t recorded_steps = 2;
/// The number of records of each step, without those that are not kept.
constexpr std::size_t records_of_step = 8;

inline void record_steps(ss::ActivationRecorder& recorder) {
  for (std::int64_t step = 0; step < recorded_steps; ++step) {
    recorder.step(step);
    const auto scope = recorder.scope("block");
    const auto number = static_cast<float>(step);
    recorder.record("out", std::vector<float>{number, number + 1});
    recorder.record("out", std::vector<float>{number + 2, number + 3});
    recorder.record("mask", std::vector<bool>{true});
    recorder.record("brief", std::vector<float>{number, -1});
    recorder.record("half", std::vector<double>{number, 0.5});
    recorder.record("part", std::vector<std::int64_t>{step, 2, 3});
    recorder.record("point", Point{static_cast<double>(step), 2});
    recorder.record("loss", 0.5 * static_cast<double>(step));
    recorder.record("both", std::pair(std::vector<float>{number}, std::string("t")));
  }
}

}  // namespace earlier
