/// \file
/// The index of a sharded checkpoint, beside two good files.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <safestructures/formats/safetensors.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/memory_folder.hpp"

namespace fuzz {

/// A folder with `a.safetensors` (tensors x, y) and `b.safetensors` (tensor z).
inline const Folder& index_folder() {
  namespace st = ss::safetensors;
  static constexpr std::array<float, 2> numbers = {1, 2};
  static const ss::Tensor tensor = ss::Tensor::of<float>(numbers);
  static const std::vector<std::byte> a =
      st::to_bytes(std::array{st::Item("x", tensor), st::Item("y", tensor)});
  static const std::vector<std::byte> b = st::to_bytes(std::array{st::Item("z", tensor)});
  static const Folder folder = {{"a.safetensors", a}, {"b.safetensors", b}};
  return folder;
}

inline void index(Bytes bytes) {
  const auto source =
      std::make_shared<FolderSource>("model.safetensors.index.json", bytes, &index_folder());
  expect_errors([&] {
    const auto file = ss::safetensors::File::open(source);
    require(file.size() > 0 && file.size() <= 3, "tensors that no file has");
    for (std::size_t i = 0; i < file.size(); ++i) {
      require(file.find(file.name(i)) == i, "a tensor is not found by its name");
      const ss::Tensor tensor = file.tensor(i);
      require(tensor.to_vector<float>() == std::vector<float>{1, 2}, "a tensor of another file");
    }
  });
}

}  // namespace fuzz
