#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include "formats/tree/reader.hpp"

namespace safestructures::inline v0::tree {

bool Reader::extra(Extras& extras, Mark mark, const Trace* trace) {
  const std::uint64_t offset = input_.offset();
  const std::string_view name = input_.string();
  const bool is_tensor = mark == Mark::tensor || mark == Mark::bytes;
  const bool has_class = mark == Mark::structure || mark == Mark::custom;
  if (name == attributes_name) {
    if (extras.attributes) twice(name, offset);
    input_.next();
    read_attributes(extras.attributes.emplace(), mark, trace);
    return true;
  }
  const bool is_type = name == type_name && !has_class;
  if (!is_type && !(name == tensor_name && is_tensor)) return false;
  std::optional<std::string>& text = is_type ? extras.type : extras.name;
  if (text) twice(name, offset);
  if (input_.next() != Token::string) wrong(mark, "a string as its type or name");
  text = input_.string();
  return true;
}

void Reader::read_attributes(std::vector<Extras::Attribute>& attributes, Mark mark,
                             const Trace* trace) {
  expect(Token::object, mark, "an object of attributes");
  while (next_member(mark)) {
    if (attributes.size() >= limits_.attributes)
      pass(detail::Limit::attributes, limits_.attributes);
    Extras::Attribute attribute{std::string(input_.string()), {}, input_.offset()};
    input_.next();
    attribute.value = value_at(Unmarked::plain, Trace{trace, attribute.name});
    attributes.push_back(std::move(attribute));
  }
}

Extras Reader::extras_to_end(Mark mark, const Trace* trace) {
  Extras extras;
  while (next_member(mark))
    if (!extra(extras, mark, trace)) unknown_member(mark);
  return extras;
}

void Reader::apply(Extras extras, Value& value) {
  if (extras.type) value.set_type_name(*std::move(extras.type));
  if (!extras.attributes) return;
  for (Extras::Attribute& attribute : *extras.attributes) {
    if (value.attribute(attribute.name) != nullptr) twice(attribute.name, attribute.offset);
    value.set_attribute(attribute.name, std::move(attribute.value));
  }
}

Extras Reader::extras_to_end_unnamed(Mark mark, const Trace* trace) {
  Extras extras = extras_to_end(mark, trace);
  if (extras.name)
    fail(ErrorCode::invalid_schema, "a tensor that refers to another has a name of its own",
         {.found = in_quotes(*extras.name)});
  return extras;
}

Value Reader::envelope(Content& content) {
  constexpr std::string_view problem = "a $safestructures has the wrong form";
  const auto wrong_form = [&](std::string expected) {
    fail(ErrorCode::invalid_schema, std::string(problem),
         {.expected = std::move(expected),
          .found = input_.token() == Token::name ? in_quotes(input_.string())
                                                 : std::string(describe(input_.token()))});
  };
  if (input_.next() != Token::object) wrong_form("an object with metadata and tensors");
  bool has_metadata = false;
  bool has_tensors = false;
  while (input_.next() == Token::name) {
    const std::string_view name = input_.string();
    const bool is_metadata = name == metadata_name;
    if (!is_metadata && name != tensors_name) wrong_form("metadata and tensors only");
    if (std::exchange(is_metadata ? has_metadata : has_tensors, true)) twice(name, input_.offset());
    if (input_.next() != Token::object)
      wrong_form(is_metadata ? "an object of texts" : "an object of tensors");
    while (input_.next() != Token::object_end) {
      if (input_.token() != Token::name) wrong_form("names that are strings");
      const std::string member(input_.string());
      const Trace step{nullptr, member};
      try {
        if (is_metadata) read_metadata(content, member);
        else read_extra_tensor(content, member, &step);
      } catch (const Error& error) {
        throw error.with_path(to_string(&step));
      }
    }
  }
  if (input_.token() != Token::object_end) wrong_form("metadata and tensors only");
  if (input_.next() != Token::name || input_.string() != root_name) wrong_form("'root' after it");
  input_.next();
  Value root = bare(Unmarked::node, nullptr, nullptr);
  if (input_.next() != Token::object_end) wrong_form("nothing after 'root'");
  return root;
}

void Reader::read_metadata(Content& content, const std::string& name) {
  const std::uint64_t offset = input_.offset();
  if (input_.next() != Token::string)
    fail(ErrorCode::invalid_metadata, "a text of the metadata is not a string",
         {.expected = "a string", .found = std::string(describe(input_.token()))});
  if (!content.metadata.emplace(name, input_.string()).second) twice(name, offset);
}

void Reader::read_extra_tensor(Content& content, const std::string& name, const Trace* step) {
  if (input_.next() != Token::object || input_.next() != Token::name ||
      input_.string() != name_of(Mark::tensor))
    fail(ErrorCode::invalid_schema, "a tensor outside the structure has the wrong form",
         {.expected = "an object that begins with $tensor",
          .found = std::string(describe(input_.token()))});
  input_.next();
  Value tensor(dense(step, nullptr));
  enter(tensor, name, step);
  content.extra_tensors.emplace_back(name, tensor.tensor());
}

}  // namespace safestructures::inline v0::tree
