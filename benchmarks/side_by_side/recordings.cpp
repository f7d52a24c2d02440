#include "recordings.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/safestructures.hpp>

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
ss::RecorderOptions endless_memory(Size size) { return {.memory = 2 * size.all() + (512U << 20U)}; }

/// \param free whether each is freed once it is written
void write_each(const Path& path, Size size, Outputs source, bool free) {
  measure(2 * size.all(), [&] {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (std::size_t i = 0; i < size.count; ++i) {
      std::vector<float>& one = source[i % source.size()];
      require(::write(file, one.data(), size.bytes) == static_cast<ssize_t>(size.bytes),
              "cannot write");
      if (free) std::vector<float>().swap(one);
    }
    ::close(file);
  });
}

template <class Give>
void record(ss::ActivationRecorder& recorder, const std::vector<std::string>& called, Size size,
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

void record_copies(const Path& folder, Size size, const ss::RecorderOptions& options) {
  record_small(folder);
  const auto source = outputs(size);
  const auto called = names();
  measure(3 * size.all(), [&] {
    ss::ActivationRecorder recorder(folder, options);
    record(recorder, called, size, copied(source));
    recorder.close();
  });
}

}  // namespace

void copy_records(const Path&, Size size) {
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

void write_records(const Path& file, Size size) { write_each(file, size, outputs(size), false); }
void write_given_records(const Path& file, Size size) {
  write_each(file, size, given_outputs(size), true);
}

void record_hot_path(const Path& folder, Size size) {
  record_small(folder);
  const auto source = outputs(size);
  const auto called = names();
  ss::ActivationRecorder recorder(folder, endless_memory(size));
  measure(3 * size.all(), [&] { record(recorder, called, size, copied(source)); });
  recorder.close();
}

void record_all(const Path& folder, Size size) {
  record_copies(folder, size, endless_memory(size));
}

void record_moved(const Path& folder, Size size) {
  record_small(folder);
  Outputs source = given_outputs(size);
  const auto called = names();
  measure(2 * size.all(), [&] {
    ss::ActivationRecorder recorder(folder, endless_memory(size));
    record(recorder, called, size, [&](std::size_t i) { return std::move(source[i]); });
    recorder.close();
  });
}

void record_within_memory(const Path& folder, Size size) { record_copies(folder, size, {}); }

void open_recording(const Path& folder, Size size) {
  measure(256 * mib, [&] {
    const ss::Recording run(folder);
    require(run.size() == size.count, "records missing");
  });
}

void find_record(const Path& folder, Size size) {
  const ss::Recording run(folder);
  const auto step = static_cast<std::int64_t>((size.count - 1) / layers);
  measure(16 * mib, [&] {
    const ss::Record* const found = run.find("layer0", step);
    require(found != nullptr && found->value().tensor().data<float>()[0] == 1, "not found");
  });
}

}  // namespace bench
