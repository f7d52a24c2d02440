#include "formats/burn/fit.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/formats/burn_marks.hpp>
#include "data/limit.hpp"
#include "formats/burn/modules.hpp"
#include "formats/burn/tensor_data.hpp"

namespace safestructures::inline v0::burn {
namespace {

std::optional<std::uint16_t> bits_of(const Value& value) {
  if (value.kind() != Kind::integer) return std::nullopt;
  const std::optional<std::uint64_t> bits = value.as_uint64();
  if (!bits || *bits > 0xFFFF) return std::nullopt;
  return static_cast<std::uint16_t>(*bits);
}

bool is_half(std::optional<DType> dtype) { return dtype == DType::F16 || dtype == DType::BF16; }

class Fitting {
 public:
  Fitting(const RecordMetadata& metadata, const std::optional<Precision>& precision,
          const LoadOptions& options, bool null_is_nan)
      : precision_(precision),
        options_(options),
        null_is_nan_(null_is_nan),
        version_(version_of(metadata)),
        has_bits_(version_ < since::tensor_data && metadata.is_half()) {}

  void fit(Value& value, const TypeInfo& type, const Trace* trace) {
    switch (type.kind) {
      case TypeKind::floating: return floating(value, type);
      case TypeKind::bytes: return bytes(value);
      case TypeKind::enumeration: return enumerator(value);
      case TypeKind::tensor: return tensor(value, type, trace);
      case TypeKind::optional:
      case TypeKind::pointer:
        if (!value.is_none()) fit(value, *type.item, trace);
        return;
      case TypeKind::list:
      case TypeKind::set: return items(value, type, trace);
      case TypeKind::tuple: return items(value, type, trace);
      case TypeKind::dict:
        return type.fields.empty() ? entries(value, type, trace) : fields(value, type, trace);
      case TypeKind::structure: return fields(value, type, trace);
      case TypeKind::any: return any(value, trace);
      default: return;
    }
  }

 private:
  void below(Value& value, const TypeInfo& type, const Trace& trace) {
    try {
      const detail::Descent level(depth_, options_.limits.depth, &trace);
      fit(value, type, &trace);
    } catch (const Error& error) {
      throw error.with_path(to_string(&trace));
    }
  }

  void floating(Value& value, const TypeInfo& type) const {
    if (null_is_nan_ && value.is_none()) value = Value(std::numeric_limits<double>::quiet_NaN());
    if (!is_half(type.dtype)) return;
    const std::optional<std::uint16_t> bits = bits_of(value);
    if (!bits) return;
    double number = 0;
    convert_elements(*type.dtype, std::as_bytes(std::span(&*bits, 1)), DType::F64,
                     std::as_writable_bytes(std::span(&number, 1)), 1);
    value = Value(number);
  }

  static void bytes(Value& value) {
    if (value.kind() != Kind::list) return;
    std::vector<std::byte> bytes;
    for (const Value& item : value.items()) {
      const std::optional<std::uint16_t> byte = bits_of(item);
      if (!byte || *byte > 0xFF) return;
      bytes.push_back(static_cast<std::byte>(*byte));
    }
    value = Value::bytes(bytes);
  }

  static void enumerator(Value& value) {
    if (value.kind() != Kind::dict || value.size() != 1) return;
    if (!value.entries().front().value.is_none()) return;
    value = Value(value.entries().front().key);
  }

  void tensor(Value& value, const TypeInfo& type, const Trace* trace) const {
    if (value.kind() == Kind::list) {
      numbers(value, type, type.shape ? type.shape->size() : 1, trace);
    } else if (value.kind() == Kind::tensor) {
      if (has_bits_ && value.tensor().dtype() == DType::F16 && type.dtype &&
          is_integer(*type.dtype))
        value.set_tensor(as_integers(value.tensor()));
      if (!type.dtype) as_asked(value, trace);
    }
  }

  /// Adjusts a list of numbers, of rows of numbers or of tensors. \param levels of such lists
  void numbers(Value& list, const TypeInfo& type, std::size_t levels, const Trace* trace) const {
    const bool are_numbers = levels == 1;
    if (are_numbers && is_half(type.dtype)) return halves(list, *type.dtype);
    const bool null_is_nan = null_is_nan_ && type.dtype && is_floating(*type.dtype);
    for (Value& item : list.items()) {
      if (item.kind() == Kind::tensor) tensor(item, type, trace);
      else if (item.kind() == Kind::list && levels > 1) numbers(item, type, levels - 1, trace);
      else if (item.is_none() && are_numbers && null_is_nan)
        item = Value(std::numeric_limits<double>::quiet_NaN());
    }
  }

