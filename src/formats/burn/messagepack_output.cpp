#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "formats/binary/byte_output.hpp"
#include "formats/binary/write_tensor.hpp"
#include "formats/burn/output.hpp"
#include "formats/burn/tensor_data.hpp"
#include "formats/messagepack/encoder.hpp"
#include "formats/tensor_bytes.hpp"

namespace safestructures::inline v0::burn {
namespace {

class MessagePackOutput final : public Output {
 public:
  MessagePackOutput(Sink& sink, Version version)
      : out_(sink), code_(out_.text()), version_(version) {}

  bool is_named() const noexcept override { return true; }
  void none() override { code_.null(); }
  void boolean(bool value) override { code_.boolean(value); }

  // Writes the smallest spelling; numbers that are not negative are unsigned.
  void integer(const Value& value, IntegerType) override {
    if (const std::optional<std::uint64_t> positive = value.as_uint64())
      return unsigned_integer(*positive);
    code_.integer(value.as_int64().value());
  }
  void unsigned_integer(std::uint64_t value) override { code_.unsigned_integer(value); }
  void floating(double value, DType dtype) override {
    if (dtype == DType::F32) code_.float32(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    else code_.float64(std::bit_cast<std::uint64_t>(value));
  }
  void string(std::string_view text, const Trace*) override {
    code_.string(text.size());
    out_.raw(text);
  }

  void begin_struct(std::size_t fields) override { code_.map(fields); }
  void name(std::string_view name) override { string(name, nullptr); }
  void end_struct() override {}
  void begin_map(std::size_t entries) override { begin_struct(entries); }
  void key(std::string_view key, const Trace* trace) override { string(key, trace); }
  void end_map() override {}
  void begin_list(Length length) override { code_.array(length.count); }
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
    code_.bytes(byte_size(elements.dtype(), elements.tensor().shape()));
    binary::write_tensor(out_, elements);
  }

  void numbers(detail::StoredElements& elements, bool) override {
    begin_list({messagepack::Encoder::checked(elements.tensor().size())});
    constexpr std::uint64_t block = 8192;
    detail::for_each_block(elements, block,
                           [&](std::span<const std::byte> bytes, std::size_t count) {
                             for (std::size_t i = 0; i < count; ++i)
                               element(bytes, elements.dtype(), i);
                             out_.pass_on();
                           });
  }

  void dtype(DType dtype) override {
    const std::string_view name = name_of(dtype).value();
    if (dtype != DType::BOOL || version_ < since::bool_stores) return string(name, nullptr);
    begin_struct(1);
    string(name, nullptr);
    string("Native", nullptr);
  }

  void finish() override { out_.send(); }

 private:
  template <class T>
  static T load(std::span<const std::byte> bytes, std::size_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
  }
  void element(std::span<const std::byte> bytes, DType dtype, std::size_t i) {
    switch (dtype) {
      case DType::F64: code_.float64(load<std::uint64_t>(bytes, i)); break;
      case DType::F32: code_.float32(load<std::uint32_t>(bytes, i)); break;
      case DType::BOOL: boolean(load<std::uint8_t>(bytes, i) != 0); break;
      case DType::I64: code_.integer(load<std::int64_t>(bytes, i)); break;
      case DType::I32: code_.integer(load<std::int32_t>(bytes, i)); break;
      case DType::I16: code_.integer(load<std::int16_t>(bytes, i)); break;
      case DType::I8: code_.integer(load<std::int8_t>(bytes, i)); break;
      case DType::U64: unsigned_integer(load<std::uint64_t>(bytes, i)); break;
      case DType::U32: unsigned_integer(load<std::uint32_t>(bytes, i)); break;
      case DType::U8: unsigned_integer(load<std::uint8_t>(bytes, i)); break;
      default: unsigned_integer(load<std::uint16_t>(bytes, i));
    }
  }

  binary::ByteOutput out_;
  messagepack::Encoder code_;
  Version version_;
};

}  // namespace

std::unique_ptr<Output> messagepack_output(Sink& sink, Version version) {
  return std::make_unique<MessagePackOutput>(sink, version);
}

}  // namespace safestructures::inline v0::burn
