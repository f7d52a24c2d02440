/// \file
/// Damaged files as a whole: header, schema and tensors together load or throw Error, nothing else.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/formats/safetensors.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

#include "support/codec.hpp"
#include "support/platform_folder.hpp"

namespace {

namespace ss = safestructures;
using codec_test::error_of;

struct Leaf {
  std::string name;
  std::optional<float> weight;
};

struct Tree {
  std::vector<Leaf> leaves;
  std::map<std::int64_t, std::vector<double>> numbers;
  std::variant<std::int64_t, std::string> choice;
};

std::vector<std::byte> good_file() {
  const Tree tree{.leaves = {{"a\n\u00e9", 1.5F}, {"", std::nullopt}},
                  .numbers = {{1, {1, 2}}, {-3, {}}},
                  .choice = "text"};
  return ss::save(tree, {.metadata = {{"run", "42"}}});
}

std::size_t data_offset(const std::vector<std::byte>& bytes) {
  return static_cast<std::size_t>(ss::safetensors::File::from_bytes(bytes, nullptr).file_offset(0));
}

/// Loads in every way, or throws Error. The memory ends with the bytes, so that ASan sees any read
/// behind them.
bool loads(std::span<const std::byte> bytes) {
  const std::vector<std::byte> exact(bytes.begin(), bytes.end());
  bool is_loaded = true;
  try {
    static_cast<void>(to_string(ss::load(exact)));
  } catch (const ss::Error&) {
    is_loaded = false;
  }
  try {
    static_cast<void>(ss::load<Tree>(exact));
  } catch (const ss::Error&) {
  }
  return is_loaded;
}

/// A file of a list of one tensor F32, `t`, whose node has the field `dtype`.
std::vector<std::byte> noting(const std::string& dtype, std::vector<float> numbers) {
  const ss::Tensor tensor = ss::Tensor::own(std::move(numbers));
  return ss::safetensors::to_bytes(
      std::vector<ss::safetensors::Item>{{"t", tensor}},
      {{"_safestructures_schema_",
        R"({"data_type": "list", "value": [{"data_type": "numpy.ndarray", "value": "t", "dtype": )" +
            dtype + "}]}"}});
}

/// A file of one tensor `t` of `size` bytes to which a list refers `times` times.
std::vector<std::byte> repeating(std::size_t size, std::size_t times,
                                 const std::string& more = {}) {
  std::string text = R"({"data_type": "list", "value": [)";
  for (std::size_t i = 0; i < times; ++i)
    text += (i == 0 ? "" : ", ") + std::string(R"({"data_type": "torch.Tensor", "value": "t")") +
            more + "}";
  text += "]}";
  const ss::Tensor tensor = ss::Tensor::own(std::vector<float>(size / 4));
  return ss::safetensors::to_bytes(
      std::vector<ss::safetensors::Item>{{"t", tensor}},
      {{"_safestructures_schema_", text}, {"_safestructures_schema_version_", "1.0.0"}});
}

}  // namespace

TEST_CASE("a good document cut at any byte is refused") {
  const std::vector<std::byte> good = good_file();
  REQUIRE(loads(good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(loads(std::span(good).first(size)));
  }
}

TEST_CASE("a good document with any bit of its header flipped loads or is refused") {
  const std::vector<std::byte> good = good_file();
  const std::size_t end = data_offset(good);
  std::size_t loaded = 0;
  for (std::size_t at = 0; at < end; ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> bytes = good;
      bytes[at] ^= static_cast<std::byte>(1U << bit);
      CHECK_NOTHROW(loaded += loads(bytes) ? 1U : 0U);
    }
  }
  // A letter of a text may well become another.
  CHECK(loaded > 0);
  CHECK(loaded < end * 8 / 2);
}

