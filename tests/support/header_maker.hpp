/// \file
/// A generator of almost valid headers: members and fields in any order and more than once, blanks
/// and faults anywhere, as a source of choices decides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safetensors/header.hpp>

#include "support/memory_source.hpp"
#include "support/spelling.hpp"

namespace safestructures::test {

struct MadeHeader {
  std::string text;
  std::uint64_t data_size = 0;
};

/// Makes headers. `choose(n)` gives a number below n; 0 is the usual choice, so a source of zeros
/// makes a valid header.
template <class Choose>
class HeaderMaker {
 public:
  explicit HeaderMaker(Choose choose) : choose_(std::move(choose)) {}

  MadeHeader make() {
    std::vector<std::string> members;
    MadeHeader made;
    for (std::size_t count = 1 + choose_(3); count > 0; --count) members.push_back(tensor(made));
    for (std::size_t count = choose_(3); count > 0; --count)
      insert(members, pick<10>({R"("__metadata__":{"k":"v"})", R"("__metadata__":{})",
                                R"("__metadata__":null)", R"("\u005f_metadata__":{"a":"\n"})",
                                R"("__metadata__":{"dtype":"U8","shape":"","data_offsets":""})",
                                R"("__metadata__":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})",
                                R"("__metadata__":{"k":"v","k":"w"})", R"("__metadata__":{"k":1})",
                                R"("__metadata__":[])", metadata()}));
    made.text = "{" + joined(members) + "}";
    for (std::size_t count = choose_(4); count > 1; --count) {
      const std::size_t place = choose_(made.text.size() + 1);
      made.text.insert(place, pick<12>({" ", "\n", "\t", "\r", "  ", ",", "\v", "\x7f", "\"",
                                        "\x1f", "}", "0"}));
    }
    if (choose_(16) == 15) ++made.data_size;
    return made;
  }

 private:
  template <std::size_t N>
  std::string pick(const std::array<std::string_view, N>& texts) {
    return std::string(texts[choose_(N)]);
  }
  static std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
    return text;
  }
  void insert(std::vector<std::string>& parts, std::string part) {
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(choose_(parts.size() + 1)),
                 std::move(part));
  }

  /// Returns metadata with escapes and characters of all lengths, some of them invalid.
  std::string metadata() {
    std::string text = R"("__metadata__":{"k":")";
    for (std::size_t count = choose_(40); count > 0; --count)
      text += pick<8>({"a longer piece", R"(\")", R"(\\)", R"(\u00e9)", R"(\ud83d\ude00)",
                       "\xC3\xA9", "\xF0\x9F\x98\x80", "\xE2\x82\xAC"});
    if (rare(2) == 1)
      text +=
          pick<8>({R"(\ud83d)", R"(\u12)", R"(\x)", "\n", "\xC3", "\xF0\x9F", "\x80", "\xC0\x80"});
    return text + R"(","l":"v"})";
  }

  std::string tensor(MadeHeader& made) {
    constexpr std::array<std::uint64_t, 3> sizes = {1, 0, 3};
    const std::uint64_t size = sizes[choose_(3)];
    const std::string begin = std::to_string(made.data_size);
    const std::string end = std::to_string(made.data_size += size);
    const std::string one = std::to_string(size);
    // Mostly the valid one, which is first: `rare` gives 0 fifteen times out of sixteen.
    const std::string shape = std::array{"[" + one + "]",
                                         "[1," + one + "]",
                                         std::string("[]"),
                                         std::string("[-1]"),
                                         std::string("[1.0]"),
                                         std::string("[01]"),
                                         std::string("[00000000000000000001]"),
                                         std::string("[18446744073709551615,0]"),
                                         std::string("[18446744073709551617]"),
                                         std::string("[9999999999999999999]"),
                                         std::string("[1,]"),
                                         std::string("null")}[rare(12)];
    const std::string offsets =
        std::array{"[" + begin + "," + end + "]",
                   "[" + end + "," + begin + "]",
                   "[" + begin + "," + end + ",0]",
                   "[" + begin + "]",
                   "[0" + begin + "," + end + "]",
                   "[" + begin + ",18446744073709551616]",
                   std::string("[18446744073709551616,18446744073709551617]"),
                   "\"" + begin + "\""}[rare(8)];
    std::vector<std::string> fields = {
        "\"dtype\":\"" +
            std::string(std::array{"U8", "I8", "u8", "F4", "F32", "\\u00558"}[rare(6)]) + "\"",
        "\"shape\":" + shape, "\"data_offsets\":" + offsets};
    for (std::size_t swaps = rare(4); swaps > 0; --swaps)
      std::swap(fields[choose_(3)], fields[choose_(3)]);
    if (const std::size_t more = rare(7); more > 0)
      insert(fields,
             std::array{R"("x":{"y":[1,-2.5e3,null]})", R"("dtype":"U8")", R"("sh\u0061pe":[1])",
                        R"("x":tru)", R"("x":"\ud800")", R"("":1e999)"}[more - 1]);
    if (rare(2) == 1) fields.pop_back();
    const std::string name =
        pick<8>({"a", "b", "c", "", "\\u0061", "__metadata_", "\xC3\xA9", "d"});
    return "\"" + name + "\":{" + joined(fields) + "}";
  }

  std::size_t rare(std::size_t count) { return choose_(16) == 15 ? choose_(count) : 0; }

  Choose choose_;
};

/// Returns what a header is read as, or the code and the problem of its error, which blanks must
/// not change.
inline std::string header_verdict(std::string_view json, std::uint64_t data_size) {
  try {
    static_cast<void>(safetensors::Header::parse(std::as_bytes(std::span(json)), data_size));
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.problem();
  }
  return read_header(json, data_size, 0);
}

/// Returns whether a header reads the same in all ways: directly, by the general reader, in pieces,
/// and with blanks around it.
inline bool reads_in_one_way(const MadeHeader& made) {
  const std::string verdict = header_verdict(made.text, made.data_size);
  const std::string read = read_header(made.text, made.data_size, 0);
  // The first window just holds the beginning of the metadata.
  const MemorySource file("", file_with(made.text));
  for (const std::size_t window : {17U, 23U, 64U})
    if (read_header_in_pieces(file, made.data_size, window) != read) return false;
  if (verdict != header_verdict(" \n\t\r" + made.text, made.data_size) ||
      verdict != header_verdict(made.text + "\r\t\n ", made.data_size))
    return false;
  return !made.text.starts_with('{') ||
         read == read_header(with_blank(made.text), made.data_size, 1);
}

}  // namespace safestructures::test
