#include "recording/segments/segment_about.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

#include <safestructures/data/error.hpp>
#include "data/text/printable.hpp"
#include "formats/json/cursor.hpp"

namespace safestructures::inline v0::recording {
namespace {

using tree::Token;

/// The names of the counts of calls that were not kept as the rules say.
constexpr std::array<std::string_view, 5> losses = {"filtered", "dropped", "thinned", "limited",
                                                    "failed"};
/// Beyond that a note would not be read: a recorder may have lost records of many thousand names.
constexpr std::size_t most_names_told = 10;

struct Counts {
  std::uint64_t calls = 0;
  std::uint64_t kept = 0;
  std::string lost;  // Such as `2 dropped, 1 failed`.

  [[nodiscard]] std::string text() const {
    return calls == 0 ? lost : lost + " of " + detail::counted(calls, "call");
  }
};

class AboutReader {
 public:
  explicit AboutReader(std::string_view text) : cursor_(text) {}

  [[nodiscard]] SegmentAbout read() {
    SegmentAbout about;
    cursor_.next();
    each_member([&](std::string_view name) {
      if (name == "version") about.version = integer();
      if (name == "segment") about.segment = integer();
      if (name == "closed") about.closed = cursor_.token() == Token::boolean && cursor_.boolean();
      if (name == "run" && cursor_.token() == Token::string) about.run = cursor_.string();
      if (name == "counts" && cursor_.token() == Token::object) {
        const Counts counts = read_counts();
        about.kept = counts.kept;
        // If a list of many names does not fit into a segment, only their sums are there.
        if (!has_names_ && !counts.lost.empty()) about.left_out = counts.text();
      }
      if (name == "left_out") {
        about.left_out = read_left_out();
        has_names_ = true;
      }
    });
    cursor_.next();  // Refuses what follows the object.
    return about;
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> integer() const {
    const std::string_view spelled = cursor_.raw();
    const char* const end = spelled.data() + spelled.size();
    std::uint64_t number = 0;
    if (cursor_.token() != Token::number) return std::nullopt;
    const auto [stop, fault] = std::from_chars(spelled.data(), end, number);
    return fault == std::errc() && stop == end ? std::optional(number) : std::nullopt;
  }

  /// Calls `take` with the name of each member of the object that begins with the current token,
  /// standing on the member's value; never if that is no object.
  template <class Take>
  void each_member(const Take& take) {
    if (cursor_.token() != Token::object) return;
    while (cursor_.next() == Token::name) {
      const std::string name(cursor_.string());
      cursor_.next();
      take(name);
      cursor_.skip();
    }
  }

  [[nodiscard]] Counts read_counts() {
    Counts counts;
    each_member([&](std::string_view name) {
      const std::uint64_t count = integer().value_or(0);
      if (name == "calls") counts.calls = count;
      if (name == "kept") counts.kept = count;
      if (count == 0 || std::ranges::find(losses, name) == losses.end()) return;
      if (!counts.lost.empty()) counts.lost += ", ";
      counts.lost.append(std::to_string(count)).append(1, ' ').append(name);
    });
    return counts;
  }

  [[nodiscard]] std::string read_left_out() {
    std::string text;
    std::size_t names = 0;
    each_member([&](std::string_view name) {
      const Counts counts = read_counts();
      if (counts.lost.empty() || ++names > most_names_told) return;
      if (!text.empty()) text += "; ";
      text.append(detail::for_message(name)).append(": ").append(counts.text());
    });
    if (names > most_names_told)
      text += "; and " + detail::counted(names - most_names_told, "more name");
    return text;
  }

  json::Cursor cursor_;
  bool has_names_ = false;
};

}  // namespace

SegmentAbout read_about(std::string_view text) {
  try {
    return AboutReader(text).read();
  } catch (const Error&) {
    // Anyone may write metadata under this name: they are no reason to refuse the file's records.
    return {};
  }
}

}  // namespace safestructures::inline v0::recording
