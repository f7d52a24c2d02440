#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/value.hpp>
#include "data/limit.hpp"
#include "data/text/printable.hpp"
#include "data/text/utf8.hpp"
#include "formats/burnpack/description.hpp"
#include "formats/cbor/encoder.hpp"

namespace safestructures::inline v0::burnpack {

using detail::for_message;
namespace {

/// Writes the description in the same bytes as Burn.
class DescriptionWriter {
 public:
  explicit DescriptionWriter(const Limits& limits) : limits_(limits) {}

  std::string write(const std::vector<const TensorEntry*>& tensors, const Metadata& metadata,
                    const Scalars& all) {
    cbor_.map(1U + (metadata.empty() ? 0 : 1) + (all.empty() ? 0 : 1));
    cbor_.text(tensors_key);
    cbor_.map(tensors.size());
    for (const TensorEntry* entry : tensors) tensor(*entry);
    if (!metadata.empty()) texts(metadata);
    if (!all.empty()) scalars(all);
    return std::move(text_);
  }

 private:
  void tensor(const TensorEntry& entry) {
    cbor_.text(entry.name);
    cbor_.map(entry.param_id ? 4 : 3);
    cbor_.text(dtype_key);
    if (entry.storage == Storage::quantized) {
      cbor_.map(1);
      cbor_.text(quantized_key);
      value(entry.quantization, entry.name);
    } else if (entry.dtype == DType::BOOL) {
      cbor_.map(1);
      cbor_.text(bool_key);
      cbor_.text("Native");
    } else {
      cbor_.text(to_string(entry.dtype));
    }
    cbor_.text(shape_key);
    cbor_.array(entry.shape.size());
    for (const std::uint64_t size : entry.shape) cbor_.unsigned_integer(size);
    cbor_.text(offsets_key);
    cbor_.array(2);
    cbor_.unsigned_integer(entry.begin);
    cbor_.unsigned_integer(entry.end);
    if (!entry.param_id) return;
    cbor_.text(id_key);
    cbor_.unsigned_integer(*entry.param_id);
  }

  void texts(const Metadata& metadata) {
    cbor_.text(metadata_key);
    cbor_.map(metadata.size());
    for (const auto& [key, text] : metadata) {
      if (detail::find_invalid_utf8(key) || detail::find_invalid_utf8(text))
        throw Error(ErrorCode::invalid_utf8,
                    "the metadata of key '" + for_message(key) + "' is not valid UTF-8");
      cbor_.text(key);
      cbor_.text(text);
    }
  }

  void scalars(const Scalars& all) {
    cbor_.text(scalars_key);
    cbor_.map(all.size());
    for (const auto& [name, scalar] : all) {
      cbor_.text(name);
      cbor_.map(1);
      cbor_.text(scalar.kind() == Kind::boolean    ? bool_key
                 : scalar.kind() == Kind::floating ? float_key
                 : scalar.as_uint64()              ? uint_key
                                                   : int_key);
      value(scalar, name);
    }
  }

  // Recursive over Burn's parameters of a quantized tensor, up to the depth that is read.
  void value(const Value& item, const std::string& name) {
    const Trace trace{nullptr, name};
    if (++nodes_ > limits_.nodes)
      throw detail::past(detail::Limit::nodes, limits_.nodes, {.path = to_string(&trace)});
    switch (item.kind()) {
      case Kind::none: return cbor_.null();
      case Kind::boolean: return cbor_.boolean(item.as_bool());
      case Kind::floating: return cbor_.floating(item.as_double());
      case Kind::string: return checked_text(item.as_string(), &trace);
      case Kind::integer:
        if (item.as_uint64()) return cbor_.unsigned_integer(*item.as_uint64());
        if (item.as_int64()) return cbor_.integer(*item.as_int64());
        break;
      case Kind::list:
        open(&trace);
        cbor_.array(item.size());
        for (const Value& one : item.items()) value(one, name);
        --depth_;
        return;
      case Kind::dict:
        if (std::ranges::any_of(item.entries(), [](const Entry& entry) {
              return entry.key.kind() != Kind::string;
            }))
          break;
        open(&trace);
        cbor_.map(item.size());
        for (const Entry& entry : item.entries()) {
          checked_text(entry.key.as_string(), &trace);
          value(entry.value, name);
        }
        --depth_;
        return;
      default: break;
    }
    throw Error(ErrorCode::invalid_argument, "the dtype of a burn.QFloat was changed after reading",
                {.path = to_string(&trace), .found = describe(item)});
  }

  void checked_text(std::string_view text, const Trace* trace) {
    if (detail::find_invalid_utf8(text))
      throw Error(ErrorCode::invalid_utf8, "a text is not UTF-8", {.path = to_string(trace)});
    cbor_.text(text);
  }

  void open(const Trace* trace) {
    if (++depth_ + above_quantization > deepest)
      throw Error(
          ErrorCode::limit_exceeded, "the description would be nested too deeply",
          {.path = to_string(trace), .expected = "at most " + std::to_string(deepest) + " levels"});
  }

  const Limits& limits_;
  std::string text_;
  cbor::Encoder cbor_{text_};
  std::size_t depth_ = 0;
  std::uint64_t nodes_ = 0;
};

}  // namespace

std::string write_description(std::vector<const TensorEntry*> tensors, const Metadata& metadata,
                              Scalars scalars, const Limits& limits) {
  std::ranges::sort(tensors, {},
                    [](const TensorEntry* entry) -> const std::string& { return entry->name; });
  std::ranges::sort(scalars, {}, [](const auto& one) -> const std::string& { return one.first; });
  return DescriptionWriter(limits).write(tensors, metadata, scalars);
}

}  // namespace safestructures::inline v0::burnpack
