/// \file
/// Every rule of the reader of PyTorch's files, with the exact text of its error.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/binary_files.hpp"
#include "support/pytorch_cases.hpp"

namespace ss = safestructures;
using ss::test::little;
using ss::test::pickle_error;
using ss::test::pytorch_error;
using ss::test::PytorchFile;
using ss::test::text_of_file;
using ss::test::unpickled;
using namespace ss::test::pickled;
using namespace std::string_literals;

namespace {

const auto golden = std::filesystem::path(SAFESTRUCTURES_TEST_DATA) / "golden" / "pytorch";

struct Case {
  std::string value;
  std::string error;
};

void check(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    CAPTURE(one.value);
    CHECK(pickle_error(one.value) == one.error);
  }
}

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

const std::string schema = "invalid_schema: the pickle ";
const std::string form =
    "invalid_schema: at /: a part of the pickle has an unknown form: expected ";
const std::string resave = ". Load it with torch.load and save its state_dict().";
const std::string incomplete = ". The file is not complete: copy or download it again.";
const std::string outside =
    "invalid_offsets: at /: a tensor lies outside its storage: expected within 4 elements, found ";

std::string rebuild(const std::string& arguments) {
  return call(global("torch._utils", "_rebuild_tensor_v2"), arguments);
}

/// The head of a file of before 1.6, up to the structure.
const std::string old_mark = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
const std::string old_head =
    old_mark + program(number(1001)) + program("}(" + text("little_endian") + "\x88u");
std::string keys(const std::string& key) { return program("]" + text(key) + "a"); }

}  // namespace

