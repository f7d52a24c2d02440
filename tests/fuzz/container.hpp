/// \file
/// The container: header and data.
#pragma once

#include <algorithm>
#include <vector>

#include <safestructures/formats/safetensors.hpp>

#include "fuzz/fuzz.hpp"
#include "support/spelling.hpp"

namespace fuzz {

/// The header reads the same directly and in general.
inline void check_spelling(Bytes bytes) {
  if (bytes.size() < 9 || bytes[8] != std::byte{'{'}) return;
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8U | static_cast<std::uint64_t>(bytes[i]);
  if (length == 0 || length > bytes.size() - 8) return;
  const std::string_view header = text_of(bytes).substr(8, static_cast<std::size_t>(length));
  const std::uint64_t data_size = bytes.size() - 8 - length;
  require(ss::test::read_header(header, data_size, 0) ==
              ss::test::read_header(ss::test::with_blank(header), data_size, 1),
          "a header reads differently with a blank");
}

inline void container(Bytes bytes) {
  check_spelling(bytes);
  expect_errors([&] {
    namespace st = ss::safetensors;
    const st::File file = st::File::from_bytes(bytes, nullptr);
    std::vector<ss::Tensor> tensors;
    std::vector<st::Item> items;
    tensors.reserve(file.size());
    for (std::size_t i = 0; i < file.size(); ++i) {
      tensors.push_back(file.tensor(i));
      require(file.find(file.name(i)) == i, "a tensor is not found by its name");
      items.emplace_back(file.name(i), tensors.back());
    }
    safestructures::Metadata metadata;
    for (const st::MetadataEntry& entry : file.metadata()) metadata.emplace(entry.key, entry.value);
    require(metadata.size() == file.metadata().size(), "metadata has a key twice");
    const std::vector<std::byte> written = st::to_bytes(items, metadata);
    const st::File again = st::File::from_bytes(written, nullptr);
    require(again.size() == file.size(), "a tensor was lost");
    for (std::size_t i = 0; i < file.size(); ++i)
      require(again.tensor(file.name(i)) == tensors[i], "a tensor has changed");
    for (const auto& [key, value] : metadata)
      require(again.metadata(key) == value, "metadata has changed");
    std::reverse(items.begin(), items.end());
    require(st::to_bytes(items, metadata) == written, "the order of the items is in the file");
  });
}

}  // namespace fuzz
