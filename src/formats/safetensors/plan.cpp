#include "formats/safetensors/plan.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <safestructures/data/error.hpp>
#include <safestructures/data/shape.hpp>
#include "data/limit.hpp"
#include "data/text/json_text.hpp"
#include "data/text/printable.hpp"
#include "data/text/utf8.hpp"
#include "formats/safetensors/name_order.hpp"
#include "formats/safetensors/table.hpp"
#include "formats/tensor_bytes.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::safetensors::detail {

using safestructures::detail::find_invalid_utf8;
using safestructures::detail::for_message;
using safestructures::detail::in_quotes;
using safestructures::detail::Limit;
using safestructures::detail::past;
namespace {

constexpr auto largest_data =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - 2 * largest_header;
// From this size on, data starts on a page boundary, so that it can be mapped and read without a
// shared page.
constexpr std::uint64_t page_from = std::uint64_t{1} << 20U;
constexpr std::uint64_t page = 4096;
constexpr std::uint64_t head_start_unit = std::uint64_t{64} << 10U;

[[noreturn]] void fail_utf8(std::string_view what, std::string_view text) {
  throw Error(ErrorCode::invalid_utf8, std::string(what) + " is not valid UTF-8",
              {.found = in_quotes(text)});
}

void check_utf8(std::string_view what, std::string_view text) {
  if (find_invalid_utf8(text)) fail_utf8(what, text);
}

[[noreturn]] void fail_size(std::uint64_t most, std::string found) {
  throw past(
      Limit::header_bytes, most, "the header would be too large",
      {.found = std::move(found), .advice = "Save fewer tensors or less metadata in one file"});
}

// The most bytes that one tensor takes in the header, without its name and sizes:
// "":{"dtype":"F8_E4M3FNUZ","shape":[],"data_offsets":[0,0]},
constexpr std::size_t fixed_bound = 128;
constexpr std::size_t number_bound = 21;

// The number of tensors that memory is prefetched ahead.
constexpr std::size_t lookahead = 16;

}  // namespace

// Appends to memory that is known to be large enough.
class Appender {
 public:
  explicit Appender(char* target) : target_(target) {}

  void raw(std::string_view text) {
    std::memcpy(target_, text.data(), text.size());
    target_ += text.size();
  }
  void number(std::uint64_t value) { target_ = std::to_chars(target_, target_ + 20, value).ptr; }
  void string(std::string_view text) {
    *target_++ = '"';
    target_ = json::escape(text, target_);
    *target_++ = '"';
  }
  void plain_string(std::string_view text) {
    *target_++ = '"';
    raw(text);
    *target_++ = '"';
  }
  void byte(char c) { *target_++ = c; }
  [[nodiscard]] char* end() const { return target_; }

 private:
  char* target_;
};

namespace {

void write_entries(Appender& out, Metadata::const_iterator begin, Metadata::const_iterator end) {
  for (auto entry = begin; entry != end; ++entry) {
    if (entry != begin) out.byte(',');
    out.string(entry->first);
    out.byte(':');
    out.string(entry->second);
  }
}

/// Writes the metadata up to the text of that key. \returns the first entry after it
Metadata::const_iterator begin_metadata(Appender& out, const Metadata& metadata,
                                        std::string_view key) {
  const auto behind = metadata.lower_bound(key);
  write_entries(out, metadata.begin(), behind);
  if (behind != metadata.begin()) out.byte(',');
  out.string(key);
  out.raw(":\"");
  return behind;
}

/// Returns an upper bound for the bytes of an entry of the metadata.
constexpr std::uint64_t entry_bound(std::string_view key, std::string_view value) noexcept {
  return json::escaped_bound(key.size()) + json::escaped_bound(value.size()) + 8;
}

constexpr std::string_view metadata_begin = R"({"__metadata__":{)";

}  // namespace

void HeadStart::begin() {
  std::uint64_t bound = length_size + metadata_begin.size() + entry_bound(key_, {});
  for (const auto& [key, value] : metadata_) bound += entry_bound(key, value);
  std::vector<char> front(static_cast<std::size_t>(bound));
  Appender out(front.data() + length_size);
  out.raw(metadata_begin);
  begin_metadata(out, metadata_, key_);
  const std::span<const char> known(front.data(), out.end());
  sink_.write_copied(std::as_bytes(known));
}

std::size_t HeadStart::take(std::string_view piece) {
  const std::uint64_t most = std::min(limits_.header_bytes, largest_header);
  if (taken_ + piece.size() > most) throw past(Limit::header_bytes, most);
  if (taken_ == 0) begin();
  // The page cache keeps aligned writes in large folios.
  const auto left = static_cast<std::size_t>((sink_.position() + piece.size()) % head_start_unit);
  const std::size_t size = piece.size() - left;
  sink_.write(std::as_bytes(std::span(piece.substr(0, size))));
  sink_.flush();
  taken_ += size;
  return size;
}

