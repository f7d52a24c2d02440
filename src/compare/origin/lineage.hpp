/// \file
/// The records of one step and thread in order, and the inputs of each.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compare/rows/record_error.hpp"
#include "compare/rows/row_store.hpp"
#include "data/keyed_hash.hpp"

namespace safestructures::inline v0::comparing {

/// If a record is the input of a layer, returns the layer's name: `layer.0` for `layer.0.input` or
/// `layer.0.inputs.mask`.
std::optional<std::string_view> layer_of_input(std::string_view record);

/// What a record's name tells about its layer.
struct LayerName {
  explicit LayerName(std::string_view name);

  std::string_view layer;                    ///< The layer that it is the output of.
  std::optional<std::string_view> input_of;  ///< `layer_of_input`
};

/// What went into a record, and its error relative to that. Filled in place: copying took two
/// thirds of the time of the trace.
struct Origin {
  TracedError traced;
  double input_error = 0;
  bool is_new = false;  ///< Whether its error exceeds that of its input.
};

/// The records of one step and thread so far, any of which may have gone into the next.
class Lineage {
 public:
  explicit Lineage(const RowStore& rows) : rows_(&rows) {}

  /// Determines what went into a record, and its error relative to that.
  void find(const RecordError& record, const LayerName& name, Origin& origin);
  void add(const RecordError& record, const LayerName& name);

 private:
  /// A record that is an input of a layer.
  struct Given {
    std::size_t begin = 0;
    double error = 0;
  };
  /// The inputs of a layer since its last output.
  struct Inputs {
    Given worst;
    std::size_t first = 0;
    bool are_used = false;  ///< Whether an output has used them.
  };

  /// Returns the last record inside a layer since its input was recorded, except inputs of the
  /// layer.
  [[nodiscard]] std::optional<std::size_t> last_inside(std::string_view layer, std::size_t since);
  [[nodiscard]] std::optional<std::size_t> last_indexed(std::string_view layer, std::size_t since);

  const RowStore* rows_;
  // The last record with numbers.
  std::size_t last_begin_ = 0;
  double last_error_ = 0;
  const Shape* last_shape_ = nullptr;
  std::vector<std::size_t> before_;  // First rows of the records since the first input.
  std::unordered_map<std::string_view, std::size_t, detail::KeyedHash> last_in_;  // By scope.
  std::size_t indexed_ = 0;  // How many elements of `before_` it covers.
  std::map<std::string, Inputs, std::less<>> inputs_;
  double largest_ = 0;
};

}  // namespace safestructures::inline v0::comparing
