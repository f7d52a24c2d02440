#include "cli/tensor_list.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include <safestructures/data/error.hpp>
#include <safestructures/data/walk.hpp>
#include "cli/console/progress.hpp"
#include "compare/pairing/filter.hpp"
#include "data/path_text.hpp"
#include "platform/parallel.hpp"
#include "recording/recorder/state_notes.hpp"

namespace safestructures::cli {
namespace {

// Statistics take a millisecond for each MiB: a thread costs some tens of microseconds.
constexpr std::uint64_t two_threads_from = std::uint64_t{1} << 20U;

[[noreturn]] void refuse(const std::string& path, std::string_view expected, const Value* found) {
  throw Error(ErrorCode::invalid_schema, "the statistics in a record are not what a recorder keeps",
              {.path = path,
               .expected = std::string(expected),
               .found = found == nullptr ? "nothing" : describe(*found)});
}

const Value& field(const Value& value, std::string_view name, const std::string& path) {
  const Value* const found = value.find(name);
  if (found == nullptr) refuse(path + "/" + std::string(name), "a field of that name", nullptr);
  return *found;
}

std::uint64_t count_from(const Value& value, std::string_view name, const std::string& path) {
  const Value& found = field(value, name, path);
  const auto number =
      found.kind() == Kind::integer ? found.as_uint64() : std::optional<std::uint64_t>();
  if (!number) refuse(path + "/" + std::string(name), "a count", &found);
  return *number;
}

double number_from(const Value& value, std::string_view name, const std::string& path) {
  const Value& found = field(value, name, path);
  if (found.kind() != Kind::floating) refuse(path + "/" + std::string(name), "a float", &found);
  return found.as_double();
}

/// Of a recorder that is old enough there are none.
void take_quantiles(const Value& value, TensorStatistics& found, const std::string& path) {
  const Value* const quantiles = value.find("quantiles");
  if (quantiles == nullptr) return;
  constexpr std::uint64_t count = TensorStatistics::probabilities.size();
  if (quantiles->kind() != Kind::tensor || quantiles->tensor().dtype() != DType::F64 ||
      quantiles->tensor().shape() != Shape{count})
    refuse(path + "/quantiles", "an F64 tensor of shape [19]", quantiles);
  quantiles->tensor().copy_elements(0, count, DType::F64,
                                    std::as_writable_bytes(std::span(found.quantiles.emplace())),
                                    Overflow::error);
}

/// What `statistics_value` made.
ListedTensor kept_statistics(const Value& value, const std::string& path) {
  ListedTensor listed;
  const Value& dtype = field(value, "dtype", path);
  if (dtype.kind() != Kind::string) refuse(path + "/dtype", "the name of a dtype", &dtype);
  const std::optional<DType> known = parse_dtype(dtype.as_string());
  if (!known) refuse(path + "/dtype", "the name of a dtype", &dtype);
  listed.dtype = *known;
  const Value& shape = field(value, "shape", path);
  if (shape.kind() != Kind::list) refuse(path + "/shape", "a list of sizes", &shape);
  std::vector<std::uint64_t> sizes;
  for (const Value& size : shape.items()) {
    const auto number =
        size.kind() == Kind::integer ? size.as_uint64() : std::optional<std::uint64_t>();
    if (!number) refuse(path + "/shape", "a list of sizes", &size);
    sizes.push_back(*number);
  }
  listed.shape = Shape(std::span<const std::uint64_t>(sizes));
  listed.bytes = byte_size(listed.dtype, listed.shape);
  listed.statistics = std::make_unique<TensorStatistics>();
  TensorStatistics& found = *listed.statistics;
  found.count = count_from(value, "count", path);
  found.zeros = count_from(value, "zeros", path);
  found.nan = count_from(value, "nan", path);
  found.positive_infinities = count_from(value, "positive_infinities", path);
  found.negative_infinities = count_from(value, "negative_infinities", path);
  found.min = number_from(value, "min", path);
  found.max = number_from(value, "max", path);
  found.mean = number_from(value, "mean", path);
  found.standard_deviation = number_from(value, "standard_deviation", path);
  found.l2_norm = number_from(value, "l2_norm", path);
  const Value& histogram = field(value, "histogram", path);
  if (histogram.kind() != Kind::tensor || histogram.tensor().dtype() != DType::I64 ||
      histogram.tensor().shape() != Shape{2, TensorStatistics::bins})
    refuse(path + "/histogram", "an I64 tensor of shape [2, 64]", &histogram);
  std::array<std::int64_t, 2 * TensorStatistics::bins> counts{};
  histogram.tensor().copy_elements(0, counts.size(), DType::I64,
                                   std::as_writable_bytes(std::span(counts)), Overflow::error);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    auto& side = i < TensorStatistics::bins ? found.negative : found.positive;
    side[i % TensorStatistics::bins] = static_cast<std::uint64_t>(counts[i]);
  }
  take_quantiles(value, found, path);
  return listed;
}

ListedTensor listed(const Value& value) {
  ListedTensor one;
  one.tensor = value.tensor();
  one.dtype = one.tensor->dtype();
  one.shape = one.tensor->shape();
  one.bytes = one.tensor->byte_size();
  return one;
}

template <class Take>
void each_tensor(const Value& root, bool has_statistics, const Take& take) {
  walk(root, [&](const Place& place) {
    const Value& value = place.value();
    if (has_statistics && value.kind() == Kind::structure && value.type_name() == "Statistics") {
      take(kept_statistics(value, place.depth() == 0 ? "" : place.path().to_string()), place);
      return Next::over;
    }
    if (value.kind() != Kind::tensor && value.kind() != Kind::bytes) return Next::into;
    take(listed(value), place);
    return Next::over;
  });
}

TensorList list_tensors(const Document& document) {
  TensorList list;
  detail::PathText kept(document.name());
  each_tensor(document.root(), false, [&](ListedTensor one, const Place& place) {
    one.path = place.path().to_string();
    kept.add(one.path);
    list.tensors.push_back(std::move(one));
  });
  for (const auto& [name, tensor] : document.content().extra_tensors) {
    list.tensors.push_back(listed(Value(tensor)));
    list.tensors.back().path = name;
  }
  return list;
}

TensorList list_tensors(const Recording& recording) {
  TensorList list;
  list.is_of_recording = true;
  detail::PathText kept;
  for (const Record& record : recording) {
    try {
      each_tensor(record.value(), record.kept() == Keep::statistics,
                  [&](ListedTensor one, const Place& place) {
                    one.path = record.name();
                    if (place.depth() != 0) one.path += place.path().to_string();
                    kept.add(one.path);
                    one.record = {record.name(), record.step(), record.call(), record.sequence()};
                    one.kept = to_string(record.kept());
                    list.tensors.push_back(std::move(one));
                  });
    } catch (const Error& error) {
      throw error.below(record.name()).with_file(record.file().string());
    }
  }
  list.notes = recording::notes_of(recording);
  return list;
}

}  // namespace

