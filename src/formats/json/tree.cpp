#include "formats/json/tree.hpp"

#include <limits>
#include <string>

namespace safestructures::inline v0::json {

Tree::Tree(std::string_view text, const CursorOptions& options) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max() - 1;
  if (text.size() > most)
    throw Error(ErrorCode::limit_exceeded, std::string(options.what) + " is too large",
                {.expected = "at most " + std::to_string(most) + " bytes"});
  Cursor cursor(text, options);
  // A node of a schema has five tokens in fifty bytes. Excess memory is never touched.
  slots_.reserve(text.size() / 10 + 16);
  std::vector<std::size_t> open;
  char* room = nullptr;
  while (cursor.next() != Token::end) {
    const std::string_view raw = cursor.raw();
    switch (cursor.token()) {
      case Token::object_end:
      case Token::array_end:
        slots_[open.back()].size = static_cast<std::uint32_t>(slots_.size() - open.back());
        open.pop_back();
        continue;
      case Token::object:
      case Token::array: open.push_back(slots_.size()); break;
      case Token::name:
      case Token::string:
        if (cursor.is_plain()) break;
        // All strings together are no longer than the text.
        if (room == nullptr) {
          unescaped_.reset(new char[text.size()]);
          room = unescaped_.get();
        }
        {
          char* const end = cursor.unescape_to(room);
          slots_.push_back({room, static_cast<std::uint32_t>(end - room), cursor.token(), false});
          room = end;
        }
        continue;
      default: break;
    }
    slots_.push_back({raw.data(), static_cast<std::uint32_t>(raw.size()), cursor.token(),
                      cursor.token() == Token::number && cursor.is_integer()});
  }
}

}  // namespace safestructures::inline v0::json
