// Detects functions of single numbers: variants of an activation, rounding to a smaller dtype.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "compare/metrics/ulp.hpp"
#include "compare/suspicions/suspicion.hpp"

namespace safestructures::inline v0::comparing {
namespace {

double gelu(double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }

double gelu_slope(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2) +
         x * std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

/// Hendrycks and Gimpel, 2016: both approximations.
/// @{
double gelu_tanh(double x) {
  const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}
double gelu_sigmoid(double x) { return x / (1 + std::exp(-1.702 * x)); }
/// @}

double silu(double x) { return x / (1 + std::exp(-x)); }
double relu(double x) { return std::max(x, 0.0); }

struct Function {
  std::string_view name;
  double (*at)(double);
};

constexpr std::array<Function, 5> functions = {{{"GELU by erf", gelu},
                                                {"GELU by tanh", gelu_tanh},
                                                {"GELU by a sigmoid", gelu_sigmoid},
                                                {"SiLU", silu},
                                                {"ReLU", relu}}};

/// The function of the input that a side is nearest to, and its distance. Looks at every `step`th
/// number.
struct Nearest {
  const Function* function = nullptr;
  double residual = HUGE_VAL;
};

Nearest nearest(const Case& one, const std::vector<double>& side, std::size_t step) {
  Nearest best;
  for (const Function& function : functions) {
    double residual = 0;
    for (std::size_t i = 0; i < side.size(); i += step) {
      const double error = side[i] - function.at(one.input[i]);
      residual += error * error;
    }
    if (residual < best.residual) best = {&function, residual};
  }
  return best;
}

/// Whether the sides seem to be functions of the input, judging by few of the numbers.
bool seem_activations(const Case& one, std::size_t step) {
  double errors = 0;
  for (std::size_t i = 0; i < one.a.size(); i += step)
    errors += (one.a[i] - one.b[i]) * (one.a[i] - one.b[i]);
  const double residual = nearest(one, one.a, step).residual + nearest(one, one.b, step).residual;
  return residual <= (1 - seems_from) * errors;
}

/// Returns the x whose GELU by erf is y, where GELU is increasing and steep enough.
double inverse_gelu(double y) {
  double x = y;
  for (int turn = 0; turn < 20; ++turn) x -= (gelu(x) - y) / gelu_slope(x);
  return x;
}

/// How much of some differences is that between the two variants, one of which gave a.
struct Variants {
  double explained = 0;
  std::size_t count = 0;
  double varying = 0;  ///< The share of the differences' squares that is not that of their mean.
};

Variants tanh_less_erf(const Case& one, bool is_tanh_a, std::size_t step) {
  double residual = 0;
  double errors = 0;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < one.a.size(); i += step) {
    const double error = one.a[i] - one.b[i];
    const double exact = is_tanh_a ? one.b[i] : one.a[i];
    if (exact < 0.2 || exact > 5) continue;
    const double x = inverse_gelu(exact);
    const double expected = (gelu_tanh(x) - exact) * (is_tanh_a ? 1 : -1);
    residual += (error - expected) * (error - expected);
    errors += error * error;
    sum += error;
    ++count;
  }
  if (errors == 0) return {.count = count};
  return {1 - residual / errors, count, 1 - sum * sum / static_cast<double>(count) / errors};
}

/// Without the input: the difference between the two variants is a function of the number itself.
std::optional<Suspicion> by_numbers(const Case& one) {
  // The largest difference between the two is 4.8e-4, near |x| = 2.7.
  constexpr double most = 6e-4;
  double largest = 0;
  for (std::size_t i = 0; i < one.a.size(); ++i) {
    largest = std::max(largest, std::abs(one.a[i] - one.b[i]));
    if (largest > most) return std::nullopt;
  }
  // An inverse takes 2 us; a few of them rule out most other differences.
  constexpr std::size_t few_inverses = 256;
  constexpr std::size_t most_inverses = 65'536;
  for (const bool is_tanh_a : {true, false}) {
    if (tanh_less_erf(one, is_tanh_a, one.a.size() / few_inverses + 1).explained < seems_from)
      continue;
    const auto [explained, count, varying] =
        tanh_less_erf(one, is_tanh_a, one.a.size() / most_inverses + 1);
    // Numbers of nearly one size may differ by as much for any reason; of others, the mean of the
    // differences has less than half of their squares.
    if (count < 16 || explained < 0.8 || varying < 0.25) continue;
    return Suspicion{
        "GELU variant",
        fmt::format("a - b is at most {:.2e} and equals GELU by {} minus GELU by {}, in {} numbers "
                    "above 0.2",
                    largest, is_tanh_a ? "tanh" : "erf", is_tanh_a ? "erf" : "tanh", count),
        explained};
  }
  return std::nullopt;
}

/// Returns the share of a side's non-zero numbers that are representable in a dtype.
double share_in(std::span<const double> side, const Grid& grid) {
  const std::uint64_t beyond = (std::uint64_t{1} << (52 - grid.fraction_bits)) - 1;
  // Correct for the two dtypes that it is called with, as for all of IEEE 754.
  const double largest =
      std::ldexp(2 - std::ldexp(1.0, -static_cast<int>(grid.fraction_bits)), 1 - grid.min_exponent);
  const double least_normal = std::ldexp(1.0, grid.min_exponent);
  const double step = grid.spacing(0);
  std::size_t zeros = 0;
  std::size_t in = 0;
  std::size_t small = 0;
  for (const double number : side) {
    zeros += number == 0 ? 1U : 0U;
    small += std::abs(number) < least_normal ? 1U : 0U;
    const bool is_in =
        (std::bit_cast<std::uint64_t>(number) & beyond) == 0 && std::abs(number) <= largest;
    in += is_in ? 1U : 0U;
  }
  for (std::size_t i = 0; small != zeros && i < side.size(); ++i) {
    const double steps = side[i] / step;  // Exact: a step is a power of two.
    if (std::abs(side[i]) >= least_normal || std::trunc(steps) == steps) continue;
    if ((std::bit_cast<std::uint64_t>(side[i]) & beyond) == 0) --in;
  }
  if (zeros == side.size()) return 1;
  return static_cast<double>(in - zeros) / static_cast<double>(side.size() - zeros);
}

/// Whether there are several distinct numbers that a dtype might not have had: a constant is as
/// likely in every dtype, and small integers are numbers of any.
bool are_several(std::span<const double> side, const Grid& grid) {
  constexpr std::size_t least = 8;
  const double small = std::ldexp(2.0, static_cast<int>(grid.fraction_bits));
  std::array<double, least> known{};
  std::size_t count = 0;
  for (const double number : side) {
    const auto end = known.begin() + static_cast<std::ptrdiff_t>(count);
    const bool is_integer = std::abs(number) <= small && number == std::trunc(number);
    if (is_integer || std::find(known.begin(), end, number) != end) continue;
    known[count++] = number;
    if (count == least) return true;
  }
  return false;
}

}  // namespace

