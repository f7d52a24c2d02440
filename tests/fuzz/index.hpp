/// \file
/// The index of a sharded checkpoint, beside two good files.
#pragma once

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <safestructures/formats/safetensors.hpp>

#include "fuzz/fuzz.hpp"

namespace fuzz {

/// A folder with `a.safetensors` (tensors x, y) and `b.safetensors` (tensor z), gone at the exit.
class IndexFolder {
 public:
  IndexFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "index_fuzz.XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "no temporary folder");
    path_ = name;
    static constexpr std::array<float, 2> numbers = {1, 2};
    const ss::Tensor tensor = ss::Tensor::of<float>(numbers);
    namespace st = ss::safetensors;
    st::write_file(path_ / "a.safetensors",
                   std::array{st::Item("x", tensor), st::Item("y", tensor)});
    st::write_file(path_ / "b.safetensors", std::array{st::Item("z", tensor)});
  }
  IndexFolder(const IndexFolder&) = delete;
  IndexFolder& operator=(const IndexFolder&) = delete;
  ~IndexFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::filesystem::path index() const { return path_ / "model.index.json"; }

 private:
  std::filesystem::path path_;
};

inline void index(Bytes bytes) {
  static const IndexFolder folder;
  std::ofstream(folder.index(), std::ios::binary) << text_of(bytes);
  expect_errors([&] {
    const auto file = ss::safetensors::File::open(folder.index());
    for (std::size_t i = 0; i < file.size(); ++i)
      require(file.tensor(i).byte_size() == 8, "a tensor of another file");
  });
}

}  // namespace fuzz
