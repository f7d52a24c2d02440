#include <safestructures/codecs/numbers.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/codecs/scalars.hpp>
#include <safestructures/codecs/sequences.hpp>
#include <safestructures/data/error.hpp>
#include "codecs/bytes_of.hpp"
#include "codecs/scalar_of.hpp"
#include "data/box.hpp"
#include "data/complex_pairs.hpp"
#include "data/copy_back.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::detail {
namespace {

// Fits into the second-level cache together with its source.
constexpr std::uint64_t piece_bytes = std::uint64_t{256} << 10U;

std::string shape_text(std::span<const std::uint64_t> dims) { return to_string(Shape(dims)); }

/// The numbers to read: complex numbers in one layout are converted to the other.
struct Source {
  std::optional<Tensor> pairs;  // Used instead of the value's tensor, without a copy.
  DType dtype;
  std::vector<std::uint64_t> dims;
};

Source open(const Value& value, const Decoder& decoder, DType dtype,
            std::span<const std::uint64_t> dims) {
  if (!value.has_tensor()) decoder.mismatch("a tensor, or a list, tuple or set of numbers", value);
  const Tensor& tensor = value.tensor();
  Source source{std::nullopt, dtype, {dims.begin(), dims.end()}};
  const bool pairs_wanted = !dims.empty() && dims.back() == 2;
  if (tensor.dtype() == DType::C64 && dtype != DType::C64 && pairs_wanted) {
    source.pairs = as_pairs(tensor);
  } else if (dtype == DType::C64 && is_marked_complex(value)) {
    source.dtype = DType::F32;
    source.dims.push_back(2);
  }
  return source;
}

[[noreturn]] void wrong_shape(const std::string& expected, const Value& value,
                              const Decoder& decoder, std::string advice = {}) {
  decoder.fail(ErrorCode::shape_mismatch, "a tensor has the wrong shape",
               {.expected = expected, .found = describe(value), .advice = std::move(advice)});
}

/// Throws an error for integers that had to be rounded for a floating-point target.
void check_exact(const Tensor& tensor, std::uint64_t first, std::uint64_t count, DType dtype,
                 const ConversionReport& report, const Decoder& decoder) {
  if (report.inexact == 0 || decoder.overflow() != Overflow::error) return;
  std::array<std::byte, 16> room{};
  const std::span<std::byte> target = std::span(room).first(bit_width(dtype) / 8);
  while (count-- > 0 && tensor.copy_elements(first, 1, dtype, target, Overflow::error).inexact == 0)
    ++first;
  const auto read = [&]<class T>(T number) {
    static_cast<void>(tensor.copy_elements(
        first, 1, dtype_of<T>, std::as_writable_bytes(std::span(&number, 1)), Overflow::error));
    return std::to_string(number);
  };
  decoder.fail(
      ErrorCode::lossy_conversion, "a floating-point type cannot hold an int exactly",
      {.expected = "ints that " + std::string(to_string(dtype)) + " holds exactly",
       .found = (tensor.dtype() == DType::U64 ? read(std::uint64_t{}) : read(std::int64_t{})) +
                " at element " + std::to_string(first),
       .advice = "Load it into an integer type, or choose Overflow::saturate"});
}

void decode_number(const Value& value, const Decoder& decoder, DType dtype,
                   std::span<std::byte> target) {
  const auto put = [&](const auto& number) {
    std::memcpy(target.data(), &number, std::min(target.size(), sizeof number));
  };
  if (dtype == DType::BOOL) return put(decode_bool(value, decoder));
  if (dtype == DType::C64)
    return put(std::complex<float>(decode_complex(value, decoder, DType::F32)));
  if (!is_integer(dtype)) return decode_floating(value, decoder, dtype, target.data());
  // All 64 bits for the widest, fewer for the others; little-endian, as `put` requires.
  const unsigned spare = 64 - bit_width(dtype);
  if (is_signed_integer(dtype))
    put(decode_signed(value, decoder, std::numeric_limits<std::int64_t>::min() >> spare,
                      std::numeric_limits<std::int64_t>::max() >> spare));
  else put(decode_unsigned(value, decoder, std::numeric_limits<std::uint64_t>::max() >> spare));
}

/// Copies a range of a value's tensor, or of one made of it. \param copy as for `copy_back`
template <class Copy>
ConversionReport copied(const Value& value, const Tensor& tensor, std::uint64_t first,
                        std::uint64_t count, DType dtype, Overflow overflow, const Copy& copy) {
  // No other numbers leave the range of their dtype when they are stored.
  if (dtype != DType::F16 || !had_dtype(value, dtype)) return copy(overflow);
  return copy_back(tensor, first, count, dtype, overflow, copy);
}

}  // namespace

