// W4, W12, W13, W14: structures, where the schema counts.
#include <array>
#include <cstdint>
#include <limits>
#include <list>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "data.hpp"
#include "worker.hpp"

namespace bench {

/// The same particles by hand: a vector for each field.
struct ParticleColumns {
  std::vector<float> x, y, z;
  std::vector<float> vx, vy, vz;
  std::vector<double> mass;
  std::vector<std::int32_t> kind;
};

/// A vector of numbers would be a tensor; a list is a node for each.
using ListReading = ReadingOf<std::list<std::int64_t>>;

struct Tiny {
  std::int64_t step;
  double loss;
  std::string run;
  std::array<float, 4> position;
};

namespace {

constexpr std::size_t sample_count = 2000;
constexpr std::size_t particle_count = 100'000;

/// The same as Python's list of dicts, which is 22,001 nodes with the dicts' keys.
ss::Value dicts(const std::vector<Sample>& samples) {
  std::vector<ss::Value> items;
  for (const Sample& sample : samples) {
    ss::Value dict = ss::Value::dict();
    dict.insert("id", sample.id);
    dict.insert("score", sample.score);
    dict.insert("label", sample.label);
    dict.insert("valid", sample.valid);
    dict.insert("features", ss::Tensor::of<float>(sample.features));
    items.push_back(std::move(dict));
  }
  return ss::Value::list(std::move(items));
}

constexpr std::size_t w4_memory = 64 * mib;

bool are_samples(const std::vector<Sample>& loaded) {
  return loaded.size() == sample_count && loaded.back().id == sample_count - 1 &&
         loaded.back().features.back() == static_cast<float>(sample_count - 1);
}

void save_dicts(const Path& file) {
  const std::vector<Sample> few = samples(3);
  const std::vector<Sample> all = samples(sample_count);
  save(dicts(few), dicts(all), file, w4_memory);
}
void save_structs(const Path& file) { save(samples(3), samples(sample_count), file, w4_memory); }

/// Measures loading a list of `count` dicts, after having loaded a small one.
void load_dicts(const ss::Value& small, const Path& file, std::size_t bytes, std::size_t count) {
  ss::save_file(small, small_file(file));
  keep(ss::load_file(small_file(file), {.access = ss::Access::memory}));
  std::filesystem::remove(small_file(file));
  ss::Value result;
  measure(bytes, [&] { result = ss::load_file(file, {.access = ss::Access::memory}); });
  require(result.size() == count && result[count - 1]["id"].as_uint64() == std::uint64_t{count - 1},
          "loaded something else");
}

void load_value(const Path& file) {
  const std::vector<Sample> few = samples(3);
  load_dicts(dicts(few), file, w4_memory, sample_count);
}
void load_structs(const Path& file) { load(samples(3), file, w4_memory, {}, are_samples); }
void open_dicts(const Path& file) { open(samples(3), file); }

void save_particles(const Path& file) {
  save(particles(3), particles(particle_count), file, 1 * gib, {.columns = true});
}
void save_particles_as_list(const Path& file) {
  save(particles(3), particles(particle_count), file, 1 * gib);
}
void load_particles(const Path& file) {
  load(particles(3), file, 1 * gib, {}, [](const std::vector<Particle>& loaded) {
    return loaded.size() == particle_count &&
           loaded.back().x == static_cast<float>(particle_count - 1);
  });
}

ParticleColumns columns(std::size_t count) {
  ParticleColumns result;
  for (const Particle& particle : particles(count)) {
    result.x.push_back(particle.x);
    result.y.push_back(particle.y);
    result.z.push_back(particle.z);
    result.vx.push_back(particle.vx);
    result.vy.push_back(particle.vy);
    result.vz.push_back(particle.vz);
    result.mass.push_back(particle.mass);
    result.kind.push_back(particle.kind);
  }
  return result;
}
void save_columns(const Path& file) { save(columns(3), columns(particle_count), file, 16 * mib); }
void load_columns(const Path& file) {
  load(columns(3), file, 16 * mib, {},
       [](const ParticleColumns& loaded) { return loaded.kind.size() == particle_count; });
}

const Tiny tiny = {.step = 1000, .loss = 0.125, .run = "first", .position = {1, 2, 3, 4}};

void save_tiny(const Path& file) {
  measure_each([&] { std::filesystem::remove(file); }, [&] { ss::save_file(tiny, file); });
}
void load_tiny(const Path& file) {
  measure_each([] {}, [&] { keep(ss::load_file<Tiny>(file)); });
}
void load_tiny_by_read(const Path& file) {
  measure_each([] {}, [&] { keep(ss::load_file<Tiny>(file, {.access = ss::Access::read})); });
}

/// What saving and loading so many readings takes at most.
constexpr std::size_t memory_of_readings(std::size_t count) { return count * 64 * mib / 5000; }

std::vector<ListReading> list_readings(std::size_t count) {
  return readings<std::list<std::int64_t>>(count);
}

/// The same as Python's list of dicts, which is 80,001 nodes with the dicts' keys.
ss::Value reading_dicts(std::size_t count) {
  std::vector<ss::Value> items;
  for (const ListReading& reading : list_readings(count)) {
    ss::Value dict = ss::Value::dict();
    dict.insert("id", reading.id);
    dict.insert("score", reading.score);
    dict.insert("label", reading.label);
    dict.insert("valid", reading.valid);
    dict.insert("counts", ss::Value::list(std::vector<ss::Value>(reading.counts.begin(),
                                                                 reading.counts.end())));
    items.push_back(std::move(dict));
  }
  return ss::Value::list(std::move(items));
}

template <std::size_t count>
void save_reading_dicts(const Path& file) {
  save(reading_dicts(3), reading_dicts(count), file, memory_of_readings(count));
}
template <std::size_t count>
void save_readings(const Path& file) {
  save(list_readings(3), list_readings(count), file, memory_of_readings(count));
}
template <std::size_t count>
void load_reading_dicts(const Path& file) {
  load_dicts(reading_dicts(3), file, memory_of_readings(count), count);
}
template <std::size_t count>
void load_readings(const Path& file) {
  load(list_readings(3), file, memory_of_readings(count), {},
       [](const std::vector<ListReading>& loaded) {
         return loaded.size() == count && loaded.back().counts.back() == count + 3;
       });
}

constexpr Action actions[] = {
    {"W4", "save_dicts", save_dicts},
    {"W4", "save_structs", save_structs},
    {"W4", "load_value", load_value},
    {"W4", "load_structs", load_structs},
    {"W4", "open", open_dicts},
    {"W12", "save", save_particles},
    {"W12", "save_list", save_particles_as_list},
    {"W12", "load", load_particles},
    {"W12", "save_columns", save_columns},
    {"W12", "load_columns", load_columns},
    {"W13", "save", save_tiny},
    {"W13", "load", load_tiny},
    {"W13", "load_by_read", load_tiny_by_read},
    {"W14", "save_dicts", save_reading_dicts<5000>},
    {"W14", "save_structs", save_readings<5000>},
    {"W14", "load_value", load_reading_dicts<5000>},
    {"W14", "load_structs", load_readings<5000>},
    {"W14-2500", "save_dicts", save_reading_dicts<2500>},
    {"W14-2500", "save_structs", save_readings<2500>},
    {"W14-2500", "load_value", load_reading_dicts<2500>},
    {"W14-2500", "load_structs", load_readings<2500>},
    {"W14-50000", "save_dicts", save_reading_dicts<50'000>},
    {"W14-50000", "save_structs", save_readings<50'000>},
    {"W14-50000", "load_value", load_reading_dicts<50'000>},
    {"W14-50000", "load_structs", load_readings<50'000>},
};

}  // namespace

std::span<const Action> node_actions() { return actions; }

}  // namespace bench
