/// \file
/// The elements of a tensor on their way into a file, and what all formats refuse of what a
/// conversion does to them.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::detail {

/// What a save allows of conversions; see `SaveOptions`.
struct Losses {
  Overflow overflow = Overflow::error;
  bool lossless = false;
  bool refuse_range_losses = false;

  /// What such options say: those of all formats, or those of the container.
  template <class Options>
  static Losses of(const Options& options) {
    return {options.overflow, options.lossless, options.refuse_range_losses};
  }
};

/// The elements of one tensor in the dtype in which they are stored.
class StoredElements {
 public:
  /// `tensor` must outlive this.
  StoredElements(const Tensor& tensor, DType stored, const Losses& losses)
      : tensor_(tensor), stored_(stored), losses_(losses) {}

  [[nodiscard]] const Tensor& tensor() const noexcept { return tensor_; }
  [[nodiscard]] DType dtype() const noexcept { return stored_; }

  /// As `Tensor::copy_elements`. Several threads may ask for elements at once.
  void copy(std::uint64_t first, std::uint64_t count, std::span<std::byte> target);

  /// What the conversions of all elements did. \param name the tensor's, as messages show it
  /// \throws Error `lossy_conversion` for what is refused.
  [[nodiscard]] ConversionReport finish(std::string_view name) const;

 private:
  /// How many of the elements in `block` differ when they are converted back.
  [[nodiscard]] std::uint64_t count_changed(std::uint64_t first, std::uint64_t count,
                                            std::span<const std::byte> block) const;

  const Tensor& tensor_;
  DType stored_;
  Losses losses_;
  std::mutex mutex_;
  ConversionReport report_;
  std::uint64_t changed_ = 0;  // Elements of other bits; counted for a lossless save only.
};

}  // namespace safestructures::inline v0::detail
