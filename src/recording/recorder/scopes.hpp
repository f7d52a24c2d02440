/// \file
/// What a recorder keeps for each thread that records.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace safestructures::inline v0::recording {

/// The number of each thread, and what it puts in front of names. Safe to use from several threads,
/// each of which sees only its own.
class Scopes {
 public:
  Scopes();

  /// Returns a number that no other object in this process has, ever.
  [[nodiscard]] std::uint64_t id() const noexcept { return *id_; }

  /// A thread, and a name as it records it.
  struct Caller {
    std::uint32_t thread = 0;
    std::string_view name;  ///< Valid until this thread's next call.
  };
  [[nodiscard]] Caller caller(std::string_view name);

  /// Puts a name and a dot in front of this thread's names. \returns the argument for `leave`
  std::size_t enter(std::string_view name);
  void leave(std::size_t size) noexcept;

 private:
  struct Thread;

  [[nodiscard]] Thread& this_thread();

  std::shared_ptr<const std::uint64_t> id_;
  std::atomic<std::uint32_t> threads_{0};
};

}  // namespace safestructures::inline v0::recording
