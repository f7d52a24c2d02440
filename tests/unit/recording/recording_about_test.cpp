/// \file
/// The text that a sealed segment states about itself, by whatever writer.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "recording/segments/segment_about.hpp"

namespace ss = safestructures;

namespace {

/// What a segment states if records of that many names failed.
std::string lost_by(int names) {
  std::string text = R"({"left_out": {)";
  for (int i = 1; i <= names; ++i)
    text += (i == 1 ? "\"n" : ", \"n") + std::to_string(i) + R"(": {"failed": 1})";
  return text + "}}";
}

}  // namespace

TEST_CASE("what a segment states is read from its own fields, however the JSON is spelled") {
  struct Case {
    std::string text;
    std::string fields;  // version, segment, run, kept, closed, what was left out.
  };
  const std::vector<Case> cases = {
      {R"({"version": 2, "segment": 3, "closed": true, "run": "0a", "counts": {"calls": 4, "kept": )"
       R"(3, "failed": 1}, "left_out": {"x": {"calls": 2, "failed": 1}}})",
       "2 3 0a 3 closed x: 1 failed of 2 calls"},
      {"{\"left_out\":{\"x\":{\"failed\":1}},\"run\":\"0\\u0061\",\"counts\":{\"failed\":1,"
       "\"kept\":3},\n\t\"closed\":true,\"segment\":3,\"version\":2}",
       "2 3 0a 3 closed x: 1 failed"},
      {R"({"version": 2, "segment": 1, "closed": false, "recovered": true})", "2 1 - - open "},
      // Names too many for a segment: their sums.
      {R"({"counts": {"calls": 9, "kept": 5, "thinned": 4}})", "- - - 5 open 4 thinned of 9 calls"},
      {R"({"counts": {"calls": 9, "kept": 9, "thinned": 0}})", "- - - 9 open "},
      {R"({"counts": {"calls": 9, "failed": 9}, "left_out": { } })", "- - - 0 open "},
      {R"({"counts": {}})", "- - - 0 open "},
      // Texts and fields of others that look like those.
      {R"({"of": {"version": 3, "segment": 4, "closed": true, "run": "b", "counts": {"kept": 1}}})",
       "- - - - open "},
      {R"({"left_out": {"\"closed\": true, \"segment\": 7": {"failed": 1}}, "note": "\"run\": \"b\""})",
       R"(- - - - open \"closed\": true, \"segment\": 7: 1 failed)"},
      {R"({"version": "2", "segment": 1.0, "closed": "true", "run": 5, "counts": [], "left_out": 1})",
       "- - - - open "},
      {R"({"version": -1, "segment": 18446744073709551616, "counts": {"kept": 1e3}})",
       "- - - 0 open "},
      {R"({"segment": 18446744073709551615})", "- 18446744073709551615 - - open "},
      {R"({"left_out": {"a": {"calls": 1, "filtered": 1}, "b": {"calls": 9, "thinned": 2, "dropped": )"
       R"(3}, "c": {"calls": 4, "kept": 4}, "d\u001b": {"failed": 1}, "e": 1, "f": {"failed": -1}}})",
       R"(- - - - open a: 1 filtered of 1 call; b: 2 thinned, 3 dropped of 9 calls; d\x1b: 1 failed)"},
      {lost_by(12),
       "- - - - open n1: 1 failed; n2: 1 failed; n3: 1 failed; n4: 1 failed; n5: 1 failed; "
       "n6: 1 failed; n7: 1 failed; n8: 1 failed; n9: 1 failed; n10: 1 failed; and 2 more names"},
      {"", "- - - - open "},
      {"none", "- - - - open "},
      {R"(["version", 2])", "- - - - open "},
      {R"({"version": 2, "segment": 3, "closed": true)", "- - - - open "},
      {R"({"version": 2, "segment": 3, "closed": true} 1)", "- - - - open "},
      {"{\"version\": 2, \"of\": " + std::string(5000, '['), "- - - - open "},
  };
  const auto shown = [](const std::optional<std::uint64_t>& number) {
    return number ? std::to_string(*number) : "-";
  };
  for (const Case& one : cases) {
    CAPTURE(one.text.substr(0, 80));
    const ss::recording::SegmentAbout about = ss::recording::read_about(one.text);
    CHECK(shown(about.version) + " " + shown(about.segment) + " " +
              (about.run.empty() ? "-" : about.run) + " " + shown(about.kept) + " " +
              (about.closed ? "closed" : "open") + " " + about.left_out ==
          one.fields);
  }
}
