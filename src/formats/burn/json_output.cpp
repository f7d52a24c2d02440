#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/text/json_text.hpp"
#include "formats/burn/output.hpp"
#include "formats/burn/tensor_data.hpp"
#include "formats/json/output.hpp"
#include "formats/tensor_bytes.hpp"

#include <safestructures/data/error.hpp>
#include <safestructures/data/minifloat.hpp>

namespace safestructures::inline v0::burn {
namespace {

/// The decimal digits of a byte.
struct Digits {
  std::array<char, 3> text{};
  std::uint8_t size = 0;
};
constexpr std::array<Digits, 256> byte_digits = [] {
  std::array<Digits, 256> all{};
  for (std::size_t byte = 0; byte < all.size(); ++byte) {
    Digits& digits = all[byte];
    for (std::size_t unit = byte >= 100 ? 100 : byte >= 10 ? 10 : 1; unit > 0; unit /= 10)
      digits.text[digits.size++] = static_cast<char>('0' + byte / unit % 10);
  }
  return all;
}();

class JsonOutput final : public Output {
 public:
  JsonOutput(Sink& sink, Version version, unsigned indent)
      : out_(sink, indent), text_(out_.text()), version_(version) {}

  bool is_named() const noexcept override { return true; }
  void none() override { scalar("null"); }
  void boolean(bool value) override { scalar(value ? "true" : "false"); }
  void integer(const Value& value, IntegerType) override { scalar(value.integer_text()); }
  void unsigned_integer(std::uint64_t value) override { scalar(std::to_string(value)); }
  // JSON has no NaN: Burn writes null, and so does this.
  void floating(double value, DType dtype) override {
    begin_item();
    if (dtype == DType::F32) append_float(static_cast<float>(value));
    else append_float(value);
  }
  void string(std::string_view text, const Trace* trace) override {
    begin_item();
    json::append_string(text_, text, json::Escapes::unsafe, trace);
    out_.pass_on();
  }

  void begin_struct(std::size_t) override { open('{'); }
  void name(std::string_view name) override { key(name, nullptr); }
  void end_struct() override { close('}'); }
  void begin_map(std::size_t) override { open('{'); }
  void key(std::string_view key, const Trace* trace) override {
    string(key, trace);
    out_.colon();
    has_key_ = true;
  }
  void end_map() override { close('}'); }
  void begin_list(Length) override { open('['); }
  void end_list() override { close(']'); }
  void option(bool has_value) override {
    if (!has_value) none();
  }
  void begin_variant(std::uint64_t, std::string_view name) override {
    open('{');
    key(name, nullptr);
  }
  void end_variant() override { close('}'); }
  void constant(std::size_t count) override {
    if (count == 0 || version_ >= since::one_constant) return none();
    open('[');
    for (; count > 0; --count) none();
    close(']');
  }

  void phantom() override { none(); }

  void bytes(detail::StoredElements& elements) override {
    open('[');
    detail::for_each_block(elements, block, [&](std::span<const std::byte> bytes, std::size_t) {
      append_bytes(bytes);
    });
    close(']');
  }
  void numbers(detail::StoredElements& elements, bool) override {
    open('[');
    detail::for_each_block(elements, block,
                           [&](std::span<const std::byte> bytes, std::size_t count) {
                             for (std::size_t i = 0; i < count; ++i)
                               element(bytes, elements.dtype(), i);
                           });
    close(']');
  }
  void dtype(DType dtype) override {
    const std::string_view name = name_of(dtype).value();
    if (dtype != DType::BOOL || version_ < since::bool_stores) return string(name, nullptr);
    open('{');
    key(name, nullptr);
    string("Native", nullptr);
    close('}');
  }

  void finish() override { out_.send(); }

 private:
  static constexpr std::uint64_t block = 8192;

