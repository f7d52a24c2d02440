/// \file
/// burnpack as it is written: in Burn's bytes, with the options that it can honour; and what it
/// cannot hold is refused with its path.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/safestructures.hpp>
#include "support/burn_records.hpp"
#include "support/burnpack_saved.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using nlohmann::json;
using ss::test::bytes_of;
using ss::test::description_of;
using ss::test::error_of;
using ss::test::little_endian;
using ss::test::saved_burnpack;

namespace {

std::string save_error(const ss::Value& value, const ss::SaveOptions& options = {}) {
  return error_of([&] { return saved_burnpack(value, options); });
}

}  // namespace

TEST_CASE("a structure is saved as Burn writes it, byte for byte") {
  const std::array on{true};
  const ss::Value value =
      ss::Value::dict({{"fc", ss::Value::dict({{"weight", ss::Tensor::own<float>({1, 2})},
                                               {"bias", ss::Tensor::own<std::uint8_t>({7})}})},
                       {"on", ss::Tensor::of(std::span<const bool>(on))}});
  ss::Value with_id = value;
  with_id["fc"]["weight"].set_attribute("burn.id", "72d17eukbtkma");
  const std::string file = saved_burnpack(with_id, {.metadata = {{"k", "v"}}});
  std::string expected;
  expected += "\xA2\x67tensors\xA3";
  expected +=
      "\x67"
      "fc.bias\xA3\x65"
      "dtype\x62U8\x65shape\x81\x01\x6C"
      "data_offsets\x82\x19\x01";
  expected += '\0';
  expected += "\x19\x01\x01";
  expected +=
      "\x69"
      "fc.weight\xA4\x65"
      "dtype\x63"
      "F32\x65shape\x81\x02\x6C"
      "data_offsets\x82";
  expected += '\0';
  expected += "\x08\x68param_id\x1B\x65\x69\x5F\xA9\xC5\xA7\x31\xB8";
  const std::size_t id = expected.size() - 8;
  expected +=
      "\x62on\xA3\x65"
      "dtype\xA1\x64"
      "Bool\x66Native\x65shape\x81\x01\x6C"
      "data_offsets";
  expected += "\x82\x19\x02" + std::string(1, '\0') + "\x19\x02\x01";
  expected += "\x68metadata\xA1\x61k\x61v";
  for (unsigned i = 0; i < 8; ++i)
    expected[id + i] = static_cast<char>(7307477237661669944U >> (56 - 8 * i) & 0xFFU);
  const std::string header = "NRUB" + little_endian(1, 2) + little_endian(expected.size(), 4);
  std::string whole = header + expected;
  whole.resize(256);
  whole += little_endian(0x3F800000, 4) + little_endian(0x40000000, 4);
  whole.resize(256 + 256);
  whole += "\x07";
  whole.resize(256 + 512);
  whole += "\x01";
  CHECK(file == whole);
}

TEST_CASE("metadata is as burn-store writes it, unless it is given or the file holds scalars") {
  const ss::Value tensors = ss::Value::dict({{"a", ss::Tensor::own<float>({1})}});
  CHECK(description_of(saved_burnpack(tensors))["metadata"] ==
        json{{"format", "burnpack"}, {"producer", "safestructures"}, {"version", "0.21.0"}});
  CHECK(description_of(saved_burnpack(tensors, {.metadata = {{"a", "b"}}}))["metadata"] ==
        json{{"a", "b"}});
  const json scalars = description_of(saved_burnpack(ss::Value::dict({{"step", 2}})));
  CHECK(scalars == json{{"tensors", json::object()}, {"scalars", {{"step", {{"UInt", 2}}}}}});
}

