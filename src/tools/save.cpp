#include <safestructures/tools/save.hpp>

#include <string>
#include <string_view>

#include <safestructures/data/error.hpp>
#include <safestructures/data/thread_limit.hpp>
#include <safestructures/formats/format.hpp>
#include <safestructures/formats/gzip.hpp>
#include "data/box_arena.hpp"
#include "platform/sink.hpp"
#include "tools/type_option.hpp"
#include "tools/with_file.hpp"

namespace safestructures::inline v0::detail {
namespace {

Value encode(const Encodee& object, const SaveOptions& options) {
  const BoxArena arena;
  Encoder encoder(
      {.registry = options.registry, .limits = options.limits, .columns = options.columns});
  try {
    return object.encode(object.object, encoder);
  } catch (...) {
    encoder.rethrow();
  }
}

SaveReport write(const Encodee& object, const Format& format, Sink& sink,
                 const SaveOptions& options) {
  SaveOptions typed = options;
  if (!object.is_value) check_type_option(options.type, object.type, "SaveOptions::type");
  if (typed.type == nullptr) typed.type = object.type;
  if (object.is_value) return format.write(*static_cast<const Value*>(object.object), sink, typed);
  return format.write(encode(object, options), sink, typed);
}

const Format& format_of(const SaveOptions& options, std::string_view file_name) {
  return options.format ? *options.format : *formats::for_name(file_name);
}

SaveReport write_packed(const Encodee& object, const Format& format, Sink& sink,
                        const SaveOptions& options) {
  if (options.shard_size != 0)
    throw Error(ErrorCode::invalid_argument, "shards cannot be packed by gzip",
                {.expected = "a file name without .gz",
                 .found = "SaveOptions::shard_size",
                 .advice = "Leave the option out, or choose another name"});
  gzip::Packer packer(sink, options.limits);
  SaveReport report = write(object, format, packer, options);
  packer.finish();
  report.bytes = sink.position();
  return report;
}

}  // namespace

SaveReport save_file(const Encodee& object, const std::filesystem::path& path,
                     const SaveOptions& options) {
  const ThreadLimit threads(options.threads);
  try {
    SaveReport report;
    const std::string name = path.filename().string();
    const Format& format = format_of(options, name);
    const auto fill = gzip::inner_name(name) == name ? write : write_packed;
    write_file(
        path, [&](Sink& sink) { report = fill(object, format, sink, options); }, options.durable);
    return report;
  } catch (const Error& error) {
    rethrow_with_file(error, path.string());
  }
}

SaveReport save(const Encodee& object, std::ostream& out, const SaveOptions& options) {
  const ThreadLimit threads(options.threads);
  platform::StreamSink sink(out);
  return write(object, format_of(options, {}), sink, options);
}

std::vector<std::byte> save(const Encodee& object, const SaveOptions& options) {
  const ThreadLimit threads(options.threads);
  std::vector<std::byte> bytes;
  platform::VectorSink sink(bytes);
  static_cast<void>(write(object, format_of(options, {}), sink, options));
  return bytes;
}

}  // namespace safestructures::inline v0::detail
