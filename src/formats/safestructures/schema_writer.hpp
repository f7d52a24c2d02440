/// \file
/// The writer of a schema. Its nodes are in schema_write.cpp and its plain JSON is in
/// schema_write_json.cpp.
#pragma once

#include <array>
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

/// Writes one schema. Refers to its arguments; must not be used after an error.
class Writer {
 public:
  Writer(const SaveOptions& options, ItemBlock& items)
      : options_(options), dtypes_(options.precision), items_(items), text_(written_.text) {}
  /// Writes into `text`, escaped for the inside of a JSON string; `take` receives pieces of it if
  /// it is not null.
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

  // Recursive over the tree, up to Limits::depth. Outside of payloads and attributes only nodes are
  // read, so a mark as plain means nothing there.
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

  // Recursive, up to Limits::depth.
  void plain(const Value& value, const Trace* trace);
  void plain_number(const Value& value, const Trace* trace);
  void plain_item(const Value& value, const Trace& step);
  void plain_list(const Value& value, const Trace* trace);
  void plain_dict(const Value& value, const Trace* trace);
  [[nodiscard]] bool is_like_node(const Value& dict) const;

  /// The text of a dict's keys, all of which are strings.
  struct KnownKeys {
    const std::vector<Entry>* entries = nullptr;
    std::string text;
  };

  const SaveOptions& options_;
  detail::StoredDTypes dtypes_;
  Written written_;
  ItemBlock& items_;  // The tensors.
  SchemaText text_;
  const Value* unseen_ = nullptr;  // The root, if only a little of it was looked at.
  Ahead ahead_;
  // For sets in sets, to detect duplicates.
  detail::Digester::Sets sets_;
  detail::Digester digest_{sets_};
  bool in_attribute_ = false;
  std::uint32_t depth_ = 0;
  std::uint64_t nodes_ = 0;
  // By depth: the dicts of a list mostly have the same keys, which are a third of the nodes.
  std::array<KnownKeys, 8> known_keys_;
  SchemaTensors tensors_{written_, items_, ahead_, options_};
};

}  // namespace safestructures::inline v0::schema
