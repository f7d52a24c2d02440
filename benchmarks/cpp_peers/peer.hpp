/// \file
/// What the peers in C++ share: each is a program, `peer_NAME WORKLOAD save|load FILE`, that makes
/// the data of a workload into a file, or a file into the same data, once. `peer_NAME version`
/// prints the version of its library.
#pragma once

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <boost/pfr.hpp>
#include "side_by_side/data.hpp"
#include "side_by_side/measure.hpp"

namespace bench {

/// The structs of the workloads.
template <class T>
concept Record = std::is_aggregate_v<T> && std::is_class_v<T>;

inline std::string dotted(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

inline std::string content_of(const std::string& file) {
  std::string bytes(std::filesystem::file_size(file), '\0');
  std::ifstream(file, std::ios::binary).read(bytes.data(), std::ssize(bytes));
  return bytes;
}

struct Task {
  std::string_view workload;
  bool saves;
  std::string file;
};

/// Runs one action of `Peer`, which has `version()`, `save(object, file)` and `load<T>(file)`.
/// \param bytes of the file, about
template <class Peer, class Make, class Check>
void run(const Task& task, std::size_t bytes, const Make& make, const Check& check) {
  using T = std::invoke_result_t<Make, bool>;
  const std::string small_file = task.file + ".small";
  constexpr bool small = true;
  Peer::save(make(small), small_file);
  keep(Peer::template load<T>(small_file));
  std::filesystem::remove(small_file);
  if (task.saves) {
    const T object = make(!small);
    // Twice: for what a peer builds in memory, and for the page cache.
    measure(2 * bytes, [&] { Peer::save(object, task.file); });
    return;
  }
  std::optional<T> result;
  measure(2 * bytes, [&] { result.emplace(Peer::template load<T>(task.file)); });
  require(check(*result), "loaded something else than was saved");
}

template <class Peer>
void run(const Task& task) {
  if (task.workload == "W1")
    return run<Peer>(
        task, gib, [](bool small) { return OneTensor{numbers<float>(small ? 8 : gib / 4)}; },
        [](const OneTensor& loaded) { return are_numbers(loaded.weight, gib / 4); });
  if (task.workload == "W2")
    return run<Peer>(
        task, gib, [](bool small) { return small ? blocks(2, 8) : blocks(1000, mib / 4); },
        [](const Blocks& loaded) { return are_numbers(loaded.at(999), mib / 4); });
  if (task.workload == "W3")
    return run<Peer>(
        task, 64 * mib, [](bool small) { return blocks(small ? 2 : 100'000, 16); },
        [](const Blocks& loaded) { return are_numbers(loaded.at(99'999), 16); });
  if (task.workload == "W4")
    return run<Peer>(
        task, 64 * mib, [](bool small) { return samples(small ? 3 : 2000); },
        [](const std::vector<Sample>& loaded) {
          return loaded.at(1999).id == 1999 && loaded[1999].features.back() == 1999;
        });
  if (task.workload == "W12")
    return run<Peer>(
        task, 64 * mib, [](bool small) { return particles(small ? 3 : 100'000); },
        [](const std::vector<Particle>& loaded) { return loaded.at(99'999).x == 99'999; });
  if (task.workload == "W14")
    return run<Peer>(
        task, 16 * mib, [](bool small) { return readings(small ? 3 : 5000); },
        [](const std::vector<Reading>& loaded) {
          return loaded.at(4999).id == 4999 && loaded[4999].counts.at(4) == 5003;
        });
  if (task.workload == "W15")
    return run<Peer>(
        task, 300 * mib, [](bool small) { return chunks(small ? 3 : 6000); },
        [](const std::vector<Chunk>& loaded) {
          return loaded.at(5999).step == 5999 && loaded[5999].shape.at(1) == 128 &&
                 are_numbers(loaded[5999].data, 96 * 128);
        });
  if (task.workload == "W16")
    return run<Peer>(
        task, gib, [](bool small) { return small ? layers(2, 4) : layers(96, 1024); },
        [](const std::vector<Layer>& loaded) { return are_numbers(loaded.at(95).out, mib); });
  require(false, "unknown workload");
}

template <class Peer>
int peer_main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "version")
    return std::puts(Peer::version().c_str()) < 0;
  require(argc == 4, "usage: peer_NAME WORKLOAD save|load FILE");
  try {
    run<Peer>({argv[1], std::string_view(argv[2]) == "save", argv[3]});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace bench
