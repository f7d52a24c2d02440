#include <safestructures/data/sink.hpp>

#include <algorithm>
#include <cstring>

#include <safestructures/data/error.hpp>

#include "platform/file_sink.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0 {
namespace {

// Stays in the second-level cache between being filled and being copied.
constexpr std::size_t room_size = std::size_t{256} << 10U;
constexpr std::size_t most_gathered = std::size_t{32} << 20U;

}  // namespace

Sink::Sink() = default;
Sink::~Sink() = default;

std::span<std::byte> Sink::prepare(std::size_t minimum, std::size_t wanted) {
  if (!room_) room_.reset(new std::byte[room_size]);
  return {room_.get(), std::max(minimum, std::min(wanted, room_size))};
}

void Sink::produced(std::size_t size) {
  write({room_.get(), size});
  flush();  // The room will be reused.
}

void Sink::write_copied(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::span<std::byte> room = prepare(1, bytes.size());
    std::memcpy(room.data(), bytes.data(), room.size());
    produced(room.size());
    bytes = bytes.subspan(room.size());
  }
}

void Sink::compute(std::uint64_t size, std::size_t unit, const Producer& produce) {
  for (std::uint64_t done = 0; done < size;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size - done, room_size));
    std::span<std::byte> room = prepare(std::min(wanted, unit), wanted);
    if (room.size() < size - done) room = room.first(room.size() / unit * unit);
    produce(done, room);
    produced(room.size());
    done += room.size();
  }
}

void Sink::compute_matrix(std::uint64_t rows, std::uint64_t row_size, std::size_t unit,
                          const PartProducer& produce) {
  const std::uint64_t together = std::clamp<std::uint64_t>(most_gathered / row_size, 1, rows);
  const auto most =
      static_cast<std::size_t>(std::min<std::uint64_t>(row_size, most_gathered / unit * unit));
  const std::shared_ptr<std::byte> room =
      platform::allocate_buffer(static_cast<std::size_t>(together) * most);
  for (std::uint64_t row = 0; row < rows; row += together) {
    for (std::uint64_t begin = 0; begin < row_size; begin += most) {
      const Part part{row, std::min(together, rows - row), begin,
                      static_cast<std::size_t>(std::min<std::uint64_t>(most, row_size - begin))};
      const std::span bytes(room.get(), static_cast<std::size_t>(part.rows) * part.size);
      produce(part, bytes);
      write(bytes);
      flush();  // The room will be reused.
    }
  }
}

bool Sink::overwrite(std::uint64_t /*offset*/, std::span<const std::byte> /*bytes*/) {
  return false;
}

Sink& Sink::sibling(std::string_view /*file_name*/) {
  throw Error(ErrorCode::invalid_argument, "shards can only be written to files",
              {.advice = "Use save_file, or leave SaveOptions::shard_size at 0"});
}

void write_file(const std::filesystem::path& path, const std::function<void(Sink&)>& fill,
                bool durable) {
  platform::FileSink sink(path, durable);
  fill(sink);
  sink.flush();
  sink.commit();
}

}  // namespace safestructures::inline v0
