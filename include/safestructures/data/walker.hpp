/// \file
/// What encoding and decoding share: where they are, and how deep they may go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include <safestructures/data/error.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/path.hpp>

namespace safestructures::inline v0 {

class Registry;

namespace detail {

/// What encoding and decoding share: options, the current path, and the depth limit.
class SAFESTRUCTURES_API Walker {
 public:
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

  /// The path of the value that is being encoded or decoded.
  [[nodiscard]] std::string path() const { return to_string(top_); }
  [[nodiscard]] const Registry* registry() const noexcept { return registry_; }
  [[nodiscard]] const Limits& limits() const noexcept { return limits_; }

  /// Throws Error with the current path.
  [[noreturn]] void fail(ErrorCode code, std::string problem, std::string expected = {},
                         std::string found = {}, std::string advice = {}) const;

  /// Called while an exception is handled: throws it again as an Error that has the path at which
  /// it was thrown. What is not an Error is nested in one with code `plugin_failed`, which names
  /// `type_name`; std::bad_alloc passes unchanged.
  [[noreturn]] void rethrow(std::string_view type_name = {}) const;

  /// One step down the path for as long as it lives.
  /// \throws Error `limit_exceeded` beyond `limits().depth`.
  class Step {
   public:
    Step(Walker& walker, std::string_view name) : walker_(walker), trace_{walker.top_, name} {
      enter();
    }
    Step(Walker& walker, std::size_t index) : walker_(walker), trace_{walker.top_, {}, index} {
      enter();
    }
    ~Step() {
      if (std::uncaught_exceptions() > walker_.exceptions_) walker_.note_failure();
      else if (!walker_.failed_path_.empty()) walker_.failed_path_.clear();  // A codec got over it.
      walker_.top_ = trace_.parent;
      --walker_.depth_;
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    void enter() {
      walker_.descend();
      walker_.top_ = &trace_;
      if (!walker_.failed_path_.empty()) walker_.failed_path_.clear();
    }
    Walker& walker_;
    Trace trace_;
  };

 protected:
  /// One level down without a step, for as long as it lives: into what a named type holds.
  class Nested {
   public:
    explicit Nested(Walker& walker) : walker_(walker) { walker_.descend(); }
    ~Nested() { --walker_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Walker& walker_;
  };

  Walker(const Registry* registry, const Limits& limits);
  ~Walker() = default;
  /// The current path as a tensor's name: `layers.0.weight`.
  [[nodiscard]] std::string dotted_path() const;

 private:
  void descend() {
    if (depth_ >= unchecked_) check_depth();
    ++depth_;
  }
  /// Whether the limit, and the stack of this thread, allow one more level.
  void check_depth() const;
  void note_failure() noexcept;

  const Registry* registry_;
  Limits limits_;
  const Trace* top_ = nullptr;
  std::uint32_t depth_ = 0;
  std::uint32_t unchecked_;  // Levels that need no look at the stack.
  int exceptions_ = std::uncaught_exceptions();
  std::string failed_path_;  // Where the exception that is on its way up was thrown.
};

}  // namespace detail
}  // namespace safestructures::inline v0
