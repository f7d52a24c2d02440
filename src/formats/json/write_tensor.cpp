#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "data/same_view.hpp"
#include "formats/json/element_write.hpp"
#include "formats/json/writer.hpp"
#include "formats/lossy.hpp"

namespace safestructures::inline v0::json {

void Writer::begin_envelope() {
  out_.open('{');
  out_.line();
  text_.append(1, '"').append(envelope_name) += '"';
  out_.colon();
  out_.open('{');
  bool first = true;
  const auto begin_member = [&](std::string_view name) {
    if (!std::exchange(first, false)) text_ += ',';
    out_.line();
    text_.append(1, '"').append(name) += '"';
    out_.colon();
    out_.open('{');
  };
  if (!options_.metadata.empty()) {
    begin_member(metadata_name);
    bool first_text = true;
    for (const auto& [name, text] : options_.metadata) {
      const Trace trace{nullptr, name};
      next_line(first_text);
      string(name, &trace);
      out_.colon();
      string(text, &trace);
      out_.pass_on();
    }
    out_.close('}');
  }
  if (!options_.extra_tensors.empty()) {
    begin_member(tensors_name);
    bool first_tensor = true;
    for (const auto& [name, tensor] : options_.extra_tensors) {
      const Trace trace{nullptr, name};
      next_line(first_tensor);
      string(name, &trace);
      out_.colon();
      check_tensor(tensor, tensor.dtype(), &trace);
      names_.enter(name, tensor, tensor.dtype());
      begin_tensor(tensor.dtype());
      elements(tensor, tensor.dtype(), name);
    }
    out_.close('}');
  }
  out_.close('}');
}

void Writer::check_tensor(const Tensor& tensor, DType stored, const Trace* trace) const {
  if (tensor.rank() > options_.limits.rank)
    throw detail::past(detail::Limit::rank, options_.limits.rank,
                       {.path = to_string(trace), .found = std::to_string(tensor.rank())});
  if (names_.size() >= options_.limits.tensors)
    throw detail::past(detail::Limit::tensors, options_.limits.tensors, {.path = to_string(trace)});
  try {
    static_cast<void>(byte_size(stored, tensor.shape()));
  } catch (const Error& error) {
    throw error.with_path(to_string(trace));
  }
}

void Writer::begin_tensor(DType dtype) {
  member(name_of(Mark::tensor));
  text_.append(1, '"').append(to_string(dtype)) += '"';
}

void Writer::elements(const Tensor& tensor, DType stored, const std::string& name) {
  member(shape_name);
  text_ += '[';
  for (std::size_t i = 0; i < tensor.rank(); ++i) {
    if (i > 0) out_.comma();
    text_ += std::to_string(tensor.shape()[i]);
  }
  text_ += ']';
  member(data_name);
  detail::StoredElements elements(tensor, stored, detail::Losses::of(options_));
  write_elements(out_, elements, form_);
  text_ += '}';
  const ConversionReport report = elements.finish(name);
  if (report != ConversionReport{}) conversions_.push_back({name, report});
}

void Writer::tensor(const Value& item, const Trace* trace) {
  const Tensor& tensor = item.tensor();
  const DType stored = dtypes_.of(item);
  const Mark mark = item.kind() == Kind::bytes ? Mark::bytes : Mark::tensor;
  const std::string& given = item.tensor_name();
  if (!given.empty()) {
    const detail::NamedTensors::Known* known = names_.find(given);
    if (known != nullptr && known->stored == stored && detail::same_view(known->tensor, tensor) &&
        !options_.extra_tensors.contains(given) &&
        std::ranges::find(unfinished_, given) == unfinished_.end()) {
      member(name_of(mark));
      text_ += out_.is_pretty() ? "{\"same\": " : "{\"same\":";
      string(given, trace);
      text_ += '}';
      extras(item, trace);
      text_ += '}';
      return;
    }
  }
  check_tensor(tensor, stored, trace);
  const std::string name = enter(given, tensor, stored, trace);
  if (mark == Mark::tensor) {
    begin_tensor(stored);
  } else {
    member(name_of(mark));
    write_base64(out_, tensor);
  }
  if (in_key_ || name != detail::place_name(trace)) {
    member(tensor_name);
    string(name, trace);
  }
  unfinished_.push_back(name);
  extras(item, trace);
  unfinished_.pop_back();
  try {
    if (mark == Mark::tensor) elements(tensor, stored, name);
    else text_ += '}';
  } catch (const Error& error) {
    throw error.with_path(to_string(trace));
  }
}

std::string Writer::enter(const std::string& given, const Tensor& tensor, DType stored,
                          const Trace* trace) {
  const bool is_numbered = options_.tensor_names == safestructures::TensorNames::numbers;
  std::string name = !given.empty() ? given
                     : is_numbered  ? std::to_string(tensors_)
                                    : detail::place_name(trace);
  ++tensors_;
  if (options_.extra_tensors.contains(name))
    throw Error(ErrorCode::duplicate_name, "two tensors have the same name",
                {.path = to_string(trace),
                 .found = "'" + name + "' in the structure and in SaveOptions::extra_tensors"});
  name = names_.distinct(std::move(name));
  names_.enter(name, tensor, stored);
  return name;
}

}  // namespace safestructures::inline v0::json
