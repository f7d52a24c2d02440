#include "formats/burnpack/words.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::burnpack {
namespace {

constexpr std::size_t word_size = 4;
constexpr std::size_t block_words = std::size_t{16} << 10U;

}  // namespace

void WordsSource::read(std::uint64_t offset, std::span<std::byte> into) const {
  std::vector<std::byte> block(std::min(into.size(), block_words) * word_size);
  for (std::size_t done = 0; done < into.size();) {
    const std::size_t count = std::min(into.size() - done, block_words);
    const std::uint64_t begin = begin_ + (offset + done) * word_size;
    words_->read(begin, std::span(block).first(count * word_size));
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const std::byte> word = std::span(block).subspan(i * word_size, word_size);
      if (word[0] > std::byte{1} ||
          std::ranges::any_of(word.subspan(1), [](std::byte byte) { return byte != std::byte{0}; }))
        throw Error(ErrorCode::out_of_range, "a bool is neither true nor false",
                    {.file = name(),
                     .expected = "four bytes that are 0 or 1",
                     .offset = begin + i * word_size});
      into[done + i] = word[0];
    }
    done += count;
  }
}

}  // namespace safestructures::inline v0::burnpack
