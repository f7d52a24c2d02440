/// \file
/// The base of Encoder and Decoder: the current path, and the depth limit.
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

/// The base of Encoder and Decoder: options, the current path, and the depth limit.
class SAFESTRUCTURES_API Walker {
 public:
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

  /// Returns the path of the value that is being encoded or decoded.
  [[nodiscard]] std::string path() const { return to_string(top_); }
  [[nodiscard]] const Registry* registry() const noexcept { return registry_; }
  [[nodiscard]] const Limits& limits() const noexcept { return limits_; }

  /// Throws Error with these details and the current path.
  [[noreturn]] void fail(ErrorCode code, std::string problem, ErrorDetails details = {}) const;

  /// Rethrows the current exception as an Error with the path where it was thrown. An exception
  /// that is not an Error is nested in one with code `plugin_failed` that names `type_name`;
  /// std::bad_alloc passes unchanged. To be called in an exception handler.
  [[noreturn]] void rethrow(std::string_view type_name = {}) const;

  /// Adds a step to the path for as long as it lives.
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
      else if (!walker_.failed_path_.empty()) walker_.failed_path_.clear();  // A codec recovered.
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
  /// Goes down one level without a step, into the payload of a named type, for as long as it lives.
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
  /// Returns the current path as a tensor's name: `layers.0.weight`.
  [[nodiscard]] std::string dotted_path() const;

 private:
  void descend() {
    if (depth_ >= unchecked_) check_depth();
    ++depth_;
  }
  /// Throws unless the limit and this thread's stack allow one more level.
  void check_depth() const;
  void note_failure() noexcept;

  const Registry* registry_;
  Limits limits_;
  const Trace* top_ = nullptr;
  std::uint32_t depth_ = 0;
  std::uint32_t unchecked_;  // Levels that need no check of the stack.
  int exceptions_ = std::uncaught_exceptions();
  std::string failed_path_;  // Where the exception that is propagating was thrown.
};

}  // namespace detail
}  // namespace safestructures::inline v0