TEST_CASE("a good document with any byte replaced by a structural one loads or is refused") {
  const std::vector<std::byte> good = good_file();
  const std::size_t end = data_offset(good);
  for (std::size_t at = 8; at < end; ++at) {
    for (const char c : {'"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '\0', '\xff', ' '}) {
      std::vector<std::byte> bytes = good;
      bytes[at] = static_cast<std::byte>(c);
      CHECK_NOTHROW(loads(bytes));
    }
  }
}

TEST_CASE("a tensor named again and again shares its bytes") {
  // 2 GiB, were they copied.
  const std::vector<std::byte> bytes = repeating(1 << 20, 1000, R"(, "dtype": "F64")");
  const ss::Value value = ss::load(bytes);
  REQUIRE(value.size() == 1000);
  CHECK(value[0].tensor().dtype() == ss::DType::F64);
  CHECK(value[0].tensor().origin() == value[999].tensor().origin());
}

TEST_CASE("a small file cannot name a large tensor without end") {
  const std::vector<std::byte> bytes = repeating(1 << 20, 1026);
  const std::string text =
      "limit_exceeded: a structure refers to the same tensors too often: expected at most "
      "1073741824 "
      "bytes of repeated tensors (Limits::repeats)";
  CHECK(error_of([&] { return ss::load(bytes); }) == text + ".");
  CHECK(error_of([&] { return ss::load<std::vector<std::vector<float>>>(bytes); }) == text + ".");
  CHECK_NOTHROW(static_cast<void>(ss::load(repeating(1 << 20, 1025))));
  ss::ReadOptions options;
  options.limits.repeats = 2000;
  CHECK_NOTHROW(static_cast<void>(ss::load(bytes, options)));
}

TEST_CASE("an original dtype that cannot be given back is refused with its exact error") {
  struct Case {
    std::string dtype;
    float number;
    std::string error;
  };
  const std::string unknown =
      "unknown_dtype: at /0: a tensor's original dtype is not known: found ";
  const std::string element = "at /0: element 0 cannot be converted from F32 to ";
  const std::string advice =
      " Choose a dtype of wider range, or let numbers saturate (Overflow::saturate, or convert "
      "--overflow in the tool).";
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Case> cases = {
      {R"("F99")", 1, unknown + R"(str "F99".)"},
      {R"("f64")", 1, unknown + R"(str "f64".)"},
      {R"("")", 1, unknown + R"(str "".)"},
      {"64", 1, unknown + "int 64."},
      {"null", 1, unknown + "None."},
      {R"(["F64"])", 1, unknown + "list of 1."},
      {R"("I64")", 1.5F,
       "lossy_conversion: " + element +
           "I64: expected a whole number, found 1.5. Choose a floating-point dtype, or cut "
           "fractions off with Overflow::saturate (in C++)."},
      {R"("I64")", nan,
       "out_of_range: " + element +
           "I64: expected a number, found NaN. I64 has no NaN: choose a floating-point type that "
           "has it."},
      {R"("U8")", -1,
       "out_of_range: " + element + "U8: expected a number from 0 to 255, found -1." + advice},
      {R"("BOOL")", 2,
       "out_of_range: " + element + "BOOL: expected a number from 0 to 1, found 2." + advice},
      {R"("F16")", 1e6F,
       "out_of_range: " + element + "F16: expected a number from -65504 to 65504, found 1000000." +
           advice},
      {R"("F4")", 0,
       "invalid_shape: at /0: the elements do not fill whole bytes: expected a number of elements "
       "of 4 bits that makes a multiple of 8 bits, found F4 [1]."}};
  for (const Case& one : cases) {
    CAPTURE(one.dtype);
    CAPTURE(one.number);
    const std::vector<std::byte> bytes = noting(one.dtype, {one.number});
    CHECK(error_of([&] { return ss::load(bytes); }) == one.error);
    CHECK(error_of([&] { return ss::load<std::vector<ss::Tensor>>(bytes); }) == one.error);
    // What decides the type itself does not ask for the note.
    const auto document = ss::Document::from_bytes(bytes, nullptr);
    CHECK(document.root()[0].tensor().dtype() == ss::DType::F32);
    const auto numbers = document.as<std::vector<std::vector<float>>>();
    if (std::isnan(one.number)) CHECK(std::isnan(numbers[0][0]));
    else CHECK(numbers[0][0] == one.number);
  }
  // Whole numbers can be integers again.
  CHECK(ss::load(noting(R"("I64")", {1, -2}))[0].tensor().dtype() == ss::DType::I64);
}

TEST_CASE("a reference counts once, also where the schema is not of the usual spelling") {
  CHECK_NOTHROW(static_cast<void>(ss::load(repeating(1 << 20, 1025, R"(, "note": [])"))));
}

TEST_CASE("a tensor that is read by position is read once, however often it is named") {
  const platform_test::Folder folder;
  const std::vector<std::byte> bytes = repeating(1 << 20, 1000);
  const auto path = folder / "f.safetensors";
  platform_test::put(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const ss::Document document = ss::open(path, {.access = ss::Access::read});
  CHECK(document.root()[0].tensor().origin() == document.root()[999].tensor().origin());
}

TEST_CASE("the names of a plain file cannot spell more nodes than the limit") {
  const std::array<float, 1> number = {1};
  const ss::Tensor tensor = ss::Tensor::of<float>(number);
  const auto bytes = ss::safetensors::to_bytes(
      std::vector<ss::safetensors::Item>{{"a.b.c", tensor}, {"a.b.d", tensor}});
  ss::ReadOptions options;
  options.limits.nodes = 5;
  CHECK_NOTHROW(static_cast<void>(ss::load(bytes, options)));
  options.limits.nodes = 4;
  CHECK(error_of([&] { return ss::load(bytes, options); }) ==
        "limit_exceeded: a structure has too many nodes: expected at most 4 (Limits::nodes).");
}

TEST_CASE("names that go on below another tensor's keep their dots, in any order of the file") {
  const std::array<float, 1> number = {1};
  const ss::Tensor narrow = ss::Tensor::of<float>(number);
  const ss::Tensor wide = narrow.to(ss::DType::F64);
  // F64 comes first in the file, so that "a" stands before or behind what is below it.
  for (const bool upper_first : {false, true}) {
    const ss::Tensor& upper = upper_first ? wide : narrow;
    const ss::Tensor& lower = upper_first ? narrow : wide;
    const auto bytes = ss::safetensors::to_bytes(std::vector<ss::safetensors::Item>{
        {"x.a", upper}, {"x.a.b.c", lower}, {"x.a-b.c", lower}, {"x.a.b", lower}});
    const ss::Value value = ss::load(bytes);
    CAPTURE(to_string(value));
    CHECK(value["x"].size() == 4);
    CHECK(value["x"]["a"].kind() == ss::Kind::tensor);
    CHECK(value["x"]["a.b.c"].kind() == ss::Kind::tensor);
    CHECK(value["x"]["a.b"].kind() == ss::Kind::tensor);
    CHECK(value["x"]["a-b"]["c"].kind() == ss::Kind::tensor);
  }
}

TEST_CASE("a float whose exponent is at the end of 64 bits is infinite or zero, as in Python") {
  const auto read = [](const std::string& text) {
    return ss::schema::read(R"({"data_type": "float", "value": ")" + text + "\"}",
                            [](std::string_view) { return std::optional<ss::Tensor>(); })
        .as_double();
  };
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(read("1e9223372036854775807") == infinity);
  CHECK(read("-12e9223372036854775808") == -infinity);
  CHECK(read("0.1e-9223372036854775808") == 0);
  CHECK(read("0.001e-9223372036854775807") == 0);
}

TEST_CASE("an object that was moved from can be used, assigned and destroyed") {
  const std::vector<std::byte> bytes = good_file();
  ss::Document document = ss::Document::from_bytes(bytes, nullptr);
  const ss::Document other_document = std::move(document);
  CHECK(document.root() == other_document.root());
  ss::safetensors::File file = other_document.container<ss::safetensors::File>();
  const ss::safetensors::File other_file = std::move(file);
  CHECK(file.size() == other_file.size());
  const std::string json = "{}  ";
  ss::safetensors::Header header =
      ss::safetensors::Header::parse(std::as_bytes(std::span(json)), 0);
  const ss::safetensors::Header other_header = std::move(header);
  CHECK(header.size() == other_header.size());
  ss::Error error(ss::ErrorCode::not_found, "gone");
  const ss::Error other_error = std::move(error);
  CHECK(std::string(error.what()) == other_error.what());

  ss::Tensor tensor = ss::Tensor::own(std::vector<float>{1, 2});
  const ss::Tensor other_tensor = std::move(tensor);
  CHECK(other_tensor.size() == 2);
  CHECK(tensor.bytes().size() == tensor.byte_size());
  CHECK(tensor == tensor.clone());
  tensor = other_tensor;
  CHECK(tensor == other_tensor);

  for (ss::Value value :
       {ss::Value("a text that is too long for the short string"), ss::Value::list({1, 2}),
        ss::Value::dict(), ss::Value(other_tensor), ss::Value::custom("T", 1), ss::Value(1.5)}) {
    const ss::Value other = std::move(value);
    CHECK_NOTHROW(static_cast<void>(to_string(value)));
    value = other;
    CHECK(value == other);
  }
}
