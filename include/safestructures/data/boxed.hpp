/// \file
/// An optional value that takes a pointer where there is none.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// Like `std::optional`, for what is large and few objects have: the value is in memory of its own.
/// Copies have a copy of it.
template <class T>
class Boxed {
 public:
  /// Without a value.
  Boxed() noexcept = default;
  /// With that one. May be implicit, as an `std::optional` is made.
  /// @{
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(std::optional<T> value)
      : value_(value ? std::make_unique<T>(*std::move(value)) : nullptr) {}
  /// @}
  /// Copies copy the value, and what was moved from has none.
  /// @{
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(const Boxed& other) {
    if (this != &other) *this = Boxed(other);
    return *this;
  }
  Boxed& operator=(Boxed&&) noexcept = default;
  /// @}
  ~Boxed() = default;

  /// Whether there is one.
  /// @{
  [[nodiscard]] bool has_value() const noexcept { return value_ != nullptr; }
  explicit operator bool() const noexcept { return has_value(); }
  /// @}
  /// The value, which must be there. Valid until this is assigned or destroyed.
  /// @{
  [[nodiscard]] const T& operator*() const noexcept { return *value_; }
  [[nodiscard]] T& operator*() noexcept { return *value_; }
  [[nodiscard]] const T* operator->() const noexcept { return value_.get(); }
  [[nodiscard]] T* operator->() noexcept { return value_.get(); }
  /// @}

 private:
  std::unique_ptr<T> value_;
};

}  // namespace safestructures::inline v0
