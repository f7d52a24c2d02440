#include <safestructures/formats/safetensors/writer.hpp>

#include <safestructures/data/error.hpp>

#include "formats/safetensors/plan.hpp"
#include "platform/sink.hpp"

namespace safestructures::inline v0::safetensors {

SaveReport detail::write_spelled(Sink& sink, std::span<const Item> items, const Metadata& metadata,
                                 SpelledEntry spelled, const WriteOptions& options) {
  const FilePlan plan(items, metadata, options.limits, spelled);
  sink.expect(plan.size());
  SaveReport report = plan.write_to(sink, items, options);
  sink.flush();
  return report;
}

SaveReport write(Sink& sink, std::span<const Item> items, const Metadata& metadata,
                 const WriteOptions& options) {
  return detail::write_spelled(sink, items, metadata, {}, options);
}

SaveReport write_file(const std::filesystem::path& path, std::span<const Item> items,
                      const Metadata& metadata, const WriteOptions& options) {
  try {
    SaveReport report;
    safestructures::write_file(
        path, [&](Sink& sink) { report = write(sink, items, metadata, options); }, options.durable);
    return report;
  } catch (const Error& error) {
    throw error.with_file(path.string());
  }
}

SaveReport write(std::ostream& out, std::span<const Item> items, const Metadata& metadata,
                 const WriteOptions& options) {
  platform::StreamSink sink(out);
  return write(sink, items, metadata, options);
}

std::vector<std::byte> to_bytes(std::span<const Item> items, const Metadata& metadata,
                                const WriteOptions& options) {
  std::vector<std::byte> bytes;
  platform::VectorSink sink(bytes);
  static_cast<void>(write(sink, items, metadata, options));
  return bytes;
}

}  // namespace safestructures::inline v0::safetensors
