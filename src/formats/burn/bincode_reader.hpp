/// \file
/// Reads records in bincode, which say nothing about themselves, by the C++ type they are loaded
/// into.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <safestructures/data/path.hpp>
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
  /// \param bare whether tensors are no parameters whose type does not say it
  BincodeReader(const std::shared_ptr<const Source>& source, const LoadOptions& options, bool bare);

  RecordMetadata metadata();
  /// The item, behind the metadata. \throws Error also for bytes behind it
  Value item(const RecordMetadata& metadata, const TypeInfo& type);

 private:
  [[noreturn]] void fail(ErrorCode code, std::string problem, std::string expected,
                         std::string found, const Trace* trace, std::string advice = {}) const;

  // The parts of bincode.
  unsigned byte();
  std::uint64_t varint();
  std::string text();
  bool tag(const Trace* trace);
  /// How many items follow, each of which takes `least` bytes or more.
  std::uint64_t length(std::uint64_t least, const Trace* trace);

  // Recursive over the type, to Limits::depth.
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
  /// Numbers one after another, as the lists of Rust have them.
  std::vector<std::byte> numbers(DType dtype, std::uint64_t count, const Trace* trace);
  Value sequence(const TypeInfo& type, const Trace* trace);

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
