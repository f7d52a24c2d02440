#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/tensor.hpp>
#include "formats/tree/reader.hpp"

namespace safestructures::inline v0::tree {

void Reader::enter(Value& value, std::optional<std::string> name, const Trace* trace) {
  if (names_.size() >= limits_.tensors) pass(detail::Limit::tensors, limits_.tensors);
  const Tensor& tensor = value.tensor();
  tensor_bytes_ += tensor.byte_size();
  if (!name)
    return value.set_tensor_name(
        names_.enter_distinct(detail::place_name(trace), tensor, tensor.dtype()));
  std::string entered = *name;
  if (!names_.enter(entered, tensor, tensor.dtype()))
    fail(ErrorCode::duplicate_name, "two tensors have the same name",
         {.found = in_quotes(*name),
          .advice = "Refer to the first by {\"same\": name}, or give each a name of its own"});
  value.set_tensor_name(*std::move(name));
}

Tensor Reader::same(Mark mark, std::string& name) {
  if (input_.next() != Token::name || input_.string() != same_name ||
      input_.next() != Token::string)
    wrong(mark, std::string(mark == Mark::tensor ? "a dtype, or {\"same\": name}" : bytes_form()));
  name = input_.string();
  const detail::NamedTensors::Known* known = names_.find(name);
  if (known == nullptr)
    fail(ErrorCode::missing_tensor, "no tensor before this one has the name that it refers to",
         {.found = in_quotes(name)});
  count_again(known->tensor);
  if (input_.next() != Token::object_end) unknown_member(mark);
  return known->tensor;
}

void Reader::count_again(const Tensor& tensor) {
  const std::uint64_t most = detail::most_repeated(input_.size(), limits_);
  if (tensor.byte_size() > most - again_) pass(detail::Limit::repeats, most);
  again_ += tensor.byte_size();
}

Value Reader::bytes(const Trace* trace) {
  if (input_.token() == Token::object) {
    std::string name;
    Tensor tensor = same(Mark::bytes, name);
    if (tensor.dtype() != DType::U8 || tensor.rank() != 1)
      fail(ErrorCode::invalid_schema, "bytes refer to a tensor of another kind",
           {.expected = "U8 of one dimension",
            .found = std::string(to_string(tensor.dtype())) + " " + to_string(tensor.shape())});
    Value result = Value::bytes(std::move(tensor));
    result.set_tensor_name(std::move(name));
    apply(extras_to_end_unnamed(Mark::bytes, trace), result);
    return result;
  }
  std::optional<Tensor> content = input_.bytes(trace);
  if (!content) wrong(Mark::bytes, std::string(bytes_form()));
  Value result = Value::bytes(*std::move(content));
  Extras extras = extras_to_end(Mark::bytes, trace);
  enter(result, std::exchange(extras.name, std::nullopt), trace);
  apply(std::move(extras), result);
  return result;
}

Value Reader::tensor(const Trace* trace) {
  if (input_.token() == Token::object) {
    std::string name;
    Value result(same(Mark::tensor, name));
    result.set_tensor_name(std::move(name));
    apply(extras_to_end_unnamed(Mark::tensor, trace), result);
    return result;
  }
  Extras extras;
  Value result(dense(trace, &extras));
  enter(result, std::exchange(extras.name, std::nullopt), trace);
  apply(std::move(extras), result);
  return result;
}

Tensor Reader::dense(const Trace* trace, Extras* extras) {
  expect(Token::string, Mark::tensor, "a dtype, or {\"same\": name}");
  const std::optional<DType> dtype = parse_dtype(input_.string());
  if (!dtype)
    fail(ErrorCode::unknown_dtype, "a tensor has an unknown dtype",
         {.found = in_quotes(input_.string())});
  const std::unique_ptr<Elements> elements = input_.elements(*dtype, trace);
  bool has_shape = false;
  bool has_data = false;
  while (next_member(Mark::tensor)) {
    const std::uint64_t offset = input_.offset();
    const std::string_view name = input_.string();
    if (name == shape_name) {
      if (std::exchange(has_shape, true)) twice(name, offset);
      input_.next();
      elements->read_shape();
    } else if (name == data_name) {
      if (std::exchange(has_data, true)) twice(name, offset);
      input_.next();
      elements->read_data();
    } else if (name == pad_name && !input_.is_text()) {
      // Padding that aligns the data in the file; JSON needs none.
      if (input_.next() != Token::bytes) wrong(Mark::tensor, "bytes as its 'pad'");
    } else if (extras == nullptr || !extra(*extras, Mark::tensor, trace)) {
      unknown_member(Mark::tensor);
    }
  }
  return elements->finish();
}

}  // namespace safestructures::inline v0::tree
