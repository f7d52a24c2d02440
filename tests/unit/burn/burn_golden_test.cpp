/// \file
/// Files of the real Burn (tests/golden/burn, made by tests/burn), loaded as a Value and typed,
/// against what the program that made them says they hold.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include "support/binary_files.hpp"
#include "support/burn_types.hpp"

namespace ss = safestructures;
namespace burn = ss::burn;
namespace fs = std::filesystem;

namespace {

/// A golden file: `NAME.PRECISION.EXTENSION` in a folder of its version.
struct Golden {
  fs::path path;
  unsigned minor = 0;
  std::string record;
  std::string precision;
  std::string extension;

  [[nodiscard]] bool is_json() const { return extension.starts_with("json"); }
  [[nodiscard]] bool is_bincode() const { return extension.starts_with("bin"); }
};

std::vector<Golden> golden_files() {
  std::vector<Golden> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(SAFESTRUCTURES_TEST_DATA "/golden/burn")) {
    const std::string name = entry.path().filename().string();
    const std::string version = entry.path().parent_path().filename().string();
    const std::size_t first = name.find('.');
    const std::size_t second = name.find('.', first + 1);
    if (!entry.is_regular_file() || second == std::string::npos || version == "expected") continue;
    files.push_back({entry.path(), static_cast<unsigned>(std::stoul(version.substr(2))),
                     name.substr(0, first), name.substr(first + 1, second - first - 1),
                     name.substr(second + 1)});
  }
  std::ranges::sort(files, {}, &Golden::path);
  return files;
}

double number_of(const ss::Value& value) {
  if (value.kind() == ss::Kind::string) {
    if (value.as_string() == "NaN") return std::nan("");
    return value.as_string().starts_with("-") ? -INFINITY : INFINITY;
  }
  return value.kind() == ss::Kind::integer ? static_cast<double>(*value.as_int64())
                                           : value.as_double();
}

/// The elements as the file of a precision holds them. Burn goes from f64 to f16 through f32.
std::vector<double> stored(const std::vector<double>& numbers, std::string_view precision) {
  ss::Tensor tensor = ss::Tensor::own(std::vector<double>(numbers));
  if (precision != "double") tensor = tensor.to(ss::DType::F32, ss::Overflow::allow);
  if (precision == "half") tensor = tensor.to(ss::DType::F16, ss::Overflow::allow);
  return tensor.to_vector<double>();
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// `a.0.b` as a path.
std::string path_of(std::string_view dotted) {
  std::string path = "/" + std::string(dotted);
  std::ranges::replace(path, '.', '/');
  return dotted.empty() ? "/" : path;
}

void check_tensor(const ss::Value& found, const ss::Value& wanted, const Golden& golden) {
  REQUIRE(found.kind() == ss::Kind::tensor);
  const ss::Tensor tensor = found.tensor();
  const std::vector<std::uint64_t> shape(tensor.shape().begin(), tensor.shape().end());
  CHECK(shape == wanted["shape"].as<std::vector<std::uint64_t>>());
  const ss::Value* const id = wanted.find("id");
  const ss::Value* const found_id = found.attribute(ss::attributes::burn_id);
  REQUIRE(found_id != nullptr);
  if (id != nullptr) CHECK(*found_id == *id);
  else CHECK(found_id->is_none());
  const std::string kind = wanted["dtype"].as_string();
  const ss::Value& data = wanted["data"];
  CHECK(tensor.size() == data.size());
  if (kind == "F64") {
    std::vector<double> numbers;
    for (const ss::Value& item : data.items()) numbers.push_back(number_of(item));
    std::vector<double> expected = stored(numbers, golden.precision);
    // JSON of 0.13 has null for what is not finite.
    if (golden.is_json() && golden.minor < 14 && golden.precision != "half")
      for (double& number : expected)
        if (!std::isfinite(number)) number = std::nan("");
    const std::vector<double> values = tensor.to_vector<double>();
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      CAPTURE(i);
      CAPTURE(values[i]);
      CAPTURE(expected[i]);
      CHECK(same(values[i], expected[i]));
    }
  } else if (kind == "I64") {
    CHECK(tensor.to_vector<std::int64_t>() == data.as<std::vector<std::int64_t>>());
  } else {
    const std::vector<std::uint8_t> values = tensor.to_vector<std::uint8_t>();
    REQUIRE(values.size() == data.size());
    for (std::size_t i = 0; i < values.size(); ++i) CHECK((values[i] != 0) == data[i].as_bool());
  }
}

/// \param typed whether the C++ type has said what scalars are
void check_scalar(const ss::Value& found, const ss::Value& wanted, const Golden& golden,
                  bool typed) {
  const std::string type = wanted["type"].as_string();
  const ss::Value& value = wanted["value"];
  if (type == "f16" || type == "bf16") {
    if (typed) CHECK(same(found.as_double(), number_of(value)));
    else CHECK(found.kind() == ss::Kind::integer);
  } else if (type == "f32" || type == "f64") {
    const double number = number_of(value);
    if (golden.is_json() && !std::isfinite(number)) return;
    const double read = number_of(found);
    CHECK(same(type == "f32" ? double{static_cast<float>(read)} : read, number));
  } else if (found.kind() == ss::Kind::tuple && value.is_none()) {
    CHECK(found == ss::Value::tuple({value}));  // Some(()), see codecs/holders.hpp.
  } else {
    CHECK(found == value);
  }
}

