#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <safestructures/data/error.hpp>
#include "data/text/utf8.hpp"
#include "formats/burn/input.hpp"
#include "formats/burn/utf8.hpp"
#include "formats/messagepack/cursor.hpp"
#include "formats/messagepack/marks.hpp"

namespace safestructures::inline v0::burn {
namespace {

/// Reads lists of numbers and tensors in one go.
class PackingCursor final : public messagepack::Cursor {
 public:
  using messagepack::Cursor::Cursor;

  std::optional<Numbers> numbers(Expected expected) {
    const std::uint64_t start = window_.position();
    const std::uint64_t count = open_.back().left;
    Numbers numbers;
    numbers.count = count;
    if (expected == Expected::bytes ? !pack_bytes(numbers) : count > 0 && !pack(numbers)) {
      window_.rewind(start);
      return std::nullopt;
    }
    open_.pop_back();
    token_ = tree::Token::array_end;
    return numbers;
  }

  std::optional<TensorData> tensor_data() {
    const std::uint64_t start = window_.position();
    TensorData data;
    const bool is_param = open_.back().left == 2 && literal(id_name) && text(data.id.emplace()) &&
                          literal(param_name) && mark() == (messagepack::fixmap | 3U);
    if ((is_param || open_.back().left == 3) && parts(data)) {
      open_.pop_back();
      token_ = tree::Token::object_end;
      return data;
    }
    window_.rewind(start);
    return std::nullopt;
  }

 private:
  // The following read the parts of a tensor, and move past what they accept.

  /// Returns the next byte; at the end, a marker that no caller asks for.
  unsigned mark() {
    return window_.left() > 0 ? std::to_integer<unsigned>(window_.take(1)[0])
                              : static_cast<unsigned>(messagepack::Mark::nil);
  }
  template <std::unsigned_integral T>
  std::optional<std::uint64_t> big() {
    if (window_.left() < sizeof(T)) return std::nullopt;
    return unsigned_number<T>();
  }
  /// Reads the number after its marker. There are four markers, one for each width.
  std::optional<std::uint64_t> sized(unsigned mark, messagepack::Mark narrowest) {
    switch (mark - static_cast<unsigned>(narrowest)) {
      case 0: return big<std::uint8_t>();
      case 1: return big<std::uint16_t>();
      case 2: return big<std::uint32_t>();
      default: return std::nullopt;
    }
  }
  std::optional<std::uint64_t> size_of_dimension() {
    const unsigned first = mark();
    if (first <= messagepack::largest_fixint) return first;
    if (first == static_cast<unsigned>(messagepack::Mark::uint64)) return big<std::uint64_t>();
    return sized(first, messagepack::Mark::uint8);
  }
  /// Returns the text of a string of up to 31 bytes. It stays valid until more is read.
  std::optional<std::string_view> short_text() {
    const unsigned size = mark() ^ messagepack::fixstr;
    if (size > 31 || window_.left() < size) return std::nullopt;
    const std::span<const std::byte> bytes = window_.take(size);
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  bool literal(std::string_view wanted) { return short_text() == wanted; }
  bool text(std::string& target) {
    const std::optional<std::string_view> found = short_text();
    if (!found || safestructures::detail::find_invalid_utf8(*found)) return false;
    target = *found;
    return true;
  }
  bool parts(TensorData& data) {
    if (!literal(bytes_name)) return false;
    const std::optional<std::uint64_t> size = sized(mark(), messagepack::Mark::bin8);
    if (!size || *size > window_.left()) return false;
    data.bytes = {window_.position(), *size};
    window_.pass(*size);
    if (!literal(shape_name)) return false;
    const unsigned rank = mark() ^ messagepack::fixarray;
    std::array<std::uint64_t, 15> sizes;
    if (rank > sizes.size()) return false;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::optional<std::uint64_t> one = size_of_dimension();
      if (!one) return false;
      sizes[i] = *one;
    }
    data.shape = Shape(std::span(sizes).first(rank));
    if (!literal(dtype_name)) return false;
    const std::optional<std::string_view> name = short_text();
    const std::optional<StoredType> type = name ? stored_type(*name) : std::nullopt;
    if (!type) return false;
    data.type = *type;
    return true;
  }

