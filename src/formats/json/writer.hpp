/// \file
/// Writes a structure as JSON text; its parts are in write.cpp and write_tensor.cpp.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/path.hpp>
#include <safestructures/data/sink.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/json.hpp>
#include <safestructures/formats/options.hpp>
#include "formats/json/names.hpp"
#include "formats/json/output.hpp"
#include "formats/json_string.hpp"
#include "formats/stored_dtype.hpp"
#include "formats/tensor_names.hpp"

namespace safestructures::inline v0::json {

/// Which values stand for themselves, without `$plain` or `$node` around them.
enum class Context : std::uint8_t {
  node,       ///< Those that are not marked as plain.
  plain,      ///< Those that are.
  attribute,  ///< As `plain`, and so are ordinary values that nobody marked.
};

class Writer {
 public:
  Writer(Sink& sink, const SaveOptions& options, const JsonOptions& json)
      : options_(options),
        dtypes_(options.precision),
        form_(json.tensors),
        out_(sink, json.indent),
        text_(out_.text()) {}

  std::vector<ConvertedTensor> write(const Value& root);

 private:
  void string(std::string_view text, const Trace* trace) {
    detail::append_json_string(text_, text, detail::Escapes::unsafe, trace);
  }

  /// The name of a member that is ours, on the line or on the next. The first opens the object.
  void member(std::string_view name, bool on_own_line = false);
  void begin_envelope();

  void next_line(bool& first) {
    if (!std::exchange(first, false)) text_ += ',';
    out_.line();
  }

  void value_at(const Value& item, Context context, const Trace& trace);

  // Recursive over the tree, to Limits::depth.
  void value(const Value& item, Context context, const Trace* trace);
  void bare(const Value& item, Context context, const Trace* trace);
  void integer(const Value& item, const Trace* trace);
  void floating(double number);
  void complex(std::complex<double> number);

  [[nodiscard]] bool has_attributes(const Value& item) const {
    return (options_.extensions || item.kind() == Kind::custom) && !item.attributes().empty();
  }
  [[nodiscard]] bool has_extras(const Value& item) const {
    return has_attributes(item) || !item.type_name().empty();
  }

  /// Type name and attributes, but of structs and custom values only the attributes.
  void extras(const Value& item, const Trace* trace);

  /// Scalars only, which then stand on one line.
  static bool is_short(const Value& item);
  void sequence(const Value& item, Context context, const Trace* trace);

  void close(char bracket, bool on_lines) {
    if (on_lines) return out_.close(bracket);
    out_.leave();
    text_ += bracket;
  }

  void dict(const Value& item, Context context, const Trace* trace);
  void field(const Entry& entry, Context context, const Trace* trace);
  void pair(const Entry& entry, Context context, const Trace* trace);
  void structure(const Value& item, Context context, const Trace* trace);
  void custom(const Value& item, const Trace* trace);
  void check_tensor(const Tensor& tensor, DType stored, const Trace* trace) const;
  void begin_tensor(DType dtype);

  /// Shape and elements, to the end of the object.
  void elements(const Tensor& tensor, DType stored, const std::string& name);
  void tensor(const Value& item, const Trace* trace);

  /// Enters a tensor under a name of its own and returns that name.
  std::string enter(const std::string& given, const Tensor& tensor, DType stored,
                    const Trace* trace);

  const SaveOptions& options_;
  detail::StoredDTypes dtypes_;
  JsonTensors form_;
  Output out_;
  std::string& text_;
  detail::NamedTensors names_;
  std::vector<ConvertedTensor> conversions_;
  // Names of tensors whose attributes are being written: readers do not know them yet.
  std::vector<std::string> unfinished_;
  bool in_key_ = false;
  std::uint32_t depth_ = 0;
  std::uint64_t nodes_ = 0;
  std::uint64_t tensors_ = 0;
};

}  // namespace safestructures::inline v0::json
