/// \file
/// The C++ types of the golden records (tests/burn/src), by the names of their files.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::test {

using UnitOption = std::optional<std::monostate>;

struct Nested {
  burn::Param<> weight;
  burn::Linear inner;
};
using Choice = burn::Enum<burn::Case<"Linear", burn::Linear>, burn::Case<"Norm", burn::LayerNorm>>;

/// A module with a bit of everything, as Burn 0.13 has it.
struct OldRich {
  burn::Linear linear;
  burn::Linear linear_no_bias;
  burn::Conv2d conv;
  burn::BatchNorm batch_norm;
  burn::LayerNorm layer_norm;
  burn::GroupNorm group_norm;
  burn::RmsNorm rms_norm;
  burn::Embedding embedding;
  burn::PRelu prelu;
  std::optional<burn::Linear> some;
  std::optional<burn::Linear> none;
  std::vector<burn::Linear> layers;
  std::tuple<burn::Linear, burn::LayerNorm> pair;
  Choice choice;
  // Tensors of 0.13 in bincode have no dtype and are taken for floats.
  burn::Param<std::vector<std::array<std::int64_t, 3>>> ints;
  burn::Param<std::vector<bool>> bools;
  Nested nested;
  burn::Constant dropout;
  burn::Constant constant;
  std::array<burn::Constant, 2> constants;
};
/// The same since 0.14.
struct Rich {
  burn::Linear linear;
  burn::Linear linear_no_bias;
  burn::Conv2d conv;
  burn::BatchNorm batch_norm;
  burn::LayerNorm layer_norm;
  burn::GroupNorm group_norm;
  burn::RmsNorm rms_norm;
  burn::Embedding embedding;
  burn::PRelu prelu;
  std::optional<burn::Linear> some;
  std::optional<burn::Linear> none;
  std::vector<burn::Linear> layers;
  std::tuple<burn::Linear, burn::LayerNorm> pair;
  Choice choice;
  burn::Param<> ints;
  burn::Param<> bools;
  Nested nested;
  burn::Constant dropout;
  burn::Constant constant;
  std::array<burn::Constant, 2> constants;
  burn::Constant ignored;
};

struct Inner {
  std::uint8_t number;
  std::optional<double> float_;
};

using Kind = burn::Enum<burn::Case<"Number", std::uint8_t>, burn::Case<"Text", std::string>>;

struct PrimitiveNumbers {
  std::string text;
  std::string long_text;
  std::string empty_text;
  bool yes;
  bool no;
  float f32_tenth;
  float f32_most;
  float f32_denormal;
  float f32_whole;
  double f64_tenth;
  double f64_most;
  double f64_denormal;
  double f64_whole;
  double f64_big;
  half f16_tenth;
  bfloat16 bf16_tenth;
  std::uint64_t usize_zero;
  std::uint64_t usize_most;
  std::uint8_t u8_most;
  std::uint16_t u16_most;
  std::uint16_t u16_250;
  std::uint16_t u16_251;
  std::uint32_t u32_most;
  std::uint32_t u32_65536;
  std::uint64_t u64_most;
  std::uint64_t u64_128;
  std::int8_t i8_least;
  std::int8_t i8_33;
  std::int16_t i16_least;
  std::int32_t i32_least;
  std::int32_t i32_most;
  std::int64_t i64_least;
  std::int64_t i64_most;
  std::int64_t i64_minus_one;
  std::optional<std::string> some_text;
  std::optional<std::string> none_text;
  std::optional<bool> some_bool;
  std::optional<bool> none_bool;
  std::optional<float> some_f32;
  std::optional<float> none_f32;
  std::optional<double> some_f64;
  std::optional<double> none_f64;
  std::optional<half> some_f16;
  std::optional<half> none_f16;
  std::optional<std::uint64_t> some_usize;
  std::optional<std::uint64_t> none_usize;
  std::optional<std::uint8_t> some_u8;
  std::optional<std::uint8_t> none_u8;
  std::optional<std::int64_t> some_i64;
  std::optional<std::int64_t> none_i64;
  std::vector<std::uint8_t> bytes;
  std::vector<float> floats;
  std::vector<float> empty;
  std::tuple<std::uint8_t, std::string> pair;
  std::tuple<bool, double, std::optional<std::uint16_t>> triple;
  std::array<std::int16_t, 3> array;
  std::vector<std::vector<std::uint16_t>> nested;
  std::vector<std::optional<std::string>> texts;
  std::monostate unit;
  Inner inner;
  std::vector<Inner> inners;
  Kind kind;
  std::vector<Kind> kinds;
};

