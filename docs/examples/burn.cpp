// The program of docs/burn.md.
#include <filesystem>
#include <iostream>
#include <optional>
#include <vector>

#include <safestructures/burn/burn.hpp>

namespace ss = safestructures;
namespace burn = ss::burn;

namespace {

// #[derive(Module, Debug)]
// struct Block<B: Backend> { norm: LayerNorm<B>, fc: Linear<B>, dropout: Dropout, act: Act<B> }
using Act = burn::Enum<burn::Case<"Relu">, burn::Case<"PRelu", burn::PRelu>>;
struct Block {
  burn::LayerNorm norm;
  burn::Linear fc;
  burn::Constant dropout;
  Act act;
};

// struct Model<B: Backend> { embedding: Embedding<B>, blocks: Vec<Block<B>>, head:
// Option<Linear<B>> }
struct Model {
  burn::Embedding embedding;
  std::vector<Block> blocks;
  std::optional<burn::Linear> head;
};

burn::Param<> zeros(const ss::Shape& shape) {
  return {ss::Tensor::own(std::vector<float>(ss::element_count(shape)), shape)};
}

}  // namespace

int main() {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  Model model{.embedding = {zeros({4, 2})}, .blocks = {}, .head = {}};
  model.blocks.push_back({.norm = {zeros({2}), zeros({2})},
                          .fc = {zeros({2, 2}), {}},
                          .dropout = {},
                          .act = Act::make<"Relu">()});

  const burn::NamedMpkFileRecorder<burn::HalfPrecisionSettings> recorder;
  recorder.record(model, folder / "model");  // model.mpk, floats as F16
  Model again = recorder.load<Model>(folder / "model");

  // Without knowing the recorder, typed or as it is.
  Model typed = ss::load_file<Model>(folder / "model.mpk");
  ss::Value any = ss::load_file(folder / "model.mpk");
  std::cout << any.at("/blocks/0/fc/weight") << '\n';

  // For a program that is built with an older Burn.
  burn::BinFileRecorder<>({.burn_version = "0.17"}).record(model, folder / "old");  // old.bin

  // As safetensors, for everybody else.
  ss::convert_file(ss::open(folder / "model.mpk"), folder / "model.safetensors");

  const bool is_right = again.blocks.size() == 1 && typed.blocks[0].act.name() == "Relu" &&
                        typed.embedding.weight.value.dtype() == ss::DType::F16;
  for (const auto* const name : {"model.mpk", "old.bin", "model.safetensors"})
    std::filesystem::remove(folder / name);
  return is_right ? 0 : 1;
}