FilePlan::FilePlan(std::span<const Item> items, const Metadata& metadata, const Limits& limits,
                   SpelledEntry spelled)
    : spelled_(spelled) {
  check_items(items, limits);
  order_ = order_by_name(
      items.size(), [&](std::size_t i) { return items[i].name; },
      [&](std::size_t i) { return 255U - static_cast<std::uint32_t>(items[i].dtype); });
  check_names(items);
  write_header(items, metadata, limits);
}

void FilePlan::check_items(std::span<const Item> items, const Limits& limits) {
  const std::uint64_t most = std::min(limits.tensors, NameIndex::largest);
  if (items.size() > most) {
    throw past(Limit::tensors, most, {.found = std::to_string(items.size())});
  }
  for (const Item& item : items) {
    const Shape& shape = item.tensor->shape();
    if (shape.size() > limits.rank) {
      throw past(Limit::rank, limits.rank,
                 {.path = for_message(item.name), .found = std::to_string(shape.size())});
    }
    if (!json::is_plain(item.name)) {
      check_utf8("the name of a tensor", item.name);
      names_are_plain_ = false;
    }
    if (item.name == metadata_key) {
      throw Error(ErrorCode::invalid_argument,
                  "no tensor can be named \"__metadata__\": the format takes it for the metadata");
    }
    const std::uint64_t count = item.tensor->size();
    const std::uint64_t width = bit_width(item.dtype);
    const bool simple = count < std::uint64_t{1} << 56U && count * width % 8 == 0;
    std::uint64_t size = count * width / 8;
    if (!simple) {
      try {
        size = byte_size(item.dtype, shape);
      } catch (const Error& error) {
        throw error.with_path(for_message(item.name));
      }
    }
    if (size > largest_data - data_size_) {
      throw Error(ErrorCode::limit_exceeded, "the tensors are too large for one file",
                  {.path = for_message(item.name),
                   .expected = "at most " + std::to_string(largest_data) + " bytes"});
    }
    data_size_ += size;
    names_size_ += item.name.size();
    entries_bound_ +=
        json::escaped_bound(item.name.size()) + fixed_bound + number_bound * shape.size();
  }
}

void FilePlan::check_names(std::span<const Item> items) const {
  const auto fail = [](std::string_view name) {
    throw Error(ErrorCode::duplicate_name, "two tensors have the same name",
                {.path = for_message(name), .advice = "Give each tensor a name of its own"});
  };
  const auto same_dtype = [&](std::size_t i) {
    return items[order_[i]].dtype == items[order_.front()].dtype;
  };
  // Tensors are sorted by dtype first, so equal names are neighbours only if all dtypes are equal.
  if (order_.empty() || same_dtype(order_.size() - 1)) {
    for (std::size_t i = 1; i < order_.size(); ++i) {
      if (items[order_[i]].name == items[order_[i - 1]].name) fail(items[order_[i]].name);
    }
    return;
  }
  NameIndex index(items.size());
  const auto twice = index.insert(0, items.size(), [&](std::size_t i) { return items[i].name; });
  if (twice) fail(items[twice->first].name);
}

void FilePlan::write_header(std::span<const Item> items, const Metadata& metadata,
                            const Limits& limits) {
  const std::uint64_t most = std::min(limits.header_bytes, largest_header);
  header_ = platform::allocate_buffer(static_cast<std::size_t>(header_bound(metadata, most)));
  Appender out(reinterpret_cast<char*>(header_.get()) + length_size);
  write_metadata(out, metadata);
  write_tensors(out, items);
  out.byte('}');
  finish_header(out.end(), most);
}

std::uint64_t FilePlan::header_bound(const Metadata& metadata, std::uint64_t most) const {
  std::uint64_t bound = page + 64 + entries_bound_;
  std::uint64_t least = names_size_;
  for (const auto& [key, value] : metadata) {
    check_utf8("a key of the metadata", key);
    if (find_invalid_utf8(value)) {
      throw Error(ErrorCode::invalid_utf8,
                  "the metadata of key " + in_quotes(key) + " is not valid UTF-8");
    }
    bound += entry_bound(key, value);
    least += key.size() + value.size();
  }
  if (!spelled_.key.empty()) {
    bound += entry_bound(spelled_.key, {});
    least += spelled_.key.size() + spelled_.text.size() + spelled_.taken;
    if (least > most) least -= spelled_.text.size() - json::unescaped_size(spelled_.text);
  }
  if (least > most) fail_size(most, "at least " + std::to_string(least));
  return bound;
}

