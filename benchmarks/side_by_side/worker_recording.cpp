// R1 to R3: records of a running program, and what the system alone takes for the same bytes.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/safestructures.hpp>
#include "worker.hpp"

namespace bench {
namespace {

constexpr std::size_t layers = 100;

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < layers; ++i) names.push_back("layer" + std::to_string(i));
  return names;
}

using Outputs = std::vector<std::vector<float>>;

Outputs outputs(Size size, std::size_t count) {
  return Outputs(count, std::vector<float>(size.bytes / sizeof(float), 1));
}
/// As a model gives them: each layer's output has its own place.
Outputs outputs(Size size) { return outputs(size, std::min(size.count, layers)); }
/// As a model gives them away: each record's bytes are its own.
Outputs given_outputs(Size size) { return outputs(size, size.count); }

/// The memory that a queue of them takes, in which nobody waits.
ss::RecorderOptions options(Size size) { return {.memory = 2 * size.all() + (512U << 20U)}; }

template <Size size>
void copy(const Path&) {
  const auto source = outputs(size);
  measure(2 * size.all(), [&] {
    std::vector<std::unique_ptr<std::byte[]>> copies(size.count);
    for (std::size_t i = 0; i < size.count; ++i) {
      copies[i] = std::make_unique_for_overwrite<std::byte[]>(size.bytes);
      std::memcpy(copies[i].get(), source[i % source.size()].data(), size.bytes);
    }
    keep(copies);
  });
}

/// `given`: as who takes the memory must, it is freed once it is written.
template <Size size, bool given>
void write_plain(const Path& path) {
  Outputs source = given ? given_outputs(size) : outputs(size);
  measure(2 * size.all(), [&] {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (std::size_t i = 0; i < size.count; ++i) {
      std::vector<float>& one = source[i % source.size()];
      require(::write(file, one.data(), size.bytes) == static_cast<ssize_t>(size.bytes),
              "cannot write");
      if (given) std::vector<float>().swap(one);
    }
    ::close(file);
  });
}

template <class Give>
void record_all(ss::ActivationRecorder& recorder, const std::vector<std::string>& called, Size size,
                Give give) {
  for (std::size_t i = 0; i < size.count; ++i) {
    if (i % layers == 0) recorder.step(static_cast<std::int64_t>(i / layers));
    recorder.record(called[i % layers], give(i));
  }
}

/// Copies are what `record` makes of what it is given.
auto copied(const Outputs& source) {
  return [&source](std::size_t i) -> const auto& { return source[i % source.size()]; };
}

void record_small(const Path& folder) {
  ss::ActivationRecorder recorder(small_file(folder));
  recorder.record("layer", std::vector<float>{1, 2});
  recorder.close();
  std::filesystem::remove_all(small_file(folder));
}

/// What the program that is recorded waits for.
template <Size size>
void hot_path(const Path& folder) {
  record_small(folder);
  const auto source = outputs(size);
  const auto called = names();
  ss::ActivationRecorder recorder(folder, options(size));
  measure(3 * size.all(), [&] { record_all(recorder, called, size, copied(source)); });
  recorder.close();
}

/// Until all is in the files.
template <Size size>
void record(const Path& folder) {
  record_small(folder);
  const auto source = outputs(size);
  const auto called = names();
  measure(3 * size.all(), [&] {
    ss::ActivationRecorder recorder(folder, options(size));
    record_all(recorder, called, size, copied(source));
    recorder.close();
  });
}

/// The same, where nothing is copied: what the thread in the background needs.
template <Size size>
void record_moved(const Path& folder) {
  record_small(folder);
  Outputs source = given_outputs(size);
  const auto called = names();
  measure(2 * size.all(), [&] {
    ss::ActivationRecorder recorder(folder, options(size));
    record_all(recorder, called, size, [&](std::size_t i) { return std::move(source[i]); });
    recorder.close();
  });
}

template <Size size>
void open_recording(const Path& folder) {
  measure(256 * mib, [&] {
    const ss::Recording run(folder);
    require(run.size() == size.count, "records missing");
  });
}

template <Size size>
void find_record(const Path& folder) {
  const ss::Recording run(folder);
  const auto step = static_cast<std::int64_t>((size.count - 1) / layers);
  measure(16 * mib, [&] {
    const ss::Record* const found = run.find("layer0", step);
    require(found != nullptr && found->value().tensor().data<float>()[0] == 1, "not found");
  });
}

constexpr Action actions[] = {
    {"R1", "copy", copy<r1>},
    {"R1", "write", write_plain<r1, false>},
    {"R1", "write_given", write_plain<r1, true>},
    {"R1", "hot_path", hot_path<r1>},
    {"R1", "record", record<r1>},
    {"R1", "record_moved", record_moved<r1>},
    {"R1", "open", open_recording<r1>},
    {"R1", "find", find_record<r1>},
    {"R2", "copy", copy<r2>},
    {"R2", "write", write_plain<r2, false>},
    {"R2", "write_given", write_plain<r2, true>},
    {"R2", "hot_path", hot_path<r2>},
    {"R2", "record", record<r2>},
    {"R2", "record_moved", record_moved<r2>},
    {"R2", "open", open_recording<r2>},
    {"R2", "find", find_record<r2>},
    {"R3", "copy", copy<r3>},
    {"R3", "write", write_plain<r3, false>},
    {"R3", "write_given", write_plain<r3, true>},
    {"R3", "hot_path", hot_path<r3>},
    {"R3", "record", record<r3>},
    {"R3", "record_moved", record_moved<r3>},
    {"R3", "open", open_recording<r3>},
    {"R3", "find", find_record<r3>},
};

}  // namespace

std::span<const Action> recording_actions() { return actions; }

}  // namespace bench
