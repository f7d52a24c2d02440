/// \file
/// What a recorder keeps for each thread that records.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace safestructures::inline v0::recording {

/// The number of each thread, what it puts in front of names, and its step. Safe to use from
/// several threads, each of which sees only its own.
class Scopes {
 public:
  Scopes();

  /// Returns a number that no other object in this process has, ever.
  [[nodiscard]] std::uint64_t id() const noexcept { return *id_; }

  /// A thread, and a name as it records it.
  struct Caller {
    std::uint32_t thread = 0;
    std::string_view name;             ///< Valid until this thread's next call.
    std::optional<std::int64_t> step;  ///< Null if it has none of its own.
  };
  [[nodiscard]] Caller caller(std::string_view name);

  /// What a scope replaces, and gives back.
  struct Outer {
    std::size_t prefix = 0;  ///< The size of what is put in front of names.
    std::optional<std::int64_t> step;
  };
  /// Puts a name and a dot in front of this thread's names. \returns the argument for `leave`
  Outer enter(std::string_view name);
  /// Gives this thread a step of its own. \returns the argument for `leave`
  Outer enter_step(std::int64_t step);
  void leave(const Outer& outer) noexcept;

 private:
  struct Thread;

  [[nodiscard]] Thread& this_thread();

  std::shared_ptr<const std::uint64_t> id_;
  std::atomic<std::uint32_t> threads_{0};
};

}  // namespace safestructures::inline v0::recording
