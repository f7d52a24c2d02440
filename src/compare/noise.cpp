#include "compare/noise.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include <safestructures/data/error.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/document.hpp>
#include "compare/nodes.hpp"
#include "compare/ulp.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// What names one tensor of a run: the path, and of a recording the step and call.
std::string key_of(const std::string& path, const std::optional<RecordPlace>& record) {
  if (!record) return path;
  return path + '\0' + std::to_string(record->step) + ' ' + std::to_string(record->call);
}

[[noreturn]] void refuse(const std::string& found, bool of_recordings) {
  throw Error(ErrorCode::invalid_argument,
              "a run for the noise is of another kind than what is compared",
              {.expected = of_recordings ? "the folder of a recording" : "a file or a structure",
               .found = found});
}

/// What opening a run gives.
NoiseRun opened(const std::filesystem::path& path, const CompareOptions& options) {
  if (std::filesystem::is_directory(path))
    return std::make_shared<const Recording>(
        path, RecordingOptions{.access = options.access, .limits = options.limits});
  return std::make_shared<const Document>(Document::open(
      path,
      LoadOptions{.format = options.format, .access = options.access, .limits = options.limits}));
}

std::string name_of(const NoiseRun& run) {
  if (const auto* path = std::get_if<std::filesystem::path>(&run)) return path->string();
  return std::holds_alternative<std::shared_ptr<const Recording>>(run) ? "a recording"
                                                                       : "a structure";
}

/// Half a step of the sides' dtype at a magnitude: nobody rounds better.
double half_step(const std::optional<Grid>& grid, double magnitude) {
  return grid && magnitude > 0 ? grid->spacing(magnitude) / 2 : 0;
}

double rms(double norm, std::uint64_t count) {
  return norm / std::sqrt(static_cast<double>(std::max<std::uint64_t>(count, 1)));
}

}  // namespace

Noise::Noise(const CompareOptions& options, bool of_recordings) : factor_(options.noise_factor) {
  if (!(factor_ > 0) || !std::isfinite(factor_))
    throw Error(ErrorCode::invalid_argument, "a factor for the noise cannot be that",
                {.expected = "a finite number above 0", .found = std::to_string(factor_)});
  for (const NoiseRun& run : options.noise) add(run, options, of_recordings);
}

void Noise::add(const NoiseRun& run, const CompareOptions& options, bool of_recordings) {
  const auto* const path = std::get_if<std::filesystem::path>(&run);
  const NoiseRun held = path != nullptr ? opened(*path, options) : run;
  const bool is_recording = std::holds_alternative<std::shared_ptr<const Recording>>(held);
  if (is_recording != of_recordings) refuse(name_of(run), of_recordings);
  Run found;
  const auto take = [&](const std::string& name, const std::vector<TreeNode>& nodes,
                        const std::optional<RecordPlace>& record) {
    for (const TreeNode& node : nodes)
      if (node.is_tensor() || node.value->kind() == Kind::floating)
        found.try_emplace(key_of(label_of(name, node.path), record),
                          Numbers{numbers_of(*node.value), recorded_dtype(*node.value)});
  };
  std::visit(
      [&](const auto& source) {
        using Source = std::decay_t<decltype(source)>;
        if constexpr (!std::is_same_v<Source, std::filesystem::path>) {
          if (source == nullptr) return;
          if constexpr (std::is_same_v<Source, std::shared_ptr<const Recording>>) {
            for (const Record& record : *source)
              take(record.name(), nodes_of(record.value()),
                   RecordPlace{record.name(), record.step(), record.call(), record.sequence()});
          } else if constexpr (std::is_same_v<Source, std::shared_ptr<const Document>>) {
            take({}, nodes_of(source->root()), {});
            for (const auto& [name, tensor] : source->content().extra_tensors)
              found.try_emplace(name, Numbers{tensor, std::nullopt});
          } else {
            take({}, nodes_of(*source), {});
          }
        }
      },
      held);
  runs_.push_back(std::move(found));
}

std::optional<NoiseFloor> Noise::floor(const ComparisonRow& row, const Tensor& a, const Tensor& b,
                                       const RecordedDTypes& recorded) const {
  NoiseFloor floor;
  const auto grid_a = grid_of(effective_dtype(a.dtype(), recorded.a));
  const auto grid_b = grid_of(effective_dtype(b.dtype(), recorded.b));
  std::optional<Grid> grid;
  if (grid_a && grid_b) grid = coarser(*grid_a, *grid_b);
  for (const Run& run : runs_) {
    auto found = run.find(key_of(row.path, row.record));
    if (found == run.end() && !row.other_path.empty())
      found = run.find(key_of(row.other_path, row.record));
    if (found == run.end() || found->second.tensor.shape() != a.shape()) continue;
    const Numbers& other = found->second;
    const TensorMetrics to_a = compare_tensors(a, other.tensor, {}, {recorded.a, other.recorded});
    const TensorMetrics to_b = compare_tensors(b, other.tensor, {}, {recorded.b, other.recorded});
    const TensorMetrics& nearer = to_a.rmse < to_b.rmse ? to_a : to_b;
    if (nearer.compared == 0 && nearer.count != 0) continue;
    ++floor.runs;
    floor.max_absolute = std::max(floor.max_absolute, nearer.max_absolute);
    floor.rmse = std::max(floor.rmse, nearer.rmse);
    if (nearer.relative_l2)
      floor.relative_l2 = std::max(floor.relative_l2.value_or(0), *nearer.relative_l2);
    const auto its_grid = grid_of(effective_dtype(other.tensor.dtype(), other.recorded));
    floor.is_precise =
        floor.is_precise || (grid && its_grid && its_grid->fraction_bits > grid->fraction_bits);
  }
  if (floor.runs == 0) return std::nullopt;
  const TensorMetrics& between = *row.metrics;
  const auto numbers =
      static_cast<double>(std::max<std::uint64_t>(between.compared, 1) * floor.runs);
  floor.factor = factor_ * (1 + 4 / std::sqrt(numbers));
  double least_rmse = floor.rmse;
  double least_max = floor.max_absolute;
  if (floor.is_precise) {
    least_rmse = std::max(least_rmse, half_step(grid, rms(between.norm_b, between.compared)));
    const double peak =
        between.ulp && between.ulp->at_peak > 0 ? between.max_absolute / between.ulp->at_peak : 0;
    least_max = std::max(least_max, peak / 2);
  }
  const auto beside = [&](double difference, double least) -> std::optional<double> {
    if (difference == 0) return 0;
    if (least == 0) return std::nullopt;
    return difference / (floor.factor * least);
  };
  const auto by_rmse = beside(between.rmse, least_rmse);
  const auto by_max = beside(between.max_absolute, least_max);
  if (by_rmse && by_max) floor.excess = std::max(*by_rmse, *by_max);
  return floor;
}

}  // namespace safestructures::inline v0::comparing
