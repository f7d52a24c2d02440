/// \file
/// Reads the elements of a tensor from JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/tensor.hpp>
#include "formats/json/cursor.hpp"
#include "formats/tree/input.hpp"

namespace safestructures::inline v0::json {

/// Reads `data`: nested lists or `{"base64": ...}`.
class ElementReader final : public tree::Elements {
 public:
  /// \param trace the place of the tensor, for errors; must outlive this
  ElementReader(Cursor& cursor, DType dtype, const Limits& limits, const Trace* trace)
      : cursor_(cursor), limits_(limits), trace_(trace), dtype_(dtype) {}

  void read_shape() override;
  void read_data() override;
  [[nodiscard]] Tensor finish() override;

 private:
  [[noreturn]] void fail(ErrorCode code, std::string problem, ErrorDetails details) const;
  [[nodiscard]] std::string path() const;
  void read_lists();
  void open_list();
  void close_list();
  void element();
  void read_base64();
  void append(std::uint64_t bits);
  [[nodiscard]] bool is_announced(std::size_t dim) const { return shape_ && dim < shape_->size(); }

  Cursor& cursor_;
  const Limits& limits_;
  const Trace* trace_;
  DType dtype_;
  std::optional<Shape> shape_;
  bool has_data_ = false;
  bool is_base64_ = false;
  // The number of items so far of each open list.
  std::vector<std::uint64_t> open_;
  std::vector<std::optional<std::uint64_t>> dims_;  // As far as they are known.
  std::optional<std::size_t> rank_;
  std::uint64_t count_ = 0;
  std::vector<std::byte> bytes_;
  std::uint64_t data_offset_ = 0;
};

}  // namespace safestructures::inline v0::json
