#include "compare/noise/noise.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <safestructures/data/error.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/document.hpp>
#include "compare/metrics/noise_floor.hpp"
#include "compare/metrics/ulp.hpp"
#include "compare/pairing/opening.hpp"
#include "compare/pairing/tree_nodes.hpp"
#include "data/complex_pairs.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// Returns the key of a run's tensor: the path, and for a recording the step and call.
std::string key_of(const std::string& path, const std::optional<RecordPlace>& record) {
  if (!record) return path;
  return path + '\0' + std::to_string(record->step) + ' ' + std::to_string(record->call);
}

[[noreturn]] void refuse(const std::string& found, bool of_recordings) {
  throw Error(ErrorCode::invalid_argument,
              "a run for the noise is not of the kind that is compared",
              {.expected = of_recordings ? "the folder of a recording" : "a file or a structure",
               .found = found});
}

/// Opens a run.
NoiseRun opened(const std::filesystem::path& path, const CompareOptions& options) {
  std::error_code error;  // Ignored: opening reports it.
  if (std::filesystem::is_directory(path, error))
    return std::make_shared<const Recording>(
        path, RecordingOptions{.access = options.access, .limits = options.limits});
  return std::make_shared<const Document>(Document::open(
      path,
      LoadOptions{.format = options.format, .access = options.access, .limits = options.limits}));
}

/// Returns all runs; opens those that are paths in parallel.
std::vector<NoiseRun> all_opened(const CompareOptions& options) {
  std::vector<NoiseRun> runs = options.noise;
  std::vector<std::filesystem::path> paths;
  std::vector<NoiseRun*> places;
  for (NoiseRun& run : runs) {
    if (const auto* path = std::get_if<std::filesystem::path>(&run)) {
      paths.push_back(*path);
      places.push_back(&run);
    }
  }
  open_at_once(paths, [&](std::size_t i) { *places[i] = opened(paths[i], options); });
  return runs;
}

std::string name_of(const NoiseRun& run) {
  if (const auto* path = std::get_if<std::filesystem::path>(&run)) return path->string();
  return std::holds_alternative<std::shared_ptr<const Recording>>(run) ? "a recording"
                                                                       : "a structure";
}

/// Numbers of both sides and of a further run in one shape. Complex numbers that one of them has as
/// pairs of their parts, because its precision is double, are such pairs in all.
struct Alike {
  Tensor a;
  Tensor b;
  Tensor other;
};

std::optional<Alike> alike(const TensorPair& tensors, const Tensor& other) {
  const Tensor& a = *tensors.a;
  const Tensor& b = *tensors.b;
  if (other.shape() == a.shape()) return Alike{a, b, other};
  if (detail::have_pairs_of(a.shape(), other)) return Alike{a, b, detail::as_pairs(other)};
  if (b.dtype() == DType::C64 && detail::have_pairs_of(other.shape(), a))
    return Alike{detail::as_pairs(a), detail::as_pairs(b), other};
  return std::nullopt;
}

}  // namespace

Noise::Noise(const CompareOptions& options, bool of_recordings) : factor_(options.noise_factor) {
  if (!(factor_ > 0) || !std::isfinite(factor_))
    throw Error(ErrorCode::invalid_argument, "a factor for the noise is not valid",
                {.expected = "a finite number above 0", .found = fmt::format("{}", factor_)});
  const std::vector<NoiseRun> runs = all_opened(options);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (std::holds_alternative<std::shared_ptr<const Recording>>(runs[i]) != of_recordings)
      refuse(name_of(options.noise[i]), of_recordings);
    add(runs[i]);
  }
}

