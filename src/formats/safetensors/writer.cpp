#include <safestructures/formats/safetensors/writer.hpp>

#include <ostream>

#include <safestructures/data/error.hpp>

#include "formats/safetensors/plan.hpp"
#include "platform/atomic_file.hpp"
#include "platform/memory.hpp"
#include "platform/sink.hpp"

namespace safestructures::safetensors {

WriteReport write_file(const std::filesystem::path& path, std::span<const Item> items,
                       const Metadata& metadata, const WriteOptions& options) {
  try {
    const detail::Plan plan(items, metadata, options.limits);
    platform::AtomicFile file(path, {.size_hint = plan.size(), .durable = options.durable});
    WriteReport report = plan.write_to(file, items, options);
    file.commit();
    return report;
  } catch (const Error& error) {
    throw error.with_file(path.string());
  }
}

WriteReport write(std::ostream& out, std::span<const Item> items, const Metadata& metadata,
                  const WriteOptions& options) {
  const detail::Plan plan(items, metadata, options.limits);
  platform::StreamSink sink(out);
  WriteReport report = plan.write_to(sink, items, options);
  sink.flush();
  return report;
}

std::vector<std::byte> to_bytes(std::span<const Item> items, const Metadata& metadata,
                                const WriteOptions& options) {
  const detail::Plan plan(items, metadata, options.limits);
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(plan.size()));
  platform::advise_huge(bytes.data(), bytes.capacity());
  platform::VectorSink sink(bytes);
  static_cast<void>(plan.write_to(sink, items, options));
  return bytes;
}

}  // namespace safestructures::safetensors
