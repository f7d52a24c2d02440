// protobuf: messages made of the data, and data of the messages, as a program has to.
#include <google/protobuf/arena.h>

#include <cstring>
#include <fstream>

#include "data.pb.h"
#include "peer.hpp"

namespace bench {
namespace {

void put(const std::vector<float>& numbers, pb::Tensor& to) {
  to.add_dims(std::ssize(numbers));
  to.set_data_type(1);
  to.set_raw_data(numbers.data(), numbers.size() * sizeof(float));
}
void get(const pb::Tensor& from, std::vector<float>& numbers) {
  const std::string& bytes = from.raw_data();
  numbers.resize(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
}

void put(const Sample& sample, pb::Sample& to) {
  to.set_id(sample.id);
  to.set_score(sample.score);
  to.set_label(sample.label);
  to.set_valid(sample.valid);
  put(sample.features, *to.mutable_features());
}
void get(const pb::Sample& from, Sample& sample) {
  sample.id = from.id();
  sample.score = from.score();
  sample.label = from.label();
  sample.valid = from.valid();
  get(from.features(), sample.features);
}

void put(const Particle& particle, pb::Particle& to) {
  to.set_x(particle.x);
  to.set_y(particle.y);
  to.set_z(particle.z);
  to.set_vx(particle.vx);
  to.set_vy(particle.vy);
  to.set_vz(particle.vz);
  to.set_mass(particle.mass);
  to.set_kind(particle.kind);
}
void get(const pb::Particle& from, Particle& particle) {
  particle = {from.x(),  from.y(),  from.z(),    from.vx(),
              from.vy(), from.vz(), from.mass(), from.kind()};
}

void put(const Reading& reading, pb::Reading& to) {
  to.set_id(reading.id);
  to.set_score(reading.score);
  to.set_label(reading.label);
  to.set_valid(reading.valid);
  to.mutable_counts()->Add(reading.counts.begin(), reading.counts.end());
}
void get(const pb::Reading& from, Reading& reading) {
  reading.id = from.id();
  reading.score = from.score();
  reading.label = from.label();
  reading.valid = from.valid();
  reading.counts.assign(from.counts().begin(), from.counts().end());
}

void put(const Chunk& chunk, pb::Chunk& to) {
  to.set_name(chunk.name);
  to.set_step(chunk.step);
  to.mutable_shape()->Add(chunk.shape.begin(), chunk.shape.end());
  put(chunk.data, *to.mutable_data());
}
void get(const pb::Chunk& from, Chunk& chunk) {
  chunk.name = from.name();
  chunk.step = from.step();
  chunk.shape.assign(from.shape().begin(), from.shape().end());
  get(from.data(), chunk.data);
}

void put(const Layer& layer, pb::Layer& to) {
  put(layer.in, *to.mutable_in());
  put(layer.out, *to.mutable_out());
  put(layer.bias, *to.mutable_bias());
}
void get(const pb::Layer& from, Layer& layer) {
  get(from.in(), layer.in);
  get(from.out(), layer.out);
  get(from.bias(), layer.bias);
}

template <class T>
auto& items(pb::Root& root) {
  if constexpr (std::is_same_v<T, Sample>) return *root.mutable_samples();
  else if constexpr (std::is_same_v<T, Particle>) return *root.mutable_particles();
  else if constexpr (std::is_same_v<T, Reading>) return *root.mutable_readings();
  else if constexpr (std::is_same_v<T, Chunk>) return *root.mutable_chunks();
  else if constexpr (std::is_same_v<T, Layer>) return *root.mutable_layers();
  else return *root.mutable_tensors();
}

template <class T>
void put(const std::vector<T>& objects, pb::Root& root) {
  for (const T& object : objects) put(object, *items<T>(root).Add());
}
void put(const OneTensor& object, pb::Root& root) { put(object.weight, *root.add_tensors()); }

template <class T>
void get(pb::Root& root, std::vector<T>& objects) {
  auto& all = items<T>(root);
  objects.resize(static_cast<std::size_t>(all.size()));
  for (int i = 0; i < all.size(); ++i) get(all[i], objects[static_cast<std::size_t>(i)]);
}
void get(pb::Root& root, OneTensor& object) { get(root.tensors(0), object.weight); }

struct Protobuf {
  static std::string version() {
    return dotted(GOOGLE_PROTOBUF_VERSION / 1000000, GOOGLE_PROTOBUF_VERSION / 1000 % 1000,
                  GOOGLE_PROTOBUF_VERSION % 1000);
  }

  template <class T>
  static void save(const T& object, const std::string& file) {
    google::protobuf::Arena arena;
    auto& root = *google::protobuf::Arena::CreateMessage<pb::Root>(&arena);
    put(object, root);
    std::ofstream stream(file, std::ios::binary);
    require(root.SerializeToOstream(&stream), "cannot write");
    stream.close();
  }
  template <class T>
  static T load(const std::string& file) {
    const std::string bytes = content_of(file);
    google::protobuf::Arena arena;
    auto& root = *google::protobuf::Arena::CreateMessage<pb::Root>(&arena);
    require(root.ParseFromString(bytes), "cannot parse");
    T result;
    get(root, result);
    return result;
  }
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::peer_main<bench::Protobuf>(argc, argv); }
