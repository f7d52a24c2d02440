/// \file
/// Nothing of a Value is changed or left out without a word when it is saved by a type, for another
/// version, or with texts that no record can hold.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <streambuf>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include <safestructures/safestructures.hpp>
#include "support/burn_records.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
namespace burn = ss::burn;
using ss::test::error_of;
using ss::test::linear;
using ss::test::messagepack_record;
using ss::test::quarters;
using ss::test::view_of;
using namespace std::string_literals;

namespace {

constexpr burn::Encoding encodings[] = {burn::Encoding::messagepack, burn::Encoding::bincode,
                                        burn::Encoding::json};

struct Numbers {
  std::uint8_t u8 = 1;
  std::int16_t i16 = 2;
  std::uint64_t u64 = 3;
  float f32 = 4;
  ss::half f16{5};
  std::vector<float> floats = {6};
  std::array<std::int32_t, 2> pair = {7, 8};
  std::vector<std::array<double, 2>> rows = {{9, 10}};
  std::vector<std::byte> raw = {std::byte{11}};
  std::array<std::byte, 2> fixed{};
  std::array<std::string, 2> texts = {"a", "b"};
  std::array<burn::Constant, 2> stride;
};

enum class Colour : std::uint8_t { red, blue };

/// Counts the owners of some numbers whenever something is written.
class OwnersBuffer : public std::streambuf {
 public:
  explicit OwnersBuffer(const std::shared_ptr<const std::vector<float>>& numbers)
      : numbers_(numbers) {}

  [[nodiscard]] long most() const { return most_; }

 protected:
  std::streamsize xsputn(const char*, std::streamsize size) override {
    most_ = std::max(most_, numbers_.use_count());
    return size;
  }
  int_type overflow(int_type byte) override { return traits_type::not_eof(byte); }

 private:
  std::weak_ptr<const std::vector<float>> numbers_;
  long most_ = 0;
};

ss::SaveOptions by_type(burn::Encoding encoding) {
  return {.format = ss::formats::burn({.encoding = encoding}), .type = &ss::type_info<Numbers>};
}

/// The numbers as a Value, with one of them replaced.
ss::Value with(const std::string& field, ss::Value value) {
  ss::Value numbers = ss::Value::from(Numbers());
  numbers.insert_or_assign(field, std::move(value));
  return numbers;
}

}  // namespace

TEST_CASE("a number that its type cannot hold is refused, by its path") {
  for (const burn::Encoding encoding : encodings) {
    CAPTURE(static_cast<int>(encoding));
    const auto error = [&](const std::string& field, ss::Value value) {
      return error_of([&] { return ss::save(with(field, std::move(value)), by_type(encoding)); });
    };
    const std::string problem = ": an integer does not fit its type: expected ";
    CHECK(error("u8", 300) == "out_of_range: at /u8" + problem + "u8, found 300.");
    CHECK(error("u8", -1) == "out_of_range: at /u8" + problem + "u8, found -1.");
    CHECK(error("i16", 32768) == "out_of_range: at /i16" + problem + "i16, found 32768.");
    CHECK(error("i16", UINT64_MAX) ==
          "out_of_range: at /i16" + problem + "i16, found 18446744073709551615.");
    CHECK(error("u64", INT64_MIN) ==
          "out_of_range: at /u64" + problem + "u64, found -9223372036854775808.");
    CHECK(error("u64", ss::Value::integer("18446744073709551616")) ==
          "out_of_range: at /u64" + problem + "u64, found 18446744073709551616.");
    CHECK(error("u8", 1.0) ==
          "type_mismatch: at /u8: a value does not fit its type: expected u8, found float 1.0.");
    CHECK(error("f32", 1e300)
              .starts_with("out_of_range: at /f32: element 0 cannot be converted "
                           "from F64 to F32: expected a number from "));
    CHECK(error("f16", 65536.0)
              .starts_with("out_of_range: at /f16: element 0 cannot be converted from F64 to F16"));
    CHECK(error("u8", 255) == "no error");
    CHECK(error("i16", -32768) == "no error");
    CHECK(error("u64", UINT64_MAX) == "no error");
    CHECK(error("floats", ss::Tensor::own<double>({1e300}))
              .starts_with("out_of_range: at /floats: element 0 cannot be converted from F64"));
    ss::SaveOptions saturated = by_type(encoding);
    saturated.overflow = ss::Overflow::saturate;
    const std::vector<std::byte> bytes = ss::save(with("f32", 1e300), saturated);
    CHECK(ss::load<Numbers>(bytes, {.format = saturated.format}).f32 ==
          std::numeric_limits<float>::max());
  }
}

