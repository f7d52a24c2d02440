#include "cli/tensor_list.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/walk.hpp>
#include "cli/console/progress.hpp"
#include "compare/pairing/filter.hpp"
#include "compare/pairing/tree_nodes.hpp"
#include "data/path_text.hpp"
#include "platform/parallel.hpp"
#include "tools/kept_statistics.hpp"

namespace safestructures::cli {
namespace {

// Statistics take a millisecond per MiB; starting a thread costs some tens of microseconds.
constexpr std::uint64_t two_threads_from = std::uint64_t{1} << 20U;

ListedTensor kept_statistics(const Value& value) {
  KeptStatistics kept = read_statistics(value);
  ListedTensor listed;
  listed.dtype = kept.dtype;
  listed.shape = std::move(kept.shape);
  listed.bytes = byte_size(listed.dtype, listed.shape);
  listed.statistics = std::make_unique<TensorStatistics>(kept.statistics);
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

/// Calls `take` with each tensor and its path.
/// \param file as for `comparing::nodes_of`
template <class Take>
void each_tensor(const Value& root, bool has_statistics, Paths paths, std::string_view file,
                 const Take& take) {
  std::vector<comparing::TreeNode> nodes;
  if (paths == Paths::compared) nodes = comparing::nodes_of(root, file);
  std::size_t next = 0;
  walk(root, [&](const Place& place) {
    const Value& value = place.value();
    // The walk takes the nodes in the same order. Attributes and the items of sets are not among
    // them.
    const bool is_node = next != nodes.size() && nodes[next].value == &value;
    const std::size_t node = is_node ? next++ : next;
    const auto path = [&] { return is_node ? nodes[node].path : place.path().to_string(); };
    if (has_statistics && detail::is_kept_statistics(value)) {
      try {
        take(kept_statistics(value), path());
      } catch (const Error& error) {
        if (place.depth() == 0) throw;
        throw error.with_parent_path(place.path().to_string());
      }
      return Next::over;
    }
    if (!value.has_tensor()) return Next::into;
    take(listed(value), path());
    return Next::over;
  });
}

TensorList list_tensors(const Document& document, Paths paths) {
  TensorList list;
  detail::PathText kept(document.name());
  each_tensor(document.root(), false, paths, document.name(),
              [&](ListedTensor one, std::string path) {
                one.path = std::move(path);
                kept.add(one.path);
                list.tensors.push_back(std::move(one));
              });
  for (const auto& [name, tensor] : document.content().extra_tensors) {
    list.tensors.push_back(listed(Value(tensor)));
    list.tensors.back().path = name;
  }
  return list;
}

TensorList list_records(const Input& input, Paths paths) {
  TensorList list;
  list.is_of_recording = true;
  detail::PathText kept;
  for (const Record& record : *input.recording) {
    try {
      each_tensor(record.value(), record.kept() == Keep::statistics, paths, {},
                  [&](ListedTensor one, const std::string& path) {
                    one.path = comparing::label_of(record.name(), path);
                    kept.add(one.path);
                    one.record = {record.name(), record.step(), record.call(), record.sequence()};
                    one.kept = to_string(record.kept());
                    list.tensors.push_back(std::move(one));
                  });
    } catch (const Error& error) {
      throw error.with_parent_path(record.name()).with_file(file_of(input, record));
    }
  }
  list.notes = input.recording->notes();
  return list;
}

}  // namespace

TensorList list_tensors(const Input& input, Paths paths) {
  return input.recording ? list_records(input, paths) : list_tensors(*input.document, paths);
}

std::vector<std::string> keep_matching(TensorList& list, const std::vector<std::string>& only,
                                       const std::vector<std::string>& ignore) {
  const comparing::Filter filter(only, ignore);
  std::erase_if(list.tensors, [&](const ListedTensor& one) { return !filter.is_wanted(one.path); });
  return filter.unused();
}

void keep_matching(TensorList& list, const std::string& glob) {
  if (!glob.empty() && !keep_matching(list, {glob}, {}).empty())
    list.notes.push_back("no tensor matches " + glob);
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
