/// \file
/// The records of Burn's own modules, so that users only write their own.
///
/// Each struct holds the learned parameters of its module, under the names of Burn's fields. Shapes
/// of tensors are given in brackets. The format knows what else Burn's records contain (constants,
/// in an order that changed between versions), in every encoding.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <safestructures/burn/enum.hpp>
#include <safestructures/burn/param.hpp>
#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0 {
namespace burn {

/// A fully connected layer.
struct Linear {
  Param<> weight;               ///< [inputs, outputs], the transpose of PyTorch's
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

/// Normalisation over a batch, for any number of dimensions.
struct BatchNorm {
  Param<> gamma;         ///< [features]: the scale
  Param<> beta;          ///< [features]: the offset
  Param<> running_mean;  ///< [features]: the mean seen in training
  Param<> running_var;   ///< [features]: the variance seen in training
};
/// Normalisation over the last dimension.
struct LayerNorm {
  Param<> gamma;                ///< [features]
  std::optional<Param<>> beta;  ///< [features]; optional since Burn 0.20, required before
};
/// Normalisation over groups of channels.
struct GroupNorm {
  std::optional<Param<>> gamma;  ///< [channels], if the norm is affine
  std::optional<Param<>> beta;   ///< [channels], if the norm is affine
};
/// Normalisation over each channel of each item.
struct InstanceNorm {
  std::optional<Param<>> gamma;  ///< [channels], if the norm is affine
  std::optional<Param<>> beta;   ///< [channels], if the norm is affine
};
/// Normalisation by the root mean square of the last dimension.
struct RmsNorm {
  Param<> gamma;  ///< [features]
};

/// A vector for each token of a vocabulary.
struct Embedding {
  Param<> weight;  ///< [embeddings, features]
};
/// ReLU with a learned slope for negative inputs (PReLU).
struct PRelu {
  Param<> alpha;  ///< [parameters]: one in all, or one for each channel
};
/// Two layers with the same input whose outputs are multiplied.
struct SwiGlu {
  Linear linear_inner;  ///< its output goes through SiLU first
  Linear linear_outer;  ///< its output is used as it is
};

/// An activation that a module is configured with. Since Burn 0.20.
struct Activation
    : Enum<Case<"Gelu">, Case<"PRelu", PRelu>, Case<"Relu">, Case<"LeakyRelu">,
           Case<"SwiGlu", SwiGlu>, Case<"Selu">, Case<"Sigmoid">, Case<"Tanh">, Case<"HardSigmoid">,
           Case<"HardSwish">, Case<"Softplus">, Case<"Softsign">, Case<"Elu">, Case<"Celu">,
           Case<"ThresholdedRelu">, Case<"HardShrink">, Case<"SoftShrink">, Case<"Shrink">> {
  /// The underlying enum; its `make` and `get_if` take the names of variants.
  using Variants = Enum;
  /// Returns the activation of that name, which must have no parameters.
  template <Name VariantName>
  [[nodiscard]] static Activation of() {
    return {Variants::template make<VariantName>()};
  }
};

/// The two layers of a gate.
struct GateController {
  Linear input_transform;   ///< [inputs, hidden], applied to the input
  Linear hidden_transform;  ///< [hidden, hidden], applied to the previous hidden state
};
/// Long short-term memory.
struct Lstm {
  GateController input_gate;   ///< controls how much enters the cell state
  GateController forget_gate;  ///< controls how much of the cell state is kept
  GateController output_gate;  ///< controls how much of the cell state is output
  GateController cell_gate;    ///< the candidate for the cell state
  /// The activations of the first three gates, of the cell gate, and of the cell state before it is
  /// output. Part of the record since Burn 0.20; before, they were always these.
  /// @{
  Activation gate_activation = Activation::of<"Sigmoid">();
  Activation cell_activation = Activation::of<"Tanh">();
  Activation hidden_activation = Activation::of<"Tanh">();
  /// @}
};
/// Two LSTMs that read a sequence from its two ends.
struct BiLstm {
  Lstm forward;  ///< from first to last
  Lstm reverse;  ///< from last to first
};
/// Gated recurrent unit.
struct Gru {
  GateController update_gate;  ///< controls how much of the hidden state is kept
  GateController reset_gate;   ///< controls how much of the hidden state the new gate sees
  GateController new_gate;     ///< the candidate for the hidden state
  /// The activations of the first two gates, and of the new gate. Part of the record since Burn
  /// 0.21; before, they were always these.
  /// @{
  Activation gate_activation = Activation::of<"Sigmoid">();
  Activation hidden_activation = Activation::of<"Tanh">();
  /// @}
};

/// Attention. Each layer holds all heads side by side: [features, features].
struct MultiHeadAttention {
  Linear query;   ///< query projection
  Linear key;     ///< key projection
  Linear value;   ///< value projection
  Linear output;  ///< output projection over the concatenated heads
};
/// Two layers with an activation between them.
struct PositionWiseFeedForward {
  Linear linear_inner;  ///< [features, inner features]
  Linear linear_outer;  ///< [inner features, features]
};
/// One layer of a TransformerEncoder, under Burn's names.
struct TransformerEncoderLayer {
  MultiHeadAttention mha;        ///< self-attention
  PositionWiseFeedForward pwff;  ///< applied to each position
  /// Applied to the inputs or the outputs of these two, depending on Burn's `norm_first`.
  /// @{
  LayerNorm norm_1;
  LayerNorm norm_2;
  /// @}
};
/// The encoder of a transformer.
struct TransformerEncoder {
  std::vector<TransformerEncoderLayer> layers;  ///< in order, starting at the input
};
/// One layer of a TransformerDecoder, under Burn's names.
struct TransformerDecoderLayer {
  MultiHeadAttention cross_attn;  ///< attention to the encoder's output
  MultiHeadAttention self_attn;   ///< self-attention
  PositionWiseFeedForward pwff;   ///< applied to each position
  /// Applied to the inputs or the outputs of these three, depending on Burn's `norm_first`.
  /// @{
  LayerNorm norm_1;
  LayerNorm norm_2;
  LayerNorm norm_3;
  /// @}
};
/// The decoder of a transformer.
struct TransformerDecoder {
  std::vector<TransformerDecoderLayer> layers;  ///< in order, starting at the input
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

// The format uses these names to know what else a module's record holds.
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