bool is_marked_complex(const Value& value) {
  const Value* mark = value.attribute(attributes::complex);
  return mark != nullptr && mark->kind() == Kind::boolean && mark->as_bool();
}

Value encode_block(DType dtype, Shape shape, std::span<const std::byte> bytes, bool complex) {
  Value value;
  Box::emplace<TensorBox>(value, Kind::tensor,
                          [&] { return Tensor::borrow(dtype, std::move(shape), bytes); });
  if (complex) value.set_attribute(attributes::complex, Value(true));
  return value;
}

void decode_block(const Value& value, const Decoder& decoder, DType dtype,
                  std::span<const std::uint64_t> dims, std::span<std::byte> target) {
  const Source source = open(value, decoder, dtype, dims);
  const Tensor& tensor = source.pairs ? *source.pairs : value.tensor();
  if (!std::ranges::equal(tensor.shape().span(), source.dims))
    wrong_shape("shape " + shape_text(source.dims), value, decoder);
  try {
    // Equal dtypes are copied bit for bit: only typed access checks each truth value.
    if (source.dtype == DType::BOOL && tensor.dtype() == DType::BOOL) {
      const Tensor packed = tensor.contiguous();
      static_cast<void>(packed.data<bool>());
    }
    const ConversionReport report =
        copied(value, tensor, 0, tensor.size(), source.dtype, decoder.overflow(),
               [&](Overflow how) { return tensor.copy_to(source.dtype, target, how); });
    check_exact(tensor, 0, tensor.size(), source.dtype, report, decoder);
  } catch (const Error& error) {
    throw error.with_path(decoder.path());
  }
}

Value encode_number(DType dtype, std::span<const std::byte> number) {
  return scalar_of(Tensor::borrow(dtype, Shape{}, number));
}

void describe_number(TypeDescriber& type, DType dtype) {
  if (dtype == DType::BOOL) type.boolean();
  else if (dtype == DType::C64) type.complex(DType::F32);
  else if (is_integer(dtype)) type.integer(dtype);
  else type.floating(dtype);
}

void decode_numbers(const Value& value, Decoder& decoder, DType dtype,
                    std::span<const std::uint64_t> dims, std::span<std::byte> target) {
  if (dims.empty()) return decode_number(value, decoder, dtype, target);
  if (!value.is_sequence()) return decode_block(value, decoder, dtype, dims, target);
  Items items(value, decoder);
  items.expect_size(static_cast<std::size_t>(dims[0]));
  const std::size_t width = items.size() == 0 ? 0 : target.size() / items.size();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Walker::Step step(decoder, i);
    decode_numbers(items[i], decoder, dtype, dims.subspan(1), target.subspan(i * width, width));
  }
}

