/// \file
/// A whole file of any format: loaded, printed, and all that round_trip.hpp asks of it.
#pragma once

#include <optional>
#include <string>

#include <safestructures/tools/load.hpp>

#include "fuzz/memory_folder.hpp"
#include "fuzz/round_trip.hpp"

namespace fuzz {

inline void document(Bytes bytes) {
  std::optional<ss::Document> document;
  expect_errors([&] { document = ss::Document::from_bytes(bytes, nullptr); });
  bool is_deferred_good = false;
  expect_errors([&] {
    const auto deferred = ss::Document::open(std::make_shared<FolderSource>("file", bytes),
                                             {.access = ss::Access::read});
    is_deferred_good = true;
    require(document && deferred.root() == document->root(), "deferred tensors are others");
  });
  require(is_deferred_good == document.has_value(), "only one way of access is refused");
  if (!document) return;
  const ss::Content& content = document->content();
  if (content.has_checksums)
    expect_errors([&] { static_cast<void>(ss::load(bytes, {.verify_checksums = true})); });
  require(!to_string(document->root()).empty(), "a document prints as nothing");
  require(document->state_dict().size() <= content.tensor_count, "a tensor has two names");
  expect_errors([&] {
    const ss::Value value = ss::load(bytes);
    require(!to_string(value).empty(), "a value prints as nothing");
    const auto saved = ss::save(value, {.precision = ss::Precision::preserve, .limits = deep});
    require(ss::load(saved, {.limits = deep}) == value || has_foreign_type(value),
            "a restored value loads as another");
  });
  // The bytes say how tensors are spelled: both ways are met.
  const auto tensors = bytes.size() % 2 == 0 ? ss::JsonTensors::lists : ss::JsonTensors::base64;
  check_round_trips(content, ss::formats::safestructures(), json_format(tensors));
}

}  // namespace fuzz
