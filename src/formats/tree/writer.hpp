/// \file
/// Writes a structure as JSON, MessagePack or CBOR; its parts are in write.cpp and
/// write_tensor.cpp.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include "data/digest.hpp"
#include "formats/stored_dtype.hpp"
#include "formats/tensor_names.hpp"
#include "formats/tree/names.hpp"
#include "formats/tree/output.hpp"

namespace safestructures::inline v0::tree {

/// The values that are written without `$plain` or `$node` around them.
enum class Context : std::uint8_t {
  node,       ///< Those that are not marked as plain.
  plain,      ///< Those that are.
  attribute,  ///< Those of `plain`, and ordinary values that are not marked.
};

class Writer {
 public:
  /// Both must outlive this.
  Writer(Output& output, const SaveOptions& options)
      : options_(options), dtypes_(options.precision), out_(output) {}

  std::vector<ConvertedTensor> write(const Value& root);
  /// Returns how many bytes of tensors were referred to again by name.
  [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }

 private:
  /// The members that go with a value.
  struct Extras {
    bool has_type = false;
    std::size_t attributes = 0;
    std::optional<std::string_view> original;  ///< The dtype of a tensor; one of the attributes.

    /// Returns how many members these are.
    [[nodiscard]] std::size_t members() const {
      return (has_type ? 1U : 0U) + (attributes > 0 ? 1U : 0U);
    }
  };
  /// Returns the type name and attributes; for structs and custom values only the attributes.
  [[nodiscard]] Extras extras_of(const Value& item) const;
  void write_extras(const Value& item, const Extras& extras, const Trace* trace);

  /// Begins an object that stands for something; its mark's value follows. \param members how many
  /// there are in addition to the mark
  void begin(Mark mark, std::size_t members, Layout layout = Layout::inline_);
  void key(std::string_view name) { out_.key(name, nullptr); }
  void envelope();

  void value_at(const Value& item, Context context, const Trace& trace);

  // Recursive over the tree, up to Limits::depth.
  void value(const Value& item, Context context, const Trace* trace);
  void bare(const Value& item, Context context, const Trace* trace);
  void integer(const Value& item, const Trace* trace);
  void complex(std::complex<double> number);

  /// Returns whether a value holds only scalars, which are then written on one line.
  static bool is_short(const Value& item);
  void sequence(const Value& item, Context context, const Trace* trace);
  void dict(const Value& item, Context context, const Trace* trace);
  void field(const Entry& entry, Context context, const Trace* trace);
  void pair(const Entry& entry, Context context, const Trace* trace);
  void structure(const Value& item, Context context, const Trace* trace);
  void custom(const Value& item, const Trace* trace);

  void check_tensor(const Tensor& tensor, DType stored, const Trace* trace) const;
  /// Writes shape and elements, the last members of an object.
  void elements(const Tensor& tensor, DType stored, const std::string& name);
  [[nodiscard]] std::size_t element_members(const Tensor& tensor, DType stored) const;
  [[nodiscard]] bool is_known(const Tensor& tensor, DType stored, const std::string& name) const;
  void tensor(const Value& item, const Trace* trace);
  void bytes(const Value& item);

  /// Enters a tensor under a unique name and returns that name.
  /// \param given its own name, or nothing \param place that of its place
  const std::string& enter(const std::string& given, const std::string& place, const Tensor& tensor,
                           DType stored, const Trace* trace);

  const SaveOptions& options_;
  detail::StoredDTypes dtypes_;
  Output& out_;
  detail::NamedTensors names_;
  std::vector<ConvertedTensor> conversions_;
  // The names of tensors whose attributes are being written: readers do not know them yet.
  std::vector<std::string_view> unfinished_;
  // For sets in sets, to detect duplicates.
  detail::Digester::Sets sets_;
  detail::Digester digest_{sets_};
  bool in_key_ = false;
  std::uint32_t depth_ = 0;
  std::uint64_t nodes_ = 0;
  std::uint64_t repeated_ = 0;
  std::uint64_t tensors_ = 0;
};

}  // namespace safestructures::inline v0::tree
