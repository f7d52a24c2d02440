#include "formats/burn/modules.hpp"

#include <algorithm>
#include <array>

namespace safestructures::inline v0::burn {
namespace {

// Taken from the structs of burn-core 0.13.2, 0.14.1 and 0.17.1, and of burn-nn 0.19.1 to 0.21.0.
// Changes between two of these are dated by the history of Burn's repository.

constexpr ModuleField member(std::string_view name) { return {.name = name}; }
constexpr ModuleField constant(std::string_view name, std::size_t count = 0) {
  return {.name = name, .role = Role::constant, .count = count};
}
constexpr ModuleField since(Version version, ModuleField field) {
  field.from = version;
  return field;
}
constexpr ModuleField until(Version version, ModuleField field) {
  field.until = version;
  return field;
}

/// An activation that was always `implied` before.
constexpr ModuleField activation(Version version, std::string_view name, std::string_view implied) {
  return {.name = name, .from = version, .implied = implied};
}

constexpr std::array linear = {member("weight"), member("bias")};
constexpr std::array embedding = {member("weight")};
constexpr std::array p_relu = {member("alpha"), since(14, constant("alpha_value"))};
constexpr std::array swi_glu = {member("linear_inner"), member("linear_outer")};

constexpr std::array batch_norm = {member("gamma"),        member("beta"),
                                   member("running_mean"), member("running_var"),
                                   constant("momentum"),   constant("epsilon")};
constexpr std::array layer_norm = {
    member("gamma"), ModuleField{.name = "beta", .optional_from = 20}, constant("epsilon")};
constexpr std::array group_norm = {until(14, constant("num_groups")),
                                   until(14, constant("num_channels")),
                                   member("gamma"),
                                   member("beta"),
                                   since(14, constant("num_groups")),
                                   since(14, constant("num_channels")),
                                   constant("epsilon"),
                                   constant("affine")};
constexpr std::array instance_norm = {until(14, constant("num_groups")),
                                      until(14, constant("num_channels")),
                                      member("gamma"),
                                      member("beta"),
                                      since(14, constant("num_channels")),
                                      constant("epsilon"),
                                      constant("affine")};
constexpr std::array rms_norm = {member("gamma"), constant("epsilon")};

/// \tparam Dims the dimensions of the kernel; 0: single numbers
template <std::size_t Dims>
constexpr std::array conv = {member("weight"),           member("bias"),
                             constant("stride", Dims),   constant("kernel_size", Dims),
                             constant("dilation", Dims), constant("groups"),
                             constant("padding")};
template <std::size_t Dims>
constexpr std::array conv_transpose = {member("weight"),
                                       member("bias"),
                                       constant("stride", Dims),
                                       constant("kernel_size", Dims),
                                       constant("dilation", Dims),
                                       constant("groups"),
                                       constant("padding", Dims),
                                       constant("padding_out", Dims),
                                       since(14, constant("channels", 2))};

constexpr std::array gate_controller = {member("input_transform"), member("hidden_transform")};
constexpr std::array lstm = {
    member("input_gate"),
    member("forget_gate"),
    member("output_gate"),
    member("cell_gate"),
    until(9, constant("batch_size")),
    constant("d_hidden"),
    since(20, constant("batch_first")),
    since(20, constant("reverse")),
    since(20, ModuleField{.name = "clip", .role = Role::optional_constant}),
    since(20, constant("input_forget")),
    activation(20, "gate_activation", "Sigmoid"),
    activation(20, "cell_activation", "Tanh"),
    activation(20, "hidden_activation", "Tanh")};
constexpr std::array bi_lstm = {member("forward"), member("reverse"), constant("d_hidden"),
                                since(20, constant("batch_first"))};
constexpr std::array gru = {
    member("update_gate"),
    member("reset_gate"),
    member("new_gate"),
    until(9, constant("batch_size")),
    constant("d_hidden"),
    since(17, constant("reset_after")),
    activation(21, "gate_activation", "Sigmoid"),
    activation(21, "hidden_activation", "Tanh"),
    since(21, ModuleField{.name = "clip", .role = Role::optional_constant})};

constexpr std::array attention = {member("query"),
                                  member("key"),
                                  member("value"),
                                  member("output"),
                                  constant("dropout"),
                                  constant("activation"),
                                  since(14, constant("d_model")),
                                  constant("n_heads"),
                                  constant("d_k"),
                                  constant("min_float"),
                                  since(13, constant("quiet_softmax"))};
constexpr std::array feed_forward = {member("linear_inner"), member("linear_outer"),
                                     constant("dropout"), until(21, constant("gelu")),
                                     since(21, constant("activation"))};
constexpr std::array encoder_layer = {member("mha"),       member("pwff"),
                                      member("norm_1"),    member("norm_2"),
                                      constant("dropout"), constant("norm_first")};
constexpr std::array decoder_layer = {member("cross_attn"), member("self_attn"),   member("pwff"),
                                      member("norm_1"),     member("norm_2"),      member("norm_3"),
                                      constant("dropout"),  constant("norm_first")};
constexpr std::array transformer = {member("layers"),
                                    since(14, constant("d_model")),
                                    since(14, constant("d_ff")),
                                    since(14, constant("n_heads")),
                                    since(14, constant("n_layers")),
                                    since(14, constant("dropout")),
                                    since(14, constant("norm_first")),
                                    since(14, constant("quiet_softmax"))};

// The state of Adam.
constexpr std::array adaptive_momentum = {member("time"), member("moment_1"), member("moment_2"),
                                          since(21, member("max_moment_2"))};

struct Module {
  std::string_view name;
  std::span<const ModuleField> fields;
};

constexpr std::array<Module, 25> modules = {{
    {"burn.AdaptiveMomentum", adaptive_momentum},
    {"burn.Linear", linear},
    {"burn.Conv1d", conv<0>},
    {"burn.Conv2d", conv<2>},
    {"burn.Conv3d", conv<3>},
    {"burn.ConvTranspose1d", conv_transpose<0>},
    {"burn.ConvTranspose2d", conv_transpose<2>},
    {"burn.ConvTranspose3d", conv_transpose<3>},
    {"burn.BatchNorm", batch_norm},
    {"burn.LayerNorm", layer_norm},
    {"burn.GroupNorm", group_norm},
    {"burn.InstanceNorm", instance_norm},
    {"burn.RmsNorm", rms_norm},
    {"burn.Embedding", embedding},
    {"burn.PRelu", p_relu},
    {"burn.SwiGlu", swi_glu},
    {"burn.GateController", gate_controller},
    {"burn.Lstm", lstm},
    {"burn.BiLstm", bi_lstm},
    {"burn.Gru", gru},
    {"burn.MultiHeadAttention", attention},
    {"burn.PositionWiseFeedForward", feed_forward},
    {"burn.TransformerEncoderLayer", encoder_layer},
    {"burn.TransformerDecoderLayer", decoder_layer},
    {"burn.TransformerEncoder", transformer},
}};

struct DatedVariant {
  std::string_view name;
  Version from = 0;
};
// In the order of 0.21; each version has those that it knows, in this order.
constexpr std::array<DatedVariant, 18> activations = {{
    {"Gelu"},
    {"PRelu"},
    {"Relu"},
    {"LeakyRelu"},
    {"SwiGlu"},
    {"Selu", 21},
    {"Sigmoid"},
    {"Tanh"},
    {"HardSigmoid"},
    {"HardSwish", 20},
    {"Softplus", 20},
    {"Softsign", 21},
    {"Elu", 21},
    {"Celu", 21},
    {"ThresholdedRelu", 21},
    {"HardShrink", 21},
    {"SoftShrink", 21},
    {"Shrink", 21},
}};

}  // namespace

std::span<const ModuleField> fields_of(std::string_view class_name) noexcept {
  if (class_name == "burn.TransformerDecoder") class_name = "burn.TransformerEncoder";
  const auto* const found = std::ranges::find(modules, class_name, &Module::name);
  return found == modules.end() ? std::span<const ModuleField>() : found->fields;
}

std::string_view inner_of(std::string_view class_name, Version version) noexcept {
  return class_name == "burn.InstanceNorm" && version < 14 ? "group_norm" : "";
}

std::optional<std::uint64_t> activation_index(std::string_view name, Version version) noexcept {
  std::uint64_t index = 0;
  for (const DatedVariant& one : activations) {
    if (version < one.from) continue;
    if (one.name == name) return index;
    ++index;
  }
  return std::nullopt;
}

}  // namespace safestructures::inline v0::burn
