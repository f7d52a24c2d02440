/// \file
/// Reads a structure from JSON, MessagePack or CBOR; its parts are in read.cpp, read_members.cpp
/// and read_tensor.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/format.hpp>
#include "data/limit.hpp"
#include "data/text/printable.hpp"
#include "formats/tensor_names.hpp"
#include "formats/tree/input.hpp"
#include "formats/tree/names.hpp"
#include "formats/tree/recent_sizes.hpp"
#include "formats/tree/repeated_names.hpp"

namespace safestructures::inline v0::tree {

/// Optional members that many objects have in addition to their value.
struct Extras {
  struct Attribute {
    std::string name;
    Value value;
    std::uint64_t offset;
  };
  std::optional<std::string> type;
  std::optional<std::string> name;
  std::optional<std::vector<Attribute>> attributes;
};

/// Returns how many brackets may be open. A level of values takes at most four,
/// `{"$plain": {"$dict": [[`, and the content of a custom value is a level too.
[[nodiscard]] inline std::uint64_t bracket_depth(const Limits& limits) {
  return std::uint64_t{limits.depth} * 4 + limits.rank + 8;
}

/// What a value is that says neither `$plain` nor `$node`: it depends on its place.
enum class Unmarked : bool { node, plain };

class Reader {
 public:
  /// Both must outlive this.
  Reader(Input& input, const Limits& limits) : limits_(limits), input_(input) {}

  Content read();

 private:
  // Errors get their path on the way up, from the innermost place on.
  [[noreturn]] void fail(ErrorCode code, std::string problem, ErrorDetails details = {}) const {
    details.offset = input_.offset();
    throw Error(code, std::move(problem), std::move(details));
  }
  [[noreturn]] void pass(detail::Limit limit, std::uint64_t most, std::string found = {}) const {
    throw detail::past(limit, most, {.found = std::move(found), .offset = input_.offset()});
  }
  [[noreturn]] void wrong(Mark mark, std::string expected) const {
    fail(ErrorCode::invalid_schema, "a " + std::string(name_of(mark)) + " has the wrong form",
         {.expected = std::move(expected), .found = std::string(describe(input_.token()))});
  }
  void expect(Token token, Mark mark, std::string_view expected) const {
    if (input_.token() != token) wrong(mark, std::string(expected));
  }
  static std::string in_quotes(std::string_view name) {
    return "'" + detail::for_message(name) + "'";
  }
  [[noreturn]] void unknown_member(Mark mark) {
    const Token token = input_.token();
    fail(ErrorCode::unknown_field,
         "a " + std::string(name_of(mark)) + " has a member that it must not have",
         {.found =
              token == Token::name ? in_quotes(input_.string()) : std::string(describe(token))});
  }
  [[nodiscard]] std::string_view bytes_form() const {
    return input_.is_text() ? "base64 in a string, or {\"same\": name}"
                            : "bytes, or {\"same\": name}";
  }
  /// Returns whether a member follows; the input is then at its name.
  bool next_member(Mark mark) {
    if (input_.next() == Token::name) return true;
    if (input_.token() != Token::object_end) unknown_member(mark);
    return false;
  }
  [[noreturn]] void twice(std::string_view name, std::uint64_t offset) const {
    throw Error(ErrorCode::duplicate_name, "an object contains a member twice",
                {.found = in_quotes(name), .offset = offset});
  }

  [[noreturn]] void says_nothing(Mark mark, Unmarked unmarked) const;
  [[noreturn]] void is_empty() const;
  Value bare_bytes(const Trace* trace);

  Value value_at(Unmarked unmarked, const Trace& trace);

  /// Reads the value at the input. Recursive, up to Limits::depth.
  /// \param content the content to fill if this is the root
  Value value(Unmarked unmarked, const Trace* trace, Content* content);

  /// \param is_wrapped whether the value is wrapped in `$plain` or `$node`
  Value bare(Unmarked unmarked, const Trace* trace, Content* content, bool is_wrapped = false);

  static void mark(Value& value, Unmarked unmarked) {
    if (unmarked == Unmarked::plain) value = std::move(value).plain();
  }
  static Value marked(Value value, Unmarked unmarked) {
    mark(value, unmarked);
    return value;
  }

  /// Reads a value that is not an object.
  Value simple(Unmarked unmarked, const Trace* trace);
  Value number();
  Value integer();
  /// Reads the value after an extension of MessagePack or a tag of CBOR.
  Value extension(const Trace* trace);
  std::vector<Value> items(Unmarked unmarked, const Trace* trace);
  void insert(Value& container, Value&& key, Value&& item, const Trace& trace,
              std::uint64_t offset);

  /// `entry` reads an entry with a key of any kind; `member` reads one of a dict or struct whose
  /// name the input is at.
  void entry(Value& container, Unmarked unmarked, const Trace* trace);
  void member(Value& container, Unmarked unmarked, const Trace* trace);

  /// Reads an object as it is; the input is at its first name.
  Value dict(Unmarked unmarked, const Trace* trace);
  Value special(Mark mark, Unmarked unmarked, const Trace* trace);

  void end_object(Mark mark) {
    if (input_.next() != Token::object_end) unknown_member(mark);
  }

  double part(Mark mark);
  Value complex();

  /// Takes a member that many objects have; returns false if it is none of them.
  bool extra(Extras& extras, Mark mark, const Trace* trace);
  void read_attributes(std::vector<Extras::Attribute>& attributes, Mark mark, const Trace* trace);

  /// Reads the members after an object's value, up to its end.
  Extras extras_to_end(Mark mark, const Trace* trace);
  void apply(Extras extras, Value& value);
  Value sequence(Mark mark, Unmarked unmarked, const Trace* trace);
  Value pairs(Unmarked unmarked, const Trace* trace);

  void count_node() {
    if (++nodes_ > limits_.nodes) pass(detail::Limit::nodes, limits_.nodes);
  }

  void pair_value(Value& dict, Value key, Unmarked unmarked, const Trace& step,
                  std::uint64_t offset);
  Value structure(Unmarked unmarked, const Trace* trace);
  Value custom(const Trace* trace);

  /// Gives a tensor its name, by which it is known from here on.
  void enter(Value& value, std::optional<std::string> name, const Trace* trace);

  /// Returns the tensor that `{"same": name}` refers to; the input is at its brace.
  Tensor same(Mark mark, std::string& name);
  void count_again(const Tensor& tensor);
  Value bytes(const Trace* trace);
  Extras extras_to_end_unnamed(Mark mark, const Trace* trace);
  Value tensor(const Trace* trace);

  /// Reads a tensor; the input is at its dtype. \param extras null if it can have none
  Tensor dense(const Trace* trace, Extras* extras);

  /// Reads the root and what goes with it; the input is at the envelope's name.
  Value envelope(Content& content);
  void read_metadata(Content& content, const std::string& name);
  void read_extra_tensor(Content& content, const std::string& name, const Trace* step);

  const Limits& limits_;
  Input& input_;
  detail::NamedTensors names_;
  RepeatedNames names_again_;  // Of members.
  RecentSizes lengths_;        // Of arrays.
  RecentSizes sizes_;          // Of objects.
  std::uint64_t tensor_bytes_ = 0;
  std::uint64_t again_ = 0;  // Bytes of repeated references.
  std::uint64_t nodes_ = 0;
  std::uint32_t depth_ = 0;
};

}  // namespace safestructures::inline v0::tree
