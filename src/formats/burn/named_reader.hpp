/// \file
/// Reads records that name their fields, in MessagePack or in JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <safestructures/data/error.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/format.hpp>
#include "formats/burn/input.hpp"
#include "formats/burn/record.hpp"

namespace safestructures::inline v0::burn {

class NamedReader {
 public:
  /// \param source where the bytes of tensors are; null where they stand in the text
  NamedReader(Input& input, std::shared_ptr<const Source> source, const LoadOptions& options)
      : input_(input), source_(std::move(source)), options_(options) {}

  /// The metadata, wherever they stand in the record; nothing else is read.
  RecordMetadata metadata();
  /// The item, of an input that begins anew.
  /// \param metadata those of the record, which say how tensors are spelled
  Value item(const RecordMetadata& metadata);

 private:
  [[noreturn]] void fail(ErrorCode code, std::string problem, std::string expected,
                         std::string found) const;
  void expect(Token token, std::string_view what) const;

  /// Reads the outermost map: calls `read` at each member, which reads its value; it is over when
  /// `read` says so.
  template <class Read>
  void members(const Read& read);

  // Recursive over the record, to Limits::depth.
  Value value_at(const Trace& trace);
  Value value(const Trace* trace);
  void count_node(const Trace* trace);
  void count_tensor(const Trace* trace);
  Value bytes_at(ByteRange range, const Trace* trace) const;
  Value list(const Trace* trace);
  Value map(const Trace* trace);
  std::optional<Value> tensor_at_once(const Trace* trace);

  /// What a map holds that may be the elements of a tensor.
  struct Elements {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t entry = none;  ///< Whose they are: a tensor of an array's numbers, or null ...
    std::optional<ByteRange> range;  ///< ... where they are bytes in the source, at these.
  };
  Value member(std::string_view name, const Trace& trace, std::size_t index, Elements& elements);
  /// The tensor or parameter that a map stands for, or nothing.
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
