#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "formats/binary/byte_output.hpp"
#include "formats/burn/bincode.hpp"
#include "formats/burn/output.hpp"
#include "formats/burn/tensor_data.hpp"
#include "formats/tensor_bytes.hpp"

namespace safestructures::inline v0::burn {
namespace {

class BincodeOutput final : public Output {
 public:
  BincodeOutput(Sink& sink, Version version) : out_(sink), version_(version) {}

  bool is_named() const noexcept override { return false; }
  void none() override { out_.byte(0); }
  void boolean(bool value) override { out_.byte(value ? 1 : 0); }
  void integer(const Value& value, IntegerType type) override {
    const std::optional<std::uint64_t> positive = value.as_uint64();
    if (type.bits == 8) return out_.byte(static_cast<unsigned>(*value.as_int64()) & 0xFFU);
    if (!type.is_signed) return unsigned_integer(*positive);
    unsigned_integer(bincode::zigzag(*value.as_int64()));
  }
  void unsigned_integer(std::uint64_t value) override {
    using namespace bincode;
    if (value <= largest_single) return out_.byte(static_cast<unsigned>(value));
    if (value <= 0xFFFFU) {
      out_.byte(mark16);
      out_.little(static_cast<std::uint16_t>(value));
    } else if (value <= 0xFFFFFFFFU) {
      out_.byte(mark32);
      out_.little(static_cast<std::uint32_t>(value));
    } else {
      out_.byte(mark64);
      out_.little(value);
    }
  }
  void floating(double value, DType dtype) override {
    if (dtype == DType::F32) out_.little(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    else out_.little(std::bit_cast<std::uint64_t>(value));
  }
  void string(std::string_view text, const Trace*) override {
    unsigned_integer(text.size());
    out_.raw(text);
  }

  void begin_struct(std::size_t) override {}
  void name(std::string_view) override {}
  void end_struct() override {}
  void begin_map(std::size_t entries) override { unsigned_integer(entries); }
  void key(std::string_view key, const Trace* trace) override { string(key, trace); }
  void end_map() override {}
  void begin_list(Length length) override {
    if (!length.is_fixed) unsigned_integer(length.count);
  }
  void end_list() override { out_.pass_on(); }
  void option(bool has_value) override { out_.byte(has_value ? 1 : 0); }
  void begin_variant(std::uint64_t index, std::string_view) override { unsigned_integer(index); }
  void end_variant() override {}
  void constant(std::size_t count) override {
    if (count == 0 || version_ >= since::one_constant) return none();
    for (; count > 0; --count) none();
  }

  void phantom() override {}

  void bytes(detail::StoredElements& elements) override {
    unsigned_integer(byte_size(elements.dtype(), elements.tensor().shape()));
    detail::write_tensor(out_.sink(), elements);
  }
  void numbers(detail::StoredElements& elements, bool is_fixed) override {
    const DType stored = elements.dtype();
    if (!is_fixed) unsigned_integer(elements.tensor().size());
    const bool is_raw = stored == DType::F64 || stored == DType::F32 || bit_width(stored) == 8;
    if (is_raw) return detail::write_tensor(out_.sink(), elements);
    constexpr std::uint64_t block = 8192;
    detail::for_each_block(elements, block,
                           [&](std::span<const std::byte> bytes, std::size_t count) {
                             for (std::size_t i = 0; i < count; ++i) element(bytes, stored, i);
                             out_.pass_on();
                           });
  }
  void dtype(DType dtype) override {
    unsigned_integer(index_of(dtype, version_).value());
    if (dtype == DType::BOOL && version_ >= since::bool_stores) unsigned_integer(0);
  }

  void finish() override { out_.send(); }

 private:
  template <class T>
  void put(std::span<const std::byte> bytes, std::size_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    if constexpr (std::is_signed_v<T>) unsigned_integer(bincode::zigzag(value));
    else unsigned_integer(value);
  }
  void element(std::span<const std::byte> bytes, DType dtype, std::size_t i) {
    switch (dtype) {
      case DType::I64: put<std::int64_t>(bytes, i); break;
      case DType::I32: put<std::int32_t>(bytes, i); break;
      case DType::I16: put<std::int16_t>(bytes, i); break;
      case DType::U64: put<std::uint64_t>(bytes, i); break;
      case DType::U32: put<std::uint32_t>(bytes, i); break;
      default: put<std::uint16_t>(bytes, i);  // F16 and BF16 as their bits.
    }
  }

  binary::ByteOutput out_;
  Version version_;
};

}  // namespace

std::unique_ptr<Output> bincode_output(Sink& sink, Version version) {
  return std::make_unique<BincodeOutput>(sink, version);
}

}  // namespace safestructures::inline v0::burn
