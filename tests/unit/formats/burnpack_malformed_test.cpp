/// \file
/// Every rule of burnpack's reader, with the exact text of its error.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/burnpack_cases.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using nlohmann::json;
using ss::test::burn_tensor;
using ss::test::burnpack_error;
using ss::test::BurnpackFile;
using ss::test::bytes_of;
using ss::test::error_of;
using ss::test::little_endian;
using ss::test::small_burnpack;

namespace {

/// The error of a small file whose description was changed.
std::string error_with(const std::function<void(json& description, json& a)>& change) {
  BurnpackFile file = small_burnpack();
  change(file.description, file.description["tensors"]["a"]);
  return burnpack_error(file.text());
}

/// The same for a tensor in place of `a`.
std::string error_of_tensor(const json& tensor) {
  return error_with([&](json&, json& a) { a = tensor; });
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

const std::string wrong_form =
    "invalid_header: at a: the description has the wrong form: expected ";
const std::string incomplete = ". The file is not complete: copy or download it again.";

}  // namespace

TEST_CASE("a malformed header is refused with its exact error") {
  const std::string good = small_burnpack().text();
  REQUIRE(burnpack_error(good) == "no error");
  CHECK(burnpack_error(good.substr(0, 9)) ==
        "truncated: the file ends inside the header of burnpack: expected 10 bytes, found 9" +
            incomplete);
  CHECK(burnpack_error(replaced(good, little_endian(1, 2), little_endian(2, 2))) ==
        "unsupported_version: the file has an unknown version of burnpack: expected 1, found 2 "
        "(byte 4). Read it with a newer safestructures, or save it with an older Burn.");
  CHECK(burnpack_error("BURN", {.format = ss::formats::burnpack()}) ==
        "truncated: the file ends inside the header of burnpack: expected 10 bytes, found 4" +
            incomplete);
  CHECK(burnpack_error("BURN......", {.format = ss::formats::burnpack()}) ==
        "invalid_header: the file is not a burnpack file: expected NRUB as the first bytes (byte "
        "0).");
  const std::string huge = "NRUB" + little_endian(1, 2) + little_endian(0xFFFFFFFF, 4);
  CHECK(burnpack_error(huge) ==
        "limit_exceeded: the header is too large: expected at most 100000000 bytes "
        "(Limits::header_bytes), found 4294967295 (byte 6).");
  CHECK(burnpack_error("NRUB" + little_endian(1, 2) + little_endian(99'999'999, 4) + "x") ==
        "truncated: the file ends inside its description: expected 100000009 bytes, found 11" +
            incomplete);
}

TEST_CASE("a description that is not CBOR as burnpack has it is refused with its place") {
  const BurnpackFile file = small_burnpack();
  const std::string cbor = file.cbor();
  const auto error = [&](std::string_view text) { return burnpack_error(file.text_of_cbor(text)); };
  const std::string problem = "invalid_header: the description is not the CBOR of burnpack (byte ";
  CHECK(error("") == problem + "10).");
  CHECK(error(cbor.substr(0, 12)) == problem + "22).");
  CHECK(error(cbor + "x") == problem + std::to_string(10 + cbor.size()) + ").");
  CHECK(error("\xFF") == problem + "10).");
  CHECK(error("\xC1\xA0") == problem + "10).");      // A tag.
  CHECK(error("\xA1\x01\x02") == problem + "11).");  // A key that is no text.
  CHECK(error("\x01") ==
        "invalid_header: the description has the wrong form: expected a map, found an integer.");
  CHECK(error("\x80") ==
        "invalid_header: the description has the wrong form: expected a map, found a list.");
  CHECK(error("\xA0") ==
        "invalid_header: the description has the wrong form: expected a map with 'tensors', found "
        "none.");
  CHECK(error("\x41x") ==
        "invalid_header: the description has the wrong form: expected no byte string, found one.");
  // The parser calls itself for each level.
  CHECK(error("\xA1\x61y" + std::string(1'000'000, '\x81')) ==
        "limit_exceeded: the description is nested too deeply: expected at most 32 levels.");
  const std::string tensor = "\xA1\x67tensors\xA1\x61";
  const std::string many_texts(1'000'000, '\x7F');
  const std::string many_bytes(1'000'000, '\x5F');
  CHECK(error("\xA1" + many_texts) == problem + "12).");
  CHECK(error(tensor + "a\xA1\x65" + "dtype" + many_texts) == problem + "30).");
  CHECK(error(tensor + "a\xA1\x61x" + many_bytes) == problem + "26).");
  CHECK(error("\xA1\x7F\x60\x78\x01x\x7F\xFF\xFF") == problem + "16).");
}

TEST_CASE("a text of a description may be in pieces") {
  const BurnpackFile file = small_burnpack();
  const auto error = [&](std::string_view from, const std::string& to) {
    return burnpack_error(file.text_of_cbor(replaced(file.cbor(), from, to)));
  };
  CHECK(error("\x67tensors", "\x7F\x63ten\x60\x78\x04sors\xFF") == "no error");
  CHECK(error("\x62U8", "\x7F\x61U\x61\x38\xFF") == "no error");
}

TEST_CASE("a wrong form is refused with the name of its tensor") {
  CHECK(
      error_with([](json& d, json&) { d["tensors"] = 1; }) ==
      "invalid_header: the description has the wrong form: expected a map for its contents, found "
      "an integer.");
  CHECK(error_with([](json& d, json&) { d["tensors"] = json::array(); }) ==
        "invalid_header: the description has the wrong form: expected a map of tensors, found a "
        "list.");
  CHECK(error_with([](json& d, json&) { d["metadata"] = json::array(); }) ==
        "invalid_header: the description has the wrong form: expected a map of texts as metadata, "
        "found a list.");
  CHECK(error_with([](json& d, json&) { d["metadata"]["a"] = 1; }) ==
        wrong_form + "a text in the metadata, found an integer.");
  CHECK(error_with([](json& d, json&) { d["metadata"]["a"] = json::object(); }) ==
        wrong_form + "no map or list here, found a map.");
  CHECK(error_with([](json& d, json&) { d["scalars"] = json::array(); }) ==
        "invalid_header: the description has the wrong form: expected a map of scalars, found a "
        "list.");
  CHECK(error_of_tensor(nullptr) == wrong_form + "a map for each tensor, found null.");
  CHECK(error_of_tensor(json::array()) == wrong_form + "a map for each tensor, found a list.");
  for (const char* key : {"dtype", "shape", "data_offsets"})
    CHECK(error_with([&](json&, json& a) { a.erase(key); }) ==
          "missing_field: at a: the description of a tensor is incomplete: expected " +
              std::string(key) + ".");
  CHECK(error_with([](json&, json& a) { a["dtype"] = true; }) ==
        wrong_form + "a text or a map as the dtype, found a bool.");
  CHECK(error_with([](json&, json& a) { a["dtype"] = json::array(); }) ==
        wrong_form + "a text or a map as the dtype, found a list.");
  CHECK(error_with([](json&, json& a) { a["dtype"] = json::object(); }) ==
        wrong_form + "a map of one key, found an empty one.");
  CHECK(error_with([](json&, json& a) { a["dtype"] = {{"Bool", "Native"}, {"QFloat", 1}}; }) ==
        wrong_form + "a map of one key, found also \"QFloat\".");
  CHECK(error_with([](json&, json& a) { a["dtype"] = {{"Bool", json::object()}}; }) ==
        wrong_form + "a text as the store of \"Bool\", found a map.");
  CHECK(error_with([](json&, json& a) { a["shape"] = 4; }) ==
        wrong_form + "a list of sizes as the shape, found an integer.");
  CHECK(error_with([](json&, json& a) { a["shape"] = json::object(); }) ==
        wrong_form + "a list of sizes as the shape, found a map.");
  CHECK(error_with([](json&, json& a) { a["shape"] = json::array({-4}); }) ==
        wrong_form + "unsigned integers as the shape, found an integer.");
  CHECK(error_with([](json&, json& a) { a["shape"] = json::array({json::array()}); }) ==
        wrong_form + "no map or list here, found a list.");
  CHECK(error_with([](json&, json& a) { a["data_offsets"] = "x"; }) ==
        wrong_form + "a list of two data_offsets, found a text.");
  CHECK(error_with([](json&, json& a) { a["data_offsets"] = json::array({0.5, 1}); }) ==
        wrong_form + "unsigned integers as data_offsets, found a float.");
  CHECK(error_with([](json&, json& a) { a["data_offsets"] = json::array({0}); }) ==
        wrong_form + "two data_offsets, found 1.");
  CHECK(error_with([](json&, json& a) { a["data_offsets"] = json::array({0, 4, 4}); }) ==
        wrong_form + "two data_offsets, found more.");
  CHECK(error_with([](json&, json& a) { a["param_id"] = "x"; }) ==
        wrong_form + "an unsigned integer as the param_id, found a text.");
  CHECK(error_with([](json&, json& a) { a["param_id"] = json::array(); }) ==
        wrong_form + "an unsigned integer as the param_id, found a list.");
  // -2^63 - 1, which the parser would give as 2^63 - 1.
  CHECK(burnpack_error(small_burnpack().text_of_cbor(replaced(
            small_burnpack().cbor(), "\x81\x04", "\x81\x3B\x80" + std::string(7, '\0')))) ==
        wrong_form + "integers of 64 bits, found a smaller integer.");
}

TEST_CASE("dtypes that Burn does not have are refused") {
  for (const char* name : {"F8_E4M3", "C64", "BOOL", "f32", ""})
    CHECK(error_with([&](json&, json& a) { a["dtype"] = name; }) ==
          "unknown_dtype: at a: a tensor has a dtype that is not known: found \"" +
              std::string(name) + "\".");
  CHECK(error_with([](json&, json& a) { a["dtype"] = {{"Bool", "U16"}}; }) ==
        "unknown_dtype: at a: a tensor has a dtype that is not known: found \"Bool\" of \"U16\".");
  CHECK(
      error_with([](json&, json& a) { a["dtype"] = {{"Int", 1}}; }) ==
      "unknown_dtype: at a: a tensor has a dtype that is not known: found \"Int\" of an integer.");
}

TEST_CASE("malformed scalars are refused") {
  const auto error = [](const json& scalar) {
    return error_with([&](json& d, json&) { d["scalars"]["s"] = scalar; });
  };
  const std::string wrong = "invalid_header: at s: the description has the wrong form: expected ";
  CHECK(error(1) == wrong + "a map for each scalar, found an integer.");
  CHECK(error(json::array()) == wrong + "a map for each scalar, found a list.");
  CHECK(error(json::object()) == wrong + "a map of one key, found an empty one.");
  CHECK(error({{"Int", 1}, {"UInt", 1}}) == wrong + "a map of one key, found also \"UInt\".");
  CHECK(error({{"Int", json::array()}}) == wrong + "no map or list here, found a list.");
  const std::string kinds = wrong + "a scalar as Bool, Float, Int or UInt, found ";
  CHECK(error({{"UInt", -1}}) == kinds + "\"UInt\" of an integer.");
  CHECK(error({{"Int", 1.5}}) == kinds + "\"Int\" of a float.");
  CHECK(error({{"Int", 9223372036854775808U}}) == kinds + "\"Int\" of an integer.");
  CHECK(error({{"Float", 1}}) == kinds + "\"Float\" of an integer.");
  CHECK(error({{"Bool", nullptr}}) == kinds + "\"Bool\" of null.");
  CHECK(error({{"Text", "x"}}) == kinds + "\"Text\" of a text.");
}

TEST_CASE("duplicates are refused") {
  BurnpackFile file = small_burnpack();
  const auto error = [&](std::string_view from, std::string_view to) {
    return burnpack_error(file.text_of_cbor(replaced(file.cbor(), from, to)));
  };
  file.description["tensors"]["b"] = burn_tensor("U8", {0}, 256, 256);
  CHECK(error("\x61\x62", "\x61\x61") ==
        "duplicate_name: at a: two tensors or scalars have the same name.");
  file.description["tensors"].erase("b");
  file.description["scalars"]["a"] = {{"UInt", 1}};
  CHECK(burnpack_error(file.text()) ==
        "duplicate_name: at a: two tensors or scalars have the same name.");
  file.description.erase("scalars");
  file.description["metadata"] = {{"x", "1"}, {"y", "2"}};
  CHECK(error("ay", "ax") == "duplicate_name: at x: a key of the metadata occurs twice.");
  file.description["metadata"] = json::object();
  CHECK(error("hmetadata", "gtensors") ==
        "duplicate_name: a map contains a key twice: found \"tensors\".");
  file = small_burnpack();
  file.description["tensors"]["a"]["zzzzz"] = 1;
  CHECK(error("ezzzzz", "eshape") ==
        "duplicate_name: at a: a map contains a key twice: found \"shape\".");
  // Keys that are ignored are not remembered: to compare 80,000 with each other took ten seconds.
  file.description["tensors"]["a"]["yyyyy"] = 1;
  CHECK(error("ezzzzz", "eyyyyy") == "no error");
  file.description["tensors"]["a"] = burn_tensor({{"QFloat", {{"k", 1}, {"l", 2}}}}, {4}, 0, 4);
  CHECK(error("al", "ak") == "duplicate_name: at a: a map contains a key twice: found \"k\".");
}

TEST_CASE("texts must be UTF-8, and are escaped in errors") {
  BurnpackFile file = small_burnpack();
  const auto error = [&](std::string_view from, std::string_view to) {
    return burnpack_error(file.text_of_cbor(replaced(file.cbor(), from, to)));
  };
  CHECK(error("\x61\x61", "\x61\xFF").starts_with("invalid_utf8: "));
  file.description["metadata"] = {{"x", "yz"}};
  CHECK(error("\x61\x78", "\x61\xFF").starts_with("invalid_utf8: "));
  CHECK(error("byz", "by\xFF").starts_with("invalid_utf8: at x: a text is not UTF-8: found "));
  file.description["tensors"]["\x1B[2J"] = nullptr;
  CHECK(burnpack_error(file.text()).find('\x1B') == std::string::npos);
}

TEST_CASE("the bytes of a tensor fit its dtype and shape") {
  CHECK(error_of_tensor(burn_tensor("U8", {3}, 0, 4)) ==
        "invalid_offsets: at a: the bytes of a tensor do not fit its dtype and shape: expected 3 "
        "bytes, found [0, 4].");
  CHECK(error_of_tensor(burn_tensor("F32", {2}, 0, 4)) ==
        "invalid_offsets: at a: the bytes of a tensor do not fit its dtype and shape: expected 8 "
        "bytes, found [0, 4].");
  CHECK(error_of_tensor(burn_tensor({{"Bool", "U32"}}, {4}, 0, 4)) ==
        "invalid_offsets: at a: the bytes of a tensor do not fit its dtype and shape: expected 16 "
        "bytes, found [0, 4].");
  CHECK(error_of_tensor(burn_tensor("U8", {4}, 4, 0)) ==
        "invalid_offsets: at a: a tensor ends before it begins: found [4, 0].");
  CHECK(error_of_tensor(burn_tensor("F64", {1U << 31U, 1U << 31U, 2}, 0, 4))
            .starts_with("invalid_shape: at a: "));
  CHECK(error_of_tensor(burn_tensor({{"QFloat", 1}}, {1ULL << 62U, 4}, 0, 4))
            .starts_with("invalid_shape: at a: "));
}

TEST_CASE("tensors lie one behind the other, and the file ends with the last") {
  const auto error = [](bool is_aligned, std::uint64_t begin, std::uint64_t end,
                        std::size_t data_size) {
    BurnpackFile file = small_burnpack();
    file.is_aligned = is_aligned;
    file.description["tensors"]["b"] = burn_tensor("U8", {end - begin}, begin, end);
    file.data.resize(data_size);
    return burnpack_error(file.text());
  };
  CHECK(error(true, 256, 260, 260) == "no error");
  CHECK(error(false, 4, 8, 8) == "no error");
  CHECK(error(true, 512, 516, 516) ==
        "invalid_offsets: at b: there is a gap before the tensor: expected a tensor that "
        "begins at 256, found [512, 516].");
  CHECK(error(false, 6, 8, 8) ==
        "invalid_offsets: at b: there is a gap before the tensor: expected a tensor that "
        "begins at 4, found [6, 8].");
  CHECK(error(false, 2, 6, 6) ==
        "invalid_offsets: at b: the tensor overlaps the one before it: expected a tensor that "
        "begins at 4, found [2, 6].");
  CHECK(error(true, 0, 4, 4) ==
        "invalid_offsets: at b: the tensor overlaps the one before it: expected a tensor that "
        "begins at 256, found [0, 4].");
  CHECK(error(true, 256, 260, 261) ==
        "invalid_offsets: there are bytes after the last tensor: expected 516 bytes, found 517 "
        "(byte 516).");
  CHECK(error(true, 256, 260, 259) ==
        "truncated: the file ends before its tensors do: expected 516 bytes, found 515" +
            incomplete);
  // Where it would end is more than 64 bits.
  CHECK(error(true, UINT64_MAX - 255, UINT64_MAX - 251, 260) ==
        "truncated: the file ends before its tensors do: expected 18446744073709551615 bytes, "
        "found 516" +
            incomplete);
  CHECK(error(true, std::uint64_t{1} << 62U, (std::uint64_t{1} << 62U) + 4, 260) ==
        "truncated: the file ends before its tensors do: expected 4611686018427388164 bytes, found "
        "516" +
            incomplete);
}

TEST_CASE("a burnpack file cut at any byte is refused, and one with a flipped bit loads or is") {
  BurnpackFile file = small_burnpack();
  file.description["tensors"]["q"] = burn_tensor({{"QFloat", {{"value", "Q8S"}}}}, {2}, 256, 260);
  file.description["tensors"]["x.1"] = burn_tensor("F32", {1, 1}, 512, 516);
  file.description["scalars"]["s"] = {{"Float", 0.5}};
  file.description["metadata"]["k"] = "v";
  file.data.resize(512);
  file.data += "1234";
  for (const bool is_aligned : {true, false}) {
    if (!is_aligned) {
      file.is_aligned = false;
      file.data = "12341234" + std::string("1234");
      file.description["tensors"]["q"]["data_offsets"] = {4, 8};
      file.description["tensors"]["x.1"]["data_offsets"] = {8, 12};
    }
    const std::string good = file.text();
    REQUIRE(burnpack_error(good) == "no error");
    for (std::size_t size = 0; size < good.size(); ++size) {
      CAPTURE(size);
      CHECK(burnpack_error(good.substr(0, size), {.format = ss::formats::burnpack()}) !=
            "no error");
    }
    for (std::size_t bit = 0; bit < 8 * (10 + file.cbor().size()); ++bit) {
      CAPTURE(bit);
      std::string bad = good;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
      CHECK_NOTHROW(burnpack_error(bad));
    }
  }
}

TEST_CASE("burnpack's limits hold before memory is taken") {
  BurnpackFile file = small_burnpack();
  file.description["tensors"]["b"] = burn_tensor("U8", {0, 1, 1}, 256, 256);
  file.description["scalars"]["c.d"] = {{"UInt", 1}};
  const auto error = [&](const ss::Limits& limits) {
    return burnpack_error(file.text(), {.limits = limits});
  };
  CHECK(error({}) == "no error");
  CHECK(
      error({.header_bytes = 10}) ==
      "limit_exceeded: the header is too large: expected at most 10 bytes (Limits::header_bytes), "
      "found " +
          std::to_string(file.cbor().size()) + " (byte 6).");
  CHECK(
      error({.rank = 2}) ==
      "limit_exceeded: at b: a tensor has too many dimensions: expected at most 2 (Limits::rank).");
  CHECK(error({.tensors = 1}) ==
        "limit_exceeded: there are too many tensors: expected at most 1 (Limits::tensors).");
  CHECK(error({.nodes = 4}) ==
        "limit_exceeded: a structure has too many nodes: expected at most 4 (Limits::nodes).");
  CHECK(error({.nodes = 0}) ==
        "limit_exceeded: a structure has too many nodes: expected at most 0 (Limits::nodes).");
  BurnpackFile quantized = small_burnpack();
  quantized.description["tensors"]["a"]["dtype"] = {{"QFloat", {{"k", json::array()}}}};
  for (const std::uint64_t nodes : {0U, 1U})
    CHECK(burnpack_error(quantized.text(), {.limits = {.nodes = nodes}}) ==
          "limit_exceeded: a structure has too many nodes: expected at most " +
              std::to_string(nodes) + " (Limits::nodes).");
  CHECK(error({.depth = 1}).starts_with("limit_exceeded: at c.d: a tensor's name has too many "));
  // An announced length costs nothing: a text, a list and a map of 2^32 items.
  for (const std::string head :
       {"\x7A\xFF\xFF\xFF\xFF", "\x9A\xFF\xFF\xFF\xFF", "\xBA\xFF\xFF\xFF\xFF"})
    CHECK(burnpack_error(file.text_of_cbor("\xA1\x61x" + head)).starts_with("invalid_header: "));
}

TEST_CASE("a bool of four bytes is 0 or 1") {
  BurnpackFile file;
  file.description["tensors"]["a"] = burn_tensor({{"Bool", "U32"}}, {2}, 0, 8);
  for (const std::uint64_t word : {2U, 0x100U, 0x1000001U}) {
    file.data = little_endian(1, 4) + little_endian(word, 4);
    const std::vector<std::byte> bytes = bytes_of(file.text());
    const ss::Value value = ss::load(bytes);
    CHECK(error_of([&] { return value["a"].tensor().to_vector<std::uint8_t>(); }) ==
          "out_of_range: at a: a bool is neither true nor false: expected four bytes that are 0 or "
          "1 (byte 260).");
  }
}

TEST_CASE("checksums that burnpack does not have are not passed over") {
  CHECK(burnpack_error(small_burnpack().text(), {.verify_checksums = true}) ==
        "checksum_mismatch: the file has no checksums. Save it as safestructures with "
        "SaveOptions::checksums, or load it without LoadOptions::verify_checksums.");
}
