#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include "data/text/json_text.hpp"
#include "formats/fast_utf8.hpp"
#include "formats/safetensors/json_walk.hpp"
#include "formats/safetensors/table.hpp"

namespace safestructures::inline v0::safetensors::detail {

// Every step returns whether the text goes on as expected. `text_padding` bytes follow the text, so
// only strings and numbers check for its end.
class CompactParser {
 public:
  CompactParser(Table& table, const Limits& limits)
      : table_(table), limits_(limits), at_(table.text_.data.get()), end_(at_ + table.text_.size) {}

  bool parse() {
    if (!safestructures::detail::is_utf8({at_, table_.text_.size}) || !skip("{\"")) return false;
    Piece name;
    if (!plain_string(name)) return false;
    if (table_.view(name) == metadata_key) {
      if (!metadata()) return false;
      if (!skip(",\"")) return finish();
      if (!plain_string(name)) return false;
    }
    do {
      if (!tensor(name)) return false;
      if (!skip(",\"")) return finish();
    } while (plain_string(name));
    return false;
  }

 private:
  using Piece = Table::Piece;

  bool skip(std::string_view expected) noexcept {
    if (std::memcmp(at_, expected.data(), expected.size()) != 0) return false;
    at_ += expected.size();
    return true;
  }

  bool finish() {
    // A string that was taken out of the text must have been read as one.
    if (!skip("}") || at_ > end_ || next_decoded_ != table_.strings_.size()) return false;
    // There are megabytes of blanks if room was reserved for a header before its size was known.
    constexpr std::uint64_t blanks = 0x2020202020202020;
    for (std::uint64_t bytes = 0; end_ - at_ >= 8; at_ += 8) {
      std::memcpy(&bytes, at_, 8);
      if (bytes != blanks) break;
    }
    while (at_ != end_ && is_blank(*at_)) ++at_;
    if (at_ != end_) return false;
    table_.set_metadata(entries_);
    return true;
  }

  [[nodiscard]] Piece piece(const char* begin, const char* end) const noexcept {
    return {static_cast<std::uint32_t>(begin - table_.text_.data.get()),
            static_cast<std::uint32_t>(end - begin)};
  }

  // Moves from after the opening quote past the closing one.
  bool plain_string(Piece& string) noexcept {
    if (at_ > end_) return false;
    const char* const special = json::find_unplain(at_, end_);
    if (special == end_ || *special != '"') return false;
    string = piece(at_, special);
    at_ = special + 1;
    return true;
  }

  /// Takes a string that was decoded while it was read: its closing quote is here.
  bool decoded_string(Piece& string) noexcept {
    if (next_decoded_ == table_.strings_.size()) return false;
    const StreamedHeader::String& decoded = table_.strings_[next_decoded_];
    if (at_ != table_.text_.data.get() + decoded.at) return false;
    ++next_decoded_;
    string = {static_cast<std::uint32_t>(table_.text_.size + decoded.begin),
              static_cast<std::uint32_t>(decoded.size)};
    return skip("\"");
  }

  bool any_string(Piece& string) {
    if (decoded_string(string)) return true;
    const char* const begin = at_;
    if (plain_string(string)) return true;
    if (begin > end_) return false;
    const auto [result, decoded] = table_.decode(begin);
    if (result.fault != json::StringFault::none || result.has_controls) return false;
    string = decoded;
    at_ = result.stop;
    return true;
  }

  bool metadata() {
    if (!skip(":{")) return false;
    if (skip("}")) return true;
    do {
      std::pair<Piece, Piece> entry;
      if (!skip("\"") || !any_string(entry.first) || !skip(":\"") || !any_string(entry.second))
        return false;
      entries_.push_back(entry);
    } while (skip(","));
    return skip("}");
  }

  bool number(std::uint64_t& number) noexcept {
    constexpr int most_digits = 19;  // The largest number of 19 digits is below 2^64.
    if (at_ >= end_) return false;
    const char* const begin = at_;
    number = 0;
    for (unsigned digit; (digit = static_cast<unsigned char>(*at_) - unsigned{'0'}) <= 9; ++at_) {
      if (at_ - begin == most_digits) return false;
      number = number * 10 + digit;
    }
    return at_ != begin && (*begin != '0' || at_ - begin == 1);
  }

  bool tensor(Piece name) {
    // Metadata after a tensor, or a second time: left to the general parser.
    if (table_.view(name) == metadata_key) return false;
    if (table_.records_.size() >= limits_.tensors) return false;
    Table::Record record;
    if (!same_description(record) && !description(record)) return false;
    if (!number(record.begin) || !skip(",") || !number(record.end) || !skip("]}")) return false;
    record.name = name;
    if (record.end < record.begin || !table_.fits(record)) return false;
    table_.records_.push_back(record);
    return true;
  }

  /// Reads the description up to the offsets.
  bool description(Table::Record& record) {
    const char* const begin = at_;
    Piece dtype_name;
    if (!skip(":{\"dtype\":\"") || !plain_string(dtype_name)) return false;
    const std::optional<DType> dtype = parse_dtype(table_.view(dtype_name));
    if (!dtype || !skip(",\"shape\":[") || !shape(record) || !skip(",\"data_offsets\":["))
      return false;
    record.dtype = *dtype;
    described_ = record;
    described_as_ = {begin, static_cast<std::size_t>(at_ - begin)};
    return true;
  }

  /// Takes over dtype and dimensions of the previous tensor if the description is spelled the same,
  /// as most are. Otherwise reads nothing.
  bool same_description(Table::Record& record) {
    if (described_as_.empty() || end_ - at_ < std::ssize(described_as_) || !skip(described_as_))
      return false;
    record = described_;
    return true;
  }

  bool shape(Table::Record& record) {
    const std::size_t begin = table_.dims_.size();
    if (!skip("]")) {
      const std::size_t most = std::min<std::uint32_t>(limits_.rank, 0xFFFF);
      do {
        std::uint64_t size = 0;
        if (table_.dims_.size() - begin >= most || !number(size)) return false;
        table_.dims_.push_back(size);
      } while (skip(","));
      if (!skip("]")) return false;
    }
    record.dims_at = static_cast<std::uint32_t>(begin);
    record.rank = static_cast<std::uint16_t>(table_.dims_.size() - begin);
    return true;
  }

  Table& table_;
  const Limits& limits_;
  const char* at_;
  const char* end_;
  std::vector<std::pair<Piece, Piece>> entries_;
  std::size_t next_decoded_ = 0;
  Table::Record described_;  // The previous tensor, and the text of its dtype and shape.
  std::string_view described_as_;
};

bool parse_compact(Table& table, const Limits& limits) {
  if (CompactParser(table, limits).parse()) return true;
  table.clear();
  return false;
}

}  // namespace safestructures::inline v0::safetensors::detail
