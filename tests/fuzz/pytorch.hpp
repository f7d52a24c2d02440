/// \file
/// Files of PyTorch: whole ones, and what they hold as a pickle alone, in an archive with one
/// storage.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <safestructures/data/walk.hpp>
#include <safestructures/formats/pytorch.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/round_trip.hpp"
#include "support/pytorch_cases.hpp"

namespace fuzz {

/// Reads every tensor, and saves what has been read.
inline void pytorch_file(Bytes bytes) {
  ss::Content content;
  bool is_read = false;
  expect_errors([&] {
    content =
        ss::formats::pytorch()->read(ss::Source::of(bytes, nullptr), {.limits = {.depth = 100}});
    ss::walk(content.root, [&](const ss::Place& place) {
      const ss::Value& value = place.value();
      if (!value.has_tensor() || value.tensor().byte_size() > (std::size_t{1} << 20U))
        return ss::Next::into;
      const ss::Tensor dense = value.tensor().contiguous();
      require(dense.bytes().size() == dense.byte_size(), "a tensor is cut");
      return ss::Next::into;
    });
    is_read = content.tensor_bytes < (std::size_t{1} << 24U);
  });
  if (!is_read) return;
  expect_errors([&] {
    const ss::SaveOptions options{.format = ss::formats::safestructures(),
                                  .precision = ss::Precision::preserve,
                                  .limits = deep};
    const std::vector<std::byte> saved = ss::save(content.root, options);
    const ss::Value again =
        ss::formats::safestructures()->read(ss::Source::of(saved, nullptr), {.limits = deep}).root;
    require(again == content.root, "what was saved loads as something else");
  });
}

inline void pytorch(Bytes bytes) {
  pytorch_file(bytes);
  const std::string archive = ss::test::PytorchFile{.pickle = ss::test::text_of(bytes)}.text();
  pytorch_file(ss::test::view_of(archive));
}

}  // namespace fuzz