TEST_CASE("floats of scalars take the fewest bytes that hold them") {
  const auto bytes_of_float = [](double number) {
    const std::string file = saved_burnpack(ss::Value::dict({{"s", number}}));
    const std::size_t begin = file.find("Float") + 5;
    const std::size_t size = file[begin] == '\xF9' ? 2 : file[begin] == '\xFA' ? 4 : 8;
    return file.substr(begin, 1 + size);
  };
  CHECK(bytes_of_float(1.0) == std::string("\xF9\x3C\0", 3));
  CHECK(bytes_of_float(-0.0) == std::string("\xF9\x80\0", 3));
  CHECK(bytes_of_float(65504.0) == "\xF9\x7B\xFF");
  CHECK(bytes_of_float(100000.0) == std::string("\xFA\x47\xC3\x50\0", 5));
  CHECK(bytes_of_float(1.1) == "\xFB\x3F\xF1\x99\x99\x99\x99\x99\x9A");
  CHECK(bytes_of_float(1e300) == std::string("\xFB\x7E\x37\xE4\x3C\x88\0\x75\x9C", 9));
  CHECK(bytes_of_float(std::numeric_limits<double>::infinity()) == std::string("\xF9\x7C\0", 3));
  CHECK(bytes_of_float(std::numeric_limits<double>::quiet_NaN()) == std::string("\xF9\x7E\0", 3));
}

TEST_CASE("precision is honoured, overflow and losses are refused or told") {
  const ss::Value value = ss::Value::dict({{"a", ss::Tensor::own<double>({1, 1e-300})}});
  CHECK(description_of(saved_burnpack(value))["tensors"]["a"]["dtype"] == "F32");
  CHECK(description_of(saved_burnpack(
            value, {.precision = ss::Precision::preserve}))["tensors"]["a"]["dtype"] == "F64");
  CHECK(
      save_error(value, {.lossless = true}) ==
      "lossy_conversion: at a: a conversion changed values of a tensor: expected all values of F64 "
      "kept in F32, found 1 that became zero. Store it in its own dtype, or do not require a "
      "lossless save.");
  std::ostringstream out;
  const ss::SaveReport report = ss::save(value, out, {.format = ss::formats::burnpack()});
  CHECK(report.bytes == out.str().size());
  REQUIRE(report.conversions.size() == 1);
  CHECK(report.conversions[0].name == "a");
  CHECK(report.conversions[0].report.underflow == 1);
  const ss::Value large = ss::Value::dict({{"a", ss::Tensor::own<double>({1e300})}});
  CHECK(save_error(large).starts_with("out_of_range: at a: "));
  CHECK(save_error(large, {.overflow = ss::Overflow::allow}) == "no error");
}

