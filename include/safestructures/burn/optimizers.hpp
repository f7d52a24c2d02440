/// \file
/// The records of Burn's optimizers and learning rate schedulers.
///
///     auto adam = load_file<burn::OptimizerRecord<burn::AdamState>>("optim.mpk");
///
/// The record of a scheduler is a number: an `std::uint64_t` of the cosine, linear and Noam ones,
/// an `std::int32_t` of the step one, a `double` of the exponential one, a `Constant` of the
/// constant one.
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

/// Of Adam and AdamW. `max_moment_2` since Burn 0.21.
struct AdaptiveMomentum {
  std::uint64_t time = 0;
  Bare<> moment_1;
  Bare<> moment_2;
  std::optional<Bare<>> max_moment_2;
};
struct AdamState {
  AdaptiveMomentum momentum;
};
using AdamWState = AdamState;

struct Momentum {
  Bare<> velocity;
};
struct SgdState {
  std::optional<Momentum> momentum;
};

struct LrDecay {
  std::uint64_t time = 0;
  Bare<> sum;
};
struct AdaGradState {
  LrDecay lr_decay;
};

struct SquareAverage {
  Bare<> square_avg;
};
struct Centered {
  std::optional<Bare<>> grad_avg;
  Bare<> avg;
};
struct RmsPropMomentum {
  Bare<> buf;
};
struct RmsPropState {
  SquareAverage square_avg;
  Centered centered;
  std::optional<RmsPropMomentum> momentum;
};

/// The schedulers of a composed one.
struct ComposedLrScheduler {
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