  /// Begins an item, after a comma if the open bracket already has one.
  void begin_item() {
    if (std::exchange(has_key_, false) || is_empty_.empty()) return;
    if (std::exchange(is_empty_.back(), 0) == 0) text_ += ',';
    out_.line();
  }
  void scalar(std::string_view spelled) {
    begin_item();
    text_ += spelled;
    out_.pass_on();
  }
  void open(char bracket) {
    begin_item();
    out_.open(bracket);
    is_empty_.push_back(1);
  }
  void close(char bracket) {
    const bool is_empty = is_empty_.back() != 0;
    is_empty_.pop_back();
    if (is_empty) {
      out_.leave();
      text_ += bracket;
    } else {
      out_.close(bracket);
    }
    out_.pass_on();
  }

  template <class T>
  void append_float(T value) {
    if (std::isinf(value))
      throw Error(ErrorCode::out_of_range, "JSON has no infinity",
                  {.expected = "a finite number",
                   .found = value < 0 ? "-inf" : "inf",
                   .advice = "Record it as MessagePack or bincode"});
    if (std::isnan(value)) {
      text_ += "null";
      return;
    }
    std::array<char, 32> room;
    const auto end =
        std::to_chars(room.data(), room.data() + room.size(), value, std::chars_format::scientific)
            .ptr;
    std::string digits(room.data(), end);
    const std::size_t mark = digits.find('e');
    int exponent = 0;
    std::from_chars(digits.data() + mark + 2, digits.data() + digits.size(), exponent);
    // The limits from which on the JSON of Rust (serde_json) has an exponent.
    constexpr bool is_single = std::is_same_v<T, float>;
    constexpr int large = is_single ? 13 : 16;
    constexpr int small = is_single ? 7 : 6;
    const bool is_small = digits[mark + 1] == '-';
    if (exponent >= (is_small ? small : large)) {
      digits.resize(mark + 2);
      text_ += digits + std::to_string(exponent);
      return;
    }
    digits.resize(mark);
    append_plain(std::move(digits), is_small ? -exponent : exponent);
  }

  /// \param digits a digit before the point, and those after it
  void append_plain(std::string digits, int exponent) {
    if (digits.front() == '-') {
      text_ += '-';
      digits.erase(0, 1);
    }
    if (digits.size() > 1) digits.erase(1, 1);
    if (exponent < 0) {
      digits.insert(0, static_cast<std::size_t>(-exponent), '0');
      exponent = 0;
    }
    const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() < whole + 1) digits.resize(whole + 1, '0');
    text_ += digits.insert(whole, 1, '.');
  }

  void append_bytes(std::span<const std::byte> bytes) {
    const std::string separator = "," + out_.line_text();
    for (const std::byte byte : bytes) {
      if (std::exchange(is_empty_.back(), 0) != 0) out_.line();
      else text_ += separator;
      const Digits& digits = byte_digits[std::to_integer<std::size_t>(byte)];
      text_.append(digits.text.data(), digits.size);
      out_.pass_on();
    }
  }

  template <class T>
  static T load(std::span<const std::byte> bytes, std::size_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  void put(std::span<const std::byte> bytes, std::size_t index) {
    scalar(std::to_string(load<T>(bytes, index)));
  }
  void element(std::span<const std::byte> bytes, DType dtype, std::size_t i) {
    switch (dtype) {
      case DType::F64: return floating(load<double>(bytes, i), dtype);
      case DType::F32: return floating(load<float>(bytes, i), dtype);
      case DType::BOOL: return boolean(load<std::uint8_t>(bytes, i) != 0);
      case DType::I64: return put<std::int64_t>(bytes, i);
      case DType::I32: return put<std::int32_t>(bytes, i);
      case DType::I16: return put<std::int16_t>(bytes, i);
      case DType::I8: return put<std::int8_t>(bytes, i);
      case DType::U64: return put<std::uint64_t>(bytes, i);
      case DType::U32: return put<std::uint32_t>(bytes, i);
      case DType::U8: return put<std::uint8_t>(bytes, i);
      default: return put<std::uint16_t>(bytes, i);
    }
  }

  json::Output out_;
  std::string& text_;
  Version version_;
  std::vector<char> is_empty_;  // For each open bracket.
  bool has_key_ = false;
};

}  // namespace

std::unique_ptr<Output> json_output(Sink& sink, Version version, unsigned indent) {
  return std::make_unique<JsonOutput>(sink, version, indent);
}

}  // namespace safestructures::inline v0::burn
