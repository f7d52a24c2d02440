#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/shape.hpp>
#include "data/limit.hpp"
#include "data/text/json_text.hpp"
#include "data/text/printable.hpp"
#include "formats/safetensors/json_walk.hpp"
#include "formats/safetensors/table.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::safetensors::detail {

using safestructures::detail::for_message;
using safestructures::detail::in_quotes;
using safestructures::detail::Limit;
using safestructures::detail::past;
// Walks a header once, front to back, with simdjson's on-demand parser, which does not check what
// its caller does not visit.
class HeaderParser {
 public:
  HeaderParser(Table& table, const Limits& limits)
      : table_(table), text_(table.text_.view()), limits_(limits), walk_(text_, "the header", 8) {}

  void parse();

 private:
  using Piece = Table::Piece;
  enum Field : unsigned { dtype_field = 1, shape_field = 2, offsets_field = 4 };

  Piece read_string(const char* begin);
  Piece read_escaped(const char* begin);
  unsigned field_of(const char* key);
  void read_metadata(simdjson::ondemand::value& value, const char* key);
  void read_tensor(Piece name, simdjson::ondemand::value& value, const char* key);
  void read_dtype(Table::Record& record, simdjson::ondemand::value& value, const char* key);
  void read_shape(Table::Record& record, simdjson::ondemand::value& value, const char* key);
  void read_offsets(Table::Record& record, simdjson::ondemand::value& value, const char* key);
  void check_size(const Table::Record& record) const;

  // `key` points to the key in the text, so that its value can be shown.
  [[noreturn]] void fail(ErrorCode code, std::string problem, const char* key,
                         std::string expected) const;
  [[nodiscard]] std::string current_path() const {
    return name_ ? for_message(table_.view(*name_)) : std::string();
  }

  Table& table_;
  std::string_view text_;
  const Limits& limits_;
  JsonWalk walk_;
  const Piece* name_ = nullptr;  // The tensor that is being read.
  bool has_metadata_ = false;
};

void HeaderParser::fail(ErrorCode code, std::string problem, const char* key,
                        std::string expected) const {
  const char* const value = walk_.value_behind(key);
  throw Error(code, std::move(problem),
              {.path = current_path(),
               .expected = std::move(expected),
               .found = walk_.show(value),
               .offset = walk_.offset(value)});
}

inline HeaderParser::Piece HeaderParser::read_string(const char* begin) {
  const char* const end = text_.data() + text_.size();
  const char* const special = json::find_special(begin, end);
  if (special == end || *special != '"') return read_escaped(begin);
  return {static_cast<std::uint32_t>(begin - text_.data()),
          static_cast<std::uint32_t>(special - begin)};
}

HeaderParser::Piece HeaderParser::read_escaped(const char* begin) {
  const auto [result, piece] = table_.decode(begin);
  if (result.fault != json::StringFault::none) walk_.fail_string(result, current_path());
  return piece;
}

// Returns the field of a tensor's description that a key names; 0 for another key.
inline unsigned HeaderParser::field_of(const char* key) {
  // The padding after the text makes it safe to compare without looking for its end.
  if (std::memcmp(key, "dtype\"", 6) == 0) return dtype_field;
  if (std::memcmp(key, "shape\"", 6) == 0) return shape_field;
  if (std::memcmp(key, "data_offsets\"", 13) == 0) return offsets_field;
  const std::string_view spelled = table_.view(read_string(key));
  if (spelled == "dtype") return dtype_field;
  if (spelled == "shape") return shape_field;
  return spelled == "data_offsets" ? offsets_field : 0U;
}

void HeaderParser::parse() {
  const auto first =
      static_cast<std::size_t>(std::ranges::find_if_not(text_, is_blank) - text_.begin());
  if (first == text_.size() || text_[first] != '{') {
    throw Error(ErrorCode::invalid_header, "the header is not a JSON object",
                {.expected = "'{' as its first byte",
                 .found = first == text_.size() ? "nothing" : walk_.show_byte(&text_[first]),
                 .offset = length_size + first});
  }
  simdjson::ondemand::object object = walk_.start();
  for (auto item : object) {
    simdjson::ondemand::field field = walk_.take<simdjson::ondemand::field>(std::move(item));
    const char* const key = field.key().raw();
    const Piece name = read_string(key);
    if (table_.view(name) == metadata_key) {
      if (std::exchange(has_metadata_, true)) {
        throw Error(ErrorCode::duplicate_name, "\"__metadata__\" occurs twice",
                    {.offset = walk_.offset(key - 1)});
      }
      read_metadata(field.value(), key);
    } else {
      name_ = &name;
      read_tensor(name, field.value(), key);
      name_ = nullptr;
    }
  }
  walk_.finish();
}

void HeaderParser::read_metadata(simdjson::ondemand::value& value, const char* key) {
  if (*walk_.value_behind(key) == 'n') {
    bool null = false;
    if (value.is_null().get(null) == simdjson::SUCCESS && null) return;
  }
  simdjson::ondemand::object object;
  if (value.get_object().get(object)) {
    walk_.check_syntax();
    fail(ErrorCode::invalid_metadata, "\"__metadata__\" is not an object", key,
         "an object whose values are all strings");
  }
  std::vector<std::pair<Piece, Piece>> entries;
  for (auto item : object) {
    simdjson::ondemand::field field = walk_.take<simdjson::ondemand::field>(std::move(item));
    const char* const entry_key = field.key().raw();
    const Piece name = read_string(entry_key);
    simdjson::ondemand::raw_json_string text;
    if (field.value().get_raw_json_string().get(text)) {
      walk_.check_syntax();
      fail(ErrorCode::invalid_metadata,
           "\"__metadata__\" holds a value that is not a string, of key " +
               in_quotes(table_.view(name)),
           entry_key, "a string");
    }
    entries.emplace_back(name, read_string(text.raw()));
  }
  table_.set_metadata(entries);
}

