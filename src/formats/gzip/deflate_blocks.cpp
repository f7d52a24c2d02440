#include "formats/gzip/deflate_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace safestructures::inline v0::gzip {
namespace {

constexpr unsigned longest_code = 15;
constexpr unsigned end_of_block = 256;

/// A reader of bits in deflate's order: from the lowest of each byte.
class Bits {
 public:
  explicit Bits(const std::byte* data) noexcept : data_(data) {}

  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  void skip(std::size_t count) noexcept { position_ += count; }
  void skip_to_byte() noexcept { position_ = (position_ + 7) / 8 * 8; }
  /// Returns at least the next 57 bits.
  [[nodiscard]] std::uint64_t peek() const noexcept {
    const std::byte* const from = data_ + position_ / 8;
    std::uint64_t word = 0;
    for (unsigned i = 0; i < 8; ++i) word |= std::to_integer<std::uint64_t>(from[i]) << (8 * i);
    return word >> (position_ % 8);
  }
  unsigned take(unsigned count) noexcept {
    const std::uint64_t word = peek();
    position_ += count;
    return static_cast<unsigned>(word & ((std::uint64_t{1} << count) - 1));
  }

 private:
  const std::byte* data_;
  std::size_t position_ = 0;
};

/// A prefix code, as a table of the next bits: symbol * 16 + length.
class Code {
 public:
  void build(std::span<const std::uint8_t> lengths) {
    const unsigned longest = std::max<unsigned>(*std::ranges::max_element(lengths), 1);
    table_.assign(std::size_t{1} << longest, 0);
    mask_ = table_.size() - 1;
    std::array<unsigned, longest_code + 2> next{};
    for (const std::uint8_t length : lengths)
      if (length > 0) ++next[length + 1U];
    for (unsigned length = 2; length <= longest_code; ++length)
      next[length] = (next[length] + next[length - 1]) * 2;
    // next[length] is now the first code of that length.
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      const unsigned length = lengths[symbol];
      if (length == 0) continue;
      const unsigned code = next[length]++;
      std::size_t reversed = 0;
      for (unsigned i = 0; i < length; ++i)
        reversed |= std::size_t{code >> i & 1U} << (length - 1 - i);
      for (; reversed <= mask_; reversed += std::size_t{1} << length)
        table_[reversed] = static_cast<std::uint16_t>(symbol << 4U | length);
    }
  }
  [[nodiscard]] unsigned entry(std::uint64_t bits) const noexcept { return table_[bits & mask_]; }

 private:
  std::vector<std::uint16_t> table_;
  std::uint64_t mask_ = 0;
};

/// Returns the number of extra bits after the code of a length, 257 to 285.
constexpr unsigned extra_of_length(unsigned symbol) noexcept {
  return symbol < 265 || symbol == 285 ? 0 : (symbol - 261) / 4;
}
constexpr unsigned extra_of_distance(unsigned symbol) noexcept {
  return symbol < 2 ? 0 : symbol / 2 - 1;
}

class Blocks {
 public:
  explicit Blocks(const std::byte* data) noexcept : bits_(data) {}

  struct Last {
    std::size_t begin;  ///< The bit that marks the last block.
    std::size_t end;    ///< The bit after the block.
  };
  Last find_last() {
    for (;;) {
      const std::size_t begin = bits_.position();
      const bool is_last = bits_.take(1) == 1;
      switch (bits_.take(2)) {
        case 0: skip_stored(); break;
        case 1:
          read_fixed_codes();
          skip_coded();
          break;
        default:
          read_codes();
          skip_coded();
          break;
      }
      if (is_last) return {begin, bits_.position()};
    }
  }

 private:
  void skip_stored() {
    bits_.skip_to_byte();
    const std::size_t size = bits_.take(16);
    bits_.skip(16 + 8 * size);
  }

  void read_fixed_codes() {
    std::array<std::uint8_t, 288> lengths;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      lengths[i] = static_cast<std::uint8_t>(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
    literals_.build(lengths);
    std::array<std::uint8_t, 32> distances;
    distances.fill(5);
    distances_.build(distances);
  }

  void read_codes() {
    constexpr std::array<std::uint8_t, 19> order = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
    const std::size_t literals = 257 + bits_.take(5);
    const std::size_t distances = 1 + bits_.take(5);
    const std::size_t count = 4 + bits_.take(4);
    std::array<std::uint8_t, 19> code_lengths{};
    for (std::size_t i = 0; i < count; ++i)
      code_lengths[order[i]] = static_cast<std::uint8_t>(bits_.take(3));
    Code code;
    code.build(code_lengths);
    std::vector<std::uint8_t> lengths;
    while (lengths.size() < literals + distances) {
      const unsigned entry = code.entry(bits_.peek());
      bits_.skip(entry & 15U);
      const unsigned symbol = entry >> 4U;
      if (symbol < 16) lengths.push_back(static_cast<std::uint8_t>(symbol));
      else if (symbol == 16) lengths.insert(lengths.end(), 3 + bits_.take(2), lengths.back());
      else lengths.insert(lengths.end(), symbol == 17 ? 3 + bits_.take(3) : 11 + bits_.take(7), 0);
    }
    literals_.build(std::span(lengths).first(literals));
    distances_.build(std::span(lengths).subspan(literals));
  }

  void skip_coded() {
    for (;;) {
      // Three literals and what follows a length fit into one peek.
      std::uint64_t word = bits_.peek();
      unsigned entry = literals_.entry(word);
      for (int i = 0; i < 2 && entry >> 4U < end_of_block; ++i) {
        bits_.skip(entry & 15U);
        word >>= entry & 15U;
        entry = literals_.entry(word);
      }
      bits_.skip(entry & 15U);
      const unsigned symbol = entry >> 4U;
      if (symbol < end_of_block) continue;
      if (symbol == end_of_block) return;
      bits_.skip(extra_of_length(symbol));
      entry = distances_.entry(bits_.peek());
      bits_.skip((entry & 15U) + extra_of_distance(entry >> 4U));
    }
  }

  Bits bits_;
  Code literals_;
  Code distances_;
};

}  // namespace

std::size_t reopen(std::span<std::byte> room, std::size_t size) {
  std::ranges::fill(room.subspan(size, reopen_room), std::byte{0});
  const Blocks::Last last = Blocks(room.data()).find_last();
  room[last.begin / 8] &= ~(std::byte{1} << (last.begin % 8));
  // The bits after the end are 0: an ordinary, stored block of length 0.
  std::size_t end = (last.end + 3 + 7) / 8;
  for (const unsigned value : {0x00U, 0x00U, 0xFFU, 0xFFU})
    room[end++] = static_cast<std::byte>(value);
  return end;
}

}  // namespace safestructures::inline v0::gzip
