/// \file
/// Every rule of the JSON format's reader, with the exact text of its error.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/json_cases.hpp"

namespace ss = safestructures;
using ss::test::check;
using ss::test::error_of;
using ss::test::json_tensor;
using ss::test::load_json;
using ss::test::read_error;

TEST_CASE("what is not JSON is refused with its place") {
  check({
      {"", "invalid_schema: at /: the text is not JSON: expected a value, found its end (byte 0)."},
      {"  ",
       "invalid_schema: at /: the text is not JSON: expected a value, found its end (byte 2)."},
      {"\xEF\xBB\xBF{}", "invalid_schema: at /: the text begins with a byte-order mark (byte 0)."},
      {"[\"\xC3\"]", "invalid_utf8: at /: the text is not UTF-8: found byte 0xC3 (byte 2)."},
      {"[1, 2",
       "invalid_schema: at /: the text is not JSON: expected ',' or ']', found its end (byte 5)."},
      {"[1 2]",
       "invalid_schema: at /: the text is not JSON: expected ',' or ']', found '2' (byte 3)."},
      {"[1, ]",
       "invalid_schema: at /: the text is not JSON: expected a value, found ']' (byte 4)."},
      {R"({"a": 1,})",
       "invalid_schema: at /: the text is not JSON: expected a name in quotes, found '}' (byte "
       "8)."},
      {R"({"a" 1})",
       "invalid_schema: at /: the text is not JSON: expected ':', found '1' (byte 5)."},
      {R"({a: 1})",
       "invalid_schema: at /: the text is not JSON: expected a name in quotes, found 'a' (byte "
       "1)."},
      {"[1}",
       "invalid_schema: at /: the text is not JSON: expected ',' or ']', found '}' (byte 2)."},
      {"[]]",
       "invalid_schema: at /: the text is not JSON: expected nothing after the value, found ']' "
       "(byte 2)."},
      {R"({"a": [01]})",
       "invalid_schema: at /a: the text is not JSON: expected ',' or ']', found '1' (byte 8)."},
      {R"({"a": [1.]})",
       "invalid_schema: at /a: the text is not JSON: expected a digit, found ']' (byte 9)."},
      {R"({"a": [-]})",
       "invalid_schema: at /a: the text is not JSON: expected a digit, found ']' (byte 8)."},
      {R"({"a": [1e]})",
       "invalid_schema: at /a: the text is not JSON: expected a digit, found ']' (byte 9)."},
      {R"({"a": [+1]})",
       "invalid_schema: at /a: the text is not JSON: expected a value, found '+' (byte 7)."},
      {R"({"a": [nul]})",
       "invalid_schema: at /a: the text is not JSON: expected a value, found ']' (byte 10)."},
      {R"({"a": [nan]})",
       "invalid_schema: at /a: the text is not JSON: expected a value, found 'a' (byte 8)."},
      {R"({"a": ["x\q"]})",
       "invalid_schema: at /a: the text is not JSON: expected an escape of JSON, found 'q' (byte "
       "10)."},
      {R"({"a": ["\u12g4"]})",
       "invalid_schema: at /a: the text is not JSON: expected a hexadecimal digit, found 'g' (byte "
       "12)."},
      {"[\"a\nb\"]",
       "invalid_schema: at /: the text is not JSON: expected an escape of a control character, "
       "found byte 0x0A (byte 3)."},
      {"[\"a",
       R"(invalid_schema: at /: the text is not JSON: expected '"', found its end (byte 3).)"},
      {std::string("[1,\0]", 5),
       "invalid_schema: at /: the text is not JSON: expected a value, found byte 0x00 (byte 3)."},
      {"// comment\n[]",
       "invalid_schema: at /: the text is not JSON: expected a value, found '/' (byte 0)."},
  });
}

TEST_CASE("impossible values are refused with their place") {
  check({
      {R"({"a": [1e999]})",
       "out_of_range: at /a/0: a number is too large for a float: expected at most 1.8e308, found "
       "1e999 (byte 7)."},
      {R"({"a": 1, "b": 2, "a": 3})",
       "duplicate_name: at /a: a dict contains a key twice: found a (byte 17)."},
      {R"({"x": {"\u0061": 1, "a": 3}})",
       "duplicate_name: at /x/a: a dict contains a key twice: found a (byte 20)."},
      {"[1" + std::string(4300, '0') + "]",
       "limit_exceeded: at /0: an int has too many digits: expected at most 4300 (Limits::digits), "
       "found 4301 (byte 1)."},
      {R"({"a": {"$float": 1, "b": 2}})",
       "unknown_field: at /a: a $float has a member that it must not have: found 'b' (byte 20)."},
      // A name from the file neither steers a terminal nor is cut inside a character.
      {R"({"a": {"$float": 1, "\u001b[2J\u202e": 2}})",
       "unknown_field: at /a: a $float has a member that it must not have: found '\\x1b[2J\\u202e' "
       "(byte 20)."},
      {R"({"a": {"$float": 1, ")" + std::string(99, 'x') + "\u00e9\": 2}}",
       "unknown_field: at /a: a $float has a member that it must not have: found '" +
           std::string(99, 'x') + "...' (byte 20)."},
      {R"([{"$float": "infinity"}])",
       R"(invalid_schema: at /0: a $float has the wrong form: expected a number that F64 can hold, "inf", "nan", found a string (byte 12).)"},
      {R"([{"$complex": [1]}])",
       R"(invalid_schema: at /0: a $complex has the wrong form: expected a number that F64 can hold, "inf", "nan", found the end of the array (byte 16).)"},
      {R"([{"$complex": [1, 2, 3]}])",
       "invalid_schema: at /0: a $complex has the wrong form: expected an array of two numbers, "
       "found a number (byte 21)."},
      {R"([{"$complex": 1}])",
       "invalid_schema: at /0: a $complex has the wrong form: expected an array of two numbers, "
       "found a number (byte 14)."},
      {R"([{"$bytes": "YWI"}])",
       "invalid_schema: at /0: a text is not base64: expected digits of base64, padded with '=', "
       "found its end (byte 16)."},
      {R"([{"$bytes": "YW=="}])",
       "invalid_schema: at /0: a text is not base64: expected digits of base64, padded with '=', "
       "found 'W' (byte 14)."},
      {R"([{"$bytes": "YW\n="}])",
       R"(invalid_schema: at /0: a text is not base64: expected digits of base64, padded with '=', found '\' (byte 15).)"},
      {R"([{"$bytes": 1}])",
       R"(invalid_schema: at /0: a $bytes has the wrong form: expected base64 in a string, or {"same": name}, found a number (byte 12).)"},
      {R"([{"$tuple": {}}])",
       "invalid_schema: at /0: a $tuple has the wrong form: expected an array, found an object "
       "(byte 12)."},
      {R"([{"$tuple": [], "x": 1}])",
       "unknown_field: at /0: a $tuple has a member that it must not have: found 'x' (byte 16)."},
      {R"([{"$tuple": [], "$type": 1}])",
       "invalid_schema: at /0: a $tuple has the wrong form: expected a string as its type or name, "
       "found a number (byte 25)."},
      {R"([{"$tuple": [], "$type": "a", "$type": "a"}])",
       "duplicate_name: at /0: an object contains a member twice: found '$type' (byte 30)."},
      {R"([{"$tuple": [], "$name": "a"}])",
       "unknown_field: at /0: a $tuple has a member that it must not have: found '$name' (byte "
       "16)."},
      {R"([{"$tuple": [], "$attributes": []}])",
       "invalid_schema: at /0: a $tuple has the wrong form: expected an object of attributes, "
       "found an array (byte 31)."},
      {R"([{"$tuple": [], "$attributes": {}, "$attributes": {}}])",
       "duplicate_name: at /0: an object contains a member twice: found '$attributes' (byte 35)."},
      {R"([{"$tuple": [], "$attributes": {"a": 1, "a": 2}}])",
       "duplicate_name: at /0: an object contains a member twice: found 'a' (byte 40)."},
      {R"([{"$tuple": [], "$attributes": {"value": 1}}])",
       "invalid_argument: at /0: an attribute cannot have a name that the schema reserves: found "
       "'value'."},
      {R"([{"$set": [1, 2, 1]}])",
       "duplicate_name: at /0/2: a set contains an item twice: found int 1 (byte 18). Use a list, "
       "which may repeat items; all NaN count as one item of a set."},
      {R"([{"$dict": {}}])",
       "invalid_schema: at /0: a $dict has the wrong form: expected an array of arrays [key, "
       "value] or [key, label, value], found an object (byte 11)."},
      {R"([{"$dict": [1]}])",
       "invalid_schema: at /0: a $dict has the wrong form: expected an array of arrays [key, "
       "value] or [key, label, value], found a number (byte 12)."},
      {R"([{"$dict": [[]]}])",
       "invalid_schema: at /0: a $dict has the wrong form: expected an array of arrays [key, "
       "value] or [key, label, value], found the end of the array (byte 13)."},
      {R"([{"$dict": [[1]]}])",
       "invalid_schema: at /0: a $dict has the wrong form: expected an array of arrays [key, "
       "value] or [key, label, value], found the end of the array (byte 14)."},
      {R"([{"$dict": [[1, 2, 3]]}])",
       "invalid_schema: at /0: a $dict has the wrong form: expected an array of arrays [key, "
       "value] or [key, label, value], found a number (byte 19)."},
      {R"([{"$dict": [[{"$tuple": []}, "l", 2, 3]]}])",
       "invalid_schema: at /0: a $dict has the wrong form: expected an array of arrays [key, "
       "value] or [key, label, value], found a number (byte 37)."},
      {R"([{"$dict": [[1, 2], [1, 3]]}])",
       "duplicate_name: at /0/1: a dict contains a key twice: found 1 (byte 20)."},
      {R"([{"$dict": [[[], 2]]}])",
       "invalid_argument: at /0/list: a value of this type cannot be a dict key: expected a type "
       "that Python can hash, not a list, dict, set or tensor, found list of 0 (byte 12)."},
      {R"([{"$struct": 1}])",
       "invalid_schema: at /0: a $struct has the wrong form: expected the name of a class, found a "
       "number (byte 13)."},
      {R"([{"$struct": "", "a": 1, "a": 2}])",
       "duplicate_name: at /0/a: a struct contains a field twice: found a (byte 25)."},
      {R"([{"$struct": "", "a": 1, "$fields": {"a": 2}}])",
       "duplicate_name: at /0/a: a struct contains a field twice: found a (byte 37)."},
      {R"([{"$struct": "", "$fields": 1}])",
       "invalid_schema: at /0: a $struct has the wrong form: expected an object of fields, found a "
       "number (byte 28)."},
      {R"([{"$struct": "", "$fields": {}, "$fields": {}}])",
       "duplicate_name: at /0: an object contains a member twice: found '$fields' (byte 32)."},
      {R"([{"$struct": "", "$type": "a"}])",
       "unknown_field: at /0: a $struct has a member that it must not have: found '$type' (byte "
       "17)."},
      {R"([{"$custom": 1}])",
       "invalid_schema: at /0: a $custom has the wrong form: expected the name of a type, found a "
       "number (byte 13)."},
      {R"([{"$custom": "a"}])", "invalid_schema: at /0: a $custom has no value (byte 16)."},
      {R"([{"$custom": "a", "value": 1, "value": 2}])",
       "duplicate_name: at /0: an object contains a member twice: found 'value' (byte 30)."},
      {R"([{"$custom": "a", "value": 1, "$type": "a"}])",
       "unknown_field: at /0: a $custom has a member that it must not have: found '$type' (byte "
       "30)."},
      {R"([{"$node": 1}])",
       "invalid_schema: at /0: a $node stands where it has no effect: expected a value that is not "
       "already a node by its place (byte 2)."},
      {R"([{"$plain": {"$plain": 1}}])",
       "invalid_schema: at /0: a $plain stands where it has no effect: expected a value that is "
       "not already plain by its place (byte 13)."},
      {R"([{"$plain": {"$node": 1}}])",
       "invalid_schema: at /0: a $node stands where it has no effect: expected a value that is not "
       "already plain by its place (byte 13)."},
      {R"([{"$plain": [{"$plain": 1}]}])",
       "invalid_schema: at /0/0: a $plain stands where it has no effect: expected a value that is "
       "not already plain by its place (byte 14)."},
      {R"([{"$plain": 1, "a": 2}])",
       "unknown_field: at /0: a $plain has a member that it must not have: found 'a' (byte 15)."},
  });
}

TEST_CASE("a malformed envelope is refused with its place") {
  check({
      {R"({"$safestructures": 1})",
       "invalid_schema: at /: a $safestructures has the wrong form: expected an object with "
       "metadata and tensors, found a number (byte 20)."},
      {R"({"$safestructures": {}})",
       "invalid_schema: at /: a $safestructures has the wrong form: expected 'root' after it, "
       "found the end of the object (byte 22)."},
      {R"({"$safestructures": {}, "a": 1})",
       "invalid_schema: at /: a $safestructures has the wrong form: expected 'root' after it, "
       "found 'a' (byte 24)."},
      {R"({"$safestructures": {}, "root": 1, "a": 1})",
       "invalid_schema: at /: a $safestructures has the wrong form: expected nothing after 'root', "
       "found 'a' (byte 35)."},
      {R"({"$safestructures": {"version": 2}, "root": 1})",
       "invalid_schema: at /: a $safestructures has the wrong form: expected metadata and tensors "
       "only, found 'version' (byte 21)."},
      {R"({"$safestructures": {"metadata": {}, "metadata": {}}, "root": 1})",
       "duplicate_name: at /: an object contains a member twice: found 'metadata' (byte 37)."},
      {R"({"$safestructures": {"metadata": []}, "root": 1})",
       "invalid_schema: at /: a $safestructures has the wrong form: expected an object of texts, "
       "found an array (byte 33)."},
      {R"({"$safestructures": {"metadata": {"a": 1}}, "root": 1})",
       "invalid_metadata: at /a: a text of the metadata is not a string: expected a string, found "
       "a "
       "number (byte 39)."},
      {R"({"$safestructures": {"metadata": {"a": "", "a": ""}}, "root": 1})",
       "duplicate_name: at /a: an object contains a member twice: found 'a' (byte 43)."},
      {R"({"$safestructures": {"tensors": 1}, "root": 1})",
       "invalid_schema: at /: a $safestructures has the wrong form: expected an object of tensors, "
       "found a number (byte 32)."},
      {R"({"$safestructures": {"tensors": {"a": 1}}, "root": 1})",
       "invalid_schema: at /a: a tensor outside the structure has the wrong form: expected an "
       "object that begins with $tensor, found a number (byte 38)."},
      {R"({"$safestructures": {"tensors": {"a": {"$bytes": ""}}}, "root": 1})",
       "invalid_schema: at /a: a tensor outside the structure has the wrong form: expected an "
       "object that begins with $tensor, found a name (byte 39)."},
      {R"({"$safestructures": {"tensors": {"a": {"$tensor": "U8", "data": 1, "$name": "b"}}}, "root": 1})",
       "unknown_field: at /a: a $tensor has a member that it must not have: found '$name' (byte "
       "67)."},
      {R"({"$safestructures": {"tensors": {"a": {"$tensor": "U8", "data": [256]}}}, "root": 1})",
       "out_of_range: at /a/data/0: an element of a tensor is out of range: expected an int from 0 "
       "to 255, found 256 (byte 65)."},
  });
}

TEST_CASE("limits hold before memory is taken") {
  CHECK(read_error("[[[]]]", {.depth = 1}) ==
        "limit_exceeded: at /0/0: a structure is nested too deeply: expected at most 1 levels "
        "(Limits::depth).");
  CHECK(read_error(R"({"$custom": "a", "value": 1})", {.depth = 0}) ==
        "limit_exceeded: at /: a structure is nested too deeply: expected at most 0 levels "
        "(Limits::depth).");
  CHECK(read_error("[1, 2]", {.nodes = 2}) ==
        "limit_exceeded: at /1: a structure has too many nodes: expected at most 2 (Limits::nodes) "
        "(byte 4).");
  CHECK(read_error(R"({"$dict": [[{"$tuple": []}, "value"]]})", {.nodes = 2}) ==
        "limit_exceeded: at /: a structure has too many nodes: expected at most 2 (Limits::nodes) "
        "(byte 35).");
  CHECK(read_error("[-12345678901234567890]", {.digits = 19}) ==
        "limit_exceeded: at /0: an int has too many digits: expected at most 19 (Limits::digits), "
        "found 20 (byte 1).");
  CHECK(read_error(json_tensor(R"(, "shape": [1, 1])"), {.rank = 1}) ==
        "limit_exceeded: at /a/0: a tensor has too many dimensions: expected at most 1 "
        "(Limits::rank) (byte 34).");
  CHECK(read_error(json_tensor(R"(, "data": [[1]])"), {.rank = 1}) ==
        "limit_exceeded: at /a/0: a tensor has too many dimensions: expected at most 1 "
        "(Limits::rank) (byte 34).");
  CHECK(read_error(R"([{"$bytes": ""}, {"$bytes": ""}])", {.tensors = 1}) ==
        "limit_exceeded: at /1: there are too many tensors: expected at most 1 "
        "(Limits::tensors) (byte 30).");
  CHECK(read_error(R"({"$tuple": [], "$attributes": {"a": 1}})", {.attributes = 0}) ==
        "limit_exceeded: at /: a node has too many extension fields: expected at most 0 "
        "(Limits::attributes) (byte 31).");
  const std::string deep = read_error(R"({"a": )" + std::string(100'000, '['));
  CHECK(deep.starts_with("limit_exceeded: at /a/0/0/0/0/"));
  CHECK(
      deep.ends_with("/0/0: a structure is nested too deeply: expected at most 500 levels "
                     "(Limits::depth)."));
  // Brackets without values: a tensor's lists and wrappers.
  CHECK(read_error(json_tensor(R"(, "data": )" + std::string(100'000, '['))) ==
        "limit_exceeded: at /a/0: a tensor has too many dimensions: expected at most 64 "
        "(Limits::rank) (byte 97).");
}

TEST_CASE("a tensor that is referred to again and again is refused") {
  // 2^20 bytes, of which 1 GiB may be referred to once more.
  std::string text =
      R"([{"$tensor": "U8", "shape": [1048576], "$name": "a", "data": {"base64": ")" +
      std::string(1'398'100, 'A') + "AA==\"}}";
  const std::string again = R"(, {"$tensor": {"same": "a"}})";
  for (int i = 0; i < 1025; ++i) text += again;
  CHECK(read_error(text + "]", {.repeats = 1}) ==
        "limit_exceeded: at /1025: a structure refers to the same tensors too often: expected at "
        "most 1073741824 bytes of repeated tensors (Limits::repeats) (byte 1426875).");
}

TEST_CASE("checksums that are not there are not passed over") {
  CHECK(error_of([] { return load_json("1", {.verify_checksums = true}); }) ==
        "checksum_mismatch: the file has no checksums. Save it as safestructures with "
        "SaveOptions::checksums, or load it without LoadOptions::verify_checksums.");
}