void Noise::add(const NoiseRun& run) {
  Run found;
  const auto take = [&](const std::string& name, const std::vector<TreeNode>& nodes,
                        const std::optional<RecordPlace>& record) {
    for (const TreeNode& node : nodes)
      if (is_number(*node.value))
        found.nodes.try_emplace(key_of(label_of(name, node.path), record),
                                Numbers{numbers_of(*node.value), recorded_dtype(*node.value)});
  };
  std::visit(
      [&](const auto& source) {
        using Source = std::decay_t<decltype(source)>;
        if constexpr (!std::is_same_v<Source, std::filesystem::path>) {
          if (source == nullptr) return;
          if constexpr (std::is_same_v<Source, std::shared_ptr<const Recording>>) {
            if (source->size() != 0) found.file = (*source)[0].file().parent_path().string();
            found.records = std::make_unique<const NoiseRecords>(source);
            recording::RecordCursor cursor(found.records->table());
            for (std::size_t i = 0; i < source->size(); ++i) {
              if (is_number(*cursor.stored_at(i).value)) continue;
              const Record& record = (*source)[i];
              take(record.name(), nodes_of(record.value()),
                   RecordPlace{record.name(), record.step(), record.call(), record.sequence()});
            }
          } else if constexpr (std::is_same_v<Source, std::shared_ptr<const Document>>) {
            found.file = source->name();
            take({}, nodes_of(source->root()), {});
            for (const auto& [name, tensor] : source->content().extra_tensors)
              found.nodes.try_emplace(name, Numbers{tensor, std::nullopt});
          } else {
            take({}, nodes_of(*source), {});
          }
        }
      },
      run);
  runs_.push_back(std::move(found));
}

std::optional<Noise::Numbers> Noise::Run::find(const std::string& label,
                                               const std::optional<RecordPlace>& record) const {
  if (records != nullptr && record) {
    const std::optional<std::uint32_t> name = records->table().place_of(label);
    const std::optional<std::size_t> place =
        name ? records->find({*name, record->step, record->call},
                             static_cast<std::size_t>(record->sequence))
             : std::nullopt;
    if (const std::optional<Value> value = place ? records->number(*place) : std::nullopt)
      return Numbers{numbers_of(*value), recorded_dtype(*value)};
  }
  const auto found = nodes.find(key_of(label, record));
  return found == nodes.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Noise::Numbers> Noise::Run::find_all(const ComparisonRow& row) const {
  std::vector<Numbers> found;
  const auto take = [&](const std::string& label, const std::optional<RecordPlace>& record) {
    if (std::optional<Numbers> numbers = find(label, record)) found.push_back(std::move(*numbers));
  };
  take(row.path, row.record);
  const bool is_other_call = row.record && row.record->other_call;
  if (row.other_path.empty() && !is_other_call) return found;
  std::optional<RecordPlace> other = row.record;
  if (is_other_call) other->call = *other->other_call;
  take(row.other_path.empty() ? row.path : row.other_path, other);
  return found;
}

std::optional<NoiseFloor> Noise::floor(const ComparisonRow& row, const TensorPair& tensors) const {
  const BothDTypes dtypes = tensors.dtypes();
  NoiseOfTensor noise(grid_of(dtypes.a.effective()), grid_of(dtypes.b.effective()));
  for (const Run& run : runs_) {
    // A tensor that the run has under the name of the other side may be a different one.
    std::optional<DistancesToRun> nearest;
    for (const Numbers& other : run.find_all(row)) {
      const std::optional<Alike> numbers = alike(tensors, other.tensor);
      if (!numbers) continue;
      const RecordedDTypes of_a{dtypes.a.recorded, other.recorded};
      const RecordedDTypes of_b{dtypes.b.recorded, other.recorded};
      DistancesToRun found;
      try {
        found = {.of_a = distance_in(compare_tensors(numbers->a, numbers->other, {}, of_a)),
                 .of_b = distance_in(compare_tensors(numbers->b, numbers->other, {}, of_b)),
                 .grid = grid_of(effective_dtype(numbers->other.dtype(), other.recorded))};
      } catch (const Error& error) {
        // Both sides were read before.
        throw error.with_file(run.file);
      }
      if (!nearest || found.least_rmse() < nearest->least_rmse()) nearest = found;
    }
    if (nearest) noise.add(*nearest);
  }
  return noise.floor(*row.metrics, factor_);
}

}  // namespace safestructures::inline v0::comparing
