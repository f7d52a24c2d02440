/// \file
/// A whole file: loaded, printed, saved and loaded again.
#pragma once

#include <string>
#include <vector>

#include <safestructures/codecs/values.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

#include "fuzz/fuzz.hpp"

namespace fuzz {

inline void document(Bytes bytes) {
  ss::Value value;
  bool is_loaded = false;
  expect_errors([&] {
    const ss::Document document = ss::Document::from_bytes(bytes, nullptr);
    require(!to_string(document.root()).empty(), "a document prints as nothing");
    static_cast<void>(document.unreferenced());
    static_cast<void>(document.metadata());
    static_cast<void>(document.state_dict());
  });
  expect_errors([&] { static_cast<void>(ss::load(bytes, {.verify_checksums = true})); });
  expect_errors([&] {
    value = ss::load(bytes);
    is_loaded = true;
  });
  if (!is_loaded) return;
  require(!to_string(value).empty(), "a value prints as nothing");
  std::vector<std::byte> saved;
  try {
    saved = ss::save(value, {.precision = ss::Precision::preserve, .checksums = true});
  } catch (const ss::Error& error) {
    // What is read is bounded by its own size, what is written by that of its names as well.
    if (error.code() == ss::ErrorCode::limit_exceeded) return;
    throw std::logic_error(std::string("what was loaded cannot be saved: ") + error.what());
  }
  try {
    const ss::Value again = ss::load(saved, {.verify_checksums = true});
    require(again == value, "what was saved loads as something else");
  } catch (const ss::Error& error) {
    throw std::logic_error(std::string("what was saved cannot be loaded: ") + error.what());
  }
}

}  // namespace fuzz