TEST_CASE("a pickle that is none is refused with the place of the instruction") {
  REQUIRE(pickle_error("N") == "no error");
  const std::string missing = schema + "takes a value that is not there (byte ";
  const std::string adds = schema + "adds items to what has none (byte ";
  check({
      {"0", missing + "68)."},
      {"a", missing + "68)."},
      {"]a", missing + "69)."},
      {"N\x86", missing + "69)."},
      {"N(0", "no error"},  // A mark counts as a value there.
      {"t", schema + "takes values up to a mark that is not there (byte 68)."},
      {"(N", schema + "ends before what it began (byte 70)."},
      {"NN", schema + "ends with values that belong to nothing: found 1 value (byte 70)."},
      {"i", schema + "has an instruction that PyTorch does not write: expected one of protocols 2 "
                     "to 5, found 0x69 (byte 68). Load it with torch.load and save it again."},
      {"\x80\x06N",
       "unsupported_version: the pickle has an unknown protocol: expected 2 to 5, found "
       "6 (byte 68)."},
      {"X" + little(99, 4),
       "truncated: the pickle ends inside an instruction: expected 99 bytes, "
       "found 1 (byte 68)" +
           incomplete},
      {"X" + little(1, 4) + "\xff",
       "invalid_utf8: a text of the pickle is not UTF-8: found byte 0 of it (byte 68)."},
      {"c\xff\nx\n", "invalid_utf8: a text of the pickle is not UTF-8 (byte 68)."},
      {"c" + std::string(2000, 'a'), schema + "has a name that is too long (byte 68)."},
      {"h\x05", schema + "refers to a value that it did not keep (byte 68)."},
      {"Nr" + little(4'000'000'000, 4),
       schema + "keeps a value at a place that is too far (byte 69)."},
      {"]N]s", adds + "71)."},
      {"NNa", adds + "70)."},
      {"}(Nu", schema + "adds a key without a value (byte 71)."},
      {"NNb", schema + "sets the state of what has none (byte 70)."},
      {"NNR", schema + "calls what is neither a class nor a function (byte 70)."},
      {global("a", "b") + "NR",
       "invalid_schema: the arguments of a call in the pickle are not a "
       "tuple (byte 74)."},
      {global("a", "b") + ")RNbNb", schema + "sets the state of an object twice (byte 78)."},
      {text(std::string(1001, 'a')) + text("b") + "\x93",
       schema + "has a name that is too long (byte 1080)."},
      {"NN\x93", "invalid_schema: the name of a class in the pickle is not a str (byte 70)."},
  });
}

TEST_CASE("a structure that Python cannot have either is refused") {
  check({
      {"]q\0h\0a"s,
       "cycle: at /0: the structure contains itself. Save it without the reference to "
       "itself."},
      {"}(" + text("a") + "N" + text("a") + "Nu",
       "duplicate_name: at /a: a dict contains a key twice: found a."},
      {"}]Ns",
       "invalid_argument: at /a key: a value of this type cannot be a dict key: expected a "
       "type that Python can hash, not a list, dict, set or tensor, found list of 0."},
  });
}

TEST_CASE("a storage that is not there, or has an unknown form, is refused") {
  const std::string whole = "('storage', type, key, device, size), found ";
  const auto id = [](const std::string& type, const std::string& more) {
    return tuple(text("storage") + type + text("0") + text("cpu") + number(1) + more) + "Q";
  };
  check({
      {"NQ", form + whole + "None" + resave},
      {")Q", form + whole + "another tuple" + resave},
      {id("N", ""), form + "the type of a storage, found None" + resave},
      {id(global("torch", "FloatStorage"), ")"),
       form + "no view of a storage, found a tuple" + resave},
      {id(global("torch", "QInt8Storage"), ""),
       "unknown_dtype: at /: a storage has a type that no dtype here is for: found "
       "'torch.QInt8Storage'. Convert the tensor before it is saved, such as by dequantize()."},
      {storage("FloatStorage", std::string(101, '7')),
       form + "a key of at most 100 bytes, found 101 bytes" + resave},
      {storage("FloatStorage", "7"),
       "missing_tensor: at /: the file has no storage of that key: found 7."},
      {storage("FloatStorage", "0", 5),
       "invalid_offsets: at /: a storage is shorter than the pickle says: expected 5 elements, "
       "found "
       "16 bytes."},
      {storage("FloatStorage", "0", huge),
       "invalid_shape: at /: the shape is too large: expected at most 9223372036854775807 "
       "elements, "
       "sizes of 0 not counted, found [18446744073709551615]."},
  });
}

TEST_CASE("a tensor lies inside its storage, whatever its strides") {
  for (const std::string& fits :
       {tensor({4}, {1}), tensor({2, 2}, {2, 1}), tensor({2}, {2}, 1), tensor({0}, {1}, 99),
        tensor({1}, {huge}, 3), tensor({1000, 2}, {0, 3}), tensor({}, {}, 3)})
    CHECK(pickle_error(fits) == "no error");
  // Where others are strided, the stride of a dimension of size 1 says nothing either.
  CHECK(unpickled(tensor({2, 1}, {2, huge})).tensor().to_vector<float>() ==
        std::vector<float>{0, 0});
  check({
      {tensor({5}, {1}), outside + "shape [5], strides [1], from element 0."},
      {tensor({2, 2}, {1, 3}), outside + "shape [2, 2], strides [1, 3], from element 0."},
      {tensor({2}, {1}, 3), outside + "shape [2], strides [1], from element 3."},
      {tensor({}, {}, 4), outside + "shape [], strides [], from element 4."},
      {tensor({2}, {huge}), outside + "shape [2], strides [18446744073709551615], from element 0."},
      {tensor({3}, {huge / 2 + 1}),
       outside + "shape [3], strides [9223372036854775808], from element 0."},
      {tensor({2}, {1}, huge),
       outside + "shape [2], strides [1], from element 18446744073709551615."},
      {tensor({std::uint64_t{1} << 63U, 2}, {0, 0}),
       "invalid_shape: at /: the shape is too large: expected at most 9223372036854775807 "
       "elements, "
       "sizes of 0 not counted, found [9223372036854775808, 2]."},
      {tensor({2}, {1, 1}),
       "invalid_schema: at /: a tensor has strides for other dimensions than it "
       "has: expected as many as dimensions."},
      {rebuild(storage() + number(0)),
       "invalid_schema: at /: the pickle calls a function with too few arguments: expected "
       "torch._utils._rebuild_tensor_v2 with 4, found 2."},
      {rebuild(storage() + "J\xff\xff\xff\xff" + numbers({1}) + numbers({1})),
       form + "the place of a tensor, which is not negative, found int -1" + resave},
      {rebuild(storage() + number(0) + tuple("J\xff\xff\xff\xff") + numbers({1})),
       form + "a tuple of numbers that are not negative, found int -1" + resave},
      {rebuild("NNNN"), form + "a storage, found None" + resave},
  });
  // Two bytes each.
  const auto untyped = [](std::uint64_t offset, std::string_view dtype) {
    return call(global("torch._utils", "_rebuild_tensor_v3"),
                storage("storage.UntypedStorage", "0", 16) + number(offset) + numbers({2}) +
                    numbers({1}) + "\x89N" + global("torch", dtype));
  };
  check({
      {untyped(6, "uint16"), "no error"},
      {untyped(7, "uint16"),
       "invalid_offsets: at /: a tensor lies outside its storage: expected within 8 elements, "
       "found "
       "shape [2], strides [1], from element 7."},
      {untyped(0, "int3"),
       "unknown_dtype: at /: a tensor has a dtype that this library does not have: found "
       "torch.int3. "
       "Convert it before it is saved."},
  });
}

TEST_CASE("a tensor that PyTorch changes when it is used is not read as another one") {
  CHECK(pytorch_error(text_of_file(golden / "conjugated.pt")) ==
        "invalid_schema: at /: a tensor is conjugated or negated only when it is used: expected a "
        "tensor whose elements are in the file, found the property 'conj'. Save what its "
        "resolve_conj().resolve_neg() gives.");
  const auto with = [](const std::string& properties) {
    return pickle_error(rebuild(storage() + number(0) + numbers({2}) + numbers({1}) + "\x89N" +
                                "}(" + properties + "u"));
  };
  CHECK(with(text("neg") + "\x88").find("found the property 'neg'") != std::string::npos);
  CHECK(with(text("neg") + "\x89") == "no error");
  CHECK(with(text("other") + "\x88") == "no error");
  // The same for a tensor of a dtype that has no storages.
  CHECK(pickle_error(call(global("torch._utils", "_rebuild_tensor_v3"),
                          storage("storage.UntypedStorage", "0", 16) + number(0) + numbers({2}) +
                              numbers({1}) + "\x89N" + global("torch", "uint16") + "}" +
                              text("neg") + "\x88s"))
            .find("found the property 'neg'") != std::string::npos);
  std::string many;
  for (int i = 0; i < 17; ++i) many += text("other") + "\x88";
  CHECK(with(many) ==
        "invalid_schema: at /: a tensor has too many properties: expected at most 16.");
}

TEST_CASE("functions of Python and NumPy with other arguments than theirs are refused") {
  const std::string dtype =
      call(global("numpy", "dtype"), text("f8")) + tuple(number(3) + text("<")) + "b";
  const auto array = [&](const std::vector<std::uint64_t>& shape) {
    return call(global("numpy.core.multiarray", "_reconstruct"), "N") +
           tuple(number(1) + numbers(shape) + dtype + "\x89" + "C\x02" + "ab") + "b";
  };
  const std::string latin =
      "invalid_schema: at /: bytes are in an unknown form: expected a text of characters below "
      "256.";
  check({
      {call(global("torch._tensor", "_rebuild_from_type_v2"),
            global("torch._utils", "_rebuild_parameter") + "N)N"),
       "invalid_schema: at /: the pickle calls a function with too few arguments: expected "
       "torch._utils._rebuild_parameter with 1, found 0."},
      {call(global("collections", "OrderedDict"), "](Nta"),
       "invalid_schema: at /: a dict is made of something else: expected a list of pairs."},
      {call(global("collections", "OrderedDict"), "N"),
       form + "a list of pairs, found None" + resave},
      {call(global("__builtin__", "set"), "N"), form + "a list of items, found None" + resave},
      {call(global("__builtin__", "complex"), "NN"),
       "invalid_schema: at /: a complex number is in an unknown form: expected two floats."},
      {call(global("_codecs", "encode"), text("\u20ac") + text("latin1")), latin},
      {call(global("_codecs", "encode"), "NN"), latin},
      {call(global("numpy.core.multiarray", "scalar"), dtype + "C\x02" + "ab"),
       "invalid_schema: at /: a number of NumPy has the wrong size: expected 8 bytes."},
      {array({2}),
       "invalid_schema: at /: an array of NumPy has the wrong size: expected 16 bytes."},
      {array(std::vector<std::uint64_t>(65, 1)),
       "limit_exceeded: at /: a tensor has too many dimensions: expected at most 64 "
       "(Limits::rank), "
       "found 65."},
      {call(call(global("a", "b"), ""), ""),
       "invalid_schema: at /: the pickle calls what another call gave: expected a class or "
       "function."},
  });
}

TEST_CASE("limits bound what a small pickle can become") {
  std::string deep;
  for (int i = 0; i < 6; ++i) deep += "]";
  CHECK(pickle_error(deep + "aaaaa", {.limits = {.depth = 6}}) == "no error");
  CHECK(
      pickle_error(deep + "aaaaa", {.limits = {.depth = 5}}) ==
      "limit_exceeded: at /0/0/0/0/0: a structure is nested too deeply: expected at most 5 levels "
      "(Limits::depth).");
  CHECK(pickle_error("]]]aa", {.limits = {.nodes = 3}}) ==
        "limit_exceeded: a structure has too many nodes: expected at most 3 (Limits::nodes) (byte "
        "68).");
  CHECK(
      pickle_error(tensor(std::vector<std::uint64_t>(65, 1), std::vector<std::uint64_t>(65, 1))) ==
      "limit_exceeded: at /: a tensor has too many dimensions: expected at most 64 (Limits::rank), "
      "found 65.");
  CHECK(pickle_error("\x8b" + little(5000, 4) + std::string(5000, '\x7f')) ==
        "limit_exceeded: an int has too many digits: expected at most 4300 (Limits::digits), found "
        "5000 bytes (byte 68).");
  CHECK(pickle_error("\x8b" + little(1795, 4) + std::string(1795, '\x7f')) ==
        "limit_exceeded: an int has too many digits: expected at most 4300 (Limits::digits), found "
        "4323 (byte 68).");
  CHECK(pickle_error(tensor({std::uint64_t{1} << 40U}, {0})) ==
        "limit_exceeded: at /: a structure refers to the same tensors too often: expected at most "
        "1073741824 bytes of repeated tensors (Limits::repeats).");
  CHECK(pickle_error(
            "](" + tensor({1}, {1}) + tensor({1}, {1}) + tensor({1}, {1}) + tensor({1}, {1}) + "e",
            {.limits = {.tensors = 3}}) ==
        "limit_exceeded: at /3: there are too many tensors: expected at most 3 (Limits::tensors).");

  // Two references to the last list make the next one; 2^39 lists in 400 bytes.
  std::string laughs = "]q\0"s;
  for (int i = 1; i < 40; ++i) {
    const std::string last = "h"s + static_cast<char>(i - 1);
    laughs.append("0](").append(last).append(last).append("eq").push_back(static_cast<char>(i));
  }
  CHECK(
      pickle_error(laughs).ends_with(": the pickle refers to its own parts too often: expected at "
                                     "most 268435456 bytes (Limits::expansion)."));
  std::string texts = text(std::string(1'000'000, 'x')) + "q\0"s + "0](";
  for (int i = 0; i < 300; ++i) texts += "h\0"s;
  CHECK(pickle_error(texts + "e") ==
        "limit_exceeded: at /268: the pickle refers to its own parts too often: expected at most "
        "268435456 bytes (Limits::expansion).");
}

TEST_CASE("an archive that is not one of PyTorch is refused") {
  const std::string order =
      "invalid_header: the file is in the byte order of another machine: expected little, found ";
  const std::string here = ". Load it with torch.load on this machine and save it again.";
  const PytorchFile good{.pickle = program("N")};
  CHECK(pytorch_error("") ==
        "invalid_header: the file is not one of torch.save: expected a ZIP archive, or the mark of "
        "PyTorch before 1.6 (byte 0).");
  CHECK(pytorch_error("PK\x03\x04") == "invalid_header: the file is too short for a ZIP archive.");
  CHECK(pytorch_error(good.text().substr(0, 200)) ==
        "invalid_header: the archive has no end record" + incomplete);
  const auto with = [&](auto change) {
    PytorchFile file = good;
    change(file);
    return pytorch_error(file.text());
  };
  CHECK(with([](PytorchFile& file) { file.parts.erase("byteorder"); }) == "no error");
  CHECK(with([](PytorchFile& file) { file.folder = ""; }) == "no error");
  CHECK(with([](PytorchFile& file) { file.parts["byteorder"] = "big"; }) == order + "big" + here);
  CHECK(with([](PytorchFile& file) { file.parts["byteorder"] = "\x1b["; }) ==
        order + "\\x1b[" + here);
  CHECK(with([](PytorchFile& file) { file.folder = "a/b/"; }) ==
        "invalid_header: the archive is not a file of PyTorch: expected a part 'archive/data.pkl', "
        "found 'a/b/data.pkl', 'a/b/byteorder', 'a/b/data/0'.");
  CHECK(with([](PytorchFile& file) { file.pickle = "\x80\x02"; }) ==
        "truncated: the pickle ends inside an instruction: expected 1 byte, found 0 (byte 68)" +
            incomplete);
}

TEST_CASE("parts that another program has compressed are refused") {
  // Marked as deflated in the file's own header and in the archive's directory.
  constexpr char deflated = 8;
  const std::string good = PytorchFile{.pickle = program(tensor({4}, {1}))}.text();
  const std::vector<std::string> parts = {"archive/data.pkl", "archive/byteorder",
                                          "archive/data/0"};
  for (const std::string& part : parts) {
    CAPTURE(part);
    std::string file = good;
    const std::size_t local = file.find(part) - 30;
    const std::size_t record = file.rfind(part) - 46;
    REQUIRE(file.substr(local, 4) == "PK\x03\x04");
    REQUIRE(file.substr(record, 4) == "PK\x01\x02");
    file[local + 8] = file[record + 10] = deflated;
    CHECK(pytorch_error(file) ==
          "invalid_header: at " + part +
              ": a part of the file is compressed: expected parts as PyTorch stores them. Load it "
              "with torch.load and save it again.");
  }
}

TEST_CASE("a malformed file of before 1.6 is refused") {
  CHECK(pytorch_error(old_mark + program(number(1002))) ==
        "unsupported_version: the file has an unknown version: expected 1001, found 1002.");
  CHECK(
      pytorch_error(old_mark + program("N")) ==
      "invalid_schema: a part of the pickle has an unknown form: expected the version of the file, "
      "found None" +
          resave);
  CHECK(pytorch_error(old_mark + program(number(1001)) +
                      program("}(" + text("little_endian") + "\x89u")) ==
        "invalid_header: the file is in the byte order of another machine: expected little, found "
        "big. Load it with torch.load on this machine and save it again.");
  CHECK(pytorch_error(old_head + program("N") + program("]")) == "no error");
  CHECK(pytorch_error(old_head + program("N") + program("N")) ==
        "invalid_schema: a part of the pickle has an unknown form: expected the keys of storages, "
        "found None" +
            resave);
  CHECK(pytorch_error(old_head + program("N") + keys("0") + little(1, 8)) ==
        "invalid_schema: no tensor has a storage of that key: found 0.");
  CHECK(pytorch_error(old_head + program("N") + keys("0")) ==
        "truncated: the file ends before the bytes that it announces: expected 8 bytes, found 0 "
        "(byte 69). Copy the file again, or save it again.");
  for (const std::uint64_t count : {std::uint64_t{4}, huge})
    CHECK(pytorch_error(old_head + program(storage()) + keys("0") + little(count, 8) + "abc") ==
          "truncated: the file ends inside a storage: expected " + std::to_string(count) +
              " elements, found 3 bytes (byte 136)" + incomplete);
  CHECK(pytorch_error(old_head + program(storage()) + keys("0") + little(4, 8) +
                      std::string(16, 'a')) == "no error");
  CHECK(pytorch_error(old_head + program(storage()) + program("]")) ==
        "missing_tensor: at /: the file has no storage of that key: found 0.");
}

TEST_CASE("a file cut at any byte is refused, and one with a changed byte loads or is") {
  const auto seed = std::random_device()();
  MESSAGE("seed ", seed);
  std::mt19937 random(seed);
  for (const char* name : {"state.pt", "old.pt", "everything.pt", "script.pt"}) {
    const std::string good = text_of_file(golden / name);
    REQUIRE(pytorch_error(good) == "no error");
    for (std::size_t size = 0; size < good.size(); ++size) {
      CAPTURE(size);
      CHECK(pytorch_error(std::string_view(good).substr(0, size)) != "no error");
    }
    for (int i = 0; i < 3000; ++i) {
      std::string changed = good;
      changed[random() % changed.size()] = static_cast<char>(random());
      CHECK_FALSE(pytorch_error(changed).empty());
    }
  }
}
