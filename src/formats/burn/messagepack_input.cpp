#include <array>
#include <bit>
#include <concepts>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "formats/burn/input.hpp"
#include "formats/burn/messagepack.hpp"
#include "formats/burn/utf8.hpp"
#include "formats/burn/window.hpp"

namespace safestructures::inline v0::burn {
namespace {

/// A big-endian number.
template <std::unsigned_integral T>
T load_big(const std::byte* from) noexcept {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value << 8U | std::to_integer<T>(from[i]));
  return value;
}

class MessagePackInput final : public Input {
 public:
  MessagePackInput(const std::shared_ptr<const Source>& source, bool is_mapped,
                   const Limits& limits)
      : window_(source, is_mapped), limits_(limits) {}

  Token next() override {
    begin_ = window_.position();
    if (token_ == Token::name) return token_ = value();
    if (open_.empty()) {
      if (std::exchange(has_begun_, true)) return token_ = end();
      return token_ = value();
    }
    Level& level = open_.back();
    if (level.left == 0) {
      const bool is_map = level.is_map;
      open_.pop_back();
      return token_ = is_map ? Token::map_end : Token::array_end;
    }
    --level.left;
    return token_ = level.is_map ? key() : value();
  }

  std::uint64_t offset() const noexcept override { return begin_; }
  bool boolean() const override { return boolean_; }
  Value number() const override { return number_; }
  std::string_view string() override { return text_; }
  ByteRange bytes() const override { return bytes_; }

  std::optional<Numbers> numbers(Expected expected) override {
    const std::uint64_t start = window_.position();
    const std::uint64_t count = open_.back().left;
    Numbers numbers;
    numbers.count = count;
    if (expected == Expected::bytes ? !pack_bytes(numbers) : count > 0 && !pack(numbers)) {
      window_.rewind(start);
      return std::nullopt;
    }
    open_.pop_back();
    token_ = Token::array_end;
    return numbers;
  }

 private:
  struct Level {
    std::uint64_t left;
    bool is_map;
  };

  [[noreturn]] void fail(std::string problem, std::string expected, std::string found) const {
    throw Error(ErrorCode::invalid_header, std::move(problem),
                {.expected = std::move(expected), .found = std::move(found), .offset = begin_});
  }

  template <std::unsigned_integral T>
  T unsigned_number() {
    return load_big<T>(window_.take(sizeof(T)).data());
  }

  Token end() {
    if (window_.left() > 0)
      fail("there are bytes behind the record", "the end of the file",
           std::to_string(window_.left()) + (window_.left() == 1 ? " byte" : " bytes"));
    return Token::end;
  }

  Token key() {
    const Token token = value();
    if (token == Token::string) return Token::name;
    // An enum's variant may be named by its index.
    if (token == Token::number && number_.kind() == Kind::integer) {
      text_ = number_.integer_text();
      return Token::name;
    }
    fail("a key is no text", "a string", std::string(describe(token)));
  }

  Token open(std::uint64_t count, bool is_map) {
    // Each item takes a byte at least.
    const std::uint64_t least = is_map ? 2 * count : count;
    if (least > window_.left())
      throw Error(ErrorCode::truncated, "the file ends before the items that it announces",
                  {.expected = std::to_string(count) + (is_map ? " entries" : " items"),
                   .found = std::to_string(window_.left()) + " bytes",
                   .advice = "Copy the file again, or save it again",
                   .offset = begin_});
    if (open_.size() >= std::uint64_t{limits_.depth} + 2)
      throw detail::past(detail::Limit::depth, limits_.depth, {.offset = begin_});
    open_.push_back({count, is_map});
    return is_map ? Token::map : Token::array;
  }

  Token string(std::uint64_t size) {
    const std::span<const std::byte> bytes = window_.take(size);
    text_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    check_utf8(text_, begin_);
    return Token::string;
  }
  Token raw(std::uint64_t size) {
    bytes_ = {window_.position(), size};
    window_.pass(size);
    return Token::bytes;
  }
  Token integer(std::integral auto value) {
    number_ = Value(value);
    return Token::number;
  }
  Token floating(double value) {
    number_ = Value(value);
    return Token::number;
  }