  bool pack_bytes(Numbers& numbers) {
    numbers.dtype = DType::U8;
    for (std::uint64_t i = 0; i < numbers.count; ++i) {
      begin_ = window_.position();
      if (!is_scalar() || value() != tree::Token::number || number_.kind() != Kind::integer)
        return false;
      const std::optional<std::int64_t> item = number_.as_int64();
      if (!item || *item < 0 || *item > 0xFF) return false;
      numbers.bytes.push_back(static_cast<std::byte>(*item));
    }
    return true;
  }

  /// Packs the array. Returns whether all items were numbers of one dtype, or could be converted to
  /// one.
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
      const tree::Token token = value();
      if (is_bool != (token == tree::Token::boolean)) return false;
      if (!is_bool && (token != tree::Token::number || number_.kind() != Kind::integer))
        return false;
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
        const T number = binary::load_big<T>(bytes.data() + i + 1);
        std::memcpy(to, &number, sizeof(T));
      }
      done += count;
    }
    return true;
  }
};

class MessagePackInput final : public Input {
 public:
  MessagePackInput(const std::shared_ptr<const Source>& source, bool is_mapped,
                   const Limits& limits)
      : cursor_(source, {.what = "the record",
                         .code = ErrorCode::invalid_header,
                         .brackets = std::uint64_t{limits.depth} + 2,
                         .depth = limits.depth,
                         .is_mapped = is_mapped,
                         .surrogates = false,
                         .advice = utf8_advice}) {}

  Token next() override {
    const tree::Token token = cursor_.next();
    if (cursor_.is_key()) return token_ = key(token);
    return token_ = token_of(token);
  }
  std::uint64_t offset() const noexcept override { return cursor_.offset(); }
  bool boolean() const override { return cursor_.boolean(); }
  Value number() const override { return cursor_.number(); }
  std::string_view string() override { return key_.empty() ? cursor_.string() : key_; }
  ByteRange bytes() const override { return {cursor_.range()->offset, cursor_.range()->size}; }
  std::optional<Numbers> numbers(Expected expected) override {
    std::optional<Numbers> numbers = cursor_.numbers(expected);
    if (numbers) token_ = Token::array_end;
    return numbers;
  }

  std::optional<TensorData> tensor_data() override {
    std::optional<TensorData> data = cursor_.tensor_data();
    if (data) token_ = Token::map_end;
    return data;
  }

 private:
  [[noreturn]] void fail(std::string problem, ErrorDetails details) const {
    details.offset = offset();
    throw Error(ErrorCode::invalid_header, std::move(problem), std::move(details));
  }

  Token key(tree::Token token) {
    key_.clear();
    if (token == tree::Token::name) return Token::name;
    // An enum's variant may be named by its index.
    if (token == tree::Token::number && cursor_.number().kind() == Kind::integer) {
      key_ = cursor_.number().integer_text();
      return Token::name;
    }
    fail("a key is not a text",
         {.expected = "a string", .found = std::string(describe(token_of(token)))});
  }

  Token token_of(tree::Token token) {
    key_.clear();
    switch (token) {
      case tree::Token::null: return Token::null;
      case tree::Token::boolean: return Token::boolean;
      case tree::Token::number: return Token::number;
      case tree::Token::name:
      case tree::Token::string: return Token::string;
      case tree::Token::bytes: return Token::bytes;
      case tree::Token::array: return Token::array;
      case tree::Token::array_end: return Token::array_end;
      case tree::Token::object: return Token::map;
      case tree::Token::object_end: return Token::map_end;
      case tree::Token::extension:
        fail("a value has a type that records do not have",
             {.expected = "no extension", .found = "type " + cursor_.number().integer_text()});
      case tree::Token::end: break;
    }
    return Token::end;
  }

  PackingCursor cursor_;
  std::string key_;  // A key that is a number.
};

}  // namespace

std::unique_ptr<Input> messagepack_input(const std::shared_ptr<const Source>& source,
                                         bool is_mapped, const Limits& limits) {
  return std::make_unique<MessagePackInput>(source, is_mapped, limits);
}

}  // namespace safestructures::inline v0::burn
