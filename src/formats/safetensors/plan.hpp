/// \file
/// What a file will look like, decided before the first byte is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <safestructures/formats/safetensors/writer.hpp>

namespace safestructures::inline v0::safetensors::detail {

/// The order of the tensors and the header of one file.
class FilePlan {
 public:
  /// \throws Error as `write`, but for what conversions and the system refuse
  FilePlan(std::span<const Item> items, const Metadata& metadata, const Limits& limits);

  /// Bytes of the whole file.
  [[nodiscard]] std::uint64_t size() const noexcept { return header_size_ + data_size_; }
  /// Writes the file. The items must be those of the constructor. The report's bytes are set.
  /// \throws Error what conversions and the sink refuse
  [[nodiscard]] SaveReport write_to(Sink& sink, std::span<const Item> items,
                                    const WriteOptions& options) const;

 private:
  void check_items(std::span<const Item> items, const Limits& limits);
  void check_names(std::span<const Item> items) const;
  void write_header(std::span<const Item> items, const Metadata& metadata, const Limits& limits);

  std::vector<std::uint32_t> order_;
  std::vector<std::uint64_t> sizes_;  // In bytes, as stored, of each item.
  std::uint64_t data_size_ = 0;
  std::uint64_t names_size_ = 0;
  std::uint64_t entries_bound_ = 0;    // Bytes of the header that the tensors take at most.
  std::shared_ptr<std::byte> header_;  // The length in front.
  std::uint64_t header_size_ = 0;
};

}  // namespace safestructures::inline v0::safetensors::detail
