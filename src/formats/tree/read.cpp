#include "formats/tree/read.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include "data/box.hpp"
#include "data/dict.hpp"
#include "formats/tree/reader.hpp"

namespace safestructures::inline v0::tree {
Content Reader::read() {
  Content content;
  content.description = input_.format();
  input_.next();
  content.root = value(Unmarked::node, nullptr, &content);
  input_.next();
  content.tensor_count = names_.size();
  content.tensor_bytes = tensor_bytes_;
  return content;
}

Value Reader::value_at(Unmarked unmarked, const Trace& trace) {
  try {
    const detail::Descent level(depth_, limits_.depth, &trace);
    return value(unmarked, &trace, nullptr);
  } catch (const Error& error) {
    throw error.with_path(to_string(&trace));
  }
}

Value Reader::value(Unmarked unmarked, const Trace* trace, Content* content) {
  count_node();
  return bare(unmarked, trace, content);
}

Value Reader::bare(Unmarked unmarked, const Trace* trace, Content* content, bool is_wrapped) {
  if (input_.token() != Token::object) {
    Value result = simple(unmarked, trace);
    mark(result, unmarked);
    return result;
  }
  if (input_.next() == Token::object_end) return marked(Value::dict(), unmarked);
  const std::string_view name =
      input_.token() == Token::name ? input_.string() : std::string_view();
  if (!name.starts_with('$')) return marked(dict(unmarked, trace), unmarked);
  if (content != nullptr && name == envelope_name) return envelope(*content);
  const std::optional<Mark> mark = mark_of(name);
  if (!mark || !input_.knows(*mark)) return marked(dict(unmarked, trace), unmarked);
  if (*mark == Mark::plain || *mark == Mark::node) {
    if (is_wrapped || (*mark == Mark::plain) == (unmarked == Unmarked::plain))
      says_nothing(*mark, unmarked);
    input_.next();
    constexpr bool is_inside = true;
    Value result =
        bare(*mark == Mark::plain ? Unmarked::plain : Unmarked::node, trace, nullptr, is_inside);
    end_object(*mark);
    return result;
  }
  input_.next();
  return marked(special(*mark, unmarked, trace), unmarked);
}

// What is not needed for the descent has its own functions; otherwise their temporaries would be on
// the stack at every level (half a megabyte for the 500 levels of Limits::depth).
void Reader::says_nothing(Mark mark, Unmarked unmarked) const {
  fail(ErrorCode::invalid_schema,
       "a " + std::string(name_of(mark)) + " stands where it has no effect",
       {.expected = "a value that is not already " +
                    std::string(unmarked == Unmarked::plain ? "plain" : "a node") +
                    " by its place"});
}

void Reader::is_empty() const {
  fail(ErrorCode::invalid_schema, "the text is empty", {.expected = "a value", .found = "its end"});
}

Value Reader::bare_bytes(const Trace* trace) {
  Value result = Value::bytes(*input_.bytes(trace));
  enter(result, std::nullopt, trace);
  return result;
}

Value Reader::simple(Unmarked unmarked, const Trace* trace) {
  switch (input_.token()) {
    case Token::null: return {};
    case Token::boolean: return input_.boolean();
    case Token::number: return number();
    case Token::string: return Value(input_.string());
    case Token::array: return Value::list(items(unmarked, trace));
    case Token::extension: return extension(trace);
    case Token::bytes: return bare_bytes(trace);
    default: is_empty();
  }
}

std::vector<Value> Reader::items(Unmarked unmarked, const Trace* trace) {
  std::vector<Value> result;
  while (input_.next() != Token::array_end) {
    if (result.empty()) result.reserve(lengths_.at(depth_));
    result.push_back(value_at(unmarked, Trace{trace, {}, result.size()}));
  }
  lengths_.note(depth_, result.size());
  return result;
}

void Reader::insert(Value& container, Value&& key, Value&& item, const Trace& trace,
                    std::uint64_t offset) {
  try {
    detail::insert_entry(container, std::move(key), std::move(item));
  } catch (const Error& error) {
    ErrorDetails details = error.details();
    details.path = to_string(&trace);
    details.offset = offset;
    throw Error(error.code(), error.problem(), std::move(details));
  }
}

void Reader::member(Value& container, Unmarked unmarked, const Trace* trace) {
  const std::uint64_t offset = input_.offset();
  Value key = names_again_.value_of(input_.string());
  const Trace step{trace, detail::Box::string(key)};
  input_.next();
  Value item = value_at(unmarked, step);
  insert(container, std::move(key), std::move(item), step, offset);
}

Value Reader::dict(Unmarked unmarked, const Trace* trace) {
  Value result = Value::dict();
  result.reserve(sizes_.at(depth_));
  do entry(result, unmarked, trace);
  while (input_.next() != Token::object_end);
  sizes_.note(depth_, result.size());
  return result;
}

void Reader::entry(Value& container, Unmarked unmarked, const Trace* trace) {
  if (input_.token() == Token::name) return member(container, unmarked, trace);
  const std::uint64_t offset = input_.offset();
  Value key = value_at(Unmarked::node, Trace{trace, {}, container.size()});
  const std::string label = key.key_label();
  const Trace step{trace, label};
  input_.next();
  Value item = value_at(unmarked, step);
  insert(container, std::move(key), std::move(item), step, offset);
}

Value Reader::special(Mark mark, Unmarked unmarked, const Trace* trace) {
  switch (mark) {
    case Mark::floating: {
      const double result = part(mark);
      end_object(mark);
      return result;
    }
    case Mark::integer: return integer();
    case Mark::complex: return complex();
    case Mark::bytes: return bytes(trace);
    case Mark::list:
    case Mark::tuple:
    case Mark::set: return sequence(mark, unmarked, trace);
    case Mark::dict: return pairs(unmarked, trace);
    case Mark::structure: return structure(unmarked, trace);
    case Mark::tensor: return tensor(trace);
    default: return custom(trace);
  }
}

double Reader::part(Mark mark) {
  const std::optional<double> number = input_.part();
  if (!number)
    wrong(mark, input_.is_text() ? "a number that F64 can hold, \"inf\", \"nan\"" : "a number");
  return *number;
}

/// Reads a number and checks Limits::digits; beyond 64 bits the input checks it itself.
Value Reader::number() {
  Value result = input_.number();
  if (limits_.digits < detail::most_small_digits && result.kind() == Kind::integer) {
    const std::string digits = result.integer_text();
    const std::size_t count = digits.size() - (digits.starts_with('-') ? 1 : 0);
    if (count > limits_.digits) pass(detail::Limit::digits, limits_.digits, std::to_string(count));
  }
  return result;
}

Value Reader::integer() {
  constexpr std::string_view form = "its digits in a string";
  expect(Token::string, Mark::integer, form);
  const std::string digits(input_.string());
  const std::size_t count = digits.size() - (digits.starts_with('-') ? 1 : 0);
  if (count > limits_.digits) pass(detail::Limit::digits, limits_.digits, std::to_string(count));
  Value result;
  try {
    result = Value::integer(digits);
  } catch (const Error&) {
    wrong(Mark::integer, std::string(form));
  }
  end_object(Mark::integer);
  return result;
}

Value Reader::complex() {
  expect(Token::array, Mark::complex, "an array of two numbers");
  input_.next();
  const double real = part(Mark::complex);
  input_.next();
  const double imaginary = part(Mark::complex);
  if (input_.next() != Token::array_end) wrong(Mark::complex, "an array of two numbers");
  end_object(Mark::complex);
  return std::complex<double>(real, imaginary);
}

Value Reader::sequence(Mark mark, Unmarked unmarked, const Trace* trace) {
  expect(Token::array, mark, "an array");
  std::vector<Value> members = items(unmarked, trace);
  if (mark == Mark::set) {
    const std::size_t repeated = detail::find_repeated(members);
    if (repeated != detail::Dict::npos)
      throw detail::repeated_item(members, repeated, trace, input_.offset());
  }
  Value result = mark == Mark::set     ? Value::set(std::move(members))
                 : mark == Mark::tuple ? Value::tuple(std::move(members))
                                       : Value::list(std::move(members));
  apply(extras_to_end(mark, trace), result);
  return result;
}

Value Reader::pairs(Unmarked unmarked, const Trace* trace) {
  constexpr std::string_view form = "an array of arrays [key, value] or [key, label, value]";
  expect(Token::array, Mark::dict, form);
  Value result = Value::dict();
  while (input_.next() != Token::array_end) {
    const std::uint64_t offset = input_.offset();
    expect(Token::array, Mark::dict, form);
    if (input_.next() == Token::array_end) wrong(Mark::dict, std::string(form));
    Value key = value_at(Unmarked::node, Trace{trace, {}, result.size()});
    if (input_.next() == Token::array_end) wrong(Mark::dict, std::string(form));
    // Whether this is a label depends on what follows: it may be the value.
    if (key.kind() > Kind::string && input_.token() == Token::string) {
      std::string label(input_.string());
      const Trace step{trace, label};
      if (input_.next() == Token::array_end) {
        count_node();
        insert(result, std::move(key), marked(Value(label), unmarked), step, offset);
        continue;
      }
      key.set_key_label(label);
      pair_value(result, std::move(key), unmarked, step, offset);
      continue;
    }
    const std::string label = key.key_label();
    pair_value(result, std::move(key), unmarked, Trace{trace, label}, offset);
  }
  apply(extras_to_end(Mark::dict, trace), result);
  return result;
}

void Reader::pair_value(Value& dict, Value key, Unmarked unmarked, const Trace& step,
                        std::uint64_t offset) {
  Value item = value_at(unmarked, step);
  if (input_.next() != Token::array_end)
    wrong(Mark::dict, "an array of arrays [key, value] or [key, label, value]");
  insert(dict, std::move(key), std::move(item), step, offset);
}

Value Reader::structure(Unmarked unmarked, const Trace* trace) {
  expect(Token::string, Mark::structure, "the name of a class");
  Value result = Value::structure(std::string(input_.string()));
  result.reserve(sizes_.at(depth_));
  Extras extras;
  bool has_fields = false;
  while (next_member(Mark::structure)) {
    const std::string_view name = input_.string();
    if (!name.starts_with('$')) {
      member(result, unmarked, trace);
    } else if (name == fields_name) {
      if (std::exchange(has_fields, true)) twice(name, input_.offset());
      if (input_.next() != Token::object) wrong(Mark::structure, "an object of fields");
      while (next_member(Mark::structure)) member(result, unmarked, trace);
    } else if (!extra(extras, Mark::structure, trace)) {
      unknown_member(Mark::structure);
    }
  }
  sizes_.note(depth_, result.size());
  apply(std::move(extras), result);
  return result;
}

Value Reader::custom(const Trace* trace) {
  expect(Token::string, Mark::custom, "the name of a type");
  const std::string type(input_.string());
  std::optional<Value> payload;
  Extras extras;
  while (next_member(Mark::custom)) {
    if (input_.string() == value_name) {
      if (payload) twice(value_name, input_.offset());
      input_.next();
      const detail::Descent level(depth_, limits_.depth, trace);
      payload = value(Unmarked::node, trace, nullptr);
    } else if (!extra(extras, Mark::custom, trace)) {
      unknown_member(Mark::custom);
    }
  }
  if (!payload) fail(ErrorCode::invalid_schema, "a $custom has no value");
  Value result = Value::custom(type, *std::move(payload));
  apply(std::move(extras), result);
  return result;
}

Content read(Input& input, const Source& source, const LoadOptions& options) {
  try {
    Content content = Reader(input, options.limits).read();
    if (!source.name().empty()) content.files.emplace_back(source.name());
    return content;
  } catch (const Error& error) {
    throw error.with_path("/");
  }
}

}  // namespace safestructures::inline v0::tree
