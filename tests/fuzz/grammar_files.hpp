/// \file
/// Whole safetensors files by the grammar: header, schema inside it and data fit together, but for
/// the faults that are put in on purpose.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/dtype.hpp>

#include "fuzz/grammar.hpp"

namespace fuzz::grammar {

inline constexpr std::string_view schema_key = R"("_safestructures_schema_")";
/// Data sections are kept small: it is structure that is looked for.
inline constexpr std::size_t most_data = 2048;

inline constexpr std::array<std::string_view, 16> schema_words = {
    R"("data_type")", R"("value")",         R"("keys")",          R"("class")",
    R"("dtype")",     R"("columns")",       R"("variant")",       R"("list")",
    R"("dict")",      R"("numpy.ndarray")", R"("bytes")",         R"("frozenset")",
    R"("int")",       R"("float")",         R"("class_version")", R"("complex")"};
inline constexpr std::array<std::string_view, 20> json_words = {
    R"("$tensor")", R"("$bytes")",  R"("$struct")", R"("$fields")", R"("$tuple")",
    R"("$set")",    R"("$list")",   R"("$dict")",   R"("$type")",   R"("$attributes")",
    R"("$name")",   R"("$custom")", R"("$plain")",  R"("$node")",   R"("$safestructures")",
    R"("shape")",   R"("data")",    R"("same")",    R"("$float")",  R"("value")"};
inline constexpr std::array<std::string_view, 14> header_words = {R"("dtype")",
                                                                  R"("shape")",
                                                                  R"("data_offsets")",
                                                                  R"("__metadata__")",
                                                                  R"("F32")",
                                                                  R"("U8")",
                                                                  R"("F4")",
                                                                  R"("a")",
                                                                  R"("b")",
                                                                  "[]",
                                                                  "[0]",
                                                                  "[2]",
                                                                  "[1, 0]",
                                                                  "[0, 9223372036854775807]"};
inline constexpr std::array<std::string_view, 9> index_words = {
    R"("weight_map")",    R"("metadata")",      R"("x")",    R"("y")", R"("z")",
    R"("a.safetensors")", R"("b.safetensors")", R"("../a")", R"("w")"};

/// The description of a tensor, whose offsets `lay_out` puts in.
inline std::string described(Random& random, std::string_view dtype, const std::string& shape) {
  const std::string members[] = {"\"dtype\":\"" + std::string(dtype) + '"',
                                 "\"shape\":[" + shape + "]", R"("data_offsets":[0,0])"};
  const std::size_t first = random.one_in(8) ? random.below(3) : 0;
  return "{" + members[first] + "," + members[(first + 1) % 3] + "," + members[(first + 2) % 3] +
         "}";
}

inline std::string tensor_of_header(Random& random, std::size_t) {
  constexpr std::array<std::string_view, 8> shapes = {"2",   "2,2", "",    "0",
                                                      "4,1", "8",   "0,3", "1,2,3"};
  return described(random, random.pick(std::span(dtypes).first(random.one_in(8) ? 24 : 22)),
                   random.pick(shapes));
}

inline std::string index_text(Random& random, std::size_t) {
  if (random.one_in(3)) return random.pick(index_words);
  return R"({"metadata": )" + plain_json(random, 1) +
         R"(, "weight_map": {"x": "a.safetensors", "y": "a.safetensors", "z": "b.safetensors"}})";
}

inline constexpr Language schema_language = {schema, schema_words};
inline constexpr Language json_language = {json, json_words};
inline constexpr Language header_language = {tensor_of_header, header_words};
inline constexpr Language index_language = {index_text, index_words};

/// A safetensors file in its two parts.
struct File {
  std::string header;
  std::string data;

  static std::optional<File> split(std::string_view bytes) {
    if (bytes.size() < 8) return std::nullopt;
    std::uint64_t length = 0;
    for (std::size_t i = 8; i-- > 0;) length = length << 8U | static_cast<unsigned char>(bytes[i]);
    if (length > bytes.size() - 8) return std::nullopt;
    const auto size = static_cast<std::size_t>(length);
    return File{std::string(bytes.substr(8, size)), std::string(bytes.substr(8 + size))};
  }
  [[nodiscard]] std::string joined() const {
    std::string bytes;
    for (std::size_t i = 0; i < 8; ++i)
      bytes += static_cast<char>(header.size() >> (8 * i) & 0xffU);
    return bytes + header + data;
  }
};

/// Bytes of a tensor as its description says, or nothing for one without sense.
inline std::optional<std::size_t> size_of(std::string_view text, std::span<const Part> parts,
                                          std::size_t tensor) {
  const Part* const dtype = member(text, parts, tensor, "dtype");
  const Part* const shape = member(text, parts, tensor, "shape");
  if (dtype == nullptr || shape == nullptr) return std::nullopt;
  const auto known = safestructures::parse_dtype(unspelled(view_of(text, *dtype)));
  if (!known) return std::nullopt;
  std::size_t elements = 1;
  for (const Part& size : parts) {
    if (size.parent == none || &parts[size.parent] != shape) continue;
    std::size_t number = 0;
    const std::string_view digits = view_of(text, size);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc())
      return std::nullopt;
    elements *= std::min(number, most_data);
    if (elements > most_data) return std::nullopt;
  }
  return elements * safestructures::bit_width(*known) / 8;
}

