#include "formats/json/element_write.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/json/base64.hpp"
#include "formats/json/elements.hpp"
#include "formats/tensor_bytes.hpp"

namespace safestructures::inline v0::json {
namespace {

// A multiple of 8, for packed elements, and of 3, so that blocks end on whole groups of base64.
constexpr std::uint64_t block_elements = std::uint64_t{24} * 256;

/// Appends digits and passes them on in pieces: for an unusual memory order, blocks may be large.
void append_in_pieces(Output& out, std::span<const std::byte> bytes) {
  constexpr std::size_t piece = Output::block / 4 * 3;
  static_assert(piece % 3 == 0);
  while (!bytes.empty()) {
    const std::span<const std::byte> first = bytes.first(std::min(piece, bytes.size()));
    append_base64(out.text(), first);
    out.pass_on();
    bytes = bytes.subspan(first.size());
  }
}

/// The brackets around the elements of a tensor.
class Lists {
 public:
  Lists(Output& out, const Shape& shape) : out_(out), shape_(shape), at_(shape.size()) {}

  void begin() { open(shape_.size()); }
  /// Must be called between two elements. Closes the rows that are full and opens the next.
  void next() {
    std::size_t full = 0;
    for (std::size_t dim = shape_.size(); dim-- > 0 && ++at_[dim] == shape_[dim];) {
      at_[dim] = 0;
      ++full;
    }
    if (full == 0) return out_.comma();
    close(full);
    out_.text() += ',';
    out_.line();
    open(full);
  }
  void end() { close(shape_.size()); }

 private:
  // The innermost brackets are on the line of their row.
  void open(std::size_t count) {
    for (; count > 1; --count) {
      out_.open('[');
      out_.line();
    }
    if (count == 1) out_.text() += '[';
  }
  void close(std::size_t count) {
    if (count == 0) return;
    out_.text() += ']';
    for (; count > 1; --count) out_.close(']');
  }

  Output& out_;
  const Shape& shape_;
  std::vector<std::uint64_t> at_;
};

}  // namespace

void write_elements(Output& out, detail::StoredElements& elements, JsonTensors form) {
  if (form == JsonTensors::base64) {
    out.text() += out.is_pretty() ? "{\"base64\": \"" : "{\"base64\":\"";
    detail::for_each_block(
        elements, block_elements,
        [&](std::span<const std::byte> bytes, std::size_t) { append_in_pieces(out, bytes); });
    out.text() += "\"}";
    return;
  }
  const Tensor& tensor = elements.tensor();
  if (tensor.size() == 0) {
    out.text() += "[]";
    return;
  }
  Lists lists(out, tensor.shape());
  lists.begin();
  bool first = true;
  const DType dtype = elements.dtype();
  detail::for_each_block(elements, block_elements,
                         [&](std::span<const std::byte> bytes, std::size_t count) {
                           for (std::size_t i = 0; i < count; ++i) {
                             if (!first) lists.next();
                             first = false;
                             append_element(out.text(), dtype, element_bits(dtype, bytes, i));
                             out.pass_on();
                           }
                         });
  lists.end();
}

void write_base64(Output& out, const Tensor& bytes) {
  out.text() += '"';
  detail::StoredElements elements(bytes, DType::U8, {});
  detail::for_each_block(
      elements, block_elements,
      [&](std::span<const std::byte> block, std::size_t) { append_in_pieces(out, block); });
  out.text() += '"';
}

}  // namespace safestructures::inline v0::json
