#include "cli/console/output.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <safestructures/data/sink.hpp>
#include "cli/console/command.hpp"
#include "cli/console/sink_buffer.hpp"
#include "data/text/printable.hpp"

namespace safestructures::cli {

Output::Output(std::FILE* file, std::string name)
    : std::ostream(static_cast<std::streambuf*>(this)), file_(file), name_(std::move(name)) {
  // This lets an exception of the buffer pass through the stream.
  exceptions(std::ios::badbit);
}

void Output::finish() {
  if (std::fflush(file_) != 0) fail();
}

int Output::overflow(int character) {
  if (std::fputc(character, file_) == EOF) fail();
  return character;
}

std::streamsize Output::xsputn(const char* text, std::streamsize size) {
  if (size == 0) return 0;  // fwrite does not accept a null pointer, even for no bytes
  const auto count = static_cast<std::size_t>(size);
  if (std::fwrite(text, 1, count, file_) != count) fail();
  return size;
}

int Output::sync() {
  finish();
  return 0;
}

void Output::fail() const {
  throw CallError("cannot write to " + name_ + ": " + std::generic_category().message(errno) + ".");
}

namespace {

struct Closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, Closer>;

void fill_file(const std::filesystem::path& path, const std::string& name,
               const std::function<void(std::ostream&)>& fill) {
  const OpenFile file(std::fopen(path.c_str(), "wb"));
  if (!file)
    throw CallError("cannot write to " + name + ": " + std::generic_category().message(errno) +
                    ".");
  Output out(file.get(), name);
  fill(out);
  out.finish();
}

}  // namespace

void write_output_file(const std::filesystem::path& path,
                       const std::function<void(std::ostream&)>& fill) {
  if (path == "-") {
    Output out(stdout, "the standard output");
    fill(out);
    return out.finish();
  }
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  // The library's own writer refuses these: they have no folder for a temporary file.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return fill_file(path, path.string(), fill);
  blame_arguments([&] {
    write_file(path, [&](Sink& sink) {
      SinkBuffer buffer(sink);
      std::ostream out(&buffer);
      // This lets an exception of the sink pass through the stream.
      out.exceptions(std::ios::badbit);
      fill(out);
    });
  });
}

bool is_terminal(std::FILE* file) noexcept { return ::isatty(::fileno(file)) == 1; }

std::string human_size(std::uint64_t bytes) {
  if (bytes < 1024) return detail::counted(bytes, "byte");
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  constexpr std::array<const char*, 7> units = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  // 1023.95 and above would be printed as 1024.0.
  for (; size >= 1023.95 && unit + 1 < units.size(); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, units[unit]);
}

}  // namespace safestructures::cli
