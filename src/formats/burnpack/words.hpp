/// \file
/// Reads bools of four bytes each as bools of one byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <safestructures/data/source.hpp>

namespace safestructures::inline v0::burnpack {

/// Reads four-byte words from another source and returns a byte for each.
class WordsSource final : public Source {
 public:
  /// \param begin the offset of the words in `words` \param count the number of words
  WordsSource(std::shared_ptr<const Source> words, std::uint64_t begin, std::uint64_t count)
      : words_(std::move(words)), begin_(begin), count_(count) {}

  const std::string& name() const noexcept override { return words_->name(); }
  std::uint64_t size() const noexcept override { return count_; }
  /// \throws Error as the other source; `out_of_range` for a word that is neither 0 nor 1
  void read(std::uint64_t offset, std::span<std::byte> into) const override;

 private:
  std::shared_ptr<const Source> words_;
  std::uint64_t begin_;
  std::uint64_t count_;
};

}  // namespace safestructures::inline v0::burnpack
