/// \file
/// Arrays of NumPy, alone or in an archive: what loads is written, and loads again as the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <safestructures/codecs/values.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/formats/format.hpp>

#include "cli/numpy/npy.hpp"
#include "cli/numpy/npz.hpp"
#include "formats/zip/read.hpp"
#include "fuzz/fuzz.hpp"
#include "platform/sink.hpp"

namespace fuzz {

inline void check_array_again(const ss::Tensor& tensor) {
  const ss::Tensor dense = tensor.contiguous();
  std::vector<std::byte> file;
  const std::string head = ss::cli::npy_header(dense, "");
  for (const char c : head) file.push_back(static_cast<std::byte>(c));
  file.insert(file.end(), dense.bytes().begin(), dense.bytes().end());
  require(ss::Value(ss::cli::read_npy(file, nullptr, {})) == ss::Value(dense),
          "an array is written as another");
}

inline void check_archive_again(const ss::Value& root) {
  std::vector<std::byte> file;
  ss::platform::VectorSink sink(file);
  ss::cli::npz()->write(root, sink, {.precision = ss::Precision::preserve});
  require(ss::cli::npz()->read(ss::Source::of(file, nullptr), {}).root == root,
          "an archive is written as another");
}

/// Checksums of a changed archive are wrong: what they guard is read past them.
inline void numpy(Bytes bytes) {
  expect_errors([&] { check_array_again(ss::cli::read_npy(bytes, nullptr, {})); });
  expect_errors(
      [&] { check_archive_again(ss::cli::npz()->read(ss::Source::of(bytes, nullptr), {}).root); });
  expect_errors([&] {
    const auto archive = ss::Source::of(bytes, nullptr);
    for (const ss::zip::Entry& entry : ss::zip::read_directory(*archive, {})) {
      expect_errors([&] { static_cast<void>(ss::zip::read_entry(*archive, entry)); });
      const Bytes stored = bytes.subspan(entry.begin, entry.stored);
      expect_errors([&] { check_array_again(ss::cli::read_npy(stored, nullptr, {})); });
    }
  });
}

}  // namespace fuzz
