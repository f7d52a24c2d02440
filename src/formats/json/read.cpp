#include "formats/json/read.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include "data/dict.hpp"
#include "formats/json/elements.hpp"
#include "formats/json/reader.hpp"

namespace safestructures::inline v0::json {
namespace {

/// The whole text: a view where that is possible, and asked for.
SharedBytes text_of(const Source& source, Access access) {
  const auto size = static_cast<std::size_t>(source.size());
  if (access == Access::map || source.is_in_memory()) return source.view(0, size);
  auto owner = std::make_shared<std::vector<std::byte>>(size);
  source.read(0, *owner);
  const std::span<const std::byte> bytes = *owner;
  return {bytes, std::move(owner)};
}

}  // namespace

Content Reader::read() {
  Content content;
  content.description = "JSON";
  cursor_.next();
  content.root = value(false, nullptr, &content);
  cursor_.next();
  content.tensor_count = names_.size();
  content.tensor_bytes = tensor_bytes_;
  return content;
}

Value Reader::value_at(bool is_plain, const Trace& trace) {
  try {
    const detail::Descent level(depth_, limits_.depth, &trace);
    return value(is_plain, &trace, nullptr);
  } catch (const Error& error) {
    throw error.with_path(to_string(&trace));
  }
}

Value Reader::value(bool is_plain, const Trace* trace, Content* content) {
  count_node();
  return bare(is_plain, trace, content, false);
}

Value Reader::bare(bool is_plain, const Trace* trace, Content* content, bool is_wrapped) {
  if (cursor_.token() != Token::object) return marked(simple(is_plain, trace), is_plain);
  if (cursor_.next() == Token::object_end) return marked(Value::dict(), is_plain);
  const std::string_view name = cursor_.string();
  if (!name.starts_with('$')) return marked(dict(is_plain, trace), is_plain);
  if (content != nullptr && name == envelope_name) return envelope(*content);
  const std::optional<Mark> mark = mark_of(name);
  if (!mark) return marked(dict(is_plain, trace), is_plain);
  if (*mark == Mark::plain || *mark == Mark::node) {
    if (is_wrapped || (*mark == Mark::plain) == is_plain)
      fail(ErrorCode::invalid_schema, "a " + std::string(name) + " stands where it says nothing",
           "it around a value that is not " + std::string(is_plain ? "plain" : "a node") +
               " by its place");
    cursor_.next();
    Value result = bare(!is_plain, trace, nullptr, true);
    end_object(*mark);
    return result;
  }
  cursor_.next();
  return marked(special(*mark, is_plain, trace), is_plain);
}

Value Reader::simple(bool is_plain, const Trace* trace) {
  switch (cursor_.token()) {
    case Token::null: return {};
    case Token::boolean: return cursor_.boolean();
    case Token::number: return number();
    case Token::string: return Value(std::string(cursor_.string()));
    case Token::array: return Value::list(items(is_plain, trace));
    default: fail(ErrorCode::invalid_schema, "the text is empty", "a value", "its end");
  }
}

Value Reader::number() {
  const std::string_view raw = cursor_.raw();
  if (!cursor_.is_integer()) {
    const double result = cursor_.number();
    if (std::isinf(result) && raw.back() != 'y')
      fail(ErrorCode::out_of_range, "a number is too large for a float", "at most 1.8e308",
           std::string(raw.substr(0, 40)));
    return result;
  }
  std::int64_t small = 0;
  if (std::from_chars(raw.data(), raw.data() + raw.size(), small).ec == std::errc()) return small;
  const std::size_t digits = raw.size() - (raw.front() == '-' ? 1 : 0);
  if (digits > limits_.digits) pass(detail::Limit::digits, limits_.digits, std::to_string(digits));
  return Value::integer(raw);
}

std::vector<Value> Reader::items(bool is_plain, const Trace* trace) {
  std::vector<Value> result;
  while (cursor_.next() != Token::array_end)
    result.push_back(value_at(is_plain, Trace{trace, {}, result.size()}));
  return result;
}

void Reader::insert(Value& container, Value key, Value item, const Trace& trace,
                    std::uint64_t offset) {
  try {
    container.insert(std::move(key), std::move(item));
  } catch (const Error& error) {
    ErrorDetails details = error.details();
    details.path = to_string(&trace);
    details.offset = offset;
    throw Error(error.code(), error.problem(), std::move(details));
  }
}

void Reader::member(Value& container, bool is_plain, const Trace* trace) {
  const std::uint64_t offset = cursor_.offset();
  const std::string name(cursor_.string());
  const Trace step{trace, name};
  cursor_.next();
  Value item = value_at(is_plain, step);
  insert(container, Value(name), std::move(item), step, offset);
}

Value Reader::dict(bool is_plain, const Trace* trace) {
  Value result = Value::dict();
  do member(result, is_plain, trace);
  while (cursor_.next() == Token::name);
  return result;
}

Value Reader::special(Mark mark, bool is_plain, const Trace* trace) {
  switch (mark) {
    case Mark::floating: {
      const double result = part(mark);
      end_object(mark);
      return result;
    }
    case Mark::complex: return complex();
    case Mark::bytes: return bytes(trace);
    case Mark::list:
    case Mark::tuple:
    case Mark::set: return sequence(mark, is_plain, trace);
    case Mark::dict: return pairs(is_plain, trace);
    case Mark::structure: return structure(is_plain, trace);
    case Mark::tensor: return tensor(trace);
    default: return custom(trace);
  }
}

double Reader::part(Mark mark) {
  const ParsedElement element = parse_element(DType::F64, cursor_);
  if (element.fault) wrong(mark, "a number that F64 can hold, \"inf\", \"nan\"");
  return std::bit_cast<double>(element.bits);
}

Value Reader::complex() {
  expect(Token::array, Mark::complex, "an array of two numbers");
  cursor_.next();
  const double real = part(Mark::complex);
  cursor_.next();
  const double imaginary = part(Mark::complex);
  if (cursor_.next() != Token::array_end) wrong(Mark::complex, "an array of two numbers");
  end_object(Mark::complex);
  return std::complex<double>(real, imaginary);
}

Value Reader::sequence(Mark mark, bool is_plain, const Trace* trace) {
  expect(Token::array, mark, "an array");
  std::vector<Value> members = items(is_plain, trace);
  if (mark == Mark::set) {
    const std::size_t repeated = detail::find_repeated(members);
    if (repeated != detail::Dict::npos) {
      const Trace step{trace, {}, repeated};
      throw Error(ErrorCode::duplicate_name, "a set has an item twice",
                  {.path = to_string(&step), .offset = cursor_.offset()});
    }
  }
  Value result = mark == Mark::set     ? Value::set(std::move(members))
                 : mark == Mark::tuple ? Value::tuple(std::move(members))
                                       : Value::list(std::move(members));
  apply(extras_to_end(mark, trace), result);
  return result;
}

Value Reader::pairs(bool is_plain, const Trace* trace) {
  constexpr std::string_view form = "an array of arrays [key, value] or [key, label, value]";
  expect(Token::array, Mark::dict, form);
  Value result = Value::dict();
  while (cursor_.next() != Token::array_end) {
    const std::uint64_t offset = cursor_.offset();
    expect(Token::array, Mark::dict, form);
    if (cursor_.next() == Token::array_end) wrong(Mark::dict, std::string(form));
    Value key = value_at(false, Trace{trace, {}, result.size()});
    if (cursor_.next() == Token::array_end) wrong(Mark::dict, std::string(form));
    // A label is known by what follows it: it may be the value.
    if (key.kind() > Kind::string && cursor_.token() == Token::string) {
      std::string label(cursor_.string());
      const Trace step{trace, label};
      if (cursor_.next() == Token::array_end) {
        count_node();
        insert(result, std::move(key), marked(Value(label), is_plain), step, offset);
        continue;
      }
      key.set_key_label(label);
      pair_value(result, std::move(key), is_plain, step, offset);
      continue;
    }
    const std::string label = key.key_label();
    pair_value(result, std::move(key), is_plain, Trace{trace, label}, offset);
  }
  apply(extras_to_end(Mark::dict, trace), result);
  return result;
}

void Reader::pair_value(Value& dict, Value key, bool is_plain, const Trace& step,
                        std::uint64_t offset) {
  Value item = value_at(is_plain, step);
  if (cursor_.next() != Token::array_end)
    wrong(Mark::dict, "an array of arrays [key, value] or [key, label, value]");
  insert(dict, std::move(key), std::move(item), step, offset);
}

Value Reader::structure(bool is_plain, const Trace* trace) {
  expect(Token::string, Mark::structure, "the name of a class");
  Value result = Value::structure(std::string(cursor_.string()));
  Extras extras;
  bool has_fields = false;
  while (cursor_.next() == Token::name) {
    const std::string_view name = cursor_.string();
    if (!name.starts_with('$')) {
      member(result, is_plain, trace);
    } else if (name == fields_name) {
      if (std::exchange(has_fields, true)) twice(name, cursor_.offset());
      if (cursor_.next() != Token::object) wrong(Mark::structure, "an object of fields");
      while (cursor_.next() == Token::name) member(result, is_plain, trace);
    } else if (!extra(extras, Mark::structure, trace)) {
      unknown_member(Mark::structure);
    }
  }
  apply(std::move(extras), result);
  return result;
}

Value Reader::custom(const Trace* trace) {
  expect(Token::string, Mark::custom, "the name of a type");
  const std::string type(cursor_.string());
  std::optional<Value> payload;
  Extras extras;
  while (cursor_.next() == Token::name) {
    if (cursor_.string() == value_name) {
      if (payload) twice(value_name, cursor_.offset());
      cursor_.next();
      const detail::Descent level(depth_, limits_.depth, trace);
      payload = value(false, trace, nullptr);
    } else if (!extra(extras, Mark::custom, trace)) {
      unknown_member(Mark::custom);
    }
  }
  if (!payload) fail(ErrorCode::invalid_schema, "a $custom has no value");
  Value result = Value::custom(type, *std::move(payload));
  apply(std::move(extras), result);
  return result;
}

Content read(const std::shared_ptr<const Source>& source, const LoadOptions& options) {
  if (options.verify_checksums)
    throw Error(ErrorCode::checksum_mismatch, "the file has no checksums",
                {.advice = "Save it as safestructures with SaveOptions::checksums, or load it "
                           "without LoadOptions::verify_checksums"});
  const SharedBytes text = text_of(*source, options.access);
  try {
    Reader reader({reinterpret_cast<const char*>(text.bytes.data()), text.bytes.size()}, options);
    Content content = reader.read();
    if (!source->name().empty()) content.files.emplace_back(source->name());
    return content;
  } catch (const Error& error) {
    throw error.with_path("/");
  }
}

}  // namespace safestructures::inline v0::json