TEST_CASE("values that burnpack cannot hold are refused with their path") {
  const auto refused = [](ss::Value item) {
    return save_error(ss::Value::dict({{"a", ss::Value::list({1, std::move(item)})}}));
  };
  const std::string problem =
      "invalid_argument: at /a/1: burnpack cannot hold a value of this type: expected tensors, "
      "bool, "
      "int and float, in containers that are not empty, found ";
  const std::string advice = ". Save as safestructures.";
  CHECK(refused("text") == problem + "str \"text\"" + advice);
  CHECK(refused(nullptr) == problem + "None" + advice);
  CHECK(refused(std::complex<double>(1, 2)).starts_with(problem + "complex"));
  CHECK(refused(ss::Value::integer("123456789012345678901234567890"))
            .starts_with(problem + "int 123456789012345678901234567890"));
  CHECK(refused(ss::Value::bytes(bytes_of("x"))).starts_with(problem + "bytes"));
  CHECK(refused(ss::Value::set({1})) == problem + "set of 1" + advice);
  CHECK(refused(ss::Value::list()) == problem + "list of 0" + advice);
  CHECK(refused(ss::Value::dict()) == problem + "dict of 0" + advice);
  CHECK(refused(ss::Value::custom("acme.Pose", 1)).starts_with(problem));
  // A root has no name that would spell it.
  const std::string of_root =
      "invalid_argument: at /: burnpack cannot hold a value of this type: expected tensors, bool, "
      "int and float, in containers that are not empty, found ";
  CHECK(save_error(1) == of_root + "int 1" + advice);
  CHECK(save_error(ss::Tensor::own<float>({1})) == of_root + "tensor F32 [1]" + advice);
  CHECK(save_error(ss::Value::custom("burn.QFloat", 1)) == of_root + "custom burn.QFloat" + advice);
  CHECK(refused(ss::Tensor::own<ss::float8_e4m3>({ss::float8_e4m3(1)})) == "no error");  // As F32.
  CHECK(
      save_error(ss::Value::dict({{"z", ss::Tensor::own<std::complex<float>>({{1, 2}})}})) ==
      "unknown_dtype: at /z: Burn has no such dtype: expected BOOL, an integer, F16, BF16, F32 or "
      "F64, found C64. Save as safestructures, or in another precision.");
  CHECK(save_error(ss::Value::dict({{"a.b", 1}, {"a", ss::Value::dict({{"b", 2}})}})) ==
        "duplicate_name: at /a/b: two values have the same name with dots: found 'a.b'.");
  CHECK(save_error(ss::Value::dict({{"a", 1}}), {.extra_tensors = {{"a", ss::Tensor()}}}) ==
        "duplicate_name: at /a: two values have the same name with dots: found 'a'.");
  CHECK(save_error(ss::Value::dict({{"\xFF", 1}})).starts_with("invalid_utf8: at "));
  CHECK(save_error(ss::Value::dict({{"a", 1}}), {.metadata = {{"k", "\xFF"}}}) ==
        "invalid_utf8: the metadata of key 'k' is not valid UTF-8.");
  CHECK(save_error(ss::Value::dict({{"a", 1}}), {.metadata = {{"\xFF", "v"}}}) ==
        "invalid_utf8: the metadata of key '\\xff' is not valid UTF-8.");
  ss::Value tensor = ss::Tensor::own<float>({1});
  tensor.set_attribute("burn.id", "short");
  CHECK(
      save_error(ss::Value::dict({{"a", tensor}})) ==
      "invalid_argument: at /a: an id does not have the form of Burn's ids: expected 13 characters "
      "of "
      "0-9 and a-v, found str \"short\". Remove the attribute 'burn.id', or give it such a text.");
}

TEST_CASE("a record becomes the burnpack file that Burn writes of the same module") {
  const std::filesystem::path golden =
      std::filesystem::path(SAFESTRUCTURES_TEST_DATA) / "golden/burn";
  // Records of full precision have I32 where burnpack has I64.
  using Numbers = std::tuple<std::string, std::vector<double>, std::string>;
  const auto tensors_of = [](const std::filesystem::path& path, bool has_ids) {
    std::map<std::string, Numbers> tensors;
    ss::Value root = ss::load_file(path);
    ss::walk(root, [&](const ss::Value& value, const ss::Place& place) {
      if (value.kind() != ss::Kind::tensor) return ss::Next::into;
      const ss::Value* const id = value.attribute("burn.id");
      tensors[place.path().to_string()] = {to_string(value.tensor().shape()),
                                           value.tensor().to_vector<double>(),
                                           id != nullptr && has_ids ? id->as_string() : ""};
      return ss::Next::into;
    });
    return tensors;
  };
  const ss::test::Folder folder;
  for (const std::string version : {"0.14", "0.17", "0.19", "0.20", "0.21"}) {
    CAPTURE(version);
    const auto file = folder / (version + ".bpk");
    ss::convert_file(ss::open(golden / version / "rich.full.mpk"), file);
    // Through 0.14 ids are UUIDs, for which burnpack has no room.
    const bool has_ids = version != "0.14";
    const auto written = tensors_of(file, has_ids);
    CHECK(written.size() == 33);
    CHECK(written == tensors_of(golden / "0.21/rich.bpk", has_ids));
  }
}

