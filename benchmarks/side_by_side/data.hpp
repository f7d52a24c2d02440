/// \file
/// The data of the workloads as plain C++ types, for the library's side and for its peers in C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bench {

/// W1.
struct OneTensor {
  std::vector<float> weight;
};

/// W2 and W3.
using Blocks = std::vector<std::vector<float>>;

/// An item of W4.
struct Sample {
  std::int64_t id;
  double score;
  std::string label;
  bool valid;
  std::vector<float> features;
};

/// An item of W12.
struct Particle {
  float x, y, z;
  float vx, vy, vz;
  double mass;
  std::int32_t kind;
};

/// An item of W14: where it is a list, every count is a node of its own.
template <class Counts>
struct ReadingOf {
  std::int64_t id;
  double score;
  std::string label;
  bool valid;
  Counts counts;
};
using Reading = ReadingOf<std::vector<std::int64_t>>;

/// An item of W15.
struct Chunk {
  std::string name;
  std::int64_t step;
  std::vector<std::int64_t> shape;
  std::vector<float> data;
};

/// An item of W16.
struct Layer {
  std::vector<float> in, out, bias;
};

/// Numbers that every floating type of 16 bits holds exactly.
template <class T>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<T>(static_cast<float>(i % 251));
  return result;
}
inline bool are_numbers(std::span<const float> values, std::size_t count) {
  return values.size() == count && values[count - 1] == static_cast<float>((count - 1) % 251);
}

inline Blocks blocks(std::size_t count, std::size_t size) {
  return Blocks(count, numbers<float>(size));
}

inline std::vector<Sample> samples(std::size_t count) {
  std::vector<Sample> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back({.id = static_cast<std::int64_t>(i),
                      .score = static_cast<double>(i) * 0.37,
                      .label = "sample number " + std::to_string(i),
                      .valid = i % 2 == 0,
                      .features = std::vector<float>(1024, static_cast<float>(i))});
  return result;
}

inline std::vector<Particle> particles(std::size_t count) {
  std::vector<Particle> result;
  for (std::size_t i = 0; i < count; ++i) {
    const float x = static_cast<float>(i);
    result.push_back({x, x + 1, x + 2, 0.1F * x, 0.2F * x, 0.3F * x, 1.5, 7});
  }
  return result;
}

template <class Counts = std::vector<std::int64_t>>
std::vector<ReadingOf<Counts>> readings(std::size_t count) {
  std::vector<ReadingOf<Counts>> result;
  for (std::size_t i = 0; i < count; ++i) {
    const auto id = static_cast<std::int64_t>(i);
    result.push_back({.id = id,
                      .score = static_cast<double>(i) * 0.37,
                      .label = "sample number " + std::to_string(i),
                      .valid = i % 2 == 0,
                      .counts = {id, id + 1, id + 2, id + 3, id + 4}});
  }
  return result;
}

inline std::vector<Chunk> chunks(std::size_t count) {
  std::vector<Chunk> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back({.name = "chunk " + std::to_string(i),
                      .step = static_cast<std::int64_t>(i),
                      .shape = {96, 128},
                      .data = numbers<float>(96 * 128)});
  return result;
}

inline std::vector<Layer> layers(std::size_t count, std::size_t width) {
  return std::vector<Layer>(
      count, {numbers<float>(width * width), numbers<float>(width * width), numbers<float>(width)});
}

}  // namespace bench