/// Gives the tensors offsets and the file as many bytes as dtypes and shapes say.
inline void lay_out(File& file, Random& random) {
  const std::vector<Part> parts = parts_of(file.header);
  std::vector<std::pair<Part, std::string>> offsets;
  std::size_t end = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].parent != 0) continue;
    const Part* const place = member(file.header, parts, i, "data_offsets");
    const std::optional<std::size_t> size = size_of(file.header, parts, i);
    if (place == nullptr || !size || end + *size > most_data) continue;
    offsets.emplace_back(*place,
                         "[" + std::to_string(end) + "," + std::to_string(end + *size) + "]");
    end += *size;
  }
  // From the last place on, so that the places before stay true.
  std::sort(offsets.begin(), offsets.end(),
            [](const auto& a, const auto& b) { return a.first.begin > b.first.begin; });
  for (const auto& [part, text] : offsets)
    file.header.replace(part.begin, part.end - part.begin, text);
  if (offsets.empty()) return;
  file.data.resize(end);
  for (std::size_t count = random.below(3); count > 0 && end > 0; --count)
    file.data[random.below(end)] = static_cast<char>(random.bits());
}

/// A header of tensors a, b ... and those words of metadata.
inline std::string header_of(Random& random, const std::string& metadata, std::size_t tensors) {
  std::string text = metadata.empty() ? "{" : "{\"__metadata__\":{" + metadata + "}";
  for (std::size_t i = 0; i < tensors; ++i)
    text += (text.size() > 1 ? "," : "") + std::string{'"', "abcdwi"[i % 6], '"', ':'} +
            tensor_of_header(random, 0);
  return text + "}" + std::string(random.below(4), ' ');
}

/// A file that fits together, with a schema or without.
inline File made(Random& random, bool with_schema) {
  File file;
  std::string metadata = random.one_in(2) ? "" : text_of(random) + ":" + text_of(random);
  if (with_schema)
    metadata += (metadata.empty() ? "" : ",") + std::string(schema_key) + ":" +
                spelled(schema(random, 1 + random.below(4)));
  file.header = header_of(random, metadata, with_schema ? 6 : random.below(5));
  lay_out(file, random);
  return file;
}

/// Changes the schema that is in a header. \returns false where there is none
inline bool change_schema(std::string& header, Random& random, std::string_view other) {
  for (const Part& part : parts_of(header)) {
    if (key_of(header, part) != schema_key) continue;
    std::string schema_text = unspelled(view_of(header, part));
    change(schema_text, random, schema_language, other);
    header.replace(part.begin, part.end - part.begin, spelled(schema_text));
    return true;
  }
  return false;
}

/// Changes a file in one place: in its schema, where `with_schema`, or in its header; then mostly
/// makes the rest fit.
inline void change_file(std::string& bytes, Random& random, std::string_view other,
                        bool with_schema) {
  std::optional<File> file = File::split(bytes);
  if (!file || random.one_in(40)) {
    bytes = made(random, with_schema && !random.one_in(8)).joined();
    return;
  }
  const std::optional<File> source = File::split(other);
  const std::string_view splice = source ? std::string_view(source->header) : std::string_view();
  std::string other_schema;
  if (with_schema)
    for (const Part& part : parts_of(splice))
      if (key_of(splice, part) == schema_key) other_schema = unspelled(view_of(splice, part));
  if (!with_schema || random.one_in(4) || !change_schema(file->header, random, other_schema))
    change(file->header, random, header_language, splice);
  if (!random.one_in(6)) lay_out(*file, random);
  if (random.one_in(30)) file->data.resize(file->data.size() + random.below(3));
  if (random.one_in(30) && !file->data.empty()) file->data.pop_back();
  bytes = file->joined();
  if (random.one_in(30)) bytes[random.below(8)] = static_cast<char>(random.bits());
}

// ---- What each target's input is. ----

inline void change_schema_text(std::string& input, Random& random, std::string_view other) {
  change(input, random, schema_language, other);
}
inline void change_json(std::string& input, Random& random, std::string_view other) {
  change(input, random, json_language, other);
}
inline void change_index(std::string& input, Random& random, std::string_view other) {
  change(input, random, index_language, other);
}
inline void change_container(std::string& input, Random& random, std::string_view other) {
  change_file(input, random, other, false);
}
/// Files of both formats.
inline void change_document(std::string& input, Random& random, std::string_view other) {
  const bool is_json = !input.empty() && (input.front() == '{' || input.front() == '[');
  if (is_json && !random.one_in(40)) change(input, random, json_language, other);
  else change_file(input, random, other, true);
}