TEST_CASE("a sequence that its type cannot hold is refused, and another dtype converted") {
  for (const burn::Encoding encoding : encodings) {
    CAPTURE(static_cast<int>(encoding));
    const auto error = [&](const std::string& field, ss::Value value) {
      return error_of([&] { return ss::save(with(field, std::move(value)), by_type(encoding)); });
    };
    const auto problem = [](const std::string& field, const std::string& expected,
                            const std::string& found) {
      return "type_mismatch: at /" + field + ": a value does not fit its type: expected " +
             expected + ", found " + found + ".";
    };
    CHECK(error("floats", ss::Tensor::own<std::int32_t>({1})) ==
          problem("floats", "tensor F32 [any]", "tensor I32 [1]"));
    CHECK(error("floats", quarters({})) == problem("floats", "tensor F32 [any]", "tensor F32 []"));
    CHECK(error("floats", quarters({1, 2})) ==
          problem("floats", "tensor F32 [any]", "tensor F32 [1, 2]"));
    CHECK(error("pair", ss::Tensor::own<std::int32_t>({1})) ==
          problem("pair", "tensor I32 [2]", "tensor I32 [1]"));
    CHECK(error("rows", quarters({2})) == problem("rows", "tensor F64 [any, 2]", "tensor F32 [2]"));
    CHECK(error("rows", quarters({2, 3})) ==
          problem("rows", "tensor F64 [any, 2]", "tensor F32 [2, 3]"));
    CHECK(error("fixed", ss::Value::bytes(std::vector<std::byte>(3))) ==
          problem("fixed", "bytes of 2", "bytes of 3"));
    CHECK(error("raw", quarters({2})) == problem("raw", "bytes", "tensor F32 [2]"));
    CHECK(error("texts", ss::Value::list({"a"})) == problem("texts", "list of 2 str", "list of 1"));

    const auto again = [&](const std::string& field, ss::Value value) {
      const ss::SaveOptions options = by_type(encoding);
      return ss::load<Numbers>(ss::save(with(field, std::move(value)), options),
                               {.format = options.format});
    };
    CHECK(again("floats", ss::Tensor::own<double>({1, 2.5})).floats == std::vector<float>{1, 2.5F});
    CHECK(again("floats", ss::Tensor::own<ss::half>({ss::half(1), ss::half(2.5)})).floats ==
          std::vector<float>{1, 2.5F});
    CHECK(again("pair", ss::Tensor::own<std::int64_t>({-1, 70000})).pair ==
          std::array<std::int32_t, 2>{-1, 70000});
    CHECK(again("rows", quarters({1, 2})).rows == std::vector<std::array<double, 2>>{{0, 0.25}});
    // As records with names have them.
    CHECK(again("floats", ss::Value::list({1.0, 2.5})).floats == std::vector<float>{1, 2.5F});
    CHECK(again("stride", ss::Value()).texts == Numbers().texts);
  }
}

TEST_CASE("a record with names becomes one of bincode by its type") {
  const ss::test::Folder folder;
  struct Item {
    std::vector<float> floats = {1, 2.5F};
    std::vector<std::array<std::int32_t, 2>> rows = {{1, 2}, {3, 4}};
    burn::Linear fc = linear();
    std::array<burn::Constant, 2> stride;
  };
  ss::save_file(Item(), folder / "a.mpk");
  ss::convert_file(ss::open(folder / "a.mpk"), folder / "b.bin", {.type = &ss::type_info<Item>});
  const Item item = ss::load_file<Item>(folder / "b.bin");
  CHECK(item.floats == Item().floats);
  CHECK(item.rows == Item().rows);
  CHECK(item.fc.weight.id == linear().weight.id);
}

TEST_CASE("numbers in a list are written as those of their type, with names, too") {
  for (const burn::Encoding encoding : encodings) {
    CAPTURE(static_cast<int>(encoding));
    const ss::SaveOptions options = by_type(encoding);
    const std::vector<std::byte> bytes = ss::save(Numbers(), {.format = options.format});
    ss::Value lists = with("floats", ss::Value::list({6.0}));
    lists.insert_or_assign("pair", ss::Value::list({7, 8}));
    lists.insert_or_assign("rows", ss::Value::list({ss::Value::list({9.0, 10.0})}));
    CHECK(ss::save(lists, options) == bytes);
    const auto error = [&](const std::string& field, ss::Value value) {
      return error_of([&] { return ss::save(with(field, std::move(value)), options); });
    };
    CHECK(error("floats", ss::Value::list({1e300}))
              .starts_with("out_of_range: at /floats/0: element 0 cannot be converted"));
    CHECK(error("pair", ss::Value::list({7, INT64_MAX}))
              .starts_with("out_of_range: at /pair/1: an integer does not fit its type"));
    CHECK(error("pair", ss::Value::list({7})).starts_with("type_mismatch: at /pair: "));
    CHECK(error("rows", ss::Value::list({ss::Value::list({9.0})}))
              .starts_with("type_mismatch: at /rows/0: "));
  }
}

