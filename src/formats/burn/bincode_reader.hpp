/// \file
/// Reads bincode records, which do not describe themselves, guided by the C++ type that is loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include "formats/binary/window.hpp"
#include "formats/burn/modules.hpp"
#include "formats/burn/record.hpp"

namespace safestructures::inline v0::burn {

class BincodeReader {
 public:
  /// \param bare whether tensors are not parameters unless their type says so
  BincodeReader(const std::shared_ptr<const Source>& source, const LoadOptions& options, bool bare);

  RecordMetadata metadata();
  /// Returns the item, which follows the metadata. \throws Error also if bytes follow the item
  Value item(const RecordMetadata& metadata, const TypeInfo& type);

 private:
  [[noreturn]] void fail(ErrorCode code, const Trace* trace, std::string problem,
                         ErrorDetails details) const;

  // The primitives of bincode.
  unsigned byte();
  std::uint64_t varint();
  std::string text();
  bool tag(const Trace* trace);
  /// Reads how many items follow, each of which takes at least `least` bytes.
  std::uint64_t length(std::uint64_t least, const Trace* trace);

  // Recursive over the type, up to Limits::depth.
  Value value_at(const TypeInfo& type, const Trace& trace);
  Value value(const TypeInfo& type, const Trace* trace);
  Value integer(const TypeInfo& type, const Trace* trace);
  Value floating(const TypeInfo& type, const Trace* trace);
  Value bytes(const TypeInfo& type, const Trace* trace);
  Value optional(const TypeInfo& type, const Trace* trace);
  Value list(const TypeInfo& type, const Trace* trace);
  Value tuple(const TypeInfo& type, const Trace* trace);
  Value dict(const TypeInfo& type, const Trace* trace);
  Value structure(const TypeInfo& type, const Trace* trace);
  Value module(const TypeInfo& type, std::span<const ModuleField> fields, const Trace* trace);
  void constant(std::size_t count);
  Value variant(const TypeInfo& type, const Trace* trace);
  Value enumerator(const TypeInfo& type, const Trace* trace);

  void count_tensor(const Trace* trace);
  Value tensor(const TypeInfo& type, const Trace* trace);
  Value tensor_data(const TypeInfo& type, const Trace* trace);
  Tensor old_tensor(const TypeInfo& type, const Trace* trace);
  Shape shape(const Trace* trace);
  /// Reads consecutive numbers, as in the lists of Rust.
  std::vector<std::byte> numbers(DType dtype, std::uint64_t count, const Trace* trace);
  Value sequence(const TypeInfo& type, const Trace* trace);
  /// Reads the rows of a version in which every array has a length.
  void rows(const TypeInfo& type, DType dtype, std::uint64_t count,
            std::vector<std::byte>& elements, const Trace* trace);

  std::shared_ptr<const Source> source_;
  const LoadOptions& options_;
  bool bare_;
  binary::Window window_;
  RecordMetadata metadata_;
  Version version_ = newest_version;
  std::uint32_t depth_ = 0;
  std::uint64_t nodes_ = 0;
  std::uint64_t tensors_ = 0;
};

}  // namespace safestructures::inline v0::burn
