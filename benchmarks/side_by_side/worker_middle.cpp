// W15, W16, W17: tensors of a middle size.
#include <Eigen/Core>

#include <safestructures/plugins/eigen.hpp>
#include <safestructures/safestructures.hpp>
#include "data.hpp"
#include "worker.hpp"

namespace bench {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct EigenLayer {
  Matrix in, out;
  Eigen::VectorXf bias;
};

/// What a Chunk or a layer is read as without a copy.
struct ChunkView {
  std::string name;
  std::int64_t step;
  std::vector<std::int64_t> shape;
  ss::Tensor data;
};
struct LayerView {
  ss::Tensor in, out, bias;
};

namespace {

constexpr std::size_t chunk_count = 6000;
constexpr std::size_t chunk_floats = 96 * 128;
constexpr std::size_t chunk_bytes = chunk_count * chunk_floats * sizeof(float);

void save_chunks(const Path& file) { save(chunks(3), chunks(chunk_count), file, chunk_bytes); }
void load_chunks(const Path& file) {
  load(chunks(3), file, chunk_bytes, {}, [](const std::vector<Chunk>& loaded) {
    return loaded.size() == chunk_count && loaded.back().step == chunk_count - 1 &&
           are_numbers(loaded.back().data, chunk_floats);
  });
}
void load_chunk_views(const Path& file) {
  std::vector<ChunkView> small;
  for (const Chunk& chunk : chunks(3))
    small.push_back({chunk.name, chunk.step, chunk.shape, ss::Tensor::of<float>(chunk.data)});
  load(small, file, chunk_bytes, {.access = ss::Access::memory},
       [](const std::vector<ChunkView>& loaded) {
         return loaded.size() == chunk_count &&
                are_numbers(loaded.back().data.data<float>(), chunk_floats);
       });
}

constexpr std::size_t layer_count = 96;
constexpr Eigen::Index layer_width = 1024;
constexpr std::size_t layer_bytes = layer_count * 8 * mib;

std::vector<EigenLayer> eigen_layers(std::size_t count, Eigen::Index width) {
  std::vector<EigenLayer> result;
  for (const Layer& layer : layers(count, static_cast<std::size_t>(width)))
    result.push_back({Matrix::Map(layer.in.data(), width, width),
                      Matrix::Map(layer.out.data(), width, width),
                      Eigen::VectorXf::Map(layer.bias.data(), width)});
  return result;
}
void save_layers(const Path& file) {
  save(eigen_layers(2, 4), eigen_layers(layer_count, layer_width), file, layer_bytes);
}
void load_layers(const Path& file) {
  load(eigen_layers(2, 4), file, layer_bytes, {}, [](const std::vector<EigenLayer>& loaded) {
    const Matrix& last = loaded.at(layer_count - 1).out;
    return are_numbers({last.data(), static_cast<std::size_t>(last.size())}, mib);
  });
}
void load_layer_views(const Path& file) {
  const Layer layer = layers(1, 4).front();
  const std::vector<LayerView> small{{ss::Tensor::of<float>(layer.in),
                                      ss::Tensor::of<float>(layer.out),
                                      ss::Tensor::of<float>(layer.bias)}};
  load(small, file, layer_bytes, {.access = ss::Access::memory},
       [](const std::vector<LayerView>& loaded) {
         return loaded.size() == layer_count && are_numbers(loaded.back().out.data<float>(), mib);
       });
}

void save_bfloats(const Path& file) {
  using Vectors = std::vector<std::vector<ss::bfloat16>>;
  save(Vectors(2, numbers<ss::bfloat16>(8)), Vectors(400, numbers<ss::bfloat16>(mib / 2)), file,
       800 * mib);
}

constexpr Action actions[] = {
    {"W15", "save", save_chunks},
    {"W15", "load", load_chunks},
    {"W15", "load_tensors", load_chunk_views},
    {"W16", "save", save_layers},
    {"W16", "load", load_layers},
    {"W16", "load_tensors", load_layer_views},
    {"W17", "save", save_bfloats},
};

}  // namespace

std::span<const Action> middle_actions() { return actions; }

}  // namespace bench
