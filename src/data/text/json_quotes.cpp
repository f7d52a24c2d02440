#include "data/text/json_quotes.hpp"

#if defined(__x86_64__)

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <immintrin.h>

#include "data/text/json_text.hpp"

namespace safestructures::inline v0::json {
namespace {

constexpr std::uint64_t ones = 0x0101010101010101;
constexpr std::uint64_t high = 0x8080808080808080;

/// Sets the highest bit of exactly those bytes that are `wanted`.
std::uint64_t mark_bytes(std::uint64_t bytes, char wanted) noexcept {
  const std::uint64_t other = bytes ^ (ones * static_cast<unsigned char>(wanted));
  return ~(((other & ~high) + ~high) | other) & high;
}

/// The escaped form of four bytes, by which of them are quotes: their places among eight bytes, and
/// the backslashes between them.
struct Spread {
  std::uint64_t places = 0;
  std::uint64_t backslashes = 0;
};
constexpr std::array<Spread, 16> spreads = [] {
  std::array<Spread, 16> all;
  for (unsigned quotes = 0; quotes < 16; ++quotes) {
    unsigned place = 0;
    for (unsigned i = 0; i < 4; ++i) {
      if ((quotes >> i & 1U) != 0) all[quotes].backslashes |= std::uint64_t{'\\'} << 8 * place++;
      all[quotes].places |= std::uint64_t{0xFF} << 8 * place++;
    }
  }
  return all;
}();

/// Writes those of eight bytes that are not dropped.
/// \param marks has a bit for each dropped byte
/// \returns the position after the last byte written
[[gnu::target("bmi2,popcnt")]] char* keep_others(__m128i bytes, __m128i dropped, unsigned marks,
                                                 char* target) noexcept {
  const auto kept = _pext_u64(static_cast<std::uint64_t>(_mm_cvtsi128_si64(bytes)),
                              ~static_cast<std::uint64_t>(_mm_cvtsi128_si64(dropped)));
  std::memcpy(target, &kept, 8);
  return target + (8 - std::popcount(marks));
}

[[gnu::target("bmi2,popcnt")]] void unescape_by_extraction(const char*& from, const char* end,
                                                           char*& target) noexcept {
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i largest_control = _mm_set1_epi8(0x1F);
  const char* at = from;  // A copy, since writes through a char pointer might alias the references.
  char* to = target;
  unsigned quote_is_due = 0;  // At the first byte, because the previous block ended in a backslash.
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i dropped = _mm_cmpeq_epi8(bytes, backslash);
    const auto backslashes = static_cast<unsigned>(_mm_movemask_epi8(dropped));
    const auto quotes = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, quote)));
    const auto controls = static_cast<unsigned>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, largest_control), bytes)));
    if (((backslashes << 1U | quote_is_due) & 0xFFFFU) != quotes || controls != 0) break;
    quote_is_due = backslashes >> 15U;
    to = keep_others(bytes, dropped, backslashes & 0xFFU, to);
    to = keep_others(_mm_unpackhi_epi64(bytes, bytes), _mm_unpackhi_epi64(dropped, dropped),
                     backslashes >> 8U, to);
  }
  from = quote_is_due != 0 ? at - 1 : at;
  target = to;
}

/// Does the same with 64 bytes at a time, in half the time.
[[gnu::target("avx512f,avx512bw,avx512vbmi2")]] void unescape_by_compression(
    const char*& from, const char* end, char*& target) noexcept {
  const __m512i backslash = _mm512_set1_epi8('\\');
  const __m512i quote = _mm512_set1_epi8('"');
  const __m512i blank = _mm512_set1_epi8(' ');
  const char* at = from;
  char* to = target;
  std::uint64_t quote_is_due = 0;
  for (; end - at >= 64; at += 64) {
    const __m512i bytes = _mm512_loadu_si512(at);
    const std::uint64_t backslashes = _mm512_cmpeq_epi8_mask(bytes, backslash);
    const std::uint64_t quotes = _mm512_cmpeq_epi8_mask(bytes, quote);
    const std::uint64_t controls = _mm512_cmplt_epu8_mask(bytes, blank);
    if ((backslashes << 1U | quote_is_due) != quotes || controls != 0) break;
    quote_is_due = backslashes >> 63U;
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(~backslashes, bytes));
    to += 64 - std::popcount(backslashes);
  }
  from = quote_is_due != 0 ? at - 1 : at;
  target = to;
}

[[gnu::target("bmi2,popcnt")]] void escape_by_deposit(const char*& from, const char* end,
                                                      char*& target) noexcept {
  for (; end - from >= 8; from += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, from, 8);
    if (mark_bytes(bytes, '\\') != 0 || mark_controls(bytes) != 0) return;
    const std::uint64_t quotes = _pext_u64(mark_bytes(bytes, '"'), high);
    for (const unsigned half : {0U, 1U}) {
      const auto which = static_cast<std::size_t>(quotes >> 4 * half & 0xFU);
      const Spread& spread = spreads[which];
      const std::uint64_t escaped =
          _pdep_u64(bytes >> 32 * half, spread.places) | spread.backslashes;
      std::memcpy(target, &escaped, 8);
      target += 4 + std::popcount(which);
    }
  }
}

bool has_vbmi2() noexcept {
  static const bool answer =
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2");
  return answer;
}

bool has_bmi2() noexcept {
  static const bool answer = __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  return answer;
}

}  // namespace

void unescape_quotes(const char*& from, const char* end, char*& target) noexcept {
  if (has_vbmi2()) unescape_by_compression(from, end, target);
  if (has_bmi2()) unescape_by_extraction(from, end, target);
}

void escape_quotes(const char*& from, const char* end, char*& target) noexcept {
  if (has_bmi2()) escape_by_deposit(from, end, target);
}

}  // namespace safestructures::inline v0::json

#else

namespace safestructures::inline v0::json {

void unescape_quotes(const char*&, const char*, char*&) noexcept {}
void escape_quotes(const char*&, const char*, char*&) noexcept {}

}  // namespace safestructures::inline v0::json

#endif
