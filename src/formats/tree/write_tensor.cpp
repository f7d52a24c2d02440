#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/value.hpp>
#include "data/limit.hpp"
#include "data/same_view.hpp"
#include "data/text/printable.hpp"
#include "data/text/utf8.hpp"
#include "formats/lossy.hpp"
#include "formats/tree/writer.hpp"

namespace safestructures::inline v0::tree {

namespace {

// Extra tensors and metadata have no place in the structure, so the wording is that of the
// safetensors container.
void check_name(std::string_view what, std::string_view name) {
  if (detail::find_invalid_wtf8(name))
    throw Error(ErrorCode::invalid_utf8, std::string(what) + " is not valid UTF-8",
                {.found = detail::in_quotes(name)});
}

void check_metadata(std::string_view name, std::string_view text) {
  check_name("a key of the metadata", name);
  if (detail::find_invalid_wtf8(text))
    throw Error(ErrorCode::invalid_utf8,
                "the metadata of key " + detail::in_quotes(name) + " is not valid UTF-8");
}

}  // namespace

void Writer::envelope() {
  const bool has_metadata = !options_.metadata.empty();
  const bool has_tensors = !options_.extra_tensors.empty();
  out_.begin_object((has_metadata ? 1U : 0U) + (has_tensors ? 1U : 0U), Layout::lines);
  if (has_metadata) {
    key(metadata_name);
    out_.begin_object(options_.metadata.size(), Layout::lines);
    for (const auto& [name, text] : options_.metadata) {
      check_metadata(name, text);
      out_.key(name, nullptr);
      out_.string(text, nullptr);
      out_.pass_on();
    }
    out_.end_object();
  }
  if (has_tensors) {
    key(tensors_name);
    out_.begin_object(options_.extra_tensors.size(), Layout::lines);
    for (const auto& [name, tensor] : options_.extra_tensors) {
      const Trace trace{nullptr, name};
      check_name("the name of a tensor", name);
      out_.key(name, &trace);
      check_tensor(tensor, tensor.dtype(), &trace);
      std::string entered = name;
      names_.enter(entered, tensor, tensor.dtype());
      begin(Mark::tensor, element_members(tensor, tensor.dtype()));
      out_.string(to_string(tensor.dtype()), nullptr);
      elements(tensor, tensor.dtype(), name);
      out_.end_object();
    }
    out_.end_object();
  }
  out_.end_object();
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

std::size_t Writer::element_members(const Tensor& tensor, DType stored) const {
  return 1 + out_.data_members(byte_size(stored, tensor.shape()));
}

void Writer::elements(const Tensor& tensor, DType stored, const std::string& name) {
  key(shape_name);
  out_.begin_array(tensor.rank(), Layout::inline_);
  for (const std::uint64_t size : tensor.shape()) {
    out_.begin_item();
    out_.integer(Value(size));
  }
  out_.end_array();
  detail::StoredElements elements(tensor, stored, detail::Losses::of(options_));
  out_.data(elements);
  const ConversionReport report = elements.finish(name);
  if (report != ConversionReport{}) conversions_.push_back({name, report});
}

bool Writer::is_known(const Tensor& tensor, DType stored, const std::string& name) const {
  if (name.empty()) return false;
  const detail::NamedTensors::Known* const known = names_.find(name);
  return known != nullptr && known->stored == stored && detail::same_view(known->tensor, tensor) &&
         !options_.extra_tensors.contains(name) &&
         std::ranges::find(unfinished_, name) == unfinished_.end();
}

void Writer::bytes(const Value& item) {
  detail::StoredElements elements(item.tensor(), DType::U8, {});
  out_.bytes(elements);
}

void Writer::tensor(const Value& item, const Trace* trace) {
  const Tensor& tensor = item.tensor();
  const DType stored = dtypes_.of(item);
  const Mark mark = item.kind() == Kind::bytes ? Mark::bytes : Mark::tensor;
  const Extras extras = extras_of(item);
  if (is_known(tensor, stored, item.tensor_name())) {
    repeated_ += byte_size(stored, tensor.shape());
    begin(mark, extras.members());
    out_.begin_object(1, Layout::inline_);
    key(same_name);
    out_.string(item.tensor_name(), trace);
    out_.end_object();
    write_extras(item, extras, trace);
    return out_.end_object();
  }
  check_tensor(tensor, stored, trace);
  const std::string place = detail::place_name(trace);
  const std::string& name = enter(item.tensor_name(), place, tensor, stored, trace);
  const bool is_named = in_key_ || name != place;
  try {
    if (mark == Mark::bytes && out_.has_bytes() && !is_named && extras.members() == 0)
      return bytes(item);
    const std::size_t members = (is_named ? 1U : 0U) + extras.members();
    begin(mark, members + (mark == Mark::tensor ? element_members(tensor, stored) : 0));
    if (mark == Mark::bytes) bytes(item);
    else out_.string(to_string(stored), nullptr);
  } catch (const Error& error) {
    throw error.with_path(to_string(trace));
  }
  if (is_named) {
    key(tensor_name);
    out_.string(name, trace);
  }
  unfinished_.push_back(name);
  write_extras(item, extras, trace);
  unfinished_.pop_back();
  try {
    if (mark == Mark::tensor) elements(tensor, stored, name);
  } catch (const Error& error) {
    throw error.with_path(to_string(trace));
  }
  out_.end_object();
}

const std::string& Writer::enter(const std::string& given, const std::string& place,
                                 const Tensor& tensor, DType stored, const Trace* trace) {
  const bool is_numbered = options_.tensor_names == safestructures::TensorNames::numbers;
  std::string name = !given.empty() ? given : is_numbered ? std::to_string(tensors_) : place;
  ++tensors_;
  if (options_.extra_tensors.contains(name))
    throw Error(ErrorCode::duplicate_name, "two tensors have the same name",
                {.path = to_string(trace),
                 .found = "'" + name + "' in the structure and in SaveOptions::extra_tensors"});
  return names_.enter_distinct(std::move(name), tensor, stored);
}

}  // namespace safestructures::inline v0::tree
