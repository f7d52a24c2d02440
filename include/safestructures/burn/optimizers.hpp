/// \file
/// The records of Burn's optimizers and learning rate schedulers.
///
///     auto adam = load_file<burn::OptimizerRecord<burn::AdamState>>("optim.mpk");
///
/// The record of a scheduler is a number: `std::uint64_t` for cosine, linear and Noam,
/// `std::int32_t` for step, `double` for exponential; that of the constant scheduler is nothing, a
/// `std::monostate`.
///
/// The tensors of an optimizer have the shape of the parameter they belong to.
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

/// The state of each parameter of an optimizer, by the parameter's id.
template <class State>
using OptimizerRecord = std::map<std::string, Enum<Case<"V1", RankedState<State>>>>;

/// The moments of a parameter's gradients, for Adam and AdamW.
struct AdaptiveMomentum {
  std::uint64_t time = 0;              ///< Steps so far.
  Bare<> moment_1;                     ///< The moving average of the gradients.
  Bare<> moment_2;                     ///< The moving average of their squares.
  std::optional<Bare<>> max_moment_2;  ///< The largest `moment_2`, for AMSGrad. Since Burn 0.21.
};
/// The state of Adam for one parameter.
struct AdamState {
  AdaptiveMomentum momentum;  ///< The whole state.
};
/// The state of AdamW for one parameter.
using AdamWState = AdamState;

/// The momentum of a parameter, for SGD.
struct Momentum {
  Bare<> velocity;  ///< The moving sum of the gradients.
};
/// The state of SGD for one parameter.
struct SgdState {
  std::optional<Momentum> momentum;  ///< Present if the optimizer has a momentum.
};

/// The learning rate decay of a parameter, for AdaGrad.
struct LrDecay {
  std::uint64_t time = 0;  ///< Steps so far.
  Bare<> sum;              ///< The sum of the squared gradients.
};
/// The state of AdaGrad for one parameter.
struct AdaGradState {
  LrDecay lr_decay;  ///< The whole state.
};

/// The second moment of a parameter's gradients, for RMSprop.
struct SquareAverage {
  Bare<> square_avg;  ///< The moving average of the squared gradients.
};
/// The variance of the gradients of a parameter, for RMSprop.
struct Centered {
  std::optional<Bare<>> grad_avg;  ///< The moving average of the gradients, if centered.
  Bare<> avg;  ///< `square_avg`, minus the square of `grad_avg` if there is one.
};
/// The momentum of a parameter, for RMSprop.
struct RmsPropMomentum {
  Bare<> buf;  ///< The moving sum of the steps.
};
/// The state of RMSprop for one parameter.
struct RmsPropState {
  SquareAverage square_avg;                 ///< The one of the last step.
  Centered centered;                        ///< The one of the last step.
  std::optional<RmsPropMomentum> momentum;  ///< Present if the optimizer has a momentum.
};

/// The record of a composed learning rate scheduler.
struct ComposedLrScheduler {
  /// The record of each scheduler, in order; see the head of this file.
  std::vector<Enum<Case<"Linear", std::uint64_t>, Case<"Cosine", std::uint64_t>,
                   Case<"Exponential", double>, Case<"Noam", std::uint64_t>>>
      schedulers;
};

}  // namespace burn

// The format uses this name to know which version has which field.
template <>
struct Rules<burn::AdaptiveMomentum> {
  static constexpr std::string_view name = "burn.AdaptiveMomentum";
};

}  // namespace safestructures::inline v0
