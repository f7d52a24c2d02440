/// \file
/// What records of Burn cannot honour is refused, and what only their options know about bincode is
/// what they are read by, too.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
namespace burn = ss::burn;
using ss::test::error_of;

namespace {

constexpr burn::Encoding named_encodings[] = {burn::Encoding::messagepack, burn::Encoding::json,
                                              burn::Encoding::pretty_json};

struct State {
  ss::Tensor plain = ss::Tensor::own<float>({1, 2});
  burn::Bare<> bare{ss::Tensor::own<float>({3})};
  burn::Param<> param{ss::Tensor::own<float>({4})};
  std::vector<ss::Tensor> list = {ss::Tensor::own<float>({5}), ss::Tensor::own<float>({6})};
  std::optional<ss::Tensor> held = ss::Tensor::own<float>({7});
};

void check_same(const State& state) {
  CHECK(state.plain.to_vector<float>() == std::vector<float>{1, 2});
  CHECK(state.bare.value.to_vector<float>() == std::vector<float>{3});
  CHECK(state.param.value.to_vector<float>() == std::vector<float>{4});
  REQUIRE(state.list.size() == 2);
  CHECK(state.list[1].to_vector<float>() == std::vector<float>{6});
  REQUIRE(state.held.has_value());
  CHECK(state.held->to_vector<float>() == std::vector<float>{7});
}

}  // namespace

TEST_CASE("a recorder loads what it recorded, whatever tensors are to it") {
  const ss::test::Folder folder;
  const auto path = folder / "state";
  for (const burn::Tensors tensors : {burn::Tensors::params, burn::Tensors::bare}) {
    CAPTURE(tensors == burn::Tensors::bare);
    for (const std::string version : {"0.13", "0.17", "0.21"}) {
      CAPTURE(version);
      const burn::RecorderOptions options{.burn_version = version, .tensors = tensors};
      const auto check = [&](const auto& recorder) {
        recorder.record(State(), path);
        check_same(recorder.template load<State>(path));
      };
      check(burn::NamedMpkFileRecorder<>(options));
      check(burn::PrettyJsonFileRecorder<>(options));
      check(burn::JsonGzFileRecorder<>(options));
      check(burn::BinFileRecorder<>(options));
      check(burn::BinGzFileRecorder<>(options));
      const burn::BinBytesRecorder<> bytes(options);
      check_same(bytes.load<State>(bytes.record(State())));
    }
  }
}

TEST_CASE("tensors cannot be numbered in a record") {
  CHECK(error_of([] {
          return ss::save(
              1, {.format = ss::formats::burn(), .tensor_names = ss::TensorNames::numbers});
        }) ==
        "invalid_argument: a record of Burn does not support a save option: found "
        "SaveOptions::tensor_names = numbers. Leave the option out, or save as safetensors.");
}

TEST_CASE("checksums that records do not have are not passed over") {
  const std::string problem =
      "checksum_mismatch: the file has no checksums. Save it as safestructures with "
      "SaveOptions::checksums, or load it without LoadOptions::verify_checksums.";
  for (const burn::Encoding encoding : named_encodings) {
    const auto format = ss::formats::burn({.encoding = encoding});
    const std::vector<std::byte> bytes = ss::save(1, {.format = format});
    CHECK(error_of([&] { return ss::load(bytes, {.verify_checksums = true}); }) == problem);
  }
}

TEST_CASE("attributes are refused by their path, except for ids, dtypes and class versions") {
  const auto with = [](ss::Value value, const std::string& name, ss::Value attribute) {
    value.set_attribute(name, std::move(attribute));
    return value;
  };
  const ss::Value tensor = ss::Tensor::own<float>({1});
  const ss::Value list = ss::Value::list({1});
  for (const burn::Encoding encoding : named_encodings) {
    const auto error = [&](const ss::Value& value, bool extensions = true) {
      return error_of([&] {
        return ss::save(
            ss::Value::dict({{"k", value}}),
            {.format = ss::formats::burn({.encoding = encoding}), .extensions = extensions});
      });
    };
    for (const ss::Value& value : {tensor, list}) {
      CHECK(error(with(value, "a", "x")) ==
            "invalid_argument: at /k: a record of Burn cannot hold attributes of values: "
            "found the attribute 'a'. Save as safestructures, or without SaveOptions::extensions.");
      CHECK(error(with(value, "a", "x"), false) == "no error");
    }
    CHECK(error(with(tensor, "complex", true)).find("the attribute 'complex'") !=
          std::string::npos);
    CHECK(error(with(tensor, "burn.id", ss::Value())) == "no error");
    CHECK(error(with(tensor, "dtype", "F64")) == "no error");
    CHECK(error(with(ss::Value::structure("S", {{"n", 1}}), "class_version", 2)) == "no error");
  }
}

