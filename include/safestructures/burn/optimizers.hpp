/// \file
/// The records of Burn's optimizers and learning rate schedulers.
///
///     auto adam = load_file<burn::OptimizerRecord<burn::AdamState>>("optim.mpk");
///
/// The record of a scheduler is a number: an `std::uint64_t` of the cosine, linear and Noam ones,
/// an `std::int32_t` of the step one, a `double` of the exponential one, a `Constant` of the
/// constant one.
///
/// The tensors of an optimizer have the shape of the parameter that they are about.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/burn/enum.hpp>
#include <safestructures/burn/param.hpp>
#include <safestructures/codecs/codecs.hpp>

namespace safestructures::inline v0 {
namespace burn {

/// The state of one parameter, by the rank of its tensor.
template <class State>
using RankedState = Enum<Case<"Rank0", State>, Case<"Rank1", State>, Case<"Rank2", State>,
                         Case<"Rank3", State>, Case<"Rank4", State>, Case<"Rank5", State>,
                         Case<"Rank6", State>, Case<"Rank7", State>, Case<"Rank8", State>>;

/// What an optimizer knows of each parameter, by the parameter's id.
template <class State>
using OptimizerRecord = std::map<std::string, Enum<Case<"V1", RankedState<State>>>>;

/// How the gradients of a parameter were, for Adam and AdamW.
struct AdaptiveMomentum {
  std::uint64_t time = 0;              ///< Steps so far.
  Bare<> moment_1;                     ///< The moving average of the gradients.
  Bare<> moment_2;                     ///< The moving average of their squares.
  std::optional<Bare<>> max_moment_2;  ///< The largest `moment_2`, for AMSGrad. Since Burn 0.21.
};
/// The state of Adam for one parameter.
struct AdamState {
  AdaptiveMomentum momentum;  ///< All there is.
};
/// The state of AdamW for one parameter.
using AdamWState = AdamState;

/// How the gradients of a parameter were, for SGD.
struct Momentum {
  Bare<> velocity;  ///< Their moving sum.
};
/// The state of SGD for one parameter.
struct SgdState {
  std::optional<Momentum> momentum;  ///< Where the optimizer has a momentum.
};

/// How the gradients of a parameter were, for AdaGrad.
struct LrDecay {
  std::uint64_t time = 0;  ///< Steps so far.
  Bare<> sum;              ///< Of the squares of the gradients.
};
/// The state of AdaGrad for one parameter.
struct AdaGradState {
  LrDecay lr_decay;  ///< All there is.
};

/// The squares of the gradients of a parameter, for RMSprop.
struct SquareAverage {
  Bare<> square_avg;  ///< Their moving average.
};
/// The variance of the gradients of a parameter, for RMSprop.
struct Centered {
  std::optional<Bare<>> grad_avg;  ///< The moving average of the gradients, where it is centered.
  Bare<> avg;  ///< `square_avg`, less the square of `grad_avg` where there is one.
};
/// The steps of a parameter, for RMSprop.
struct RmsPropMomentum {
  Bare<> buf;  ///< Their moving sum.
};
/// The state of RMSprop for one parameter.
struct RmsPropState {
  SquareAverage square_avg;                 ///< Of the last step.
  Centered centered;                        ///< Of the last step.
  std::optional<RmsPropMomentum> momentum;  ///< Where the optimizer has a momentum.
};

/// The schedulers of a composed one.
struct ComposedLrScheduler {
  /// The record of each, in order: see the head of this file.
  std::vector<Enum<Case<"Linear", std::uint64_t>, Case<"Cosine", std::uint64_t>,
                   Case<"Exponential", double>, Case<"Noam", std::uint64_t>>>
      schedulers;
};

}  // namespace burn

// By this name the format knows which version has which field.
template <>
struct Rules<burn::AdaptiveMomentum> {
  static constexpr std::string_view name = "burn.AdaptiveMomentum";
};

}  // namespace safestructures::inline v0
