#include "cli/tensor_text.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/value.hpp>

#include "data/text/number.hpp"

namespace safestructures::cli {
namespace {

constexpr std::uint64_t most_elements = 1000;  // NumPy's `threshold`, `edgeitems` and `linewidth`.
constexpr std::uint64_t edge = 3;
constexpr std::size_t line_width = 75;

/// Returns a number as Python spells it.
std::string number_text(const Value& number) {
  std::string text = to_string(number);
  text.pop_back();  // The newline.
  return text;
}

/// Reads the elements of a tensor as text, in blocks, so that reading neighbours is cheap and only
/// the requested parts of a large tensor are touched.
class Elements {
 public:
  explicit Elements(const Tensor& tensor) : tensor_(tensor), wide_(wide_type(tensor.dtype())) {}

  std::string operator()(std::uint64_t index) {
    const std::uint64_t first = index / block * block;
    if (first != first_) load(first);
    const auto place = static_cast<std::size_t>(index - first);
    if (tensor_.dtype() == DType::BOOL) return get<std::uint8_t>(place) != 0 ? "True" : "False";
    switch (wide_) {
      case DType::U64: return std::to_string(get<std::uint64_t>(place));
      case DType::I64: return std::to_string(get<std::int64_t>(place));
      case DType::F64: return number_text(Value(get<double>(place)));
      case DType::F32: return number_text(Value(detail::with_shortest_digits(get<float>(place))));
      case DType::C64: {
        const auto value = get<std::complex<float>>(place);
        return number_text(Value(std::complex<double>(detail::with_shortest_digits(value.real()),
                                                      detail::with_shortest_digits(value.imag()))));
      }
      default: return std::to_string(get<std::uint8_t>(place));
    }
  }

 private:
  static constexpr std::uint64_t block = 512;  // A multiple of 8, for dtypes narrower than a byte.

  /// Returns the dtype that holds all values of another and can be read here.
  static DType wide_type(DType dtype) {
    if (dtype == DType::BOOL) return DType::U8;
    if (dtype == DType::U64 || dtype == DType::F64 || dtype == DType::C64) return dtype;
    return is_integer(dtype) ? DType::I64 : DType::F32;
  }

  void load(std::uint64_t first) {
    const std::uint64_t count = std::min(block, tensor_.size() - first);
    const auto bytes = static_cast<std::size_t>(count) * bit_width(wide_) / 8;
    tensor_.copy_elements(first, count, wide_, std::span(buffer_).first(bytes), Overflow::allow);
    first_ = first;
  }

  template <class T>
  T get(std::size_t place) const {
    T value;
    std::memcpy(&value, buffer_.data() + place * sizeof(T), sizeof(T));
    return value;
  }

  const Tensor& tensor_;
  DType wide_;
  std::uint64_t first_ = static_cast<std::uint64_t>(-1);
  std::array<std::byte, block * 8> buffer_;
};

class Printer {
 public:
  Printer(std::ostream& out, const Tensor& tensor, bool whole)
      : out_(out),
        shape_(tensor.shape().begin(), tensor.shape().end()),
        element_(tensor),
        is_cut_(!whole && tensor.size() > most_elements) {}

  void print() {
    if (shape_.empty()) {
      out_ << element_(0);
      return;
    }
    measure(0, 0);
    dimension(0, 0);
  }

 private:
  /// Calls `item` with each index that is shown, and `gap` where some are left out.
  template <class Item, class Gap>
  void for_each_shown(std::uint64_t size, const Item& item, const Gap& gap) const {
    const bool cut = is_cut_ && size > 2 * edge;
    for (std::uint64_t i = 0; i < size; ++i) {
      if (cut && i == edge) {
        gap();
        i = size - edge;
      }
      item(i);
    }
  }

  // Both recurse over the dimensions, up to Limits::rank.
  void measure(std::size_t dim, std::uint64_t offset) {
    for_each_shown(
        shape_[dim],
        [&](std::uint64_t i) {
          const std::uint64_t index = offset * shape_[dim] + i;
          if (dim + 1 < shape_.size()) measure(dim + 1, index);
          else width_ = std::max(width_, element_(index).size());
        },
        [] {});
  }

  void dimension(std::size_t dim, std::uint64_t offset) {
    out_ << '[';
    if (dim + 1 < shape_.size()) blocks(dim, offset);
    else row(dim, offset);
    out_ << ']';
  }

  /// Prints a line for each row, and an empty line between blocks of rows.
  void blocks(std::size_t dim, std::uint64_t offset) {
    const std::string separator =
        "," + std::string(shape_.size() - dim - 1, '\n') + std::string(dim + 1, ' ');
    bool first = true;
    for_each_shown(
        shape_[dim],
        [&](std::uint64_t i) {
          if (!first) out_ << separator;
          first = false;
          dimension(dim + 1, offset * shape_[dim] + i);
        },
        [&] { out_ << separator << "..."; });
  }

  void row(std::size_t dim, std::uint64_t offset) {
    const std::string line_end = "\n" + std::string(dim + 1, ' ');
    std::size_t column = dim + 1;
    bool first = true;
    const auto place = [&](const std::string& text, std::size_t width) {
      if (!first) {
        out_ << ',';
        if (column + 2 + width >= line_width) {
          out_ << line_end;
          column = dim + 1;
        } else {
          out_ << ' ';
          column += 2;
        }
      }
      first = false;
      out_ << std::string(width - text.size(), ' ') << text;
      column += width;
    };
    for_each_shown(
        shape_[dim], [&](std::uint64_t i) { place(element_(offset * shape_[dim] + i), width_); },
        [&] { place("...", 3); });
  }

  std::ostream& out_;
  const std::vector<std::uint64_t> shape_;
  Elements element_;
  const bool is_cut_;
  std::size_t width_ = 0;
};

}  // namespace

void print_tensor(std::ostream& out, const Tensor& tensor, bool whole) {
  // Even without elements there may be any number of brackets.
  if (tensor.size() == 0) {
    out << "[]  (" << to_string(tensor.dtype()) << " " << to_string(tensor.shape()) << ")";
    return;
  }
  Printer(out, tensor, whole).print();
}

}  // namespace safestructures::cli