BlockReader::BlockReader(const Value& value, const Decoder& decoder, DType dtype,
                         std::span<const std::uint64_t> dims)
    : value_(&value), decoder_(decoder) {
  Source source = open(value, decoder, dtype, dims);
  own_ = std::move(source.pairs);
  tensor_ = own_ ? &*own_ : &value.tensor();
  const Shape& shape = tensor_->shape();
  if (shape.size() != source.dims.size() + 1 ||
      !std::ranges::equal(shape.span().subspan(1), source.dims)) {
    std::string expected = "a tensor of rank " + std::to_string(source.dims.size() + 1);
    if (!source.dims.empty()) expected += " that ends in " + shape_text(source.dims);
    wrong_shape(expected, value, decoder,
                source.dims.empty() && shape.size() > 1
                    ? "Load it as a Tensor, or as a std::vector of std::vector"
                    : "");
  }
  dtype_ = source.dtype;
  size_ = static_cast<std::size_t>(tensor_->shape()[0]);
  for (const std::uint64_t dim : source.dims) block_ *= dim;
}

BlockReader::~BlockReader() = default;

void BlockReader::prepare(void* memory) const {
  const std::uint64_t size = tensor_->size() * (bit_width(dtype_) / 8);
  platform::advise_huge(memory, static_cast<std::size_t>(size));
  platform::prefault(memory, static_cast<std::size_t>(size));
}

std::span<const std::byte> BlockReader::next() {
  const std::uint64_t left = tensor_->size() - done_;
  if (left == 0) return {};
  const std::uint64_t width = bit_width(dtype_) / 8;
  try {
    if (tensor_->dtype() == DType::BOOL && dtype_ == DType::BOOL) {
      own_ = tensor_->contiguous();
      tensor_ = &*own_;
      done_ = tensor_->size();
      return std::as_bytes(tensor_->data<bool>());  // Checks each truth value.
    }
    if (tensor_->dtype() == dtype_ && tensor_->is_contiguous() && tensor_->is_loaded()) {
      const std::span<const std::byte> bytes = tensor_->bytes();
      const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
      if (address % alignment(dtype_) == 0) {
        done_ = tensor_->size();
        return bytes;
      }
    }
    // Whole items, in multiples of eight, because elements narrower than a byte are packed.
    const std::uint64_t items = (piece_bytes / width / block_ + 7) / 8 * 8;
    const std::uint64_t count = std::min(left, std::max<std::uint64_t>(items, 8) * block_);
    const auto bytes = static_cast<std::size_t>(count * width);
    if (!buffer_) buffer_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    const std::span<std::byte> into(buffer_.get(), bytes);
    const ConversionReport report = copied(
        *value_, *tensor_, done_, count, dtype_, decoder_.overflow(),
        [&](Overflow how) { return tensor_->copy_elements(done_, count, dtype_, into, how); });
    check_exact(*tensor_, done_, count, dtype_, report, decoder_);
    done_ += count;
    return {buffer_.get(), bytes};
  } catch (const Error& error) {
    throw error.with_path(decoder_.path());
  }
}

Value encode_bytes(const void* data, std::size_t size) {
  return Value::bytes(
      Tensor::borrow(DType::U8, Shape{size}, {static_cast<const std::byte*>(data), size}));
}

std::span<const std::byte> decode_bytes(const Value& value, const Decoder& decoder,
                                        Tensor& scratch) {
  if (value.kind() == Kind::list || value.kind() == Kind::tuple) {
    scratch = bytes_of(value, decoder);
    return scratch.bytes();
  }
  const bool is_bytes =
      value.kind() == Kind::bytes || (value.kind() == Kind::tensor && value.tensor().rank() == 1 &&
                                      value.tensor().dtype() == DType::U8);
  if (!is_bytes) decoder.mismatch("bytes", value);
  scratch = value.tensor().contiguous();
  return scratch.bytes();
}

void expect_byte_count(std::size_t found, std::size_t expected, const Decoder& decoder) {
  if (found != expected)
    decoder.fail(ErrorCode::shape_mismatch, "bytes have the wrong length",
                 {.expected = std::to_string(expected) + " bytes", .found = std::to_string(found)});
}

}  // namespace safestructures::inline v0::detail
