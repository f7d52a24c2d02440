/// \file
/// The writer of a schema, whose nodes are in schema_write.cpp and whose JSON as it is in
/// schema_write_json.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/path.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "data/digest.hpp"
#include "formats/safestructures/schema_ahead.hpp"
#include "formats/safestructures/schema_inside.hpp"
#include "formats/safestructures/schema_tensors.hpp"
#include "formats/safestructures/schema_text.hpp"
#include "formats/stored_dtype.hpp"

namespace safestructures::inline v0::schema {

/// Writes one schema. Refers to what it is given; of no use after an error.
class Writer {
 public:
  Writer(const SaveOptions& options, ItemBlock& items)
      : options_(options), dtypes_(options.precision), items_(items), text_(written_.text) {}
  /// Spells for the inside of a string, into `text`, of which `take` gets pieces where it is not
  /// null.
  Writer(const SaveOptions& options, ItemBlock& items, TextBlock& text, TextTaker take)
      : options_(options),
        dtypes_(options.precision),
        items_(items),
        text_(text, std::move(take)) {}

  Written write(const Value& root);
  Written write_item(const Value& value, std::string_view step);

 private:
  void look_ahead(const Trace* trace);
  void count_node(const Trace* trace);

  // Recursive over the tree, to Limits::depth. Outside of payloads and attributes nothing but a
  // node would be read, so that a mark as plain means nothing there.
  void node(const Value& value, const Trace* trace);
  void child(const Value& value, const Trace& step);
  void begin_node(const Value& value, const Trace* trace);
  void other_type(std::string_view type, const Value& value, const Trace* trace);
  void scalar(const Value& value, const Trace* trace);
  void payload(const Value& value, const Trace* trace);
  void integer(const Value& value, const Trace* trace);
  void sequence(const Value& value, const Trace* trace);
  void member(const std::string& name, const Value& value, const Trace* trace);
  void fields(const Value& value, const Trace* trace);
  void dict(const Value& value, const Trace* trace);
  bool same_keys(const std::vector<Entry>& entries);
  void extensions(const Value& value, const Trace* trace);
  std::string_view tensor(const Value& value, const Trace* trace);

  // Recursive, to Limits::depth.
  void plain(const Value& value, const Trace* trace);
  void plain_number(const Value& value, const Trace* trace);
  void plain_item(const Value& value, const Trace& step);
  void plain_list(const Value& value, const Trace* trace);
  void plain_dict(const Value& value, const Trace* trace);
  [[nodiscard]] bool is_like_node(const Value& dict) const;

  /// The text of a dict's keys, all of them strings.
  struct KnownKeys {
    const std::vector<Entry>* entries = nullptr;
    std::string text;
  };

  const SaveOptions& options_;
  detail::StoredDTypes dtypes_;
  Written written_;
  ItemBlock& items_;  // Of the tensors.
  SchemaText text_;
  const Value* unseen_ = nullptr;  // The root, where little of it was looked at.
  Ahead ahead_;
  // Of sets in sets, to see whether one is there twice.
  detail::Digester::Sets sets_;
  detail::Digester digest_{sets_};
  bool in_attribute_ = false;
  std::uint32_t depth_ = 0;
  std::uint64_t nodes_ = 0;
  // By depth: in a list of dicts they have mostly the same keys, a third of the nodes.
  std::array<KnownKeys, 8> known_keys_;
  SchemaTensors tensors_{written_, items_, ahead_, options_};
};

}  // namespace safestructures::inline v0::schema
