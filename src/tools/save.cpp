#include <safestructures/tools/save.hpp>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/format.hpp>
#include "platform/sink.hpp"
#include "tools/with_file.hpp"

namespace safestructures::detail {
namespace {

Value encode(const Encodee& object, const SaveOptions& options) {
  Encoder encoder({.registry = options.registry,
                   .limits = options.limits,
                   .columns_from = options.columns_from});
  try {
    return object.encode(object.object, encoder);
  } catch (...) {
    encoder.rethrow();
  }
}

SaveReport write(const Encodee& object, const Format& format, Sink& sink,
                 const SaveOptions& options) {
  if (object.is_value)
    return format.write(*static_cast<const Value*>(object.object), sink, options);
  return format.write(encode(object, options), sink, options);
}

const Format& format_of(const SaveOptions& options, std::string_view file_name) {
  return options.format ? *options.format : *formats::for_name(file_name);
}

}  // namespace

SaveReport save_file(const Encodee& object, const std::filesystem::path& path,
                     const SaveOptions& options) {
  try {
    SaveReport report;
    const Format& format = format_of(options, path.filename().string());
    write_file(
        path, [&](Sink& sink) { report = write(object, format, sink, options); }, options.durable);
    return report;
  } catch (const Error& error) {
    rethrow_with_file(error, path.string());
  }
}

SaveReport save(const Encodee& object, std::ostream& out, const SaveOptions& options) {
  platform::StreamSink sink(out);
  return write(object, format_of(options, {}), sink, options);
}

std::vector<std::byte> save(const Encodee& object, const SaveOptions& options) {
  std::vector<std::byte> bytes;
  platform::VectorSink sink(bytes);
  static_cast<void>(write(object, format_of(options, {}), sink, options));
  return bytes;
}

}  // namespace safestructures::detail
