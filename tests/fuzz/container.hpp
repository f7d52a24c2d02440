/// \file
/// The container: header and data.
#pragma once

#include <vector>

#include <safestructures/formats/safetensors.hpp>

#include "fuzz/fuzz.hpp"

namespace fuzz {

inline void container(Bytes bytes) {
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
    st::Metadata metadata;
    for (const st::MetadataEntry& entry : file.metadata()) metadata.emplace(entry.key, entry.value);
    require(metadata.size() == file.metadata().size(), "metadata has a key twice");
    const std::vector<std::byte> written = st::to_bytes(items, metadata);
    const st::File again = st::File::from_bytes(written, nullptr);
    require(again.size() == file.size(), "a tensor was lost");
    for (std::size_t i = 0; i < file.size(); ++i)
      require(again.tensor(file.name(i)) == tensors[i], "a tensor has changed");
    for (const auto& [key, value] : metadata)
      require(again.metadata(key) == value, "metadata has changed");
  });
}

}  // namespace fuzz
