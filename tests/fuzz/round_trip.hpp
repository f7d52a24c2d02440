/// \file
/// The oracle of what loads: it can be saved in every format, loads again as the same, is saved
/// again as the same bytes, and comes back from another format as the same bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/codecs/values.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/formats/format.hpp>
#include <safestructures/formats/json.hpp>
#include <safestructures/formats/safestructures/checksums.hpp>
#include <safestructures/formats/safestructures/format.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/formats/safetensors/writer.hpp>
#include <safestructures/tools/save.hpp>

#include "formats/safestructures/schema_names.hpp"
#include "fuzz/fuzz.hpp"

namespace fuzz {

using FormatPointer = std::shared_ptr<const ss::Format>;

inline const FormatPointer& json_format(ss::JsonTensors tensors) {
  static const FormatPointer lists = ss::formats::json({ss::JsonTensors::lists, 0});
  static const FormatPointer base64 = ss::formats::json({ss::JsonTensors::base64, 2});
  return tensors == ss::JsonTensors::lists ? lists : base64;
}

/// Deeper than what targets read, since one format nests deeper than the other.
inline constexpr ss::Limits deep{.depth = 2000};

inline std::vector<std::byte> save_content(const ss::Content& content,
                                           const FormatPointer& format) {
  ss::SaveOptions options{.format = format,
                          .metadata = content.metadata,
                          .precision = ss::Precision::preserve,
                          .limits = deep};
  options.checksums = format == ss::formats::safestructures();
  // These belong to the one format and mean nothing in others: it refuses them from the user.
  for (const std::string_view key : {ss::schema::metadata_key, ss::schema::version_key,
                                     ss::checksums::metadata_key, ss::safetensors::save_key})
    if (const auto found = options.metadata.find(key); found != options.metadata.end())
      options.metadata.erase(found);
  for (const auto& [name, tensor] : content.extra_tensors)
    options.extra_tensors.emplace(name, tensor);
  return ss::save(content.root, options);
}

/// Exception: a tensor within its own attributes, which no codec makes. JSON has no way to refer to
/// a tensor before its end, and writes it there a second time, by another name.
inline bool holds_itself(const ss::Value& root) {
  const auto is_tensor = [](const ss::Value& value) {
    return value.kind() == ss::Kind::tensor || value.kind() == ss::Kind::bytes;
  };
  bool found = false;
  ss::walk(root, [&](const ss::Place& outer) {
    const ss::Value& value = outer.value();
    if (is_tensor(value))
      for (const ss::Entry& entry : value.attributes())
        ss::walk(entry.value, [&](const ss::Place& inner) {
          found |= is_tensor(inner.value()) && inner.value().tensor_name() == value.tensor_name();
          return ss::Next::into;
        });
    return found ? ss::Next::stop : ss::Next::into;
  });
  return found;
}

/// Exception: JSON can give a container or tensor any type name; what the schema has by a name that
/// is not one of theirs is a custom type (docs/format.md, "anything else").
inline bool has_foreign_type(const ss::Value& root) {
  bool found = false;
  ss::walk(root, [&](const ss::Place& place) {
    const ss::Value& value = place.value();
    found |= value.kind() != ss::Kind::structure && value.kind() != ss::Kind::custom &&
             !value.type_name().empty() && ss::schema::kind_of(value.type_name()) != value.kind();
    return found ? ss::Next::stop : ss::Next::into;
  });
  return found;
}

/// Exception: JSON can mark as plain, or give a type name to, what the schema cannot write so. It
/// is refused when it is saved, by these names.
inline bool is_beyond_schema(const ss::Error& error) {
  const std::string& problem = error.problem();
  return problem == "a value has the type name of another kind" ||
         problem == "a value of this type cannot be plain JSON" ||
         problem == "a plain dict has the form of a node" ||
         problem == "a tensor inside plain JSON is marked as plain" ||
         problem == "a key of this type cannot be plain JSON" ||
         problem == "the text of a custom value is the name of a tensor outside the structure";
}

struct Saved {
  std::vector<std::byte> bytes;
  ss::Content content;  ///< Refers to the bytes.
};

/// Saves, loads and saves again; nothing where a limit forbids.
inline std::optional<Saved> saved(const ss::Content& content, const FormatPointer& format) {
  const std::string name(format->name());
  Saved result;
  try {
    result.bytes = save_content(content, format);
  } catch (const ss::Error& error) {
    // What is read is bounded by its own size; names and nesting may be longer as they are written.
    if (error.code() == ss::ErrorCode::limit_exceeded) return std::nullopt;
    if (is_beyond_schema(error)) return std::nullopt;
    throw std::logic_error("what was loaded cannot be saved as " + name + ": " + error.what());
  }
  try {
    result.content =
        format->read(ss::Source::of(result.bytes, nullptr),
                     {.verify_checksums = format == ss::formats::safestructures(), .limits = deep});
    require(result.content.root == content.root || has_foreign_type(content.root),
            "what was saved loads as something else");
    require(save_content(result.content, format) == result.bytes, "saved differently again");
  } catch (const ss::Error& error) {
    throw std::logic_error("what was saved cannot be loaded as " + name + ": " + error.what());
  }
  return result;
}

inline void check_same_company(const ss::Content& a, const ss::Content& b) {
  require(a.metadata == b.metadata, "metadata has changed");
  auto first = a.extra_tensors;
  auto second = b.extra_tensors;
  const auto by_name = [](const auto& x, const auto& y) { return x.first < y.first; };
  std::ranges::sort(first, by_name);
  std::ranges::sort(second, by_name);
  require(first == second, "a tensor beside the structure has changed");
}

/// The oracle: as `format`, as `other`, and as `format` again.
inline void check_round_trips(const ss::Content& content, const FormatPointer& format,
                              const FormatPointer& other) {
  const std::optional<Saved> first = saved(content, format);
  if (!first) return;
  const std::optional<Saved> second = saved(first->content, other);
  if (!second) return;
  check_same_company(first->content, second->content);
  try {
    require(save_content(second->content, format) == first->bytes || holds_itself(content.root),
            "another format on the way has changed the file");
  } catch (const ss::Error& error) {
    throw std::logic_error(std::string("what came by another format cannot be saved: ") +
                           error.what());
  }
}

}  // namespace fuzz