TEST_CASE("no structure is copied while it is saved by its type") {
  struct Inner {
    burn::Linear fc;
  };
  struct Outer {
    Inner inner;
  };
  struct Model {
    Outer outer;
  };
  const auto numbers = std::make_shared<std::vector<float>>(100'000);
  const ss::Tensor weight =
      ss::Tensor::share(ss::DType::F32, {100'000}, std::as_bytes(std::span(*numbers)), numbers);
  const auto of = [](const char* name, ss::Value value) {
    return ss::Value::dict({{name, std::move(value)}});
  };
  const ss::Value inner = of("fc", of("weight", weight));
  const ss::Value model = of("outer", of("inner", inner));
  for (const burn::Encoding encoding : encodings) {
    CAPTURE(static_cast<int>(encoding));
    const auto most = [&](const ss::Value& value, const ss::TypeInfo& (*type)()) {
      OwnersBuffer buffer(numbers);
      std::ostream out(&buffer);
      ss::save(value, out, {.format = ss::formats::burn({.encoding = encoding}), .type = type});
      return buffer.most();
    };
    CHECK(most(model, &ss::type_info<Model>) == most(inner, &ss::type_info<Inner>));
  }
}

TEST_CASE("an enum of a record with names is saved by its type") {
  const std::vector<Colour> colours = {Colour::blue, Colour::red};
  const auto named = ss::formats::burn();
  const ss::Value value = ss::load(ss::save(colours, {.format = named}), {.format = named});
  REQUIRE(value[0] == ss::Value::dict({{"blue", {}}}));
  for (const burn::Encoding encoding : encodings) {
    CAPTURE(static_cast<int>(encoding));
    const auto format = ss::formats::burn({.encoding = encoding});
    const ss::SaveOptions options{.format = format, .type = &ss::type_info<std::vector<Colour>>};
    CHECK(ss::save(value, options) == ss::save(colours, {.format = format}));
    CHECK(error_of([&] {
            return ss::save(ss::Value::list({ss::Value::dict({{"green", {}}})}), options);
          }).starts_with("out_of_range: at /0: an enum has a value without a name"));
  }
}

TEST_CASE("what a version's module does not have is refused") {
  burn::AdaptiveMomentum state{.time = 1,
                               .moment_1 = {quarters({1})},
                               .moment_2 = {quarters({1})},
                               .max_moment_2 = burn::Bare<>{quarters({1})}};
  burn::Lstm lstm;
  burn::Gru gru;
  gru.hidden_activation = burn::Activation::of<"Relu">();
  const std::string problem =
      ": this version of Burn does not have a field of the module: "
      "expected none, found ";
  const std::string advice = ". Write for a newer version (burn::Options::burn_version).";
  for (const burn::Encoding encoding : encodings) {
    CAPTURE(static_cast<int>(encoding));
    const auto error = [&](const auto& module, const std::string& version) {
      return error_of([&] {
        return ss::save(
            module, {.format = ss::formats::burn({.encoding = encoding, .burn_version = version})});
      });
    };
    CHECK(error(state, "0.21") == "no error");
    CHECK(error(state, "0.20") ==
          "unknown_field: at /max_moment_2" + problem + "tensor F32 [1]" + advice);
    // Before 0.20 the activations were always those of the default.
    CHECK(error(lstm, "0.17") == "no error");
    CHECK(error(gru, "0.21") == "no error");
    CHECK(error(gru, "0.20") ==
          "unknown_field: at /hidden_activation" + problem + "dict of 1" + advice);
  }
  ss::Value fc = ss::Value::from(linear());
  fc.insert("scale", quarters({1}));
  CHECK(error_of([&] { return ss::save(fc, {.format = ss::formats::burn()}); }) ==
        "unknown_field: at /scale: a module of Burn does not have a member of the structure: "
        "expected the members of 'burn.Linear', found tensor F32 [1]. Erase it, or give the "
        "structure another name.");
  fc.insert_or_assign("scale", ss::Value());
  CHECK(error_of([&] { return ss::save(fc, {.format = ss::formats::burn()}); }) == "no error");
}

TEST_CASE("ids and metadata that no record can hold are refused when saving") {
  for (const burn::Encoding encoding : encodings)
    for (const std::string text : {"\xFF", "\xED\xA0\x80"}) {
      CAPTURE(static_cast<int>(encoding));
      const auto format = ss::formats::burn({.encoding = encoding});
      const burn::Linear fc{{quarters({1}), text}, {}};
      CHECK(error_of([&] { return ss::save(fc, {.format = format}); }) ==
            "invalid_utf8: at /weight: a text is not UTF-8.");
      CHECK(error_of([&] {
              return ss::save(1, {.format = format, .metadata = {{"burn.settings", text}}});
            }) == "invalid_utf8: the metadata of key 'burn.settings' is not valid UTF-8.");
    }
}
