#include "formats/json/element_read.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "formats/json/base64.hpp"
#include "formats/json/elements.hpp"
#include "formats/tree/names.hpp"
#include "formats/tree/shape_reader.hpp"

namespace safestructures::inline v0::json {

using tree::base64_name;
using tree::data_name;
using tree::shape_name;

std::string ElementReader::path() const {
  std::string path = trace_ == nullptr ? "" : to_string(trace_);
  path += "/data";
  // After the last item of a list, the index is the number of items so far.
  for (const std::uint64_t index : open_) path += "/" + std::to_string(index);
  return path;
}

void ElementReader::fail(ErrorCode code, std::string problem, ErrorDetails details) const {
  details.path = has_data_ ? path() : to_string(trace_);
  details.offset = cursor_.offset();
  throw Error(code, std::move(problem), std::move(details));
}

void ElementReader::read_shape() {
  tree::ShapeReader shape(limits_, trace_, cursor_.offset());
  const auto wrong = [&](std::string_view found) {
    shape.wrong(std::string(found), cursor_.offset());
  };
  if (cursor_.token() != Token::array) wrong(describe(cursor_.token()));
  while (cursor_.next() != Token::array_end) {
    std::int64_t size = -1;
    if (cursor_.token() != Token::number) wrong(describe(cursor_.token()));
    const std::string_view raw = cursor_.raw();
    const auto result = std::from_chars(raw.data(), raw.data() + raw.size(), size);
    if (!cursor_.is_integer() || result.ec != std::errc() || size < 0) wrong(raw.substr(0, 40));
    shape.add(static_cast<std::uint64_t>(size));
  }
  shape_ = shape.finish(dtype_);
}

void ElementReader::read_data() {
  has_data_ = true;
  data_offset_ = cursor_.offset();
  if (cursor_.token() == Token::object) read_base64();
  else read_lists();
}

void ElementReader::read_lists() {
  if (shape_) {
    rank_ = shape_->size();
    // The announced size is not trusted: beyond this, memory grows with the data that is there.
    constexpr std::uint64_t believed = std::uint64_t{1} << 16U;
    bytes_.reserve(static_cast<std::size_t>(std::min(element_count(*shape_), believed)) *
                   std::max(1U, bit_width(dtype_) / 8));
  }
  do {
    switch (cursor_.token()) {
      case Token::array:
        // An element of C64 is a list of two.
        if (dtype_ == DType::C64 && rank_ == open_.size()) element();
        else open_list();
        break;
      case Token::array_end: close_list(); break;
      default: element(); break;
    }
    if (!open_.empty()) cursor_.next();
  } while (!open_.empty());
}

void ElementReader::open_list() {
  if (rank_ && open_.size() >= *rank_)
    fail(ErrorCode::shape_mismatch, "the data of a tensor do not have its shape",
         {.expected = expected_element(dtype_), .found = "an array"});
  if (open_.size() >= limits_.rank)
    throw detail::past(detail::Limit::rank, limits_.rank,
                       {.path = to_string(trace_), .offset = cursor_.offset()});
  open_.push_back(0);
  if (dims_.size() < open_.size()) dims_.emplace_back();
}

void ElementReader::close_list() {
  const std::size_t dim = open_.size() - 1;
  const std::uint64_t found = open_.back();
  if (!rank_) rank_ = open_.size();
  // A single empty list stands for any tensor without elements.
  const bool is_nothing = dim == 0 && found == 0 && shape_ && element_count(*shape_) == 0;
  if (is_announced(dim) && !is_nothing && found != (*shape_)[dim]) {
    open_.pop_back();
    fail(ErrorCode::shape_mismatch, "the data of a tensor do not have its shape",
         {.expected = std::to_string((*shape_)[dim]) + ((*shape_)[dim] == 1 ? " item" : " items"),
          .found = std::to_string(found)});
  }
  if (dims_[dim].value_or(found) != found) {
    open_.pop_back();
    fail(ErrorCode::shape_mismatch, "the rows of a tensor differ in length",
         {.expected = std::to_string(*dims_[dim]) + (*dims_[dim] == 1 ? " item" : " items") +
                      " as in the row before",
          .found = std::to_string(found)});
  }
  dims_[dim] = found;
  open_.pop_back();
  if (!open_.empty()) ++open_.back();
}

void ElementReader::element() {
  // For C64 without a shape, the first list whose first item is a number is an element.
  if (!rank_ && dtype_ == DType::C64) {
    if (open_.empty())
      fail(
          ErrorCode::type_mismatch, "an element of a tensor has the wrong form",
          {.expected = "an array of two numbers", .found = std::string(describe(cursor_.token()))});
    open_.pop_back();
    dims_.resize(open_.size());
    rank_ = open_.size();
  } else {
    if (!rank_) rank_ = open_.size();
    if (*rank_ != open_.size())
      fail(ErrorCode::shape_mismatch, "the data of a tensor do not have its shape",
           {.expected = "an array", .found = std::string(describe(cursor_.token()))});
    if (dtype_ == DType::C64) {
      if (cursor_.token() != Token::array)
        fail(ErrorCode::type_mismatch, "an element of a tensor has the wrong form",
             {.expected = "an array of two numbers",
              .found = std::string(describe(cursor_.token()))});
      cursor_.next();
    }
  }
  if (!open_.empty() && is_announced(open_.size() - 1) &&
      open_.back() >= (*shape_)[open_.size() - 1])
    fail(ErrorCode::shape_mismatch, "the data of a tensor do not have its shape",
         {.expected = std::to_string((*shape_)[open_.size() - 1]) +
                      ((*shape_)[open_.size() - 1] == 1 ? " item" : " items"),
          .found = "more"});
  const auto parse = [&] {
    const ParsedElement parsed = parse_element(dtype_, cursor_);
    if (!parsed.fault) return parsed.bits;
    const bool is_range = *parsed.fault == ErrorCode::out_of_range;
    const std::string spelled(cursor_.raw().substr(0, 40));
    fail(*parsed.fault,
         is_range ? "an element of a tensor is out of range"
                  : "an element of a tensor has the wrong form",
         {.expected = expected_element(dtype_),
          .found = cursor_.token() == Token::number   ? spelled
                   : cursor_.token() == Token::string ? '"' + spelled + '"'
                                                      : std::string(describe(cursor_.token()))});
  };
  std::uint64_t bits = parse();
  if (dtype_ == DType::C64) {
    cursor_.next();
    bits |= parse() << 32U;
    if (cursor_.next() != Token::array_end)
      fail(ErrorCode::type_mismatch, "an element of a tensor has the wrong form",
           {.expected = "an array of two numbers", .found = "more"});
  }
  append(bits);
  if (!open_.empty()) ++open_.back();
}

void ElementReader::append(std::uint64_t bits) {
  const unsigned width = bit_width(dtype_);
  if (width >= 8) {
    const auto* const first = reinterpret_cast<const std::byte*>(&bits);
    bytes_.insert(bytes_.end(), first, first + width / 8);
  } else {
    const std::uint64_t bit = count_ * width % 8;
    if (bit == 0) bytes_.push_back(std::byte{0});
    bytes_.back() |= static_cast<std::byte>(bits << bit & 0xFFU);
    if (bit + width > 8) bytes_.push_back(static_cast<std::byte>(bits >> (8 - bit)));
  }
  ++count_;
}

void ElementReader::read_base64() {
  is_base64_ = true;
  const auto wrong = [&](std::string found) {
    fail(ErrorCode::invalid_schema, "the data of a tensor have the wrong form",
         {.expected = "an array, a number, or an object with base64", .found = std::move(found)});
  };
  if (cursor_.next() != Token::name || cursor_.string() != base64_name) wrong("another object");
  if (cursor_.next() != Token::string)
    wrong("base64 that is " + std::string(describe(cursor_.token())));
  const std::string_view text = cursor_.raw();
  bytes_.resize(base64_bound(text.size()));
  std::size_t bad = 0;
  const auto size = decode_base64(text, bytes_.data(), bad);
  if (!size)
    throw Error(ErrorCode::invalid_schema, "a text is not base64",
                {.path = path(),
                 .expected = "digits of base64, padded with '='",
                 .found = bad == text.size() ? "its end" : show_byte(text[bad]),
                 .offset = cursor_.offset() + 1 + bad});
  bytes_.resize(*size);
  if (cursor_.next() != Token::object_end) wrong("an object with more than base64");
}

Tensor ElementReader::finish() {
  const auto missing = [&](std::string_view name) {
    throw Error(ErrorCode::invalid_schema, "a tensor has no " + std::string(name),
                {.path = to_string(trace_), .offset = cursor_.offset()});
  };
  if (!has_data_) missing(data_name);
  if (!shape_ && is_base64_) missing(shape_name);
  std::vector<std::uint64_t> found;
  found.reserve(dims_.size());
  for (const auto& dim : dims_) found.push_back(dim.value_or(0));
  const auto shape_fails = [&](std::string text) {
    throw Error(ErrorCode::shape_mismatch, "the data of a tensor do not have its shape",
                {.path = to_string(trace_),
                 .expected = is_base64_ ? std::to_string(byte_size(dtype_, *shape_)) + " bytes"
                                        : "shape " + to_string(*shape_),
                 .found = std::move(text),
                 .offset = data_offset_});
  };
  if (is_base64_) {
    if (byte_size(dtype_, *shape_) != bytes_.size()) shape_fails(std::to_string(bytes_.size()));
  } else {
    Shape shape{std::span<const std::uint64_t>(found)};
    if (!shape_) {
      try {
        static_cast<void>(byte_size(dtype_, shape));
      } catch (const Error& error) {
        throw error.with_path(to_string(trace_));
      }
      shape_ = std::move(shape);
    } else if (!(*shape_ == shape) &&
               (element_count(*shape_) != 0 || count_ != 0 || shape.size() != 1)) {
      shape_fails("shape " + to_string(shape));
    }
  }
  if (bytes_.capacity() > bytes_.size() + bytes_.size() / 4) bytes_.shrink_to_fit();
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes_));
  return Tensor::share(dtype_, *std::move(shape_), *owner, owner);
}

}  // namespace safestructures::inline v0::json