TEST_CASE("complex numbers are refused, with any attributes") {
  const auto check = [](const auto& numbers, const std::string& type) {
    for (const burn::Encoding encoding : {burn::Encoding::messagepack, burn::Encoding::bincode})
      CHECK(error_of([&] {
              return ss::save(numbers, {.format = ss::formats::burn({.encoding = encoding}),
                                        .precision = ss::Precision::preserve,
                                        .extensions = false});
            }) ==
            "type_mismatch: at /: a record of Burn cannot hold complex numbers: expected real "
            "numbers, found " +
                type + ". Save the two parts of each.");
  };
  check(std::vector<std::complex<float>>{{1, 2}}, "tensor C64 [any]");
  check(std::vector<std::complex<double>>{{1, 2}}, "tensor F64 [any, 2]");
  check(std::vector<std::array<std::complex<double>, 2>>(1), "tensor F64 [any, 2, 2]");
}

TEST_CASE("a record in bincode opens, and is made of a Value, by the type in the options") {
  const ss::test::Folder folder;
  burn::BinFileRecorder<>().record(State(), folder / "state");
  const ss::Document document = ss::open(folder / "state.bin", {.type = &ss::type_info<State>});
  CHECK(document.at("/plain").tensor().to_vector<float>() == std::vector<float>{1, 2});
  CHECK(document.at("/param").as<burn::Param<>>().value.to_vector<float>() ==
        std::vector<float>{4});
  // A Value has no type of its own; an object has.
  ss::convert_file(document, folder / "again.bin", {.type = &ss::type_info<State>});
  check_same(burn::BinFileRecorder<>().load<State>(folder / "again"));
  const std::filesystem::path own = folder / "own.bin";
  ss::save_file(State(), own, {.type = &ss::type_info<State>});
  check_same(ss::load_file<State>(own, {.type = &ss::type_info<State>}));
  const std::string other = " is not the type of the object: expected " +
                            to_string(ss::type_info<State>()) +
                            ", found i32. Leave the option out: an object has a type of its own.";
  CHECK(error_of([&] { return ss::save_file(State(), own, {.type = &ss::type_info<int>}); }) ==
        "invalid_argument: " + own.string() + ": SaveOptions::type" + other);
  CHECK(error_of([&] { return ss::load_file<State>(own, {.type = &ss::type_info<int>}); }) ==
        "invalid_argument: LoadOptions::type" + other);
}

TEST_CASE("what the type in the options lacks is no more lost than any other member") {
  const ss::test::Folder folder;
  burn::NamedMpkFileRecorder<>().record(State(), folder / "state");
  const ss::Document document = ss::open(folder / "state.mpk");
  ss::Value value = document.root();
  value.insert_or_assign("more", ss::Tensor::own(std::vector<float>{1}));
  const std::filesystem::path path = folder / "state.bin";
  CHECK(error_of([&] { return ss::save_file(value, path, {.type = &ss::type_info<State>}); }) ==
        "unknown_field: " + path.string() +
            ": at /more: the type lacks a member of the structure: "
            "expected " +
            to_string(ss::type_info<State>()) +
            ", found tensor F32 [1]. Add it to the "
            "type that is given, or erase it from the structure.");
  CHECK(!std::filesystem::exists(path));
  value.insert_or_assign("more", ss::Value());
  ss::save_file(value, path, {.type = &ss::type_info<State>});
  check_same(ss::load_file<State>(path));
}
