// B1 to B3: records of Burn, by its recorders.
#include <cstdint>
#include <string_view>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include <safestructures/safestructures.hpp>
#include "worker.hpp"

namespace bench {

/// A module of Burn: `struct Model { layers: Vec<Param<Tensor<B, 1>>> }`.
struct BurnModel {
  std::vector<ss::Tensor> layers;
};

/// The same, in memory of its own.
struct BurnVectors {
  std::vector<std::vector<float>> layers;
};

namespace {

struct Size {
  std::size_t count;
  std::size_t floats;
};
constexpr Size b1{.count = 25, .floats = mib};
constexpr Size b2{.count = 10'000, .floats = 16};
constexpr Size b3{.count = 4, .floats = mib};

/// Numbers that gzip cannot make much of; those of ../burn and of peers.py.
float number(std::size_t i) {
  return static_cast<float>(static_cast<std::uint32_t>(i) * 2654435761U >> 8U) / 16777216.0F - 0.5F;
}

BurnModel model(Size size) {
  BurnModel result;
  for (std::size_t layer = 0; layer < size.count; ++layer) {
    std::vector<float> numbers(size.floats);
    for (std::size_t i = 0; i < size.floats; ++i) numbers[i] = number(layer * size.floats + i);
    result.layers.push_back(ss::Tensor::own(std::move(numbers)));
  }
  return result;
}

std::span<const float> numbers_of(const ss::Tensor& tensor) { return tensor.data<float>(); }
std::span<const float> numbers_of(const std::vector<float>& vector) { return vector; }

template <class Model>
bool is_model(const Model& loaded, Size size) {
  return loaded.layers.size() == size.count &&
         numbers_of(loaded.layers.back())[size.floats - 1] == number(size.count * size.floats - 1);
}

/// Pretty JSON takes 17 bytes for each of a number.
std::size_t memory(Size size) { return 80 * size.count * size.floats; }

// A recorder puts its extension in the place of what follows the last dot.
Path small_record(const Path& file) { return Path(file).concat("-small"); }

template <class Recorder, Size size>
void record(const Path& file) {
  const Recorder recorder;
  recorder.record(model({2, 8}), small_record(file));
  std::filesystem::remove(Recorder::file_of(small_record(file)));
  const BurnModel object = model(size);
  measure(memory(size), [&] { recorder.record(object, file); });
}

template <class Recorder, Size size, class Model = BurnModel>
void load_record(const Path& file) {
  const Recorder recorder;
  recorder.record(model({2, 8}), small_record(file));
  keep(recorder.template load<Model>(small_record(file)));
  std::filesystem::remove(Recorder::file_of(small_record(file)));
  std::optional<Model> loaded;
  measure(memory(size), [&] { loaded.emplace(recorder.template load<Model>(file)); });
  require(is_model(*loaded, size), "loaded something else than was recorded");
}

Path burnpack_of(Path file) { return file.replace_extension("bpk"); }

template <Size size>
void save_burnpack(const Path& file) {
  save(model({2, 8}), model(size), burnpack_of(file), memory(size));
}

template <Size size>
void load_burnpack(const Path& file) {
  load<BurnModel>(model({2, 8}), burnpack_of(file), memory(size), {},
                  [](const BurnModel& loaded) { return is_model(loaded, size); });
}

using Mpk = ss::burn::NamedMpkFileRecorder<>;
using MpkGz = ss::burn::NamedMpkGzFileRecorder<>;
using Bin = ss::burn::BinFileRecorder<>;
using BinGz = ss::burn::BinGzFileRecorder<>;
using Json = ss::burn::PrettyJsonFileRecorder<>;
using JsonGz = ss::burn::JsonGzFileRecorder<>;

constexpr Action actions[] = {
    {"B1", "save_mpk", record<Mpk, b1>},
    {"B1", "load_mpk", load_record<Mpk, b1>},
    {"B1", "save_bin", record<Bin, b1>},
    {"B1", "load_bin", load_record<Bin, b1>},
    {"B1", "load_vectors_mpk", load_record<Mpk, b1, BurnVectors>},
    {"B1", "save_bpk", save_burnpack<b1>},
    {"B1", "load_bpk", load_burnpack<b1>},
    {"B2", "save_mpk", record<Mpk, b2>},
    {"B2", "load_mpk", load_record<Mpk, b2>},
    {"B2", "save_bin", record<Bin, b2>},
    {"B2", "load_bin", load_record<Bin, b2>},
    {"B2", "load_vectors_mpk", load_record<Mpk, b2, BurnVectors>},
    {"B2", "save_json", record<Json, b2>},
    {"B2", "load_json", load_record<Json, b2>},
    {"B2", "save_bpk", save_burnpack<b2>},
    {"B2", "load_bpk", load_burnpack<b2>},
    {"B3", "save_mpk_gz", record<MpkGz, b3>},
    {"B3", "load_mpk_gz", load_record<MpkGz, b3>},
    {"B3", "save_bin_gz", record<BinGz, b3>},
    {"B3", "load_bin_gz", load_record<BinGz, b3>},
    {"B3", "save_json", record<Json, b3>},
    {"B3", "load_json", load_record<Json, b3>},
    {"B3", "save_json_gz", record<JsonGz, b3>},
    {"B3", "load_json_gz", load_record<JsonGz, b3>},
};

}  // namespace

std::span<const Action> burn_actions() { return actions; }

}  // namespace bench
