/// \file
/// Reads the description from the events of a CBOR parser, so that no tree is built from unchecked
/// data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <safestructures/data/error.hpp>
#include <safestructures/data/limits.hpp>
#include "data/keyed_hash.hpp"
#include "formats/burnpack/description.hpp"

namespace safestructures::inline v0::burnpack {

class DescriptionReader {
 public:
  explicit DescriptionReader(const Limits& limits) : limits_(limits) {}

  [[nodiscard]] Description take() && { return std::move(result_); }

  // The callbacks of nlohmann/json. All return true: errors are thrown.
  bool null() { return leaf(Value()); }
  bool boolean(bool value) { return leaf(Value(value)); }
  bool number_integer(std::int64_t value);
  bool number_unsigned(std::uint64_t value) { return leaf(Value(value)); }
  bool number_float(double value, const std::string&) { return leaf(Value(value)); }
  bool string(std::string& value) { return leaf(Value(std::move(value))); }
  bool binary(nlohmann::json::binary_t&) { wrong("no byte string", "one"); }
  bool start_object(std::size_t) { return begin(true); }
  bool start_array(std::size_t) { return begin(false); }
  bool key(std::string& name);
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& error);

 private:
  /// The meaning of the innermost open map or list.
  enum class Part : std::uint8_t {
    root,
    tensors,
    tensor,
    dtype,
    shape,
    offsets,
    metadata,
    scalars,
    scalar,
    quantization,  ///< The values next to "QFloat", kept unchanged.
    unknown,       ///< An addition of a later version, skipped as Burn does.
  };

  [[noreturn]] void fail(ErrorCode code, std::string problem, ErrorDetails details = {}) const;
  [[noreturn]] void wrong(std::string expected, std::string found) const;

  bool begin(bool is_map);
  [[nodiscard]] Part part_of_child(bool is_map) const;
  bool leaf(Value value);
  bool end();

  void leaf_of_tensor(const Value& value);
  void leaf_of_dtype(Value value);
  void leaf_of_scalar(Value value);
  void add_to_quantization(Value value);

  void check_text(std::string_view text) const;
  void enter_name(const std::string& name);
  void enter_key(std::vector<std::string>& keys, std::string_view key) const;
  void set_dtype(std::string_view name);
  void finish_tensor();

  const Limits& limits_;
  Description result_;
  std::vector<Part> stack_;
  std::string key_;   // The last key.
  std::string name_;  // The name of the tensor, scalar or text that is being read.
  std::unordered_set<std::string, detail::KeyedHash> names_;
  std::vector<std::string> root_keys_;  // The known keys that have been seen.
  std::vector<std::string> keys_;       // The same for the tensor: few, whatever else it has.
  bool has_choice_ = false;  // Whether the key of a dtype or scalar, which has one, was seen.
  std::vector<std::uint64_t> shape_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::pair<std::string, Value>> unfinished_;  // Containers of a quantization, by key.
  std::uint64_t nodes_ = 0;
};

}  // namespace safestructures::inline v0::burnpack