/// The value at a path, which may lead to an element of a tensor.
ss::Value value_at(const ss::Value& root, std::string path) {
  // InstanceNorm held a GroupNorm once, and has its fields here.
  if (path.starts_with("/group_norm/") && root.find("group_norm") == nullptr)
    path = path.substr(path.rfind('/'));
  if (path == "/") return root;
  const std::size_t slash = path.rfind('/');
  const std::string parent = slash == 0 ? "/" : path.substr(0, slash);
  const ss::Value& holder = root.at(parent);
  if (holder.kind() != ss::Kind::tensor) return root.at(path);
  const auto slices = ss::parse_slices(path.substr(slash + 1));
  const ss::Tensor element = holder.tensor().slice(slices);
  if (ss::is_floating(element.dtype())) return element.to_vector<double>().front();
  return element.to_vector<std::int64_t>().front();
}

void check_all(const ss::Value& root, const ss::Value& expected, const Golden& golden, bool typed) {
  for (const ss::Entry& entry : expected["tensors"].entries()) {
    const std::string path = path_of(entry.key.as_string());
    CAPTURE(path);
    check_tensor(value_at(root, path), entry.value, golden);
  }
  for (const ss::Entry& entry : expected["scalars"].entries()) {
    const std::string path = path_of(entry.key.as_string());
    CAPTURE(path);
    check_scalar(value_at(root, path), entry.value, golden, typed);
  }
}

/// Burn writes some records that can be read as nothing else than what they have become.
bool is_lost(const Golden& golden) {
  // NaN is null, and so is Some(()).
  return (golden.is_json() && golden.record == "odd_floats") ||
         (!golden.is_bincode() && golden.record == "units");
}

ss::LoadOptions options_for(const Golden& golden) {
  if (!golden.is_bincode()) return {};
  return {.format = ss::formats::burn({.encoding = burn::Encoding::bincode})};
}

}  // namespace

TEST_CASE("files of the real Burn load as a Value with the values that they were made of") {
  const std::vector<Golden> files = golden_files();
  REQUIRE(files.size() > 100);
  for (const Golden& golden : files) {
    if (golden.is_bincode()) continue;
    CAPTURE(golden.path);
    const ss::Value expected =
        ss::load_file(golden.path.parent_path() / "expected" / (golden.record + ".json"));
    ss::Value root;
    REQUIRE_NOTHROW(root = ss::load_file(golden.path));
    if (!is_lost(golden)) check_all(root, expected, golden, false);
  }
}

TEST_CASE("files of the real Burn load typed with the values that they were made of") {
  for (const Golden& golden : golden_files()) {
    CAPTURE(golden.path);
    const ss::Value expected =
        ss::load_file(golden.path.parent_path() / "expected" / (golden.record + ".json"));
    const bool is_known = ss::test::with_record_type(golden.record, golden.minor, [&]<class T>() {
      if (is_lost(golden)) return;
      std::optional<T> object;
      try {
        object = ss::load_file<T>(golden.path, options_for(golden));
      } catch (const std::exception& error) {
        FAIL_CHECK(std::string(error.what()));
        return;
      }
      check_all(ss::Value::from(*object), expected, golden, true);
    });
    CHECK(is_known);
  }
}

TEST_CASE("files of the real Burn become each other by their C++ type, byte for byte") {
  for (const Golden& golden : golden_files()) {
    // NaN and infinity are null in JSON, and the bits of a half are an integer without its type.
    const bool is_odd = golden.record == "odd_floats" || golden.record == "units" ||
                        (golden.record == "tensors" && golden.minor < 14);
    if (is_odd || (golden.extension != "mpk" && golden.extension != "json")) continue;
    for (const burn::Encoding encoding :
         {burn::Encoding::messagepack, burn::Encoding::bincode, burn::Encoding::pretty_json}) {
      const auto format = ss::formats::burn({.encoding = encoding});
      const bool is_json = encoding == burn::Encoding::pretty_json;
      fs::path other = golden.path;
      other.replace_extension(is_json ? ".json" : format->extensions().front());
      if (other == golden.path || !fs::exists(other)) continue;
      CAPTURE(golden.path);
      CAPTURE(other);
      ss::test::with_record_type(golden.record, golden.minor, [&]<class T>() {
        const ss::SaveOptions options{
            .format = format, .precision = ss::Precision::preserve, .type = &ss::type_info<T>};
        const auto check = [&](const ss::LoadOptions& how) {
          std::ostringstream out;
          ss::convert(ss::open(golden.path, how), out, options);
          CHECK(out.str() == ss::test::text_of_file(other));
        };
        check({.type = options.type});
        if (golden.record != "primitives") check({});
      });
    }
  }
}