/// A schema that the C++ type of that number (fuzz::typed) takes, or nearly.
inline std::string typed_schema(Random& random, std::size_t type) {
  const auto integer = [&] {
    return node("int", '"' + random.pick(std::span(numbers).first(8)) + '"');
  };
  const auto floating = [&] {
    return node("float", '"' + random.pick(std::span(numbers).first(14)) + '"');
  };
  const auto text = [&] { return node("str", text_of(random)); };
  const auto truth = [&] { return node("bool", random.one_in(2) ? "true" : "false"); };
  const auto tensor = [&] { return node("numpy.ndarray", name_of(random)); };
  const auto list = [&](const auto& make) {
    return node("list", "[" + several(random, 3, make) + "]");
  };
  const auto tuple = [&](const std::string& items) { return node("tuple", "[" + items + "]"); };
  const auto dict = [&](const auto& key, const auto& make) {
    std::string values;
    std::string keys;
    for (std::size_t i = random.below(4); i > 0; --i) {
      const std::string label = (values.empty() ? "\"" : ", \"") + std::to_string(i) + "\": ";
      values += label + make();
      keys += label + key();
    }
    return node("dict", "{" + values + "}", ", \"keys\": {" + keys + "}");
  };
  const auto numbers_of = [&](const auto& make) {
    return random.one_in(2) ? tensor() : list(make);
  };
  const auto leaf = [&] {
    return node("SafestructuresDataclass",
                R"({"name": )" + text() + R"(, "weight": )" +
                    (random.one_in(3) ? node("NoneType", "null") : floating()) + R"(, "codes": )" +
                    numbers_of(integer) + "}");
  };
  const auto variant = [&] {
    switch (random.below(5)) {
      case 0: return truth();
      case 1: return text();
      case 2: return leaf();
      case 3: return dict([&] { return node("str", "\"variant\""); }, integer);
      default: return random.one_in(2) ? integer() : floating();
    }
  };
  const auto duration = [&](const std::string& clock) {
    const std::string unit =
        random.pick(std::array{"nanoseconds", "seconds", "milliseconds", "days", "1/60 seconds"});
    const std::string key = '"' + unit + "\": ";
    return node("dict",
                "{" + (clock.empty() ? "" : "\"clock\": " + node("str", clock) + ", ") + key +
                    integer() + "}",
                ", \"keys\": {" +
                    (clock.empty() ? "" : "\"clock\": " + node("str", "\"clock\"") + ", ") + key +
                    node("str", '"' + unit + '"') + "}");
  };
  switch (type % 16) {
    case 0:
      return node("SafestructuresDataclass",
                  R"({"number": )" + integer() + R"(, "leaves": )" + list(leaf) +
                      R"(, "labels": )" + dict(integer, text) + R"(, "choice": )" + variant() +
                      R"(, "pair": )" + tuple(truth() + ", " + floating()) + "}");
    case 1: return numbers_of(floating);
    case 2: return dict(text, [&] { return numbers_of(floating); });
    case 3: return numbers_of(integer);
    case 4: return node("set", "[" + several(random, 4, text) + "]");
    case 5: return duration("");
    case 6:
      return dict(integer, [&] { return random.one_in(2) ? truth() : node("NoneType", "null"); });
    case 7: return random.one_in(2) ? tensor() : list([&] { return numbers_of(integer); });
    case 8:
      return node("complex",
                  "\"" + random.pick(std::array{"(1+2j)", "(nan-infj)", "1e300j", "0.1"}) + "\"");
    case 9: return random.one_in(4) ? node("NoneType", "null") : leaf();
    case 10: return variant();
    case 11:
      return list([&] {
        return tuple(node("str", random.one_in(4) ? text_of(random) : "\"\\u00ff\"") + ", " +
                     integer());
      });
    case 12: return node(random.one_in(2) ? "bytes" : "numpy.ndarray", "\"b\"");
    case 13: return duration("\"system_clock\"");
    case 14: return random.one_in(2) ? tensor() : list(truth);
    default: return leaf();
  }
}

/// A byte that says the type, then a schema.
inline void change_typed(std::string& input, Random& random, std::string_view other) {
  if (input.empty() || random.one_in(20)) {
    const std::size_t type = random.below(16);
    input = static_cast<char>(type) + typed_schema(random, type);
    return;
  }
  if (random.one_in(40)) input[0] = static_cast<char>(random.below(16));
  std::string schema_text = input.substr(1);
  if (random.one_in(3)) {
    // Of the same type, so that what is spliced fits.
    const std::string made = typed_schema(random, static_cast<unsigned char>(input[0]));
    change(schema_text, random, schema_language, made);
  } else {
    change(schema_text, random, schema_language, other.empty() ? other : other.substr(1));
  }
  input.replace(1, std::string::npos, schema_text);
}

}  // namespace fuzz::grammar
