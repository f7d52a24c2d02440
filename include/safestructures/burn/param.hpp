/// \file
/// Parameters of Burn's modules, and what else their records contain.
#pragma once

#include <string>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/attributes.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/type_describer.hpp>
#include <safestructures/formats/burn_marks.hpp>

namespace safestructures::inline v0 {
namespace burn {

/// A parameter of a module: a tensor, and the id by which optimizers know it.
///
/// A field of type `Tensor` or `Eigen::MatrixXf` can hold the tensor of a parameter as well,
/// without the id.
template <class T = Tensor>
struct Param {
  T value;  ///< A Tensor, or another type that is saved as one.
  /// The id as spelled in the file: a UUID up to Burn 0.14, since then 13 characters of base 32. If
  /// empty, an id is derived from the parameter's place when it is saved.
  std::string id = {};
};

/// A tensor that is not a parameter, as in the state of an optimizer. Other tensors are saved as
/// parameters (see `Options::tensors`).
template <class T = Tensor>
struct Bare {
  T value;  ///< A Tensor, or another type that is saved as one.
};

/// A member of a module that is neither a parameter nor a module with parameters: a number, a
/// setting, a module such as Dropout. Records hold nothing in its place, and a file may lack it. An
/// array of numbers, such as the stride of a Conv2d, is a `std::array` of as many Constants.
struct Constant {
  /// Constants are always equal.
  friend bool operator==(const Constant&, const Constant&) = default;
};

}  // namespace burn

template <class T>
struct Codec<burn::Param<T>> {
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) {
    type.same_as<T>();
    type.mark(burn::param_mark);
  }
  static Value encode(const burn::Param<T>& param, Encoder& encoder) {
    Value value = encoder.encode(param.value);
    value.set_attribute(attributes::burn_id, Value(param.id));
    return value;
  }
  static burn::Param<T> decode(const Value& value, Decoder& decoder) {
    const Value* const id = value.attribute(attributes::burn_id);
    const bool has_id = id != nullptr && id->kind() == Kind::string;
    return {decoder.decode<T>(value), has_id ? id->as_string() : std::string()};
  }
};

template <class T>
struct Codec<burn::Bare<T>> {
  static constexpr KindSet kinds = Kind::tensor;
  static void describe_type(TypeDescriber& type) {
    type.same_as<T>();
    type.mark(burn::bare_mark);
  }
  static Value encode(const burn::Bare<T>& tensor, Encoder& encoder) {
    Value value = encoder.encode(tensor.value);
    value.set_attribute(attributes::burn_id, Value());
    return value;
  }
  static burn::Bare<T> decode(const Value& value, Decoder& decoder) {
    return {decoder.decode<T>(value)};
  }
};

namespace detail {

// As in Burn, and its burnpack files have none.
template <>
inline constexpr bool is_optional<burn::Constant> = true;

}  // namespace detail

template <>
struct Codec<burn::Constant> {
  static constexpr bool nullable = true;
  static constexpr KindSet kinds = Kind::none;
  static void describe_type(TypeDescriber& type) {
    type.none();
    type.mark(burn::constant_mark);
  }
  static Value encode(const burn::Constant&, Encoder&) { return {}; }
  // Burn accepts anything here: a module without parameters may have had some before.
  static burn::Constant decode(const Value&, Decoder&) { return {}; }
};

}  // namespace safestructures::inline v0
