#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/value.hpp>
#include "data/limit.hpp"
#include "data/text/printable.hpp"
#include "data/text/utf8.hpp"
#include "formats/burnpack/description_reader.hpp"

namespace safestructures::inline v0::burnpack {

using detail::for_message;
using detail::in_quotes;
namespace {

/// Returns the kind of a leaf, for messages.
std::string kind_text(const Value& value) {
  switch (value.kind()) {
    case Kind::none: return "null";
    case Kind::boolean: return "a bool";
    case Kind::integer: return "an integer";
    case Kind::floating: return "a float";
    default: return "a text";
  }
}

/// Returns an unsigned integer; null if the value is not one.
std::optional<std::uint64_t> value_as_size(const Value& value) {
  return value.kind() == Kind::integer ? value.as_uint64() : std::nullopt;
}

bool is_known(std::string_view key) {
  return key == tensors_key || key == metadata_key || key == scalars_key;
}

bool is_known_of_tensor(std::string_view key) {
  return key == dtype_key || key == shape_key || key == offsets_key || key == id_key;
}

[[noreturn]] void fail_at(std::size_t position) {
  throw Error(ErrorCode::invalid_header, "the description is not the CBOR of burnpack",
              {.offset = header_size + position});
}

/// Refuses a piece of a text or of bytes that is in pieces itself. CBOR forbids it, but the parser
/// calls itself for each such level: 2 MB overflowed the stack. Anything else that is wrong is left
/// to the parser, which meets it before anything behind it.
void check_pieces(std::span<const std::byte> cbor) {
  constexpr unsigned bytes = 2;
  constexpr unsigned text = 3;
  constexpr unsigned endless = 31;
  constexpr unsigned stop = 0xFF;
  std::optional<unsigned> pieces;  // The type of the pieces that are being read.
  for (std::size_t at = 0; at < cbor.size();) {
    const std::size_t begin = at;
    const auto head = std::to_integer<unsigned>(cbor[at++]);
    const unsigned type = head >> 5U;
    const unsigned info = head & 0x1FU;
    const bool is_string = type == bytes || type == text;
    if (head == stop) {
      pieces.reset();
      continue;
    }
    if (pieces && type != *pieces) return;
    if (info == endless) {
      if (pieces) fail_at(begin);
      if (is_string) pieces = type;
      continue;
    }
    std::uint64_t size = info;
    if (info >= 24) {
      const std::size_t width = std::size_t{1} << (info - 24);
      if (info > 27 || width > cbor.size() - at) return;
      size = 0;
      for (const std::byte byte : cbor.subspan(at, width))
        size = size << 8U | std::to_integer<std::uint64_t>(byte);
      at += width;
    }
    if (!is_string) continue;
    if (size > cbor.size() - at) return;
    at += static_cast<std::size_t>(size);
  }
}

}  // namespace

void DescriptionReader::fail(ErrorCode code, std::string problem, ErrorDetails details) const {
  if (details.path.empty() && stack_.size() > 1) details.path = for_message(name_);
  throw Error(code, std::move(problem), std::move(details));
}

void DescriptionReader::wrong(std::string expected, std::string found) const {
  fail(ErrorCode::invalid_header, "the description has the wrong form",
       {.expected = std::move(expected), .found = std::move(found)});
}

bool DescriptionReader::parse_error(std::size_t position, const std::string&,
                                    const nlohmann::json::exception&) {
  fail_at(position - 1);
}

bool DescriptionReader::number_integer(std::int64_t value) {
  // The parser wraps integers below -2^63 around to positive ones.
  if (value >= 0) wrong("integers of 64 bits", "a smaller integer");
  return leaf(Value(value));
}

bool DescriptionReader::begin(bool is_map) {
  if (stack_.size() >= deepest)
    fail(ErrorCode::limit_exceeded, "the description is nested too deeply",
         {.expected = "at most " + std::to_string(deepest) + " levels"});
  const Part part = part_of_child(is_map);
  if (part == Part::quantization) {
    if (++nodes_ > limits_.nodes) throw detail::past(detail::Limit::nodes, limits_.nodes);
    unfinished_.emplace_back(key_, is_map ? Value::dict() : Value::list());
  }
  if (part == Part::tensor) keys_.clear();
  if (part == Part::shape) shape_.clear();
  if (part == Part::offsets) offsets_.clear();
  if (part == Part::dtype || part == Part::scalar) has_choice_ = false;
  stack_.push_back(part);
  return true;
}

DescriptionReader::Part DescriptionReader::part_of_child(bool is_map) const {
  const std::string_view found = is_map ? "a map" : "a list";
  const auto map = [&](Part part, std::string_view form) {
    if (!is_map) wrong(std::string(form), std::string(found));
    return part;
  };
  const auto list = [&](Part part, std::string_view form) {
    if (is_map) wrong(std::string(form), std::string(found));
    return part;
  };
  if (stack_.empty()) return map(Part::root, "a map");
  switch (stack_.back()) {
    case Part::root:
      if (key_ == tensors_key) return map(Part::tensors, "a map of tensors");
      if (key_ == metadata_key) return map(Part::metadata, "a map of texts as metadata");
      if (key_ == scalars_key) return map(Part::scalars, "a map of scalars");
      return Part::unknown;
    case Part::tensors: return map(Part::tensor, "a map for each tensor");
    case Part::tensor:
      if (key_ == dtype_key) return map(Part::dtype, "a text or a map as the dtype");
      if (key_ == shape_key) return list(Part::shape, "a list of sizes as the shape");
      if (key_ == offsets_key) return list(Part::offsets, "a list of two data_offsets");
      if (key_ == id_key) wrong("an unsigned integer as the param_id", std::string(found));
      return Part::unknown;
    case Part::dtype:
      if (key_ == quantized_key) return Part::quantization;
      wrong("a text as the store of " + in_quotes(key_), std::string(found));
    case Part::scalars: return map(Part::scalar, "a map for each scalar");
    case Part::quantization: return Part::quantization;
    case Part::unknown: return Part::unknown;
    default: wrong("no map or list here", std::string(found));
  }
}

bool DescriptionReader::key(std::string& name) {
  switch (stack_.back()) {
    case Part::root:
      if (is_known(name)) enter_key(root_keys_, name);
      break;
    case Part::tensors:
      if (result_.tensors.size() >= limits_.tensors)
        throw detail::past(detail::Limit::tensors, limits_.tensors);
      enter_name(name);
      result_.tensors.emplace_back().name = name;
      break;
    case Part::scalars:
      if (++nodes_ > limits_.nodes) throw detail::past(detail::Limit::nodes, limits_.nodes);
      enter_name(name);
      break;
    case Part::metadata:
      check_text(name);
      name_ = name;
      if (result_.metadata.contains(name))
        fail(ErrorCode::duplicate_name, "a key of the metadata occurs twice");
      break;
    case Part::tensor:
      if (is_known_of_tensor(name)) enter_key(keys_, name);
      break;
    case Part::dtype:
    case Part::scalar:
      if (std::exchange(has_choice_, true)) wrong("a map of one key", "also " + in_quotes(name));
      break;
    default: break;
  }
  key_ = std::move(name);
  return true;
}

void DescriptionReader::check_text(std::string_view text) const {
  if (const auto bad = detail::find_invalid_utf8(text))
    fail(ErrorCode::invalid_utf8, "a text is not UTF-8", {.found = in_quotes(text)});
}

void DescriptionReader::enter_name(const std::string& name) {
  check_text(name);
  name_ = name;
  if (!names_.insert(name).second)
    fail(ErrorCode::duplicate_name, "two tensors or scalars have the same name");
}

void DescriptionReader::enter_key(std::vector<std::string>& keys, std::string_view key) const {
  if (std::ranges::find(keys, key) != keys.end())
    fail(ErrorCode::duplicate_name, "a map contains a key twice", {.found = in_quotes(key)});
  keys.emplace_back(key);
}

bool DescriptionReader::leaf(Value value) {
  const auto refuse = [&](const char* expected) { wrong(expected, kind_text(value)); };
  if (stack_.empty()) refuse("a map");
  switch (stack_.back()) {
    case Part::root:
      if (is_known(key_)) refuse("a map for its contents");
      break;
    case Part::tensors: refuse("a map for each tensor"); break;
    case Part::tensor: leaf_of_tensor(value); break;
    case Part::dtype: leaf_of_dtype(std::move(value)); break;
    case Part::shape:
      if (!value_as_size(value)) refuse("unsigned integers as the shape");
      if (shape_.size() >= limits_.rank)
        throw detail::past(detail::Limit::rank, limits_.rank, {.path = for_message(name_)});
      shape_.push_back(*value_as_size(value));
      break;
    case Part::offsets:
      if (!value_as_size(value)) refuse("unsigned integers as data_offsets");
      if (offsets_.size() == 2) wrong("two data_offsets", "more");
      offsets_.push_back(*value_as_size(value));
      break;
    case Part::metadata:
      if (value.kind() != Kind::string) refuse("a text in the metadata");
      check_text(value.as_string());
      result_.metadata.emplace(std::move(key_), std::move(value).as_string());
      break;
    case Part::scalars: refuse("a map for each scalar"); break;
    case Part::scalar: leaf_of_scalar(std::move(value)); break;
    case Part::quantization:
      if (++nodes_ > limits_.nodes) throw detail::past(detail::Limit::nodes, limits_.nodes);
      add_to_quantization(std::move(value));
      break;
    case Part::unknown: break;
  }
  return true;
}

void DescriptionReader::leaf_of_tensor(const Value& value) {
  if (key_ == dtype_key) {
    if (value.kind() != Kind::string) wrong("a text or a map as the dtype", kind_text(value));
    set_dtype(value.as_string());
  } else if (key_ == shape_key) {
    wrong("a list of sizes as the shape", kind_text(value));
  } else if (key_ == offsets_key) {
    wrong("a list of two data_offsets", kind_text(value));
  } else if (key_ == id_key && !value.is_none()) {
    if (!value_as_size(value)) wrong("an unsigned integer as the param_id", kind_text(value));
    result_.tensors.back().param_id = value_as_size(value);
  }
}

void DescriptionReader::set_dtype(std::string_view name) {
  TensorEntry& entry = result_.tensors.back();
  const std::optional<DType> dtype = parse_dtype(name);
  if (name == bool_key) {
    entry.dtype = DType::BOOL;
  } else if (name == "Flex32") {
    entry.dtype = DType::F32;  // Burn may use less precision in memory, but not in a file.
  } else if (dtype && burn_has(*dtype) && *dtype != DType::BOOL) {
    entry.dtype = *dtype;
  } else {
    fail(ErrorCode::unknown_dtype, "a tensor has a dtype that is not known",
         {.found = in_quotes(name)});
  }
}

void DescriptionReader::leaf_of_dtype(Value value) {
  TensorEntry& entry = result_.tensors.back();
  if (key_ == quantized_key) {
    entry.storage = Storage::quantized;
    entry.quantization = std::move(value);
    return;
  }
  const bool is_text = value.kind() == Kind::string;
  if (key_ != bool_key || !is_text ||
      (value.as_string() != "Native" && value.as_string() != "U8" && value.as_string() != "U32"))
    fail(ErrorCode::unknown_dtype, "a tensor has a dtype that is not known",
         {.found = in_quotes(key_) + " of " +
                   (is_text ? in_quotes(value.as_string()) : kind_text(value))});
  entry.dtype = DType::BOOL;
  if (value.as_string() == "U32") entry.storage = Storage::words;
}

void DescriptionReader::leaf_of_scalar(Value value) {
  const bool is_right = key_ == bool_key    ? value.kind() == Kind::boolean
                        : key_ == float_key ? value.kind() == Kind::floating
                        : key_ == int_key   ? value.kind() == Kind::integer && value.as_int64()
                                            : key_ == uint_key && value_as_size(value).has_value();
  if (!is_right)
    wrong("a scalar as Bool, Float, Int or UInt", in_quotes(key_) + " of " + kind_text(value));
  result_.scalars.emplace_back(name_, std::move(value));
}

void DescriptionReader::add_to_quantization(Value value) {
  if (value.kind() == Kind::string) check_text(value.as_string());
  Value& container = unfinished_.back().second;
  if (container.kind() == Kind::list) return container.push_back(std::move(value));
  check_text(key_);
  if (container.find(key_) != nullptr)
    fail(ErrorCode::duplicate_name, "a map contains a key twice", {.found = in_quotes(key_)});
  container.insert(key_, std::move(value));
}

bool DescriptionReader::end() {
  const Part part = stack_.back();
  switch (part) {
    case Part::root:
      if (std::ranges::find(root_keys_, tensors_key) == root_keys_.end())
        wrong("a map with 'tensors'", "none");
      break;
    case Part::tensor: finish_tensor(); break;
    case Part::dtype:
    case Part::scalar:
      if (!has_choice_) wrong("a map of one key", "an empty one");
      break;
    case Part::offsets:
      if (offsets_.size() != 2) wrong("two data_offsets", std::to_string(offsets_.size()));
      break;
    default: break;
  }
  stack_.pop_back();
  if (part != Part::quantization) return true;
  auto [key, value] = std::move(unfinished_.back());
  unfinished_.pop_back();
  key_ = std::move(key);
  if (unfinished_.empty()) leaf_of_dtype(std::move(value));
  else add_to_quantization(std::move(value));
  return true;
}

void DescriptionReader::finish_tensor() {
  TensorEntry& entry = result_.tensors.back();
  for (const std::string_view key : {dtype_key, shape_key, offsets_key})
    if (std::ranges::find(keys_, key) == keys_.end())
      fail(ErrorCode::missing_field, "the description of a tensor is incomplete",
           {.expected = std::string(key)});
  entry.shape = Shape(shape_);
  entry.begin = offsets_[0];
  entry.end = offsets_[1];
  const std::string found =
      "[" + std::to_string(entry.begin) + ", " + std::to_string(entry.end) + "]";
  if (entry.end < entry.begin)
    fail(ErrorCode::invalid_offsets, "a tensor ends before it begins", {.found = found});
  try {
    if (entry.storage == Storage::quantized) {
      static_cast<void>(element_count(entry.shape));
      return;
    }
    const DType stored = entry.storage == Storage::words ? DType::U32 : entry.dtype;
    const std::uint64_t size = byte_size(stored, entry.shape);
    if (entry.end - entry.begin != size)
      fail(ErrorCode::invalid_offsets, "the bytes of a tensor do not fit its dtype and shape",
           {.expected = std::to_string(size) + " bytes", .found = found});
  } catch (const Error& error) {
    throw error.with_path(for_message(name_));
  }
}

Description read_description(std::span<const std::byte> cbor, const Limits& limits) {
  check_pieces(cbor);
  DescriptionReader reader(limits);
  const auto* const begin = reinterpret_cast<const char*>(cbor.data());
  static_cast<void>(nlohmann::json::sax_parse(begin, begin + cbor.size(), &reader,
                                              nlohmann::json::input_format_t::cbor));
  return std::move(reader).take();
}

}  // namespace safestructures::inline v0::burnpack
