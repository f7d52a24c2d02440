/// \file
/// The records of Burn's own modules, so that users write only their own.
///
/// Each holds what its module learns. What Burn's records have beside it (constants, in an order
/// that changed from version to version) is known to the format, in every encoding.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <safestructures/burn/enum.hpp>
#include <safestructures/burn/param.hpp>
#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0 {
namespace burn {

/// `weight` [inputs, outputs]: a matrix from the left, unlike PyTorch's; `bias` [outputs].
struct Linear {
  Param<> weight;
  std::optional<Param<>> bias;
};

/// `weight` [channels out, channels in / groups, kernel].
struct Conv1d {
  Param<> weight;
  std::optional<Param<>> bias;
};
/// `weight` [channels out, channels in / groups, kernel, kernel].
struct Conv2d {
  Param<> weight;
  std::optional<Param<>> bias;
};
/// `weight` [channels out, channels in / groups, kernel, kernel, kernel]. Since Burn 0.14.
struct Conv3d {
  Param<> weight;
  std::optional<Param<>> bias;
};
/// `weight` [channels in, channels out / groups, kernel].
struct ConvTranspose1d {
  Param<> weight;
  std::optional<Param<>> bias;
};
/// `weight` [channels in, channels out / groups, kernel, kernel].
struct ConvTranspose2d {
  Param<> weight;
  std::optional<Param<>> bias;
};
/// `weight` [channels in, channels out / groups, kernel, kernel, kernel]. Since Burn 0.14.
struct ConvTranspose3d {
  Param<> weight;
  std::optional<Param<>> bias;
};

/// All [features].
struct BatchNorm {
  Param<> gamma;
  Param<> beta;
  Param<> running_mean;
  Param<> running_var;
};
/// Both [features]. Without a `beta` since Burn 0.20 only.
struct LayerNorm {
  Param<> gamma;
  std::optional<Param<>> beta;
};
/// Both [channels], where the norm is affine.
struct GroupNorm {
  std::optional<Param<>> gamma;
  std::optional<Param<>> beta;
};
/// Both [channels], where the norm is affine.
struct InstanceNorm {
  std::optional<Param<>> gamma;
  std::optional<Param<>> beta;
};
/// `gamma` [features].
struct RmsNorm {
  Param<> gamma;
};

/// `weight` [embeddings, features].
struct Embedding {
  Param<> weight;
};
/// `alpha` [parameters].
struct PRelu {
  Param<> alpha;
};
/// Two layers whose outputs are multiplied.
struct SwiGlu {
  Linear linear_inner;
  Linear linear_outer;
};

/// An activation that a module is configured with. Since Burn 0.20.
struct Activation
    : Enum<Case<"Gelu">, Case<"PRelu", PRelu>, Case<"Relu">, Case<"LeakyRelu">,
           Case<"SwiGlu", SwiGlu>, Case<"Selu">, Case<"Sigmoid">, Case<"Tanh">, Case<"HardSigmoid">,
           Case<"HardSwish">, Case<"Softplus">, Case<"Softsign">, Case<"Elu">, Case<"Celu">,
           Case<"ThresholdedRelu">, Case<"HardShrink">, Case<"SoftShrink">, Case<"Shrink">> {
  using Variants = Enum;
  /// The activation of that name, which has no parameters.
  template <Name VariantName>
  [[nodiscard]] static Activation of() {
    return {Variants::template make<VariantName>()};
  }
};

/// The two layers of a gate.
struct GateController {
  Linear input_transform;
  Linear hidden_transform;
};
struct Lstm {
  GateController input_gate;
  GateController forget_gate;
  GateController output_gate;
  GateController cell_gate;
  // Since Burn 0.20.
  Activation gate_activation = Activation::of<"Sigmoid">();
  Activation cell_activation = Activation::of<"Tanh">();
  Activation hidden_activation = Activation::of<"Tanh">();
};
struct BiLstm {
  Lstm forward;
  Lstm reverse;
};
struct Gru {
  GateController update_gate;
  GateController reset_gate;
  GateController new_gate;
  // Since Burn 0.21.
  Activation gate_activation = Activation::of<"Sigmoid">();
  Activation hidden_activation = Activation::of<"Tanh">();
};

struct MultiHeadAttention {
  Linear query;
  Linear key;
  Linear value;
  Linear output;
};
struct PositionWiseFeedForward {
  Linear linear_inner;
  Linear linear_outer;
};
struct TransformerEncoderLayer {
  MultiHeadAttention mha;
  PositionWiseFeedForward pwff;
  LayerNorm norm_1;
  LayerNorm norm_2;
};
struct TransformerEncoder {
  std::vector<TransformerEncoderLayer> layers;
};
struct TransformerDecoderLayer {
  MultiHeadAttention cross_attn;
  MultiHeadAttention self_attn;
  PositionWiseFeedForward pwff;
  LayerNorm norm_1;
  LayerNorm norm_2;
  LayerNorm norm_3;
};
struct TransformerDecoder {
  std::vector<TransformerDecoderLayer> layers;
};

}  // namespace burn

