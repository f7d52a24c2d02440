// FlatBuffers: a buffer built of the data; loading verifies it, as for a file from elsewhere, and
// copies the data out of it.
#include <fstream>

#include "data_generated.h"
#include "peer.hpp"

namespace bench {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;

auto put(Builder& out, const std::vector<float>& numbers) {
  const auto vector = out.CreateVector(numbers);
  return fb::CreateTensor(out, 0, 0, vector);
}
auto put(Builder& out, const Sample& sample) {
  const auto label = out.CreateString(sample.label);
  const auto features = out.CreateVector(sample.features);
  return fb::CreateSample(out, sample.id, sample.score, label, sample.valid, features);
}
auto put(Builder& out, const Reading& reading) {
  const auto label = out.CreateString(reading.label);
  const auto counts = out.CreateVector(reading.counts);
  return fb::CreateReading(out, reading.id, reading.score, label, reading.valid, counts);
}
auto put(Builder& out, const Chunk& chunk) {
  const auto name = out.CreateString(chunk.name);
  const auto shape = out.CreateVector(chunk.shape);
  const auto data = out.CreateVector(chunk.data);
  return fb::CreateChunk(out, name, chunk.step, shape, data);
}
auto put(Builder& out, const Layer& layer) {
  const auto in = out.CreateVector(layer.in);
  const auto last = out.CreateVector(layer.out);
  const auto bias = out.CreateVector(layer.bias);
  return fb::CreateLayer(out, in, last, bias);
}

template <class T>
void get(const flatbuffers::Vector<T>* from, std::vector<T>& numbers) {
  numbers.assign(from->begin(), from->end());
}
void get(const fb::Tensor* from, std::vector<float>& numbers) { get(from->numbers(), numbers); }
void get(const fb::Sample* from, Sample& sample) {
  sample.id = from->id();
  sample.score = from->score();
  sample.label = from->label()->str();
  sample.valid = from->valid();
  get(from->features(), sample.features);
}
void get(const fb::Particle* from, Particle& particle) {
  particle = {from->x(),  from->y(),  from->z(),    from->vx(),
              from->vy(), from->vz(), from->mass(), from->kind()};
}
void get(const fb::Reading* from, Reading& reading) {
  reading.id = from->id();
  reading.score = from->score();
  reading.label = from->label()->str();
  reading.valid = from->valid();
  reading.counts.assign(from->counts()->begin(), from->counts()->end());
}
void get(const fb::Chunk* from, Chunk& chunk) {
  chunk.name = from->name()->str();
  chunk.step = from->step();
  chunk.shape.assign(from->shape()->begin(), from->shape()->end());
  get(from->data(), chunk.data);
}
void get(const fb::Layer* from, Layer& layer) {
  get(from->in(), layer.in);
  get(from->out(), layer.out);
  get(from->bias(), layer.bias);
}

template <class T>
void finish(Builder& out, const std::vector<T>& objects) {
  if constexpr (std::is_same_v<T, Particle>) {
    std::vector<fb::Particle> all;
    all.reserve(objects.size());
    for (const Particle& p : objects)
      all.emplace_back(p.x, p.y, p.z, p.vx, p.vy, p.vz, p.mass, p.kind);
    const auto particles = out.CreateVectorOfStructs(all);
    out.Finish(fb::CreateRoot(out, 0, 0, particles));
  } else {
    std::vector<decltype(put(out, objects[0]))> offsets;
    offsets.reserve(objects.size());
    for (const T& object : objects) offsets.push_back(put(out, object));
    const auto all = out.CreateVector(offsets);
    if constexpr (std::is_same_v<T, Sample>) out.Finish(fb::CreateRoot(out, 0, all));
    else if constexpr (std::is_same_v<T, Chunk>) out.Finish(fb::CreateRoot(out, 0, 0, 0, all));
    else if constexpr (std::is_same_v<T, Layer>) out.Finish(fb::CreateRoot(out, 0, 0, 0, 0, all));
    else if constexpr (std::is_same_v<T, Reading>)
      out.Finish(fb::CreateRoot(out, 0, 0, 0, 0, 0, all));
    else out.Finish(fb::CreateRoot(out, all));
  }
}
void finish(Builder& out, const OneTensor& object) {
  const auto tensors = out.CreateVector(std::vector{put(out, object.weight)});
  out.Finish(fb::CreateRoot(out, tensors));
}

template <class T>
void get(const fb::Root* root, std::vector<T>& objects) {
  const auto& all = [&]() -> const auto& {
    if constexpr (std::is_same_v<T, Sample>) return *root->samples();
    else if constexpr (std::is_same_v<T, Particle>) return *root->particles();
    else if constexpr (std::is_same_v<T, Chunk>) return *root->chunks();
    else if constexpr (std::is_same_v<T, Layer>) return *root->layers();
    else if constexpr (std::is_same_v<T, Reading>) return *root->readings();
    else return *root->tensors();
  }();
  objects.resize(all.size());
  for (flatbuffers::uoffset_t i = 0; i < all.size(); ++i) get(all.Get(i), objects[i]);
}
void get(const fb::Root* root, OneTensor& object) { get(root->tensors()->Get(0), object.weight); }

struct Flatbuffers {
  static std::string version() {
    return dotted(FLATBUFFERS_VERSION_MAJOR, FLATBUFFERS_VERSION_MINOR,
                  FLATBUFFERS_VERSION_REVISION);
  }

  template <class T>
  static void save(const T& object, const std::string& file) {
    Builder out;
    finish(out, object);
    std::ofstream stream(file, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(out.GetBufferPointer()),
                 static_cast<std::streamsize>(out.GetSize()));
    stream.close();
    require(!stream.fail(), "cannot write");
  }
  template <class T>
  static T load(const std::string& file) {
    const std::string bytes = content_of(file);
    const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    constexpr flatbuffers::uoffset_t most = 10'000'000;
    flatbuffers::Verifier verifier(first, bytes.size(), 64, most);
    require(fb::VerifyRootBuffer(verifier), "the buffer is damaged");
    T result;
    get(fb::GetRoot(first), result);
    return result;
  }
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::peer_main<bench::Flatbuffers>(argc, argv); }