TensorList list_tensors(const Input& input) {
  return input.recording ? list_tensors(*input.recording) : list_tensors(*input.document);
}

std::vector<std::string> keep_matching(TensorList& list, const std::vector<std::string>& only,
                                       const std::vector<std::string>& ignore) {
  const comparing::Filter filter(only, ignore);
  std::erase_if(list.tensors, [&](const ListedTensor& one) { return !filter.is_wanted(one.path); });
  return filter.unused();
}

void fill_statistics(TensorList& list, const std::string& what) {
  std::uint64_t bytes = 0;
  for (const ListedTensor& one : list.tensors)
    if (one.tensor) bytes += one.bytes;
  Progress progress(what, bytes);
  platform::in_pieces(
      list.tensors.size(), 1,
      [&](std::size_t index, std::size_t, unsigned) {
        ListedTensor& one = list.tensors[index];
        if (!one.tensor) return;
        const Tensor& tensor = *one.tensor;
        try {
          one.statistics =
              std::make_unique<TensorStatistics>(statistics(tensor, [&](std::uint64_t elements) {
                progress.add(elements * one.bytes / tensor.size());
              }));
        } catch (const Error& error) {
          throw error.with_path(one.path).with_file(what);
        }
      },
      bytes >= two_threads_from ? std::min(platform::available_processors(), 2U) : 1U);
}

}  // namespace safestructures::cli
