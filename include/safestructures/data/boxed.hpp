/// \file
/// An optional value that takes only a pointer if it is missing.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// Like `std::optional`, but the value is in memory of its own: for values that are large and that
/// few objects have. Copying copies the value.
template <class T>
class Boxed {
 public:
  /// Makes one without a value.
  Boxed() noexcept = default;
  /// Makes one with that value. Implicit, like the constructors of `std::optional`.
  /// @{
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(std::optional<T> value)
      : value_(value ? std::make_unique<T>(*std::move(value)) : nullptr) {}
  /// @}
  /// Copying copies the value; a moved-from object has none.
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

  /// Whether there is a value.
  /// @{
  [[nodiscard]] bool has_value() const noexcept { return value_ != nullptr; }
  explicit operator bool() const noexcept { return has_value(); }
  /// @}
  /// The value, which must exist. Valid until this object is assigned to or destroyed.
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
