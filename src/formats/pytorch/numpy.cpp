#include "formats/pytorch/numpy.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <utility>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "data/text/printable.hpp"
#include "formats/pytorch/structure.hpp"

namespace safestructures::inline v0::pytorch {
namespace {

struct Code {
  std::string_view code;
  ElementType type;
};

constexpr std::array codes = {
    Code{"b1", {DType::BOOL}}, Code{"i1", {DType::I8}},         Code{"u1", {DType::U8}},
    Code{"i2", {DType::I16}},  Code{"u2", {DType::U16}},        Code{"f2", {DType::F16}},
    Code{"i4", {DType::I32}},  Code{"u4", {DType::U32}},        Code{"f4", {DType::F32}},
    Code{"i8", {DType::I64}},  Code{"u8", {DType::U64}},        Code{"f8", {DType::F64}},
    Code{"c8", {DType::C64}},  Code{"c16", {DType::F64, true}},
};

/// Returns the bytes of an array's elements, at an address that fits any of them.
Tensor as_elements(const Tensor& bytes, DType dtype, Shape shape) {
  Tensor result = Tensor::allocate(dtype, std::move(shape));
  std::ranges::copy(bytes.bytes(), result.mutable_bytes().begin());
  return result;
}

Value as_number(const Tensor& tensor, ElementType element) {
  const auto parts = [&] {
    const std::vector<double> found = tensor.to(DType::F64).to_vector<double>();
    return std::complex<double>(found[0], found[1]);
  };
  if (element.is_pair) return parts();
  if (element.dtype == DType::C64) {
    const std::complex<float> number = tensor.data<std::complex<float>>()[0];
    return std::complex<double>(number.real(), number.imag());
  }
  if (element.dtype == DType::BOOL) return tensor.data<bool>()[0];
  if (element.dtype == DType::U64) return tensor.data<std::uint64_t>()[0];
  if (is_integer(element.dtype)) return tensor.to_vector<std::int64_t>()[0];
  return tensor.to_vector<double>()[0];
}

}  // namespace

std::optional<std::vector<std::byte>> latin_bytes(std::string_view text) {
  std::vector<std::byte> result;
  result.reserve(text.size());
  while (!text.empty()) {
    const detail::CodePoint code = detail::first_code_point(text);
    if (!code.is_valid || code.value > 0xff) return std::nullopt;
    result.push_back(static_cast<std::byte>(code.value));
    text.remove_prefix(code.size);
  }
  return result;
}

std::optional<ElementType> numpy_dtype(const Pickle& pickle, Id id) {
  const Object& object = pickle.objects[id];
  if (object.kind != ObjectKind::call || object.call->state == no_object) return std::nullopt;
  const auto is_text = [&](Id part) {
    const Object& found = pickle.objects[part];
    return found.kind == ObjectKind::value && found.value.kind() == Kind::string;
  };
  const Object& callee = pickle.objects[object.call->callee];
  const std::vector<Id>& arguments = pickle.objects[object.call->arguments].parts;
  const Object& state = pickle.objects[object.call->state];
  if (callee.kind != ObjectKind::global || callee.value.as_string() != "numpy.dtype" ||
      arguments.empty() || !is_text(arguments[0]) || state.kind != ObjectKind::tuple ||
      state.parts.size() < 2 || !is_text(state.parts[1]))
    return std::nullopt;
  const std::string& order = pickle.objects[state.parts[1]].value.as_string();
  if (order != "<" && order != "|") return std::nullopt;
  const std::string& code = pickle.objects[arguments[0]].value.as_string();
  const auto* const found = std::ranges::find(codes, code, &Code::code);
  return found == codes.end() ? std::nullopt : std::optional(found->type);
}

// scalar(dtype, bytes)
Value StructureMaker::numpy_scalar(const Call& call, Arguments given, const Trace* trace) {
  const std::optional<ElementType> element = numpy_dtype(pickle_, given[0]);
  if (!element) return opaque(name_of(call.callee, trace), call, trace);
  const Value bytes = value(given[1], trace);
  if (bytes.kind() != Kind::bytes || bytes.tensor().size() != element->width())
    throw Error(ErrorCode::invalid_schema, "a number of NumPy has the wrong size",
                {.expected = detail::counted(element->width(), "byte")});
  return as_number(
      as_elements(bytes.tensor(), element->dtype, element->is_pair ? Shape{2} : Shape{}), *element);
}

// _reconstruct(class, shape, dtype), with the state (version, shape, dtype, is in Fortran's order,
// bytes)
Value StructureMaker::numpy_array(const Call& call, Arguments, const Trace* trace) {
  const std::vector<Id>* state =
      call.state == no_object ? nullptr : &pickle_.objects[call.state].parts;
  const std::optional<ElementType> element =
      state != nullptr && state->size() == 5 ? numpy_dtype(pickle_, (*state)[2]) : std::nullopt;
  if (!element) return opaque(name_of(call.callee, trace), call, trace);
  constexpr std::string_view form = "a tuple of numbers that are not negative";
  const std::vector<Id>& sizes = object_at(pickle_, (*state)[1], ObjectKind::tuple, form).parts;
  if (sizes.size() > limits_.rank)
    throw detail::past(detail::Limit::rank, limits_.rank, {.found = std::to_string(sizes.size())});
  std::vector<std::uint64_t> dims;
  dims.reserve(sizes.size() + 1);
  for (const Id size : sizes) dims.push_back(count_at(pickle_, size, form));
  const Value is_reversed = value((*state)[3], trace);
  if (is_reversed.kind() == Kind::boolean && is_reversed.as_bool()) std::ranges::reverse(dims);
  if (element->is_pair) dims.push_back(2);
  if (dims.size() > limits_.rank)
    throw detail::past(detail::Limit::rank, limits_.rank, {.found = std::to_string(dims.size())});
  const Value bytes = value((*state)[4], trace);
  const Shape shape(dims);
  if (bytes.kind() != Kind::bytes || bytes.tensor().size() != byte_size(element->dtype, shape))
    throw Error(ErrorCode::invalid_schema, "an array of NumPy has the wrong size",
                {.expected = detail::counted(byte_size(element->dtype, shape), "byte")});
  Tensor tensor = as_elements(bytes.tensor(), element->dtype, shape);
  if (is_reversed.kind() == Kind::boolean && is_reversed.as_bool()) {
    std::vector<std::size_t> order;
    for (std::size_t i = sizes.size(); i-- > 0;) order.push_back(i);
    if (element->is_pair) order.push_back(sizes.size());
    tensor = tensor.permute(order);
  }
  tensors_.note(tensor.byte_size(), trace);
  Value result(std::move(tensor));
  if (element->is_pair) result.set_attribute(attributes::complex, true);
  return result;
}

}  // namespace safestructures::inline v0::pytorch
