#include "formats/json/input.hpp"

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/shape.hpp>
#include "data/limit.hpp"
#include "formats/json/base64.hpp"
#include "formats/json/cursor.hpp"
#include "formats/json/element_read.hpp"
#include "formats/json/elements.hpp"
#include "formats/tree/reader.hpp"

namespace safestructures::inline v0::json {
namespace {

class JsonInput final : public tree::Input {
 public:
  JsonInput(std::string_view text, const Limits& limits)
      : limits_(limits),
        size_(text.size()),
        cursor_(
            text,
            {.what = "the text", .depth = tree::bracket_depth(limits), .python_numbers = true}) {}

  std::string_view format() const noexcept override { return "JSON"; }
  bool is_text() const noexcept override { return true; }
  std::uint64_t size() const noexcept override { return size_; }
  bool knows(tree::Mark mark) const noexcept override { return mark != tree::Mark::integer; }

  Token next() override { return token_ = cursor_.next(); }
  std::uint64_t offset() const noexcept override { return cursor_.offset(); }
  bool boolean() const override { return cursor_.boolean(); }
  std::string_view string() override { return cursor_.string(); }

  Value number() const override {
    const std::string_view raw = cursor_.raw();
    if (!cursor_.is_integer()) return cursor_.number_in_range();
    std::int64_t small = 0;
    if (std::from_chars(raw.data(), raw.data() + raw.size(), small).ec == std::errc()) return small;
    const std::size_t digits = raw.size() - (raw.front() == '-' ? 1 : 0);
    if (digits > limits_.digits)
      throw detail::past(detail::Limit::digits, limits_.digits,
                         {.found = std::to_string(digits), .offset = offset()});
    return Value::integer(raw);
  }

  std::optional<double> part() override {
    const ParsedElement element = parse_element(DType::F64, cursor_);
    return element.fault ? std::nullopt : std::optional(std::bit_cast<double>(element.bits));
  }

  std::optional<Tensor> bytes(const Trace*) override {
    if (token_ != Token::string) return std::nullopt;
    const std::string_view text = cursor_.raw();
    std::vector<std::byte> content(base64_bound(text.size()));
    std::size_t bad = 0;
    const auto size = decode_base64(text, content.data(), bad);
    if (!size)
      throw Error(ErrorCode::invalid_schema, "a text is not base64",
                  {.expected = "digits of base64, padded with '='",
                   .found = bad == text.size() ? "its end" : show_byte(text[bad]),
                   .offset = offset() + 1 + bad});
    content.resize(*size);
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(content));
    return Tensor::share(DType::U8, Shape{owner->size()}, *owner, owner);
  }

  std::unique_ptr<tree::Elements> elements(DType dtype, const Trace* trace) override {
    return std::make_unique<ElementReader>(cursor_, dtype, limits_, trace);
  }

 private:
  const Limits& limits_;
  std::uint64_t size_;
  Cursor cursor_;
};

}  // namespace

std::unique_ptr<tree::Input> tree_input(std::string_view text, const Limits& limits) {
  return std::make_unique<JsonInput>(text, limits);
}

}  // namespace safestructures::inline v0::json
