/// \file
/// Many texts stored in two tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/tensor.hpp>
#include "data/column_count.hpp"
#include "data/text/utf8.hpp"

namespace safestructures::inline v0::detail {

/// The texts of a struct of `text` and `ends`, read on construction.
class TextColumn {
 public:
  /// \throws Error `type_mismatch` for anything else; `out_of_range` for ends that do not ascend or
  /// lie outside the text.
  TextColumn(const Value& value, const Decoder& decoder) {
    if (!is_text_column(value))
      decoder.mismatch("a column of texts: a struct of text and ends", value);
    try {
      text_ = value.find(texts_field)->tensor().contiguous();
      ends_ = value.find(ends_field)->tensor().to_vector<std::int64_t>();
    } catch (const Error& error) {
      throw error.with_path(decoder.path());
    }
    std::int64_t last = 0;
    for (const std::int64_t end : ends_) {
      if (end < last || std::cmp_greater(end, text_.byte_size()))
        decoder.fail(ErrorCode::out_of_range, "the ends of texts are not in order",
                     {.expected = "ascending ends, up to " + std::to_string(text_.byte_size()),
                      .found = std::to_string(end)});
      last = end;
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  /// \throws Error `invalid_utf8`
  [[nodiscard]] std::string at(std::size_t index, const Decoder& decoder) const {
    const auto begin = static_cast<std::size_t>(index == 0 ? 0 : ends_[index - 1]);
    const auto* chars = reinterpret_cast<const char*>(text_.bytes().data());
    std::string text(chars + begin, static_cast<std::size_t>(ends_[index]) - begin);
    if (find_invalid_utf8(text))
      decoder.fail(ErrorCode::invalid_utf8, "a text is not valid UTF-8",
                   {.found = "invalid bytes in item " + std::to_string(index)});
    return text;
  }

 private:
  Tensor text_;
  std::vector<std::int64_t> ends_;
};

}  // namespace safestructures::inline v0::detail