TEST_CASE("None leaves no trace where it is nothing in Burn") {
  const ss::Value one = ss::Tensor::own<float>({1});
  const ss::Value module =
      ss::Value::dict({{"dropout", nullptr},
                       {"layers", ss::Value::list({one, nullptr, one})},
                       {"none", ss::Value::list()},
                       {"inner", ss::Value::dict({{"stride", ss::Value::list({nullptr})}})}});
  CHECK(save_error(module).starts_with("invalid_argument: at /dropout: burnpack cannot hold"));
  const auto names_of = [](const std::string& file) {
    const json description = description_of(file);
    std::vector<std::string> names;
    for (const auto& [name, tensor] : description["tensors"].items()) names.push_back(name);
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(names_of(saved_burnpack(module, {.metadata = {{"burn.version", "0.21.0"}}})) ==
        Names{"layers.0", "layers.2"});
  // A field of a struct is missing then, as std::optional may be.
  ss::Value linear = ss::Value::structure("Linear");
  linear.insert("weight", one);
  linear.insert("bias", nullptr);
  CHECK(names_of(saved_burnpack(linear)) == Names{"weight"});
  ss::Value empty = ss::Value::structure("Empty");
  empty.insert("bias", nullptr);
  CHECK(save_error(ss::Value::dict({{"a", empty}})).starts_with("invalid_argument: at /a: "));
}

TEST_CASE("a tensor that is no parameter has no id, and a UUID is one of records alone") {
  ss::Value tensor = ss::Tensor::own<float>({1});
  const auto root = [&] { return ss::Value::dict({{"a", tensor}}); };
  tensor.set_attribute("burn.id", nullptr);
  CHECK_FALSE(description_of(saved_burnpack(root()))["tensors"]["a"].contains("param_id"));
  const ss::SaveOptions of_record = {.metadata = {{"burn.version", "0.14.1"}}};
  tensor.set_attribute("burn.id", "00000001-0000-4000-8000-00000123ABcd");
  CHECK(save_error(root(), of_record) == "no error");
  CHECK(save_error(root()).starts_with(
      "invalid_argument: at /a: an id does not have the form of Burn"));
  tensor.set_attribute("burn.id", "00000001-0000-4000-8000-00000123ABcx");
  CHECK(save_error(root(), of_record).starts_with("invalid_argument: at /a: an id does not have"));
}

TEST_CASE("a module of C++ is saved without its constants, and loads without them") {
  struct Module {
    ss::burn::Linear fc;
    ss::burn::Constant dropout;
    std::optional<ss::burn::Linear> head;
  };
  const Module module{{{ss::Tensor::own<float>({1}), "72d17eukbtkma"}, {}}, {}, {}};
  const auto file = ss::save(module, {.format = ss::formats::burnpack()});
  const auto again = ss::load<Module>(file);
  CHECK(again.fc.weight.id == "72d17eukbtkma");
  CHECK_FALSE(again.fc.bias.has_value());
  CHECK_FALSE(again.head.has_value());
}

TEST_CASE("a quantized tensor goes from a record into burnpack and back") {
  const std::string record = ss::test::json_record(
      R"({"q":{"id":"72d17eukbtkma","param":{"bytes":[1,2,0,0,128,63],"shape":[2],)"
      R"("dtype":{"QFloat":{"value":"Q8S","mode":"Symmetric"}}}}})");
  const auto file = saved_burnpack(ss::load(bytes_of(record)));
  CHECK(description_of(file)["tensors"]["q"] ==
        json{{"dtype", {{"QFloat", {{"value", "Q8S"}, {"mode", "Symmetric"}}}}},
             {"shape", {2}},
             {"data_offsets", {0, 6}},
             {"param_id", 7307477237661669944U}});
  CHECK(file.ends_with(std::string("\1\2\0\0\x80\x3F", 6)));
  const auto again = ss::test::text_of(
      ss::save(ss::load(bytes_of(file)),
               {.format = ss::formats::burn({.encoding = ss::burn::Encoding::json})}));
  CHECK(again.substr(again.find("\"item\"")) == record.substr(record.find("\"item\"")));
}

TEST_CASE("a quantized tensor that was changed is refused") {
  const ss::Value payload = ss::Value::dict({{"dtype", ss::Value::dict()},
                                             {"shape", ss::Value::list()},
                                             {"data", ss::Value::bytes(bytes_of(""))}});
  const ss::Value value = ss::Value::dict({{"q", ss::Value::custom("burn.QFloat", payload)}});
  CHECK(save_error(value) == "no error");
  ss::Value bad = value;
  bad["q"].payload().insert("more", 1);
  CHECK(
      save_error(bad) ==
      "invalid_argument: at /q: a burn.QFloat was changed after reading: expected a dict of dtype, "
      "shape and data, found dict of 4.");
  for (const std::string key : {"dtype", "shape", "data"}) {
    CAPTURE(key);
    ss::Value lacking = ss::Value::dict();
    for (const ss::Entry& entry : payload.entries())
      if (entry.key != ss::Value(key)) lacking.insert(entry.key, entry.value);
    CHECK(save_error(ss::Value::dict({{"q", ss::Value::custom("burn.QFloat", lacking)}}))
              .ends_with("expected a dict of dtype, shape and data, found dict of 2."));
    if (key == "dtype") continue;
    lacking.insert(key, 1);
    CHECK(save_error(ss::Value::dict({{"q", ss::Value::custom("burn.QFloat", lacking)}}))
              .ends_with("expected a dict of dtype, shape and data, found dict of 3."));
  }
  for (const ss::Value& size : {ss::Value(-1), ss::Value(0.5)}) {
    ss::Value shaped = value;
    shaped["q"].payload()["shape"].push_back(size);
    CHECK(save_error(shaped) ==
          "invalid_argument: at /q: a burn.QFloat was changed after reading: expected sizes as the "
          "shape, found " +
              std::string(size.kind() == ss::Kind::integer ? "int -1." : "float 0.5."));
  }
  CHECK(save_error(ss::Value::dict({{"a", ss::Value::custom("burn.QFloat", 1)}}))
            .ends_with("expected a dict of dtype, shape and data, found int 1."));
  ss::Value odd = value;
  odd["q"].payload()["dtype"].insert("t", ss::Value::tuple());
  CHECK(save_error(odd) ==
        "invalid_argument: at /q: the dtype of a burn.QFloat was changed after reading: found "
        "tuple of "
        "0.");
  const auto with = [&](const ss::Value& key, const ss::Value& part) {
    ss::Value other = value;
    other["q"].payload()["dtype"].insert(key, part);
    return other;
  };
  for (const std::string large : {"18446744073709551616", "-9223372036854775809"})
    CHECK(save_error(with("k", ss::Value::integer(large))) ==
          "invalid_argument: at /q: the dtype of a burn.QFloat was changed after reading: found "
          "int " +
              large + ".");
  CHECK(save_error(with("k", INT64_MIN)) == "no error");
  CHECK(save_error(with(7, 1)) ==
        "invalid_argument: at /q: the dtype of a burn.QFloat was changed after reading: found dict "
        "of 1.");
  CHECK(save_error(with("k", "\xFF")) == "invalid_utf8: at /q: a text is not UTF-8.");
  CHECK(save_error(with("\xED\xA0\x80", 1)) == "invalid_utf8: at /q: a text is not UTF-8.");
  // What is saved can be loaded, by the same limits.
  ss::Value deep = 1;
  for (int i = 0; i < 27; ++i) deep = ss::Value::list({deep});
  CHECK(ss::load(ss::save(with("k", deep), {.format = ss::formats::burnpack()})) ==
        with("k", deep));
  CHECK(save_error(with("k", ss::Value::list({deep}))) ==
        "limit_exceeded: at /q: the description would be nested too deeply: expected at most 32 "
        "levels.");
  const auto bytes = ss::save(with("k", deep), {.format = ss::formats::burnpack()});
  for (const std::uint64_t nodes : {28U, 29U})
    CHECK((save_error(with("k", deep), {.limits = {.nodes = nodes}}) == "no error") ==
          (error_of([&] { return ss::load(bytes, {.limits = {.nodes = nodes}}); }) == "no error"));
  CHECK(save_error(with("k", deep), {.limits = {.nodes = 28}}) ==
        "limit_exceeded: at /q: a structure has too many nodes: expected at most 28 "
        "(Limits::nodes).");
}

TEST_CASE("attributes are refused, unless extensions are left out") {
  ss::Value list = ss::Value::list({1});
  list.set_attribute("unit", "m");
  CHECK(save_error(ss::Value::dict({{"a", list}})) ==
        "invalid_argument: at /a: burnpack cannot hold attributes of values: found the "
        "attribute 'unit'. Save as safestructures, or without SaveOptions::extensions.");
  CHECK(save_error(ss::Value::dict({{"a", list}}), {.extensions = false}) == "no error");
}

TEST_CASE("options that burnpack does not support are refused by name") {
  const std::string advice = ". Leave the option out, or save as safestructures.";
  const std::string problem = "invalid_argument: burnpack does not support a save option: found ";
  CHECK(save_error(ss::Value::dict(), {.checksums = true}) ==
        problem + "SaveOptions::checksums" + advice);
  CHECK(save_error(ss::Value::dict(), {.shard_size = 1}) ==
        problem + "SaveOptions::shard_size" + advice);
  CHECK(save_error(ss::Value::dict(), {.tensor_names = ss::TensorNames::numbers}) ==
        problem + "SaveOptions::tensor_names = numbers" + advice);
  CHECK(save_error(ss::Value::dict(), {.schema = false}) == "no error");
}

TEST_CASE("burnpack's writer holds itself to the limits, and to those of Burn") {
  const ss::Value tensor = ss::Tensor::own<float>({1});
  const ss::Value value = ss::Value::dict({{"a", ss::Value::dict({{"b", tensor}})}});
  CHECK(save_error(value, {.limits = {.depth = 1}}) ==
        "limit_exceeded: at /a/b: a structure is nested too deeply: expected at most 1 levels "
        "(Limits::depth).");
  CHECK(save_error(value, {.limits = {.nodes = 2}}) ==
        "limit_exceeded: at /a/b: a structure has too many nodes: expected at most 2 "
        "(Limits::nodes).");
  CHECK(save_error(value, {.limits = {.rank = 0}}) ==
        "limit_exceeded: at /a/b: a tensor has too many dimensions: expected at most 0 "
        "(Limits::rank), found 1.");
  CHECK(save_error(value, {.limits = {.tensors = 0}}) ==
        "limit_exceeded: at /a/b: there are too many tensors: expected at most 0 "
        "(Limits::tensors).");
  CHECK(save_error(value, {.limits = {.header_bytes = 2}}) ==
        "limit_exceeded: the description would be too large: expected at most 2 bytes "
        "(Limits::header_bytes).");
  CHECK(save_error(value, {.limits = {.header_bytes = 50}})
            .starts_with("limit_exceeded: the description would be too large: expected at most 50 "
                         "bytes (Limits::header_bytes), found "));
  ss::Value many = ss::Value::list();
  for (int i = 0; i <= 100'000; ++i) many.push_back(tensor);
  CHECK(
      save_error(many) ==
      "limit_exceeded: there are too many tensors: expected at most 100000, as Burn reads. Save it "
      "as safestructures.");
  // A byte that is there again and again: what is not written needs no memory.
  const std::byte zero{};
  const auto huge = [&](std::uint64_t size) {
    return ss::Tensor::strided(ss::DType::U8, {size}, std::vector<std::int64_t>{0}, &zero, nullptr);
  };
  CHECK(
      save_error(ss::Value::dict({{"a", huge((std::uint64_t{10} << 30U) + 1)}})) ==
      "limit_exceeded: at /a: a tensor is too large: expected at most 10737418240, as Burn reads, "
      "found 10737418241 bytes. Save it as safestructures.");
  ss::Value list = ss::Value::list();
  for (int i = 0; i < 11; ++i) list.push_back(huge(std::uint64_t{10} << 30U));
  CHECK(save_error(list) ==
        "limit_exceeded: at /10: the tensors are too large for one file: expected at most "
        "107374182400, as Burn reads, found 118111600640 bytes. Save it as safestructures.");
}
