#include "data/conversion/convert_codes.hpp"

#include <algorithm>
#include <cstring>

#include "data/conversion/convert_exact.hpp"

namespace safestructures::inline v0::detail {
namespace {

constexpr std::size_t block_elements = 2048;

/// \returns whether any of the codes is special
template <class Code>
bool look_up(const std::byte* source, std::size_t count, const std::byte* targets,
             const std::uint8_t* is_special, std::byte* target) {
  unsigned special = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto code = static_cast<std::size_t>(source[i]);
    Code found;
    std::memcpy(&found, targets + code * sizeof(Code), sizeof(Code));
    std::memcpy(target + i * sizeof(Code), &found, sizeof(Code));
    special |= is_special[code];
  }
  return special != 0;
}

}  // namespace

bool CodeTable::is_for(DType from, DType to) noexcept {
  return bit_width(from) == 8 && is_floating(from) && is_floating(to) && bit_width(to) >= 16;
}

CodeTable::CodeTable(DType from, DType to) : from_(from), to_(to), width_(bit_width(to) / 8) {
  std::array<std::byte, 256> codes;
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::byte>(i);
  const auto all =
      convert_exactly(from, codes.data(), to, targets_.data(), codes.size(), Overflow::allow, 0);
  if (all == ConversionReport{}) return;
  for (std::size_t i = 0; i < codes.size(); ++i)
    is_special_[i] = convert_exactly(from, &codes[i], to, targets_.data() + i * width_, 1,
                                     Overflow::allow, 0) != ConversionReport{};
}

ConversionReport CodeTable::convert(const std::byte* source, std::byte* target, std::uint64_t count,
                                    Overflow overflow, std::uint64_t first) const {
  ConversionReport report;
  while (count > 0) {
    const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(count, block_elements));
    const auto look = [&]<class Code>(Code) {
      return look_up<Code>(source, now, targets_.data(), is_special_.data(), target);
    };
    const bool is_special = width_ == 2   ? look(std::uint16_t{})
                            : width_ == 4 ? look(std::uint32_t{})
                                          : look(std::uint64_t{});
    if (is_special) report += convert_exactly(from_, source, to_, target, now, overflow, first);
    source += now;
    target += now * width_;
    first += now;
    count -= now;
  }
  return report;
}

}  // namespace safestructures::inline v0::detail