  static void halves(Value& value, DType dtype) {
    std::vector<std::uint16_t> bits;
    for (const Value& item : value.items()) {
      const std::optional<std::uint16_t> one = bits_of(item);
      if (!one) return;
      bits.push_back(*one);
    }
    const Tensor tensor = Tensor::own(std::move(bits));
    value = Value(Tensor::share(dtype, tensor.shape(), tensor.bytes(), tensor.owner()));
  }

  static Tensor as_integers(const Tensor& bits) {
    return Tensor::share(DType::I16, bits.shape(), bits.bytes(), bits.owner());
  }

  /// Converts a tensor to the dtype that the recorder's settings ask for.
  void as_asked(Value& value, const Trace* trace) const {
    if (!precision_) return;
    try {
      value.set_tensor(
          value.tensor().to(precision_->stored(value.tensor().dtype()), options_.overflow));
    } catch (const Error& error) {
      throw error.with_path(to_string(trace));
    }
  }

  void items(Value& value, const TypeInfo& type, const Trace* trace) {
    const bool is_constant = type.size && type.item != nullptr && type.item->mark == constant_mark;
    if (is_constant) {
      value = Value::list(std::vector<Value>(static_cast<std::size_t>(*type.size)));
      return;
    }
    if (!value.is_sequence()) return;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const TypeInfo* const each = type.kind != TypeKind::tuple ? type.item
                                   : i < type.items.size()      ? type.items[i]
                                                                : nullptr;
      if (each != nullptr) below(value.items()[i], *each, Trace{trace, {}, i});
    }
  }

  void entries(Value& value, const TypeInfo& type, const Trace* trace) {
    if (!value.is_mapping()) return;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string label = value.entries()[i].key.key_label();
      below(value.entry_value(i), *type.item, Trace{trace, label});
    }
  }

  /// Turns a parameter back into a struct if the type is one: a struct of a text `id` and a tensor
  /// `param` is spelled like a parameter.
  static void as_struct(Value& value, const TypeInfo& type) {
    const Value* const id = value.attribute(attributes::burn_id);
    const auto has = [&](std::string_view name) {
      return std::ranges::find(type.fields, name, &TypeField::name) != type.fields.end();
    };
    if (id == nullptr || id->is_none() || type.fields.size() != 2) return;
    if (!has(id_name) || !has(param_name)) return;
    Value text = *id;
    value.set_attribute(attributes::burn_id, Value());
    Value whole = Value::dict();
    whole.insert(Value(id_name), std::move(text));
    whole.insert(Value(param_name), std::move(value));
    value = std::move(whole);
  }

  void fields(Value& value, const TypeInfo& type, const Trace* trace) {
    as_struct(value, type);
    if (!value.is_mapping()) return;
    const std::string_view inner = inner_of(type.name, version_);
    if (!inner.empty() && value.size() == 1)
      if (Value* const found = value.find(inner)) {
        Value moved = std::move(*found);
        value = std::move(moved);
      }
    for (const TypeField& field : type.fields) {
      std::string_view name = field.name;
      Value* member = value.find(name);
      // As codecs/structs.cpp finds the members.
      for (std::size_t i = 0; member == nullptr && i < field.aliases.size(); ++i) {
        name = field.aliases[i];
        member = value.find(name);
      }
      if (member != nullptr) below(*member, *field.type, Trace{trace, name});
    }
  }

  void any(Value& value, const Trace* trace) {
    if (value.kind() == Kind::tensor) return as_asked(value, trace);
    // Never destroyed: destructors of static objects may load.
    static const TypeInfo& anything = *new TypeInfo;
    if (value.is_sequence())
      for (std::size_t i = 0; i < value.size(); ++i)
        below(value.items()[i], anything, Trace{trace, {}, i});
    if (!value.is_mapping()) return;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string label = value.entries()[i].key.key_label();
      below(value.entry_value(i), anything, Trace{trace, label});
    }
  }

  const std::optional<Precision>& precision_;
  const LoadOptions& options_;
  bool null_is_nan_;
  Version version_;
  bool has_bits_;
  std::uint32_t depth_ = 0;
};

}  // namespace

void fit(Value& root, const TypeInfo& type, const RecordMetadata& metadata,
         const std::optional<Precision>& precision, const LoadOptions& options, bool null_is_nan) {
  Fitting(metadata, precision, options, null_is_nan).fit(root, type, nullptr);
}

}  // namespace safestructures::inline v0::burn