template <>
struct Codec<burn::Activation> {
  static constexpr KindSet kinds = Kind::dict;
  static void describe_type(TypeDescriber& type) {
    type.same_as<burn::Activation::Variants>();
    type.mark(burn::activation_mark);
  }
  static Value encode(const burn::Activation& activation, Encoder& encoder) {
    return encoder.encode<burn::Activation::Variants>(activation);
  }
  static burn::Activation decode(const Value& value, Decoder& decoder) {
    return {decoder.decode<burn::Activation::Variants>(value)};
  }
};

// By these names the format knows what else a module's record holds.
template <>
struct Rules<burn::Linear> {
  static constexpr std::string_view name = "burn.Linear";
};
template <>
struct Rules<burn::Conv1d> {
  static constexpr std::string_view name = "burn.Conv1d";
};
template <>
struct Rules<burn::Conv2d> {
  static constexpr std::string_view name = "burn.Conv2d";
};
template <>
struct Rules<burn::Conv3d> {
  static constexpr std::string_view name = "burn.Conv3d";
};
template <>
struct Rules<burn::ConvTranspose1d> {
  static constexpr std::string_view name = "burn.ConvTranspose1d";
};
template <>
struct Rules<burn::ConvTranspose2d> {
  static constexpr std::string_view name = "burn.ConvTranspose2d";
};
template <>
struct Rules<burn::ConvTranspose3d> {
  static constexpr std::string_view name = "burn.ConvTranspose3d";
};
template <>
struct Rules<burn::BatchNorm> {
  static constexpr std::string_view name = "burn.BatchNorm";
};
template <>
struct Rules<burn::LayerNorm> {
  static constexpr std::string_view name = "burn.LayerNorm";
};
template <>
struct Rules<burn::GroupNorm> {
  static constexpr std::string_view name = "burn.GroupNorm";
};
template <>
struct Rules<burn::InstanceNorm> {
  static constexpr std::string_view name = "burn.InstanceNorm";
};
template <>
struct Rules<burn::RmsNorm> {
  static constexpr std::string_view name = "burn.RmsNorm";
};
template <>
struct Rules<burn::Embedding> {
  static constexpr std::string_view name = "burn.Embedding";
};
template <>
struct Rules<burn::PRelu> {
  static constexpr std::string_view name = "burn.PRelu";
};
template <>
struct Rules<burn::SwiGlu> {
  static constexpr std::string_view name = "burn.SwiGlu";
};
template <>
struct Rules<burn::GateController> {
  static constexpr std::string_view name = "burn.GateController";
};
template <>
struct Rules<burn::BiLstm> {
  static constexpr std::string_view name = "burn.BiLstm";
};
template <>
struct Rules<burn::MultiHeadAttention> {
  static constexpr std::string_view name = "burn.MultiHeadAttention";
};
template <>
struct Rules<burn::TransformerEncoderLayer> {
  static constexpr std::string_view name = "burn.TransformerEncoderLayer";
};
template <>
struct Rules<burn::TransformerEncoder> {
  static constexpr std::string_view name = "burn.TransformerEncoder";
};
template <>
struct Rules<burn::TransformerDecoderLayer> {
  static constexpr std::string_view name = "burn.TransformerDecoderLayer";
};
template <>
struct Rules<burn::TransformerDecoder> {
  static constexpr std::string_view name = "burn.TransformerDecoder";
};
template <>
struct Rules<burn::Lstm> {
  static constexpr std::string_view name = "burn.Lstm";
  static constexpr auto fields =
      safestructures::fields(safestructures::field("gate_activation").optional(),
                             safestructures::field("cell_activation").optional(),
                             safestructures::field("hidden_activation").optional());
};
template <>
struct Rules<burn::Gru> {
  static constexpr std::string_view name = "burn.Gru";
  static constexpr auto fields =
      safestructures::fields(safestructures::field("gate_activation").optional(),
                             safestructures::field("hidden_activation").optional());
};
template <>
struct Rules<burn::PositionWiseFeedForward> {
  static constexpr std::string_view name = "burn.PositionWiseFeedForward";
};

}  // namespace safestructures::inline v0
