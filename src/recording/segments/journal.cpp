#include "recording/segments/journal.hpp"

#include <optional>
#include <string>
#include <utility>

#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "platform/file.hpp"

namespace safestructures::inline v0::recording {
namespace {

// How many times the journal's size is read in damaged frames, each of which states its own length.
// Beyond that, a frame ends at the magic of the next, which no text contains, and hardly any
// number.
constexpr std::uint64_t most_in_vain = 16;

}  // namespace

std::vector<std::byte> read_journal(const std::filesystem::path& path, std::uint64_t from,
                                    const Limits& limits) {
  const platform::InputFile file(path);
  // It has in binary what the header has as text.
  if (file.size() > limits.header_bytes)
    throw detail::past(detail::Limit::header_bytes, limits.header_bytes, "the journal is too large",
                       {.file = path.string(), .found = std::to_string(file.size())});
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(file.size() > from ? file.size() - from : 0));
  file.read_at(from, bytes);
  return bytes;
}

Journal read_frames(std::span<const std::byte> bytes, const Limits& limits) {
  Journal journal;
  journal.head = read_head(bytes);
  bool is_behind_damage = false;
  std::uint64_t in_vain = 0;
  for (std::size_t at = journal_head_size; at < bytes.size();) {
    std::span<const std::byte> rest = bytes.subspan(at);
    if (in_vain > most_in_vain * bytes.size())
      rest = rest.first(find_frame(rest, 1).value_or(rest.size()));
    FoundFrame found = read_frame(rest, limits);
    if (found.state == FrameState::whole) {
      at += found.size;
      journal.frames.push_back(std::move(found.frame));
      journal.are_behind_damage.push_back(std::exchange(is_behind_damage, false));
      continue;
    }
    in_vain += rest.size();
    const std::optional<std::size_t> next = find_frame(bytes, at + 1);
    if (!next && found.state == FrameState::incomplete) {
      journal.is_cut = true;
      break;
    }
    const std::size_t end = next.value_or(bytes.size());
    journal.damaged_bytes += end - at;
    is_behind_damage = true;
    at = end;
  }
  return journal;
}

}  // namespace safestructures::inline v0::recording
