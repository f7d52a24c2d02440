// Conversion between statistics and structures in files.
#include <safestructures/tools/statistics.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/tools/sketch.hpp>
#include "tools/kept_statistics.hpp"

namespace safestructures::inline v0 {
namespace {

constexpr std::string_view class_name = "Statistics";

/// Access to the fields of a structure, each of which must have the kind that it is read as.
class Fields {
 public:
  explicit Fields(const Value& value) : value_(value) {}

  [[nodiscard]] const Value* find(std::string_view name) const { return value_.find(name); }
  [[nodiscard]] const Value& get(std::string_view name) const {
    const Value* const found = find(name);
    if (found == nullptr) refuse(name, "a field of that name", nullptr);
    return *found;
  }
  [[nodiscard]] std::uint64_t count(std::string_view name) const {
    return count_of(name, get(name), "a count");
  }
  [[nodiscard]] double number(std::string_view name) const {
    const Value& found = get(name);
    if (found.kind() != Kind::floating) refuse(name, "a float", &found);
    return found.as_double();
  }
  [[nodiscard]] Tensor tensor(std::string_view name, DType dtype, const Shape& shape) const {
    const Value& found = get(name);
    if (found.kind() == Kind::tensor && found.tensor().shape() == shape) {
      if (found.tensor().dtype() == dtype) return found.tensor();
      // As files hold F64 by default. Sums in F16 would be too coarse for estimates.
      if (dtype == DType::F64 && found.tensor().dtype() == DType::F32)
        return found.tensor().to(dtype);
    }
    const std::string_view article = dtype == DType::F64 || dtype == DType::I64 ? "an" : "a";
    refuse(name,
           fmt::format("{} {} tensor of shape {}", article, to_string(dtype), to_string(shape)),
           &found);
  }
  [[nodiscard]] DType dtype() const {
    const Value& found = get("dtype");
    const auto known = found.kind() == Kind::string ? parse_dtype(found.as_string()) : std::nullopt;
    if (!known) refuse("dtype", "the name of a dtype", &found);
    return *known;
  }
  [[nodiscard]] Shape shape() const {
    constexpr std::string_view expected = "a list of sizes";
    const Value& found = get("shape");
    if (found.kind() != Kind::list) refuse("shape", expected, &found);
    std::vector<std::uint64_t> sizes;
    for (const Value& size : found.items()) sizes.push_back(count_of("shape", size, expected));
    return Shape(std::span<const std::uint64_t>(sizes));
  }
  [[nodiscard]] std::uint64_t hash() const {
    const Value& found = get("hash");
    std::uint64_t hash = 0;
    if (found.kind() == Kind::string) {
      const std::string& text = found.as_string();
      const char* const end = text.data() + text.size();
      const auto [rest, error] = std::from_chars(text.data(), end, hash, 16);
      if (error == std::errc() && rest == end) return hash;
    }
    refuse("hash", "a hexadecimal number of 64 bits", &found);
  }
  [[noreturn]] static void refuse(std::string_view name, std::string_view expected,
                                  const Value* found) {
    throw Error(ErrorCode::invalid_schema,
                "the statistics in a record are not what a recorder keeps",
                {.path = "/" + std::string(name),
                 .expected = std::string(expected),
                 .found = found == nullptr ? "nothing" : describe(*found)});
  }

 private:
  static std::uint64_t count_of(std::string_view name, const Value& value,
                                std::string_view expected) {
    const auto number =
        value.kind() == Kind::integer ? value.as_uint64() : std::optional<std::uint64_t>();
    if (!number) refuse(name, expected, &value);
    return *number;
  }

  const Value& value_;
};

void read_histogram(const Fields& fields, TensorStatistics& found) {
  constexpr std::size_t bins = TensorStatistics::bins;
  const Tensor tensor = fields.tensor("histogram", DType::I64, Shape{2, bins});
  const std::vector<std::int64_t> counts = tensor.to_vector<std::int64_t>();
  if (std::ranges::any_of(counts, [](std::int64_t count) { return count < 0; }))
    Fields::refuse("histogram", "counts from 0 on", fields.find("histogram"));
  for (std::size_t i = 0; i < bins; ++i) {
    found.negative[i] = static_cast<std::uint64_t>(counts[i]);
    found.positive[i] = static_cast<std::uint64_t>(counts[bins + i]);
  }
}

template <std::size_t size>
std::array<double, size> read_doubles(const Fields& fields, std::string_view name) {
  std::array<double, size> made;
  std::ranges::copy(fields.tensor(name, DType::F64, Shape{size}).to_vector<double>(), made.begin());
  return made;
}

}  // namespace

bool detail::is_kept_statistics(const Value& value) noexcept {
  return value.kind() == Kind::structure && value.type_name() == class_name;
}

Value statistics_value(const Tensor& tensor) {
  const TensorStatistics found = statistics(tensor);
  const TensorSketch drawn = sketch(tensor);
  std::vector<Value> shape;
  for (const std::uint64_t size : tensor.shape()) shape.emplace_back(size);
  std::vector<std::int64_t> histogram;
  for (const auto* const side : {&found.negative, &found.positive})
    for (const std::uint64_t count : *side) histogram.push_back(static_cast<std::int64_t>(count));
  Value made = Value::structure(
      std::string(class_name),
      {{"dtype", to_string(tensor.dtype())},
       {"shape", Value::list(std::move(shape))},
       {"count", found.count},
       {"zeros", found.zeros},
       {"nan", found.nan},
       {"positive_infinities", found.positive_infinities},
       {"negative_infinities", found.negative_infinities},
       {"min", found.min},
       {"max", found.max},
       {"mean", found.mean},
       {"standard_deviation", found.standard_deviation},
       {"l2_norm", found.l2_norm},
       {"histogram", Tensor::own(std::move(histogram), Shape{2, TensorStatistics::bins})},
       {"hash", fmt::format("{:016x}", drawn.hash)},
       {"sketch", Tensor::own(std::vector<double>(drawn.sums.begin(), drawn.sums.end()))}});
  if (found.quantiles)
    made.insert("quantiles",
                Tensor::own(std::vector<double>(found.quantiles->begin(), found.quantiles->end())));
  return made;
}

KeptStatistics read_statistics(const Value& value) {
  if (!detail::is_kept_statistics(value))
    throw Error(ErrorCode::type_mismatch, "the value is not the statistics of a tensor",
                {.expected = "struct " + std::string(class_name), .found = describe(value)});
  const Fields fields(value);
  KeptStatistics kept{
      .dtype = fields.dtype(), .shape = fields.shape(), .statistics = {}, .sketch = {}};
  TensorStatistics& found = kept.statistics;
  found.count = fields.count("count");
  found.zeros = fields.count("zeros");
  found.nan = fields.count("nan");
  found.positive_infinities = fields.count("positive_infinities");
  found.negative_infinities = fields.count("negative_infinities");
  found.min = fields.number("min");
  found.max = fields.number("max");
  found.mean = fields.number("mean");
  found.standard_deviation = fields.number("standard_deviation");
  // Earlier versions kept infinity for the norm of large numbers.
  found.l2_norm = std::min(fields.number("l2_norm"), std::numeric_limits<double>::max());
  read_histogram(fields, found);
  if (fields.find("quantiles") != nullptr)
    found.quantiles = read_doubles<TensorStatistics::probabilities.size()>(fields, "quantiles");
  if (fields.find("sketch") != nullptr)
    kept.sketch = {fields.hash(), read_doubles<TensorSketch::size>(fields, "sketch")};
  return kept;
}

}  // namespace safestructures::inline v0