void HeaderParser::read_tensor(Piece name, simdjson::ondemand::value& value, const char* key) {
  simdjson::ondemand::object object;
  if (value.get_object().get(object)) {
    walk_.check_syntax();
    fail(ErrorCode::invalid_header, "the tensor is not described by an object", key,
         R"(an object with "dtype", "shape" and "data_offsets")");
  }
  if (table_.records_.size() >= limits_.tensors) {
    throw past(Limit::tensors, limits_.tensors);
  }
  Table::Record record;
  record.name = name;
  unsigned seen = 0;
  for (auto item : object) {
    simdjson::ondemand::field field = walk_.take<simdjson::ondemand::field>(std::move(item));
    const char* const field_key = field.key().raw();
    const unsigned which = field_of(field_key);
    if ((seen & which) != 0) {
      throw Error(ErrorCode::duplicate_name, "a field of the tensor occurs twice",
                  {.path = current_path(), .offset = walk_.offset(field_key - 1)});
    }
    seen |= which;
    switch (which) {
      case dtype_field: read_dtype(record, field.value(), field_key); break;
      case shape_field: read_shape(record, field.value(), field_key); break;
      case offsets_field: read_offsets(record, field.value(), field_key); break;
      default:
        // The Rust crate ignores unknown fields.
        walk_.check_value(field.value(), 0, limits_.depth);
    }
  }
  for (const auto& [which, field] :
       {std::pair{dtype_field, "dtype"}, {shape_field, "shape"}, {offsets_field, "data_offsets"}}) {
    if ((seen & which) == 0) {
      throw Error(ErrorCode::invalid_header, std::string("the tensor has no \"") + field + "\"",
                  {.path = current_path(), .offset = walk_.offset(key - 1)});
    }
  }
  check_size(record);
  table_.records_.push_back(record);
}

void HeaderParser::read_dtype(Table::Record& record, simdjson::ondemand::value& value,
                              const char* key) {
  simdjson::ondemand::raw_json_string text;
  if (value.get_raw_json_string().get(text)) {
    walk_.check_syntax();
    fail(ErrorCode::invalid_header, "\"dtype\" is not a string", key, "the name of a dtype");
  }
  const std::optional<DType> dtype = parse_dtype(table_.view(read_string(text.raw())));
  if (!dtype) {
    fail(ErrorCode::unknown_dtype, "unknown dtype", key,
         "one of the 22 of safetensors 0.8, such as \"F32\"");
  }
  record.dtype = *dtype;
}

void HeaderParser::read_shape(Table::Record& record, simdjson::ondemand::value& value,
                              const char* key) {
  const auto malformed = [&]() {
    walk_.check_syntax();
    fail(ErrorCode::invalid_shape, "\"shape\" is not a list of sizes", key,
         "whole numbers from 0 to 2^64 - 1");
  };
  simdjson::ondemand::array array;
  if (value.get_array().get(array)) malformed();
  const std::size_t begin = table_.dims_.size();
  for (auto element : array) {
    std::uint64_t size = 0;
    if (element.get_uint64().get(size)) malformed();
    if (table_.dims_.size() - begin >= std::min<std::uint32_t>(limits_.rank, 0xFFFF)) {
      fail(ErrorCode::limit_exceeded, "a tensor has too many dimensions", key,
           safestructures::detail::at_most(Limit::rank, limits_.rank));
    }
    table_.dims_.push_back(size);
  }
  record.dims_at = static_cast<std::uint32_t>(begin);
  record.rank = static_cast<std::uint16_t>(table_.dims_.size() - begin);
}

void HeaderParser::read_offsets(Table::Record& record, simdjson::ondemand::value& value,
                                const char* key) {
  const auto malformed = [&]() {
    walk_.check_syntax();
    fail(ErrorCode::invalid_offsets, "\"data_offsets\" is not a pair of offsets", key,
         "two whole numbers from 0 to 2^64 - 1");
  };
  simdjson::ondemand::array array;
  if (value.get_array().get(array)) malformed();
  std::uint64_t offsets[2] = {0, 0};
  std::size_t count = 0;
  for (auto element : array) {
    std::uint64_t offset = 0;
    if (element.get_uint64().get(offset) || count == 2) malformed();
    offsets[count++] = offset;
  }
  if (count != 2) malformed();
  record.begin = offsets[0];
  record.end = offsets[1];
  if (record.end < record.begin)
    fail(ErrorCode::invalid_offsets, "the tensor ends before it begins", key, "ascending offsets");
}

void HeaderParser::check_size(const Table::Record& record) const {
  if (table_.fits(record)) return;
  const Shape shape(table_.dims(record));
  std::uint64_t bytes = 0;
  try {
    bytes = byte_size(record.dtype, shape);
  } catch (const Error& error) {
    throw error.with_path(current_path());
  }
  if (bytes == record.end - record.begin) return;
  table_.fail_layout(ErrorCode::invalid_offsets, "dtype and shape do not fit the byte range",
                     record,
                     std::to_string(bytes) + " bytes for " + std::string(to_string(record.dtype)) +
                         " " + to_string(shape));
}

void parse_any(Table& table, const Limits& limits) { HeaderParser(table, limits).parse(); }

}  // namespace safestructures::inline v0::safetensors::detail
