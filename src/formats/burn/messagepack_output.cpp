#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include <safestructures/data/error.hpp>
#include "formats/burn/byte_output.hpp"
#include "formats/burn/messagepack.hpp"
#include "formats/burn/output.hpp"
#include "formats/burn/tensor_data.hpp"
#include "formats/tensor_bytes.hpp"

namespace safestructures::inline v0::burn {
namespace {

using messagepack::Mark;

class MessagePackOutput final : public Output {
 public:
  MessagePackOutput(Sink& sink, Version version) : out_(sink), version_(version) {}

  bool is_named() const noexcept override { return true; }
  void none() override { mark(Mark::nil); }
  void boolean(bool value) override { mark(value ? Mark::yes : Mark::no); }

  // The smallest spelling; what is not negative as unsigned.
  void integer(const Value& value, IntegerType) override {
    if (const std::optional<std::uint64_t> positive = value.as_uint64())
      return unsigned_integer(*positive);
    if (const std::optional<std::int64_t> number = value.as_int64()) return negative(*number);
    throw Error(ErrorCode::out_of_range, "MessagePack cannot hold an integer",
                {.expected = "one of 64 bits", .found = value.integer_text()});
  }
  void unsigned_integer(std::uint64_t value) override {
    if (value <= messagepack::largest_fixint) out_.byte(static_cast<unsigned>(value));
    else if (fits<std::uint8_t>(value)) marked<std::uint8_t>(Mark::uint8, value);
    else if (fits<std::uint16_t>(value)) marked<std::uint16_t>(Mark::uint16, value);
    else if (fits<std::uint32_t>(value)) marked<std::uint32_t>(Mark::uint32, value);
    else marked<std::uint64_t>(Mark::uint64, value);
  }
  void floating(double value, DType dtype) override {
    if (dtype == DType::F32)
      marked<std::uint32_t>(Mark::float32, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    else marked<std::uint64_t>(Mark::float64, std::bit_cast<std::uint64_t>(value));
  }
  void string(std::string_view text, const Trace*) override {
    constexpr std::size_t most_fixed = 31;
    if (text.size() <= most_fixed)
      out_.byte(messagepack::fixstr | static_cast<unsigned>(text.size()));
    else if (fits<std::uint8_t>(text.size())) marked<std::uint8_t>(Mark::str8, text.size());
    else if (fits<std::uint16_t>(text.size())) marked<std::uint16_t>(Mark::str16, text.size());
    else marked<std::uint32_t>(Mark::str32, checked(text.size()));
    out_.raw(text);
  }

  void begin_struct(std::size_t fields) override {
    begin(fields, messagepack::fixmap, Mark::map16, Mark::map32);
  }
  void name(std::string_view name) override { string(name, nullptr); }
  void end_struct() override {}
  void begin_map(std::size_t entries) override { begin_struct(entries); }
  void key(std::string_view key, const Trace* trace) override { string(key, trace); }
  void end_map() override {}
  void begin_list(Length length) override {
    begin(length.count, messagepack::fixarray, Mark::array16, Mark::array32);
  }
  void end_list() override {}
  void option(bool has_value) override {
    if (!has_value) none();
  }
  void begin_variant(std::uint64_t, std::string_view name) override {
    begin_struct(1);
    string(name, nullptr);
  }
  void end_variant() override {}
  void constant(std::size_t count) override {
    if (count == 0 || version_ >= since::one_constant) return none();
    begin_list({count});
    for (; count > 0; --count) none();
  }

  void phantom() override { begin_list({}); }

  void bytes(detail::StoredElements& elements) override {
    const Tensor& tensor = elements.tensor();
    const std::uint64_t size = byte_size(elements.dtype(), tensor.shape());
    if (fits<std::uint8_t>(size)) marked<std::uint8_t>(Mark::bin8, size);
    else if (fits<std::uint16_t>(size)) marked<std::uint16_t>(Mark::bin16, size);
    else marked<std::uint32_t>(Mark::bin32, checked(size));
    // Small tensors are copied: each write of a sink costs more than these bytes.
    constexpr std::uint64_t small = 4096;
    if (size > small) return detail::write_tensor(out_.sink(), elements);
    std::array<std::byte, small> room;
    const std::span<std::byte> packed = std::span(room).first(static_cast<std::size_t>(size));
    elements.copy(0, tensor.size(), packed);
    out_.raw(packed);
  }

  void numbers(detail::StoredElements& elements, bool) override {
    begin_list({checked(elements.tensor().size())});
    constexpr std::uint64_t block = 8192;
    detail::for_each_block(elements, block,
                           [&](std::span<const std::byte> bytes, std::size_t count) {
                             for (std::size_t i = 0; i < count; ++i)
                               element(bytes, elements.dtype(), i);
                             out_.pass_on();
                           });
  }

  void dtype(DType dtype) override {
    const std::optional<std::string_view> name = name_of(dtype);
    if (!name) static_cast<void>(index_of(dtype, version_));  // Throws.
    if (dtype != DType::BOOL || version_ < since::bool_stores) return string(*name, nullptr);
    begin_struct(1);
    string(*name, nullptr);
    string("Native", nullptr);
  }

  void finish() override { out_.send(); }

 private:
  template <class T>
  static bool fits(std::uint64_t value) {
    return value <= std::numeric_limits<T>::max();
  }
  static std::uint32_t checked(std::uint64_t size) {
    if (!fits<std::uint32_t>(size))
      throw Error(ErrorCode::out_of_range, "MessagePack cannot hold so much in one value",
                  {.expected = "at most 4294967295 bytes or items",
                   .found = std::to_string(size),
                   .advice = "Save it as bincode, as burnpack, or as safetensors"});
    return static_cast<std::uint32_t>(size);
  }
  void mark(Mark mark) { out_.byte(static_cast<unsigned>(mark)); }
  template <std::unsigned_integral T>
  void marked(Mark mark_of, std::uint64_t value) {
    mark(mark_of);
    out_.big(static_cast<T>(value));
  }
  void begin(std::size_t count, unsigned fixed, Mark mark16, Mark mark32) {
    constexpr std::size_t most_fixed = 15;
    if (count <= most_fixed) out_.byte(fixed | static_cast<unsigned>(count));
    else if (fits<std::uint16_t>(count)) marked<std::uint16_t>(mark16, count);
    else marked<std::uint32_t>(mark32, checked(count));
  }
  void negative(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (value >= -32) out_.byte(static_cast<unsigned>(bits) & 0xFFU);
    else if (value >= std::numeric_limits<std::int8_t>::min())
      marked<std::uint8_t>(Mark::int8, bits);
    else if (value >= std::numeric_limits<std::int16_t>::min())
      marked<std::uint16_t>(Mark::int16, bits);
    else if (value >= std::numeric_limits<std::int32_t>::min())
      marked<std::uint32_t>(Mark::int32, bits);
    else marked<std::uint64_t>(Mark::int64, bits);
  }

  template <class T>
  static T load(std::span<const std::byte> bytes, std::size_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
  }
  void whole(std::int64_t value) {
    if (value < 0) negative(value);
    else unsigned_integer(static_cast<std::uint64_t>(value));
  }
  void element(std::span<const std::byte> bytes, DType dtype, std::size_t i) {
    switch (dtype) {
      case DType::F64: marked<std::uint64_t>(Mark::float64, load<std::uint64_t>(bytes, i)); break;
      case DType::F32: marked<std::uint32_t>(Mark::float32, load<std::uint32_t>(bytes, i)); break;
      case DType::BOOL: boolean(load<std::uint8_t>(bytes, i) != 0); break;
      case DType::I64: whole(load<std::int64_t>(bytes, i)); break;
      case DType::I32: whole(load<std::int32_t>(bytes, i)); break;
      case DType::I16: whole(load<std::int16_t>(bytes, i)); break;
      case DType::I8: whole(load<std::int8_t>(bytes, i)); break;
      case DType::U64: unsigned_integer(load<std::uint64_t>(bytes, i)); break;
      case DType::U32: unsigned_integer(load<std::uint32_t>(bytes, i)); break;
      case DType::U8: unsigned_integer(load<std::uint8_t>(bytes, i)); break;
      default: unsigned_integer(load<std::uint16_t>(bytes, i));
    }
  }

  ByteOutput out_;
  Version version_;
};

}  // namespace

std::unique_ptr<Output> messagepack_output(Sink& sink, Version version) {
  return std::make_unique<MessagePackOutput>(sink, version);
}

}  // namespace safestructures::inline v0::burn
