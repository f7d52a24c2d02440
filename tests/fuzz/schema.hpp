/// \file
/// The schema: text to Value and back.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <safestructures/formats/safestructures/schema.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/round_trip.hpp"
#include "support/spelling.hpp"

namespace fuzz {

/// A tensor for any short name, of a kind that its first character says.
inline std::optional<ss::Tensor> any_tensor(std::string_view name) {
  static constexpr std::array<float, 6> floats = {0, 1, -2, 3.5F, 1e30F, 1e-40F};
  static constexpr std::array<double, 3> doubles = {0.1, -1e300, 5e-324};
  static constexpr std::array<std::uint8_t, 5> bytes = {0, 1, 2, 254, 255};
  static constexpr std::array<std::int64_t, 1> integer = {-7};
  static constexpr std::array<std::int16_t, 6> shorts = {0, 1, -1, 2, 32767, -32768};
  if (name.empty() || name.size() > 8) return std::nullopt;
  switch (name.front()) {
    case 'b': return ss::Tensor::of<std::uint8_t>(bytes);
    case 'c': return ss::Tensor::of<double>(doubles);
    case 'd': return ss::Tensor::of<std::int16_t>(shorts);
    case 'e': return ss::Tensor::of<float>(floats);
    case 'f': return ss::Tensor();
    case 'g': return ss::Tensor::borrow(ss::DType::BOOL, {5}, std::as_bytes(std::span(bytes)));
    case 'i': return ss::Tensor::of<std::int64_t>(integer, ss::Shape{});
    default: return ss::Tensor::of<float>(floats, ss::Shape{2, 3});
  }
}

/// JSON on the way keeps all that the schema says.
inline void check_by_json(const ss::Value& value, const std::string& text) {
  std::vector<std::byte> json;
  try {
    json = ss::save(value, {.format = json_format(ss::JsonTensors::lists),
                            .precision = ss::Precision::preserve,
                            .limits = deep});
  } catch (const ss::Error& error) {
    if (error.code() == ss::ErrorCode::limit_exceeded) return;
    throw;
  }
  const ss::Content content =
      json_format(ss::JsonTensors::lists)->read(ss::Source::of(json, nullptr), {.limits = deep});
  require(ss::schema::write(content.root, {.precision = ss::Precision::preserve, .limits = deep})
                      .text == text ||
              holds_itself(value),
          "JSON on the way has changed the schema");
}

/// What is read can be written, and then it reads the same and is written the same.
inline void check_round_trip(const ss::Value& value) {
  const ss::SaveOptions options{.precision = ss::Precision::preserve};
  ss::schema::Written written;
  try {
    written = ss::schema::write(value, options);
  } catch (const ss::Error& error) {
    // A name is longer, and a payload deeper, in the one form than in the other.
    if (error.code() == ss::ErrorCode::limit_exceeded) return;
    throw std::logic_error(std::string("cannot be written: ") + error.what());
  }
  std::map<std::string, ss::Tensor, std::less<>> tensors;
  for (const ss::safetensors::Item& stored : written.tensors)
    tensors.emplace(stored.name, *stored.tensor);
  try {
    const ss::Value again = ss::schema::read(written.text, [&](std::string_view name) {
      const auto found = tensors.find(name);
      return found == tensors.end() ? std::nullopt : std::optional(found->second);
    });
    require(again == value, "what was written reads as something else");
    require(ss::schema::write(again, options).text == written.text, "written differently again");
    check_by_json(again, written.text);
  } catch (const ss::Error& error) {
    throw std::logic_error(std::string("what was written is refused: ") + error.what());
  }
}

inline void schema(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  if (text.starts_with('{')) {
    require(ss::test::read_schema(text, any_tensor) ==
                ss::test::read_schema(ss::test::with_blank(text), any_tensor),
            "a schema reads differently with a blank");
  }
  ss::Value value;
  bool is_read = false;
  expect_errors([&] {
    value = ss::schema::read(text, any_tensor);
    is_read = true;
  });
  if (is_read) check_round_trip(value);
}

}  // namespace fuzz