struct Units {
  std::monostate unit;
  UnitOption some;
  UnitOption none;
};

struct OddFloats {
  float f32_nan;
  float f32_inf;
  float f32_minus_zero;
  double f64_nan;
  double f64_minus_inf;
  double f64_minus_zero;
  half f16_nan;
  bfloat16 bf16_inf;
};

struct Tensors {
  burn::Bare<> one;
  burn::Bare<> odd;
  burn::Bare<> deep;
  burn::Bare<std::vector<std::int64_t>> ints;
  burn::Bare<Tensor> bools;
  std::optional<burn::Bare<>> some;
  std::optional<burn::Bare<>> none;
  std::vector<burn::Bare<>> list;
};

/// The same for versions up to 0.13, whose tensors in bincode have no dtype and are taken for
/// floats.
struct OldTensors {
  burn::Bare<> one;
  burn::Bare<> odd;
  burn::Bare<> deep;
  burn::Bare<std::vector<std::int64_t>> ints;
  burn::Bare<std::vector<std::array<bool, 3>>> bools;
  std::optional<burn::Bare<>> some;
  std::optional<burn::Bare<>> none;
  std::vector<burn::Bare<>> list;
};

struct EmptyTensors {
  burn::Bare<> floats;
  burn::Bare<std::vector<std::int64_t>> ints;
  burn::Bare<> bools;
};

/// Calls `use` with the type of a record: `use.template operator()<T>()`. Returns false if the
/// record is unknown.
template <class Use>
bool with_record_type(std::string_view record, unsigned minor, const Use& use) {
  const auto is = [&](std::string_view name) { return record == name; };
  if (is("rich") && minor < 14) use.template operator()<OldRich>();
  else if (is("rich")) use.template operator()<Rich>();
  else if (is("primitives")) use.template operator()<PrimitiveNumbers>();
  else if (is("units")) use.template operator()<Units>();
  else if (is("odd_floats")) use.template operator()<OddFloats>();
  else if (is("tensors") && minor < 14) use.template operator()<OldTensors>();
  else if (is("tensors")) use.template operator()<Tensors>();
  else if (is("empty_tensors")) use.template operator()<EmptyTensors>();
  else if (is("bare_tensor")) use.template operator()<burn::Bare<>>();
  else if (is("bare_ints"))
    use.template operator()<burn::Bare<std::vector<std::array<std::int64_t, 3>>>>();
  else if (is("wide_ints")) use.template operator()<burn::Bare<std::vector<std::int64_t>>>();
  else if (is("number")) use.template operator()<std::uint64_t>();
  else if (is("nothing")) use.template operator()<std::monostate>();
  else if (is("mha")) use.template operator()<burn::MultiHeadAttention>();
  else if (is("lstm")) use.template operator()<burn::Lstm>();
  else if (is("gru")) use.template operator()<burn::Gru>();
  else if (is("transformer_encoder")) use.template operator()<burn::TransformerEncoder>();
  else if (is("conv1d")) use.template operator()<burn::Conv1d>();
  else if (is("conv_transpose2d")) use.template operator()<burn::ConvTranspose2d>();
  else if (is("instance_norm")) use.template operator()<burn::InstanceNorm>();
  else if (is("layer_norm_no_bias")) use.template operator()<burn::LayerNorm>();
  else if (record.starts_with("adam"))
    use.template operator()<burn::OptimizerRecord<burn::AdamState>>();
  else if (record.starts_with("sgd"))
    use.template operator()<burn::OptimizerRecord<burn::SgdState>>();
  else if (is("composed")) use.template operator()<burn::ComposedLrScheduler>();
  else if (is("step") || is("step_unstepped")) use.template operator()<std::int32_t>();
  else if (is("exponential") && minor >= 16) use.template operator()<double>();
  else if (is("exponential")) use.template operator()<std::tuple<double, double>>();
  else if ((is("cosine") || is("cosine_unstepped")) && minor < 16)
    use.template operator()<std::tuple<double, double, double, std::uint64_t, std::uint64_t>>();
  else if (is("linear") && minor < 16)
    use.template operator()<std::tuple<double, double, std::uint64_t>>();
  else if (is("cosine") || is("cosine_unstepped") || is("linear") || is("noam"))
    use.template operator()<std::uint64_t>();
  else return false;
  return true;
}

}  // namespace safestructures::test

template <>
struct safestructures::Rules<safestructures::test::Inner> {
  static constexpr auto fields =
      safestructures::fields(safestructures::field("float_").rename("float"));
};
