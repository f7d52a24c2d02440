/// \file
/// Reads records that name their fields, in MessagePack or in JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include "formats/burn/input.hpp"
#include "formats/burn/record.hpp"

namespace safestructures::inline v0::burn {

class NamedReader {
 public:
  /// \param source holds the bytes of tensors; null if they are in the text
  NamedReader(Input& input, std::shared_ptr<const Source> source, const LoadOptions& options)
      : input_(input), source_(std::move(source)), options_(options) {}

  /// Reads the metadata, wherever it is in the record, and nothing else.
  RecordMetadata metadata();
  /// Reads the item. The input must be at its beginning again.
  /// \param metadata the metadata of the record, which determines how tensors are spelled
  Value item(const RecordMetadata& metadata);

 private:
  [[noreturn]] void fail(ErrorCode code, std::string problem, ErrorDetails details) const;
  void expect(Token token, std::string_view what) const;

  /// Reads the outermost map: calls `read` at each member to read its value, and stops when `read`
  /// says so.
  template <class Read>
  void members(const Read& read);

  // Recursive over the record, up to Limits::depth.
  Value value_at(const Trace& trace);
  Value value(const Trace* trace);
  void count_nodes(std::uint64_t count, const Trace* trace);
  void count_tensor(const Trace* trace);
  Value bytes_at(ByteRange range, const Trace* trace) const;
  Value list(const Trace* trace);
  Value map(const Trace* trace);
  std::optional<Value> tensor_at_once(const Trace* trace);

  /// The entry of a map that may hold the elements of a tensor.
  struct Elements {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t entry = none;  ///< Its index: a tensor of the numbers of an array, or null ...
    std::optional<ByteRange> range;  ///< ... if they are bytes in the source, in this range.
    std::vector<bool> others;        ///< As in `Numbers`.
  };
  Value member(std::string_view name, const Trace& trace, std::size_t index, Elements& elements);
  /// Returns the tensor or parameter that a map stands for; null if it stands for neither.
  std::optional<Value> tensor(Value& map, const Elements& elements, const Trace* trace);
  Tensor old_tensor(const Tensor& numbers, Shape shape) const;
  Value new_tensor(const Value& map, Shape shape, const Elements& elements,
                   const Trace* trace) const;
  Shape shape_of(const Value& list, const Trace* trace) const;

  Input& input_;
  std::shared_ptr<const Source> source_;
  const LoadOptions& options_;
  RecordMetadata metadata_;
  bool is_old_ = false;  // Before 0.14.
  std::uint64_t nodes_ = 0;
  std::uint64_t tensors_ = 0;
  std::uint32_t depth_ = 0;
};

}  // namespace safestructures::inline v0::burn
