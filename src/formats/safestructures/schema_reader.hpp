/// \file
/// The readers of a schema: the general one, whose nodes are in schema_read.cpp and whose plain
/// JSON is in schema_read_json.cpp, and the direct one in schema_read_direct.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "data/limit.hpp"
#include "formats/json/tree.hpp"

namespace safestructures::inline v0::schema {

/// The source of a schema's tensors.
class TensorSource {
 public:
  TensorSource() = default;
  TensorSource(const TensorSource&) = delete;
  TensorSource& operator=(const TensorSource&) = delete;
  virtual ~TensorSource() = default;

  /// Starts over: what was found so far does not count.
  virtual void restart() = 0;
  /// Returns the position of the tensor with a name, or nothing.
  virtual std::optional<std::size_t> find(std::string_view name) = 0;
  /// Does the same for a text that is a tensor's name only if there is such a tensor.
  virtual std::optional<std::size_t> find_named_by_text(std::string_view text) {
    return find(text);
  }
  /// Returns the tensor that was found last, at `place`. Must be called once.
  virtual Tensor take(std::size_t place) = 0;
  /// Notes that a tensor of the schema has, or may have, a note of its dtype before it was stored.
  virtual void note_dtype() {}
};

/// Reads a schema of any spelling. \param text valid UTF-8, like everything in a header
/// \throws Error as the public `read`
Value read(std::string_view text, TensorSource& tensors, const Limits& limits);

/// Reads a schema of Python's own types that is spelled as Python's `json.dumps` and this library
/// spell it: front to back, without an index of the text. It is twice as fast as the general reader
/// (docs/performance.md), accepts nothing that the other refuses and gives the same result.
/// \param text as for `read`
/// \returns whether it was such a schema; if not, or if it has a fault, the general reader decides
bool read_direct(std::string_view text, TensorSource& tensors, const Limits& limits, Value& root);

/// Reads one schema. Refers to its arguments; must not be used after an error.
class Reader {
 public:
  Reader(TensorSource& tensors, const Limits& limits) : tensors_(tensors), limits_(limits) {}

  Value read(std::string_view text);

 private:
  using Json = json::Element;

  struct Node {
    std::string_view type;
    Json value;
    std::optional<Json> keys;
    std::size_t others = 0;  // Extension fields.
  };

  /// Which objects count as nodes in JSON that is kept as it is.
  enum class Nodes : bool {
    all,      ///< All that have the form of a node: plugins put nodes anywhere in their payload.
    tensors,  ///< Only those that may name a tensor of the file, which must be kept.
  };

  /// Goes one level down; the limit does not count the root's level.
  [[nodiscard]] detail::Descent descend(const Trace* trace) {
    return {depth_, limits_.depth, trace, 1};
  }
  [[noreturn]] static void fail(ErrorCode code, const Trace* trace, std::string problem,
                                ErrorDetails details = {});
  [[noreturn]] static void wrong(const Trace* trace, std::string_view type, std::string expected,
                                 const Json& found);
  [[noreturn]] static void twice(const Trace* trace, std::string_view name);
  [[noreturn]] static void not_a_number(const Node& parts, std::string_view text,
                                        const Trace* trace);
  [[nodiscard]] static std::string describe(const Json& json) {
    return std::string(json::describe(json.kind()));
  }

  // Recursive, up to Limits::depth.
  Value node(const Json& json, const Trace* trace);
  Node fields(const Json& json, const Trace* trace) const;
  Value known(Kind kind, const Node& parts, const Trace* trace);
  Value integer(const Node& parts, const Trace* trace) const;
  static double bare_number(const Node& parts, const Trace* trace);
  static Value floating(const Node& parts, const Trace* trace);
  static Value complex(const Node& parts, const Trace* trace);
  std::vector<Value> items(const Node& parts, const Trace* trace);
  Value set(const Node& parts, const Trace* trace);
  Value dict(const Node& parts, const Trace* trace);
  Value structure(const Node& parts, const Trace* trace);
  Value tensor(Kind kind, const Node& parts, const Trace* trace) const;

  Value custom(const Node& parts, const Trace* trace);
  void attributes(Value& value, const Json& json, bool has_own_keys, const Trace* trace);
  // Recursive, up to Limits::depth.
  Value plain(const Json& json, const Trace* trace, Nodes nodes);
  [[nodiscard]] static bool is_node(const Json& json, Nodes nodes);
  [[nodiscard]] static std::optional<Kind> kind_of_node(const Node& parts);

  [[nodiscard]] Value number(const Json& json, const Trace* trace) const;
  static void insert(Value& container, Value key, Value value, const Trace* trace);
  static std::string_view string(const Node& parts, const Trace* trace);
  [[nodiscard]] Value small_integer(std::int64_t number, const Trace* trace) const;
  [[nodiscard]] Value big_integer(std::string_view digits, const Trace* trace) const;
  void count_node(const Trace* trace);

  TensorSource& tensors_;
  const Limits& limits_;
  std::uint64_t nodes_ = 0;
  std::uint32_t depth_ = 0;
};

}  // namespace safestructures::inline v0::schema