void FilePlan::write_tensors(Appender& out, std::span<const Item> items) const {
  std::uint64_t offset = 0;
  const Item* described = nullptr;  // The previous tensor, and what is between name and offsets.
  std::string_view description;
  std::uint64_t size = 0;  // Bytes of the tensor as stored.
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Item& item = items[order_[i]];
    // In name order, tensors are scattered in memory.
    if (i + lookahead < order_.size()) {
      const Item& later = items[order_[i + lookahead]];
      __builtin_prefetch(later.name.data());
      __builtin_prefetch(later.tensor);
    }
    if (i != 0) out.byte(',');
    if (names_are_plain_) out.plain_string(item.name);
    else out.string(item.name);
    if (described != nullptr && described->dtype == item.dtype &&
        described->tensor->shape() == item.tensor->shape()) {
      out.raw(description);
    } else {
      const char* const description_begin = out.end();
      describe(out, item);
      size = byte_size(item.dtype, item.tensor->shape());
      described = &item;
      description = {description_begin, static_cast<std::size_t>(out.end() - description_begin)};
    }
    out.number(offset);
    out.byte(',');
    out.number(offset += size);
    out.raw("]}");
  }
}

void FilePlan::finish_header(char* end, std::uint64_t most) {
  char* const begin = reinterpret_cast<char*>(header_.get());
  const std::uint64_t spelled = spelled_.text.size() + spelled_.taken;
  const auto used = static_cast<std::uint64_t>(end - begin) + spelled;
  const auto padded_to = [&](std::uint64_t unit) { return (used + unit - 1) / unit * unit; };
  header_size_ = padded_to(data_size_ > page_from ? page : 8);
  if (header_size_ - length_size > most) header_size_ = padded_to(8);
  const std::uint64_t length = header_size_ - length_size;
  if (length > most) fail_size(most, std::to_string(length));
  std::memset(end, ' ', static_cast<std::size_t>(header_size_ - used));
  for (std::size_t i = 0; i < length_size; ++i)
    begin[i] = static_cast<char>(length >> (8 * i) & 0xFFU);
}

void FilePlan::describe(Appender& out, const Item& item) {
  out.raw(R"(:{"dtype":")");
  out.raw(to_string(item.dtype));
  out.raw(R"(","shape":[)");
  bool first = true;
  for (const std::uint64_t size : item.tensor->shape()) {
    if (!std::exchange(first, false)) out.byte(',');
    out.number(size);
  }
  out.raw(R"(],"data_offsets":[)");
}

void FilePlan::write_metadata(Appender& out, const Metadata& metadata) {
  if (metadata.empty() && spelled_.key.empty()) return out.byte('{');
  out.raw(metadata_begin);
  auto rest = metadata.begin();
  if (!spelled_.key.empty()) {
    rest = begin_metadata(out, metadata, spelled_.key);
    before_spelled_ =
        static_cast<std::size_t>(out.end() - reinterpret_cast<const char*>(header_.get()));
    out.byte('"');
    if (rest != metadata.end()) out.byte(',');
  }
  write_entries(out, rest, metadata.end());
  out.raw(order_.empty() ? "}" : "},");
}

void FilePlan::write_header_to(Sink& sink) const {
  const std::uint64_t spelled = spelled_.text.size() + spelled_.taken;
  const std::span<const std::byte> header(header_.get(),
                                          static_cast<std::size_t>(header_size_ - spelled));
  if (spelled_.taken != 0)
    sink.overwrite(sink.position() - spelled_.taken - before_spelled_, header.first(length_size));
  else if (spelled != 0) sink.write(header.first(before_spelled_));
  if (!spelled_.text.empty()) sink.write(std::as_bytes(std::span(spelled_.text)));
  sink.write(header.subspan(before_spelled_));
}

SaveReport FilePlan::write_to(Sink& sink, std::span<const Item> items,
                              const WriteOptions& options) const {
  SaveReport report;
  report.bytes = size();
  std::vector<std::pair<std::uint32_t, ConversionReport>> converted;
  write_header_to(sink);
  safestructures::detail::TensorWriter writer(
      sink, safestructures::detail::Losses::of(options),
      [&](std::size_t index, const ConversionReport& conversion) {
        converted.emplace_back(static_cast<std::uint32_t>(index), conversion);
      });
  for (const std::uint32_t index : order_)
    writer.add(index, *items[index].tensor, items[index].dtype, items[index].name);
  writer.flush();
  // In the order of the items, not of the file.
  std::ranges::sort(converted, {}, [](const auto& one) { return one.first; });
  for (const auto& [index, conversion] : converted)
    report.conversions.push_back({std::string(items[index].name), conversion});
  return report;
}

}  // namespace safestructures::inline v0::safetensors::detail
