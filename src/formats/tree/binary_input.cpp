#include "formats/tree/binary_input.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/value.hpp>
#include "formats/stored_tensor.hpp"
#include "formats/tree/reader.hpp"
#include "formats/tree/shape_reader.hpp"

namespace safestructures::inline v0::tree {
namespace {

/// Bytes that were read: their range in the source, or the bytes themselves.
struct Stored {
  std::optional<binary::ByteRange> range;
  std::vector<std::byte> joined;

  [[nodiscard]] std::uint64_t size() const { return range ? range->size : joined.size(); }
};

class BinaryElements;

class BinaryInput final : public Input {
 public:
  BinaryInput(std::string_view format, std::unique_ptr<binary::Cursor> cursor,
              const std::shared_ptr<const Source>& source, const LoadOptions& options)
      : format_(format),
        cursor_(std::move(cursor)),
        source_(source),
        limits_(options.limits),
        is_mapped_(options.access == Access::map) {}

  std::string_view format() const noexcept override { return format_; }
  bool is_text() const noexcept override { return false; }
  std::uint64_t size() const noexcept override { return source_->size(); }
  bool knows(Mark mark) const noexcept override { return mark != Mark::floating; }

  Token next() override { return token_ = cursor_->next(); }
  std::uint64_t offset() const noexcept override { return cursor_->offset(); }
  bool boolean() const override { return cursor_->boolean(); }
  Value number() const override { return cursor_->number(); }
  std::string_view string() override { return cursor_->string(); }

  std::optional<double> part() override {
    if (token_ != Token::number) return std::nullopt;
    const Value& number = cursor_->number();
    if (number.kind() == Kind::floating) return number.as_double();
    const std::optional<std::int64_t> integer = number.as_int64();
    return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
  }

  std::optional<Tensor> bytes(const Trace* trace) override {
    if (token_ != Token::bytes) return std::nullopt;
    Stored stored = this->stored();
    const Shape shape{stored.size()};
    return tensor(std::move(stored), DType::U8, shape, trace);
  }

  std::unique_ptr<Elements> elements(DType dtype, const Trace* trace) override;

  [[nodiscard]] Stored stored() {
    if (cursor_->range()) return {cursor_->range(), {}};
    return {std::nullopt, cursor_->take_joined()};
  }
  [[nodiscard]] Tensor tensor(Stored stored, DType dtype, Shape shape, const Trace* trace) const {
    if (stored.range)
      return detail::tensor_at(source_, stored.range->offset, dtype, std::move(shape), is_mapped_,
                               trace);
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(stored.joined));
    return Tensor::share(dtype, std::move(shape), *owner, owner);
  }
  [[nodiscard]] const Limits& limits() const noexcept { return limits_; }

 private:
  std::string_view format_;
  std::unique_ptr<binary::Cursor> cursor_;
  std::shared_ptr<const Source> source_;
  const Limits& limits_;
  bool is_mapped_;
};

class BinaryElements final : public Elements {
 public:
  BinaryElements(BinaryInput& input, DType dtype, const Trace* trace)
      : input_(input), dtype_(dtype), trace_(trace) {}

  void read_shape() override {
    ShapeReader shape(input_.limits(), trace_, input_.offset());
    const auto wrong = [&](std::string found) { shape.wrong(std::move(found), input_.offset()); };
    if (input_.token() != Token::array) wrong(std::string(describe(input_.token())));
    while (input_.next() != Token::array_end) {
      const Value size = input_.token() == Token::number ? input_.number() : Value();
      const bool is_size = size.kind() == Kind::integer && size.as_int64() && *size.as_int64() >= 0;
      if (!is_size)
        wrong(size.is_none() ? std::string(describe(input_.token()))
                             : safestructures::describe(size));
      shape.add(static_cast<std::uint64_t>(*size.as_int64()));
    }
    shape_ = shape.finish(dtype_);
  }

  void read_data() override {
    data_offset_ = input_.offset();
    if (input_.token() != Token::bytes)
      throw Error(ErrorCode::invalid_schema, "the data of a tensor have the wrong form",
                  {.path = to_string(trace_),
                   .expected = "bytes",
                   .found = std::string(describe(input_.token())),
                   .offset = data_offset_});
    data_ = input_.stored();
  }

  Tensor finish() override {
    const auto missing = [&](std::string_view name) {
      throw Error(ErrorCode::invalid_schema, "a tensor has no " + std::string(name),
                  {.path = to_string(trace_), .offset = input_.offset()});
    };
    if (!data_) missing(data_name);
    if (!shape_) missing(shape_name);
    if (const std::uint64_t size = byte_size(dtype_, *shape_); size != data_->size())
      throw Error(ErrorCode::shape_mismatch, "the data of a tensor do not have its shape",
                  {.path = to_string(trace_),
                   .expected = std::to_string(size) + (size == 1 ? " byte" : " bytes"),
                   .found = std::to_string(data_->size()),
                   .offset = data_offset_});
    return input_.tensor(*std::move(data_), dtype_, *std::move(shape_), trace_);
  }

 private:
  BinaryInput& input_;
  DType dtype_;
  const Trace* trace_;
  std::optional<Shape> shape_;
  std::optional<Stored> data_;
  std::uint64_t data_offset_ = 0;
};

std::unique_ptr<Elements> BinaryInput::elements(DType dtype, const Trace* trace) {
  return std::make_unique<BinaryElements>(*this, dtype, trace);
}

}  // namespace

binary::CursorOptions cursor_options(const LoadOptions& options) {
  return {.brackets = bracket_depth(options.limits),
          .depth = options.limits.depth,
          .digits = options.limits.digits,
          .is_mapped = options.access == Access::map,
          .advice = "Store binary data as bytes"};
}

std::unique_ptr<Input> binary_input(std::string_view format, std::unique_ptr<binary::Cursor> cursor,
                                    const std::shared_ptr<const Source>& source,
                                    const LoadOptions& options) {
  return std::make_unique<BinaryInput>(format, std::move(cursor), source, options);
}

}  // namespace safestructures::inline v0::tree