  Token value() {
    const auto byte = std::to_integer<unsigned>(window_.take(1)[0]);
    using Mark = messagepack::Mark;
    if (byte <= messagepack::largest_fixint) return integer(byte);
    if (byte >= messagepack::negative_fixint) return integer(static_cast<std::int8_t>(byte));
    if ((byte & 0xF0U) == messagepack::fixmap) return open(byte & 0x0FU, true);
    if ((byte & 0xF0U) == messagepack::fixarray) return open(byte & 0x0FU, false);
    if ((byte & 0xE0U) == messagepack::fixstr) return string(byte & 0x1FU);
    switch (static_cast<Mark>(byte)) {
      case Mark::nil: return Token::null;
      case Mark::no: boolean_ = false; return Token::boolean;
      case Mark::yes: boolean_ = true; return Token::boolean;
      case Mark::bin8: return raw(unsigned_number<std::uint8_t>());
      case Mark::bin16: return raw(unsigned_number<std::uint16_t>());
      case Mark::bin32: return raw(unsigned_number<std::uint32_t>());
      case Mark::float32: return floating(std::bit_cast<float>(unsigned_number<std::uint32_t>()));
      case Mark::float64: return floating(std::bit_cast<double>(unsigned_number<std::uint64_t>()));
      case Mark::uint8: return integer(unsigned_number<std::uint8_t>());
      case Mark::uint16: return integer(unsigned_number<std::uint16_t>());
      case Mark::uint32: return integer(unsigned_number<std::uint32_t>());
      case Mark::uint64: return integer(unsigned_number<std::uint64_t>());
      case Mark::int8: return integer(static_cast<std::int8_t>(unsigned_number<std::uint8_t>()));
      case Mark::int16: return integer(static_cast<std::int16_t>(unsigned_number<std::uint16_t>()));
      case Mark::int32: return integer(static_cast<std::int32_t>(unsigned_number<std::uint32_t>()));
      case Mark::int64: return integer(static_cast<std::int64_t>(unsigned_number<std::uint64_t>()));
      case Mark::str8: return string(unsigned_number<std::uint8_t>());
      case Mark::str16: return string(unsigned_number<std::uint16_t>());
      case Mark::str32: return string(unsigned_number<std::uint32_t>());
      case Mark::array16: return open(unsigned_number<std::uint16_t>(), false);
      case Mark::array32: return open(unsigned_number<std::uint32_t>(), false);
      case Mark::map16: return open(unsigned_number<std::uint16_t>(), true);
      case Mark::map32: return open(unsigned_number<std::uint32_t>(), true);
    }
    fail("a byte begins nothing that records hold", "a value of MessagePack",
         "byte " + std::to_string(byte));
  }

  bool pack_bytes(Numbers& numbers) {
    numbers.dtype = DType::U8;
    for (std::uint64_t i = 0; i < numbers.count; ++i) {
      begin_ = window_.position();
      if (!is_scalar() || value() != Token::number || number_.kind() != Kind::integer) return false;
      const std::optional<std::int64_t> item = number_.as_int64();
      if (!item || *item < 0 || *item > 0xFF) return false;
      numbers.bytes.push_back(static_cast<std::byte>(*item));
    }
    return true;
  }

  /// Whether all items of the array were numbers of one dtype, or could be made so.
  bool pack(Numbers& numbers) {
    const std::uint64_t count = numbers.count;
    const auto first = std::to_integer<unsigned>(window_.take(1)[0]);
    window_.rewind(window_.position() - 1);
    using Mark = messagepack::Mark;
    if (first == static_cast<unsigned>(Mark::float32))
      return pack_floats<std::uint32_t>(numbers, DType::F32, first);
    if (first == static_cast<unsigned>(Mark::float64))
      return pack_floats<std::uint64_t>(numbers, DType::F64, first);
    const bool is_bool =
        first == static_cast<unsigned>(Mark::yes) || first == static_cast<unsigned>(Mark::no);
    numbers.dtype = is_bool ? DType::BOOL : DType::I64;
    const std::size_t width = is_bool ? 1 : sizeof(std::int64_t);
    for (std::uint64_t i = 0; i < count; ++i) {
      begin_ = window_.position();
      if (!is_scalar()) return false;
      const Token token = value();
      if (is_bool != (token == Token::boolean)) return false;
      if (!is_bool && (token != Token::number || number_.kind() != Kind::integer)) return false;
      const std::optional<std::int64_t> item = is_bool ? boolean_ : number_.as_int64();
      if (!item) return false;
      const auto bytes = std::bit_cast<std::array<std::byte, sizeof(std::int64_t)>>(*item);
      numbers.bytes.insert(numbers.bytes.end(), bytes.begin(),
                           bytes.begin() + static_cast<std::ptrdiff_t>(width));
    }
    return true;
  }

  /// Whether the next item is neither an array nor a map nor text.
  bool is_scalar() {
    const auto byte = std::to_integer<unsigned>(window_.take(1)[0]);
    window_.rewind(window_.position() - 1);
    return byte <= messagepack::largest_fixint || byte >= messagepack::negative_fixint ||
           (byte >= static_cast<unsigned>(messagepack::Mark::nil) &&
            byte < static_cast<unsigned>(messagepack::Mark::str8));
  }

  template <std::unsigned_integral T>
  bool pack_floats(Numbers& numbers, DType dtype, unsigned mark) {
    constexpr std::size_t stride = 1 + sizeof(T);
    if (numbers.count > window_.left() / stride) return false;
    numbers.dtype = dtype;
    numbers.bytes.resize(static_cast<std::size_t>(numbers.count) * sizeof(T));
    constexpr std::uint64_t block = 8192;
    std::byte* to = numbers.bytes.data();
    for (std::uint64_t done = 0; done < numbers.count;) {
      const std::uint64_t count = std::min(block, numbers.count - done);
      const std::span<const std::byte> bytes = window_.take(count * stride);
      for (std::size_t i = 0; i < bytes.size(); i += stride, to += sizeof(T)) {
        if (std::to_integer<unsigned>(bytes[i]) != mark) return false;
        const T number = load_big<T>(bytes.data() + i + 1);
        std::memcpy(to, &number, sizeof(T));
      }
      done += count;
    }
    return true;
  }

  Window window_;
  Limits limits_;
  std::vector<Level> open_;
  std::uint64_t begin_ = 0;
  bool has_begun_ = false;
  bool boolean_ = false;
  Value number_;
  std::string text_;
  ByteRange bytes_;
};

}  // namespace

std::unique_ptr<Input> messagepack_input(const std::shared_ptr<const Source>& source,
                                         bool is_mapped, const Limits& limits) {
  return std::make_unique<MessagePackInput>(source, is_mapped, limits);
}

}  // namespace safestructures::inline v0::burn
