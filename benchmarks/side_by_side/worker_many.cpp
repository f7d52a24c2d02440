// W3 and W11: many small tensors.
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "worker.hpp"

namespace bench {
namespace {

namespace st = ss::safetensors;
using Vectors = std::vector<std::vector<float>>;

constexpr std::size_t width = 16;
constexpr std::size_t w3_count = 100'000;
constexpr std::size_t w11_count = 1'000'000;

/// Tensors named as those of a model, for the container alone.
class Tensors {
 public:
  explicit Tensors(std::size_t count) : numbers_(count * width) {
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = static_cast<float>(i / width);
    names_.reserve(count);
    tensors_.reserve(count);
    items_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::array<char, 40> name{};
      std::snprintf(name.data(), name.size(), "layers.%06zu.weight", i);
      names_.emplace_back(name.data());
      tensors_.push_back(
          ss::Tensor::of<float>(std::span<const float>(numbers_).subspan(i * width, width)));
      items_.emplace_back(names_.back(), tensors_.back());
    }
  }
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;

  [[nodiscard]] std::span<const st::Item> items() const { return items_; }

 private:
  std::vector<float> numbers_;
  std::vector<std::string> names_;
  std::vector<ss::Tensor> tensors_;
  std::vector<st::Item> items_;
};

void save_small_container(const Path& file) {
  const Tensors small(10);
  st::write_file(small_file(file), small.items());
}

void save_container(const Path& file) {
  const Tensors tensors(w3_count);
  save_small_container(file);
  std::filesystem::remove(small_file(file));
  measure(64 * mib, [&] { st::write_file(file, tensors.items()); });
}

void open_container(const Path& file) {
  save_small_container(file);
  keep(st::File::open(small_file(file)).size());
  std::filesystem::remove(small_file(file));
  measure(64 * mib, [&] { require(st::File::open(file).size() == w3_count, "tensors missing"); });
}

float sum_of_firsts(const st::File& file) {
  float sum = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    const ss::Tensor tensor = file.tensor(i);
    sum += tensor.data<float>()[0];
  }
  return sum;
}

void load_container(const Path& file) {
  save_small_container(file);
  keep(sum_of_firsts(st::File::open(small_file(file), {.access = ss::Access::memory})));
  std::filesystem::remove(small_file(file));
  measure(64 * mib, [&] {
    const st::File loaded = st::File::open(file, {.access = ss::Access::memory});
    keep(sum_of_firsts(loaded));
  });
}

Vectors vectors(std::size_t count) {
  Vectors result;
  for (std::size_t i = 0; i < count; ++i) result.emplace_back(width, static_cast<float>(i));
  return result;
}
/// What saving and loading so many vectors takes at most.
constexpr std::size_t memory_of_vectors(std::size_t count) { return count * 64 * mib / w3_count; }

template <std::size_t count>
void save_vectors(const Path& file) {
  save(vectors(10), vectors(count), file, memory_of_vectors(count));
}
void open_vectors(const Path& file) { open(vectors(10), file); }
template <std::size_t count>
void load_vectors(const Path& file) {
  load(vectors(10), file, memory_of_vectors(count), {}, [](const Vectors& loaded) {
    return loaded.size() == count && loaded.back()[0] == static_cast<float>(count - 1);
  });
}
void load_views(const Path& file) {
  const Vectors small = vectors(10);
  load(std::vector<ss::Tensor>{ss::Tensor::of<float>(small[0])}, file, 64 * mib,
       {.access = ss::Access::memory},
       [](const std::vector<ss::Tensor>& loaded) { return loaded.size() == w3_count; });
}

void save_shards(const Path& file) {
  const Tensors tensors(w11_count);
  measure(256 * mib, [&] {
    st::write_sharded(file, tensors.items(), {}, w11_count / 10 * width * sizeof(float));
  });
}
/// The index of the checkpoint that `save_shards` wrote for `file`, as write_sharded names it.
Path index_of(const Path& file) { return Path(file).concat(".safetensors.index.json"); }

void open_shards(const Path& file) {
  measure(512 * mib, [&] {
    const st::File opened = st::File::open(index_of(file));
    require(opened.size() == w11_count && opened.file_count() == 10, "tensors missing");
  });
}
void load_shards(const Path& file) {
  measure(512 * mib, [&] {
    keep(sum_of_firsts(st::File::open(index_of(file), {.access = ss::Access::memory})));
  });
}

constexpr Action actions[] = {
    {"W3", "save_container", save_container},
    {"W3", "open_container", open_container},
    {"W3", "load_container", load_container},
    {"W3", "save", save_vectors<w3_count>},
    {"W3-50000", "save", save_vectors<50'000>},
    {"W3-500000", "save", save_vectors<500'000>},
    {"W3", "open", open_vectors},
    {"W3", "load_vectors", load_vectors<w3_count>},
    {"W3-50000", "load_vectors", load_vectors<50'000>},
    {"W3-500000", "load_vectors", load_vectors<500'000>},
    {"W3", "load_tensors", load_views},
    {"W11", "save", save_shards},
    {"W11", "open", open_shards},
    {"W11", "load", load_shards},
};

}  // namespace

std::span<const Action> many_actions() { return actions; }

}  // namespace bench
