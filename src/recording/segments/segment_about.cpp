#include "recording/segments/segment_about.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

#include <safestructures/data/error.hpp>
#include "formats/json/cursor.hpp"

namespace safestructures::inline v0::recording {
namespace {

using tree::Token;

/// The names of the counts of calls that were not kept as the rules say.
constexpr std::array<std::string_view, 5> losses = {"filtered", "dropped", "thinned", "limited",
                                                    "failed"};

class AboutReader {
 public:
  explicit AboutReader(std::string_view text) : text_(text), cursor_(text) {}

  [[nodiscard]] SegmentAbout read() {
    SegmentAbout about;
    cursor_.next();
    each_member([&](std::string_view name) {
      if (name == "version") about.version = integer();
      if (name == "segment") about.segment = integer();
      if (name == "closed") about.closed = cursor_.token() == Token::boolean && cursor_.boolean();
      if (name == "run" && cursor_.token() == Token::string) about.run = cursor_.string();
      if (name == "counts") read_counts(about);
      if (name == "left_out") {
        about.left_out = each_member([](std::string_view) {});
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
  /// standing on the member's value.
  /// \returns the text of the object; empty if it has no members, or is no object
  template <class Take>
  std::string_view each_member(const Take& take) {
    if (cursor_.token() != Token::object) return {};
    const auto begin = static_cast<std::size_t>(cursor_.offset());
    bool is_empty = true;
    while (cursor_.next() == Token::name) {
      is_empty = false;
      const std::string name(cursor_.string());
      cursor_.next();
      take(name);
      cursor_.skip();
    }
    const auto size = static_cast<std::size_t>(cursor_.offset()) + 1 - begin;
    return is_empty ? std::string_view() : text_.substr(begin, size);
  }

  void read_counts(SegmentAbout& about) {
    if (cursor_.token() != Token::object) return;
    about.kept = 0;
    bool is_any_lost = false;
    const std::string_view counts = each_member([&](std::string_view name) {
      const std::uint64_t count = integer().value_or(0);
      if (name == "kept") about.kept = count;
      if (count != 0 && std::ranges::find(losses, name) != losses.end()) is_any_lost = true;
    });
    // If a list of many names does not fit into a segment, only their sums are there.
    if (is_any_lost && !has_names_) about.left_out = counts;
  }

  std::string_view text_;
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
