/// \file
/// Conversion of a tensor's elements to the dtype in which a file stores them, and the losses that
/// every format refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/tensor.hpp>

#include "data/conversion/convert_strided.hpp"

namespace safestructures::inline v0::detail {

/// The conversion losses that a save allows; see `SaveOptions`.
struct Losses {
  Overflow overflow = Overflow::error;
  bool lossless = false;
  bool refuse_range_losses = false;

  /// Takes the settings from options of any format: `SaveOptions`, or those of the container.
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

  /// Copies elements as `Tensor::copy_elements` does. Several threads may call this at once.
  void copy(std::uint64_t first, std::uint64_t count, std::span<std::byte> target);

  /// The elements as a matrix that is best copied in parts of many rows; null if copying them in
  /// order is as good. \param block how many bytes would be copied at once
  [[nodiscard]] std::optional<StridedView::Extent> as_matrix(std::size_t block) const;
  /// Copies a part of this matrix, whose rows have `row_size` elements, row by row. Several threads
  /// may call this at once. \throws Error as `copy`, for any element of the part
  void copy_part(std::uint64_t row_size, const MatrixPart& part, std::span<std::byte> target);

  /// Returns what converting all elements did. \param name the tensor's name, as shown in messages
  /// \throws Error `lossy_conversion` for a loss that the options refuse.
  [[nodiscard]] ConversionReport finish(std::string_view name) const;

 private:
  [[nodiscard]] bool may_differ() const noexcept;
  void add(ConversionReport part, std::uint64_t changed);
  /// Returns how many elements that were copied to `block` differ from the originals when converted
  /// back.
  /// @{
  [[nodiscard]] std::uint64_t count_changed(std::uint64_t first, std::uint64_t count,
                                            std::span<const std::byte> block) const;
  [[nodiscard]] std::uint64_t count_changed(std::uint64_t row_size, const MatrixPart& part,
                                            std::span<const std::byte> block) const;
  /// @}

  const Tensor& tensor_;
  DType stored_;
  Losses losses_;
  std::mutex mutex_;
  ConversionReport report_;
  std::uint64_t changed_ = 0;  // Elements whose bits differ; counted only for a lossless save.
};

}  // namespace safestructures::inline v0::detail
