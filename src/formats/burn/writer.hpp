/// \file
/// Writes a structure as a record of Burn, in any encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/burn.hpp>
#include <safestructures/formats/options.hpp>
#include "formats/burn/modules.hpp"
#include "formats/burn/output.hpp"
#include "formats/burn/record.hpp"
#include "formats/stored_dtype.hpp"

namespace safestructures::inline v0::burn {

class Writer {
 public:
  /// \param bare whether tensors are not parameters unless they say so
  Writer(Output& out, const SaveOptions& options, const Precision& precision, Version version,
         bool bare)
      : out_(out),
        options_(options),
        dtypes_(precision),
        version_(version),
        bare_(bare),
        is_half_(precision.floats == DType::F16) {}

  /// \param type the description of the C++ type of `item`; null if there is none
  void write(const RecordMetadata& metadata, const Value& item, const TypeInfo* type);
  [[nodiscard]] std::vector<ConvertedTensor> conversions() && { return std::move(conversions_); }

 private:
  [[noreturn]] static void fail(ErrorCode code, const Trace* trace, std::string problem,
                                ErrorDetails details);
  [[noreturn]] void mismatch(const TypeInfo& type, const Value& value, const Trace* trace) const;

  // Recursive over the tree, up to Limits::depth.
  void value_at(const Value& value, const TypeInfo* type, const Trace& trace);
  void value(const Value& value, const TypeInfo* type, const Trace* trace);
  /// Writes a value by its own kind.
  void natural(const Value& value, const Trace* trace);
  /// Writes a value as its type says.
  void typed(const Value& value, const TypeInfo& type, const Trace* trace);

  void text(std::string_view text, const Trace* trace);
  void integer(const Value& value, const TypeInfo& type, const Trace* trace);
  void floating(const Value& value, const TypeInfo& type, const Trace* trace);
  void optional(const Value& value, const TypeInfo& type, const Trace* trace);
  void list(const Value& value, const TypeInfo* type, const Trace* trace);
  void tuple(const Value& value, const TypeInfo& type, const Trace* trace);
  void dict(const Value& value, const TypeInfo* type, const Trace* trace);
  void record(const Value& value, const TypeInfo* type, const Trace* trace);
  /// Refuses members that are no fields of the type, which would be lost without a word.
  void refuse_others(const Value& value, const TypeInfo& type, const Trace* trace) const;
  void module(const Value& whole, const TypeInfo* type, std::string_view name, const Trace* trace);
  /// Refuses members that the record of a module has no place for.
  void refuse_lost(const Value& module, std::string_view name, const Trace* trace) const;
  /// \param level how far the constant is below the value that is being written: 0 or 1
  void constant(std::size_t count, std::uint32_t level, const Trace* trace);
  void variant(const Value& value, const TypeInfo& type, const Trace* trace);
  void enumerator(const Value& value, const TypeInfo& type, const Trace* trace);

  /// Counts what has no value here, but is one to a reader that finds out its type only later.
  /// \param levels how far it is below the value that is being written
  void count_parts(std::uint64_t nodes, std::uint32_t levels, const Trace* trace);

  void count_tensor(const Trace* trace);
  [[nodiscard]] bool is_param(const Value& value, const TypeInfo* type, const Trace* trace) const;
  void tensor(const Value& value, const TypeInfo* type, const Trace* trace);
  void tensor_data(const Value& value, const Trace* trace);
  /// Refuses dtypes that the version does not have. Before 0.14 tensors were lists of numbers,
  /// which have a dtype for all floats.
  void check_version(DType stored, const Trace* trace) const;
  void quantized(const Value& value, const Trace* trace);
  void tensor_like(const Value& value, const TypeInfo& type, const Trace* trace);
  /// Writes a C++ sequence of numbers, which is a list of them in Rust.
  void sequence(const Value& value, const TypeInfo& type, const Trace* trace);
  /// Returns whether a tensor has the dimensions of a sequence's type.
  [[nodiscard]] static bool has_shape(const Tensor& tensor, const TypeInfo& type);
  void rows(const Tensor& tensor, DType stored, const TypeInfo& type, const Trace* trace);
  void raw_bytes(const Tensor& bytes, bool is_fixed, const Trace* trace);

  Output& out_;
  const SaveOptions& options_;
  detail::StoredDTypes dtypes_;
  Version version_;
  bool bare_;
  bool is_half_;  // Whether the floats of tensors are F16, which before 0.14 only the settings say.
  std::vector<ConvertedTensor> conversions_;
  std::uint32_t depth_ = 0;
  std::uint64_t nodes_ = 0;
  std::uint64_t tensors_ = 0;
};

/// Whether a value is what records have where Burn stores nothing: None, or before 0.21 a list of
/// these for an array.
[[nodiscard]] bool is_nothing(const Value& value);

/// Returns a new id for a tensor, in the spelling of that version. It depends only on the tensor's
/// place, so that equal structures give equal bytes.
/// \param tensor its number in the record, which distinguishes tensors whose places are too long to
/// be spelled in full
[[nodiscard]] std::string new_id(const Trace* trace, std::uint64_t tensor, Version version);

}  // namespace safestructures::inline v0::burn