std::optional<Suspicion> suspect_activation(const Case& one) {
  if (!one.has_like_input()) return by_numbers(one);
  // A function takes up to 50 ns.
  constexpr std::size_t few = 4096;
  if (!seem_activations(one, one.a.size() / few + 1)) return std::nullopt;
  const Nearest a = nearest(one, one.a, 1);
  const Nearest b = nearest(one, one.b, 1);
  if (a.function == b.function || one.explained(a.residual + b.residual) < explains_from)
    return std::nullopt;
  const bool are_gelu =
      a.function->name.starts_with("GELU") && b.function->name.starts_with("GELU");
  return Suspicion{are_gelu ? "GELU variant" : "other activation",
                   fmt::format("a is {} of the input, b is {}", a.function->name, b.function->name),
                   one.explained(a.residual + b.residual)};
}

std::optional<Suspicion> suspect_accumulation(const Case& one) {
  if (one.a.size() < 16 || !is_floating(one.dtype_a) || !is_floating(one.dtype_b))
    return std::nullopt;
  const auto is_stored_wider = [](DType dtype) { return bit_width(dtype) > 16; };
  // The dtype with fewer digits first: within their range, its numbers are also the other's.
  for (const DType dtype : {DType::BF16, DType::F16}) {
    const Grid grid = *grid_of(dtype);
    const std::size_t few = std::min<std::size_t>(one.a.size(), 4096);
    if (share_in(std::span(one.a).first(few), grid) < 0.9 &&
        share_in(std::span(one.b).first(few), grid) < 0.9)
      continue;
    const double of_a = share_in(one.a, grid);
    const double of_b = share_in(one.b, grid);
    const bool is_a = of_a > 0.999 && of_b < 0.5 && is_stored_wider(one.dtype_a);
    const bool is_b = of_b > 0.999 && of_a < 0.5 && is_stored_wider(one.dtype_b);
    if ((!is_a && !is_b) || !are_several(is_a ? one.a : one.b, grid)) continue;
    const double error = std::sqrt(one.all.errors / one.all.squares) / relative_half_step(dtype);
    return Suspicion{
        "accumulation dtype",
        fmt::format(
            "all numbers of {} are {} numbers, but only {:.2g} % of the other's; relative L2 is "
            "{:.3g} half steps: {}",
            is_a ? "a" : "b", to_string(dtype), 100 * (is_a ? of_b : of_a), error,
            error < 0.7 ? "rounded once" : "more than one rounding makes"),
        std::nullopt};
  }
  return std::nullopt;
}

}  // namespace safestructures::inline v0::comparing
