/// \file
/// The records of Burn's own modules, so that users write only their own.
///
/// Each holds what its module learns, under the names of Burn's fields; in brackets are the shapes
/// of tensors. What Burn's records have beside it (constants, in an order that changed from version
/// to version) is known to the format, in every encoding.
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

/// A layer of a weighted sum for each output.
struct Linear {
  Param<> weight;               ///< [inputs, outputs]: a matrix from the left, unlike PyTorch's
  std::optional<Param<>> bias;  ///< [outputs]
};

/// A convolution along one dimension.
struct Conv1d {
  Param<> weight;               ///< [channels out, channels in / groups, kernel]
  std::optional<Param<>> bias;  ///< [channels out]
};
/// A convolution along two dimensions.
struct Conv2d {
  Param<> weight;               ///< [channels out, channels in / groups, kernel, kernel]
  std::optional<Param<>> bias;  ///< [channels out]
};
/// A convolution along three dimensions. Since Burn 0.14.
struct Conv3d {
  Param<> weight;               ///< [channels out, channels in / groups, kernel, kernel, kernel]
  std::optional<Param<>> bias;  ///< [channels out]
};
/// A transposed convolution along one dimension.
struct ConvTranspose1d {
  Param<> weight;               ///< [channels in, channels out / groups, kernel]
  std::optional<Param<>> bias;  ///< [channels out]
};
/// A transposed convolution along two dimensions.
struct ConvTranspose2d {
  Param<> weight;               ///< [channels in, channels out / groups, kernel, kernel]
  std::optional<Param<>> bias;  ///< [channels out]
};
/// A transposed convolution along three dimensions. Since Burn 0.14.
struct ConvTranspose3d {
  Param<> weight;               ///< [channels in, channels out / groups, kernel, kernel, kernel]
  std::optional<Param<>> bias;  ///< [channels out]
};

/// Normalisation over a batch; of any number of dimensions.
struct BatchNorm {
  Param<> gamma;         ///< [features]: by what the norm is multiplied
  Param<> beta;          ///< [features]: what is added to it
  Param<> running_mean;  ///< [features], as met in training
  Param<> running_var;   ///< [features], as met in training
};
/// Normalisation over the last dimension.
struct LayerNorm {
  Param<> gamma;                ///< [features]
  std::optional<Param<>> beta;  ///< [features]; missing since Burn 0.20 only
};
/// Normalisation over groups of channels.
struct GroupNorm {
  std::optional<Param<>> gamma;  ///< [channels], where the norm is affine
  std::optional<Param<>> beta;   ///< [channels], where the norm is affine
};
/// Normalisation over each channel of each item.
struct InstanceNorm {
  std::optional<Param<>> gamma;  ///< [channels], where the norm is affine
  std::optional<Param<>> beta;   ///< [channels], where the norm is affine
};
/// Normalisation by the root of the mean square of the last dimension.
struct RmsNorm {
  Param<> gamma;  ///< [features]
};

/// A vector for each number of a vocabulary.
struct Embedding {
  Param<> weight;  ///< [embeddings, features]
};
/// Relu with a slope below zero that is learned.
struct PRelu {
  Param<> alpha;  ///< [parameters]: one, or one for each channel
};
/// Two layers whose outputs are multiplied.
struct SwiGlu {
  Linear linear_inner;  ///< whose output goes through SiLU first
  Linear linear_outer;  ///< of the same input
};

/// An activation that a module is configured with. Since Burn 0.20.
struct Activation
    : Enum<Case<"Gelu">, Case<"PRelu", PRelu>, Case<"Relu">, Case<"LeakyRelu">,
           Case<"SwiGlu", SwiGlu>, Case<"Selu">, Case<"Sigmoid">, Case<"Tanh">, Case<"HardSigmoid">,
           Case<"HardSwish">, Case<"Softplus">, Case<"Softsign">, Case<"Elu">, Case<"Celu">,
           Case<"ThresholdedRelu">, Case<"HardShrink">, Case<"SoftShrink">, Case<"Shrink">> {
  /// The enum that it is; its `make` and `get_if` take the names of variants.
  using Variants = Enum;
  /// The activation of that name, which has no parameters.
  template <Name VariantName>
  [[nodiscard]] static Activation of() {
    return {Variants::template make<VariantName>()};
  }
};

/// The two layers of a gate.
struct GateController {
  Linear input_transform;   ///< [inputs, hidden], of the input
  Linear hidden_transform;  ///< [hidden, hidden], of the hidden state before
};
/// Long short-term memory.
struct Lstm {
  GateController input_gate;   ///< of what is taken into the cell state
  GateController forget_gate;  ///< of what is kept of the cell state
  GateController output_gate;  ///< of what is given of the cell state
  GateController cell_gate;    ///< of what there is to be taken in
  /// The functions of the three first gates, of the cell gate, and of the cell state that is given.
  /// In the record since Burn 0.20; before, they were these.
  /// @{
  Activation gate_activation = Activation::of<"Sigmoid">();
  Activation cell_activation = Activation::of<"Tanh">();
  Activation hidden_activation = Activation::of<"Tanh">();
  /// @}
};
/// Two of these, which go through a sequence from its two ends.
struct BiLstm {
  Lstm forward;  ///< from the first
  Lstm reverse;  ///< from the last
};
/// Gated recurrent unit.
struct Gru {
  GateController update_gate;  ///< of what is kept of the hidden state
  GateController reset_gate;   ///< of what of it the new gate is given
  GateController new_gate;     ///< of what there is to be taken in
  /// The functions of the two first gates, and of the new gate. In the record since Burn 0.21;
  /// before, they were these.
  /// @{
  Activation gate_activation = Activation::of<"Sigmoid">();
  Activation hidden_activation = Activation::of<"Tanh">();
  /// @}
};

/// Attention, the heads side by side in each layer: all are [features, features].
struct MultiHeadAttention {
  Linear query;   ///< of what asks
  Linear key;     ///< of what is asked, for the weights
  Linear value;   ///< of what is asked, for the sum
  Linear output;  ///< of the sums of all heads
};
/// Two layers with an activation between them.
struct PositionWiseFeedForward {
  Linear linear_inner;  ///< [features, inner features]
  Linear linear_outer;  ///< [inner features, features]
};
/// One layer of a TransformerEncoder, under Burn's names.
struct TransformerEncoderLayer {
  MultiHeadAttention mha;        ///< of the sequence to itself
  PositionWiseFeedForward pwff;  ///< of each position
  /// Of what goes into these two, or comes out of them, as Burn's `norm_first` says.
  /// @{
  LayerNorm norm_1;
  LayerNorm norm_2;
  /// @}
};
/// The encoder of a transformer.
struct TransformerEncoder {
  std::vector<TransformerEncoderLayer> layers;  ///< from the input on
};
/// One layer of a TransformerDecoder, under Burn's names.
struct TransformerDecoderLayer {
  MultiHeadAttention cross_attn;  ///< of the sequence to what was encoded
  MultiHeadAttention self_attn;   ///< of the sequence to itself
  PositionWiseFeedForward pwff;   ///< of each position
  /// Of what goes into these three, or comes out of them, as Burn's `norm_first` says.
  /// @{
  LayerNorm norm_1;
  LayerNorm norm_2;
  LayerNorm norm_3;
  /// @}
};
/// The decoder of a transformer.
struct TransformerDecoder {
  std::vector<TransformerDecoderLayer> layers;  ///< from the input on
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
