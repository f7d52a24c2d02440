/// \file
/// The members of a structure that is saved as a record by its type: those that it lacks, those
/// that the type lacks, former names, and records of other versions.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include <safestructures/safestructures.hpp>
#include "support/burn_records.hpp"
#include "support/errors.hpp"

namespace ss = safestructures;
namespace burn = ss::burn;
using ss::test::error_of;
using ss::test::linear;
using ss::test::quarters;

namespace {

constexpr burn::Encoding encodings[] = {burn::Encoding::messagepack, burn::Encoding::bincode,
                                        burn::Encoding::json};

struct Renamed {
  std::optional<std::string> title;
  std::int32_t count = 3;
};

}  // namespace

template <>
struct ss::Rules<Renamed> {
  static constexpr auto fields =
      ss::fields(ss::field("title").alias("caption"), ss::field("count").optional());
};

TEST_CASE("what other formats leave out of a structure is empty in a record by its type") {
  struct Item {
    burn::Linear fc = linear(false);
    burn::Constant dropout;
    std::optional<burn::Linear> head;
    std::array<burn::Constant, 2> stride;
  };
  const ss::Value value = ss::Value::dict({{"fc", ss::Value::from(linear(false))}, {"stride", 1}});
  for (const burn::Encoding encoding : encodings) {
    CAPTURE(static_cast<int>(encoding));
    const auto format = ss::formats::burn({.encoding = encoding});
    const ss::SaveOptions options{.format = format, .type = &ss::type_info<Item>};
    CHECK(ss::save(value, options) == ss::save(Item(), {.format = format}));
    CHECK(error_of([&] { return ss::save(ss::Value::dict({{"stride", 1}}), options); }) ==
          "missing_field: at /: the structure lacks a field of the type: expected 'fc', found dict "
          "of 1.");
  }
}

TEST_CASE("what is no tensor is no parameter in bincode") {
  using Item = std::map<std::string, burn::Param<std::vector<float>>>;
  const auto error = [](ss::Value value) {
    return error_of([&] {
      return ss::save(ss::Value::dict({{"w", std::move(value)}}),
                      {.format = ss::formats::burn({.encoding = burn::Encoding::bincode}),
                       .type = &ss::type_info<Item>});
    });
  };
  const std::string problem =
      "type_mismatch: at /w: a value does not fit its type: expected tensor F32 [any], found ";
  CHECK(error(ss::Value::list({1.0})) == problem + "list of 1.");
  CHECK(error(ss::Value::list()) == problem + "list of 0.");
  CHECK(error({}) == problem + "None.");
  CHECK(error(5) == problem + "int 5.");
  CHECK(error("text") == problem + "str \"text\".");
  CHECK(error(quarters({1})) == "no error");
}

TEST_CASE("the type says whether a tensor is a parameter, and without names nothing else does") {
  struct Item {
    burn::Param<> param;
    burn::Bare<> bare;
    ss::Tensor plain;
  };
  const auto with_id = [](const std::optional<ss::Value>& id) {
    ss::Value tensor = quarters({2});
    if (id) tensor.set_attribute(ss::attributes::burn_id, *id);
    return tensor;
  };
  for (const burn::Encoding encoding : encodings)
    for (const std::optional<ss::Value>& id :
         {std::optional<ss::Value>(), std::optional(ss::Value()),
          std::optional(ss::Value("72d17eukbtkma"))}) {
      CAPTURE(static_cast<int>(encoding));
      CAPTURE(id.value_or("no attribute"));
      const auto format = ss::formats::burn({.encoding = encoding});
      const ss::Value value =
          ss::Value::dict({{"param", with_id(id)}, {"bare", with_id(id)}, {"plain", with_id(id)}});
      const std::vector<std::byte> bytes =
          ss::save(value, {.format = format, .type = &ss::type_info<Item>});
      const Item item = ss::load<Item>(bytes, {.format = format});
      CHECK(item.param.value == quarters({2}));
      CHECK(item.bare.value == quarters({2}));
      CHECK(item.plain == quarters({2}));
      CHECK((item.param.id == "72d17eukbtkma") == (id == ss::Value("72d17eukbtkma")));
      if (encoding == burn::Encoding::bincode) continue;
      const ss::Value again = ss::load(bytes);
      CHECK(again["bare"].attribute(ss::attributes::burn_id)->is_none());
      CHECK(again["param"].attribute(ss::attributes::burn_id)->kind() == ss::Kind::string);
    }
}

TEST_CASE("a value of another kind than its type is refused by its path") {
  using Pair = std::tuple<int, std::string>;
  using Choice = burn::Enum<burn::Case<"Lin", burn::Linear>, burn::Case<"Act">>;
  const auto check = []<class T>(std::type_identity<T>, const ss::Value& value,
                                 const std::string& error) {
    using Item = std::map<std::string, T>;
    for (const burn::Encoding encoding : encodings) {
      CAPTURE(static_cast<int>(encoding));
      CHECK(error_of([&] {
              return ss::save(ss::Value::dict({{"v", value}}),
                              {.format = ss::formats::burn({.encoding = encoding}),
                               .type = &ss::type_info<Item>});
            }) == error);
    }
  };
  const ss::Value five = 5;
  const ss::Value text = "x";
  const ss::Value list = ss::Value::list({1});
  const ss::Value dict = ss::Value::dict({{"a", 1}});
  const std::string wrong = "type_mismatch: at /v: a value does not fit its type: expected ";
  check(std::type_identity<bool>(), five, wrong + "bool, found int 5.");
  check(std::type_identity<std::string>(), five, wrong + "str, found int 5.");
  check(std::type_identity<double>(), five, wrong + "f64, found int 5.");
  check(std::type_identity<std::complex<double>>(), five,
        wrong + "complex of two f64, found int 5.");
  check(std::type_identity<std::monostate>(), five, wrong + "None, found int 5.");
  check(std::type_identity<std::monostate>(), {}, "no error");
  check(std::type_identity<std::optional<bool>>(), five, wrong + "bool, found int 5.");
  check(std::type_identity<std::vector<std::string>>(), text,
        wrong + "list of str, found str \"x\".");
  check(std::type_identity<std::set<std::string>>(), dict, wrong + "set of str, found dict of 1.");
  check(std::type_identity<Pair>(), list, wrong + "tuple (i32, str), found list of 1.");
  check(std::type_identity<Pair>(), five, wrong + "tuple (i32, str), found int 5.");
  check(std::type_identity<std::map<std::string, int>>(), list,
        wrong + "dict of str to i32, found list of 1.");
  check(std::type_identity<Renamed>(), list,
        wrong + "struct Renamed {title: (str or None), count: i32}, found list of 1.");
  check(std::type_identity<burn::Linear>(), five,
        wrong + "struct burn.Linear {weight: tensor, bias: (tensor or None)}, found int 5.");
  const std::string choice = "dict {Lin: burn.Linear, Act: None}, found ";
  check(std::type_identity<Choice>(), five, wrong + choice + "int 5.");
  check(std::type_identity<Choice>(), text, wrong + choice + "str \"x\".");
  check(std::type_identity<Choice>(), ss::Value::dict({{1, five}}), wrong + choice + "dict of 1.");
  check(std::type_identity<Choice>(), ss::Value::dict({{"Act", {}}, {"Lin", {}}}),
        wrong + choice + "dict of 2.");
  check(std::type_identity<Choice>(), dict,
        "out_of_range: at /v: an enum has no such variant: expected " + choice + "'a'.");
  check(std::type_identity<std::vector<bool>>(), ss::Value::list({true}), "no error");
}

TEST_CASE("an activation that a version does not have is refused for it") {
  const auto activation = burn::Activation::of<"SoftShrink">();
  for (const burn::Encoding encoding : encodings) {
    const auto error = [&](const std::string& version) {
      return error_of([&] {
        return ss::save(
            activation,
            {.format = ss::formats::burn({.encoding = encoding, .burn_version = version})});
      });
    };
    CHECK(error("0.21") == "no error");
    CHECK(error("0.20") ==
          "out_of_range: at /: this version of Burn has no such variant: expected " +
              to_string(ss::type_info<burn::Activation>()) +
              ", found 'SoftShrink'. Write for a newer version (burn::Options::burn_version).");
  }
}

TEST_CASE("what a type lacks is refused, too, where another member is left out") {
  struct Item {
    std::optional<std::string> first;
    std::optional<std::string> second;
  };
  for (const burn::Encoding encoding : encodings) {
    CAPTURE(static_cast<int>(encoding));
    const auto format = ss::formats::burn({.encoding = encoding});
    const ss::SaveOptions options{.format = format, .type = &ss::type_info<Item>};
    CHECK(error_of([&] {
            return ss::save(ss::Value::dict({{"second", "b"}, {"third", "c"}}), options);
          }).starts_with("unknown_field: at /third: the type lacks a member of the structure"));
    CHECK(ss::save(ss::Value::dict({{"second", "b"}, {"third", {}}}), options) ==
          ss::save(Item{{}, "b"}, {.format = format}));
  }
}

TEST_CASE("a member by its former name is saved, and one of the two names only") {
  for (const burn::Encoding encoding : encodings) {
    CAPTURE(static_cast<int>(encoding));
    const auto format = ss::formats::burn({.encoding = encoding});
    const ss::SaveOptions options{.format = format, .type = &ss::type_info<Renamed>};
    CHECK(ss::save(ss::Value::dict({{"caption", "a"}, {"count", 3}}), options) ==
          ss::save(Renamed{"a", 3}, {.format = format}));
    CHECK(error_of([&] {
            return ss::save(ss::Value::dict({{"title", "a"}, {"caption", "b"}, {"count", 3}}),
                            options);
          }).starts_with("unknown_field: at /caption: "));
    // Its default is not None.
    CHECK(error_of([&] { return ss::save(ss::Value::dict({{"title", "a"}}), options); })
              .starts_with("missing_field: at /: the structure lacks a field of the type: "
                           "expected 'count'"));
  }
}

TEST_CASE("records of any version are saved for any other by their type, as objects are") {
  const auto check = [&]<class T>(std::type_identity<T>, const std::string& name) {
    for (const std::string from : {"0.13", "0.17", "0.20", "0.21"}) {
      CAPTURE(from);
      const std::string path = SAFESTRUCTURES_TEST_DATA "/golden/burn/" + from + "/" + name;
      const ss::Value value = ss::load_file(path);
      const T object = ss::load_file<T>(path);
      for (const std::string to : {"0.13", "0.14", "0.17", "0.20", "0.21"})
        for (const burn::Encoding encoding : encodings) {
          CAPTURE(to);
          CAPTURE(static_cast<int>(encoding));
          const auto format = ss::formats::burn({.encoding = encoding, .burn_version = to});
          CHECK(ss::save(value, {.format = format, .type = &ss::type_info<T>}) ==
                ss::save(object, {.format = format}));
        }
    }
  };
  // Its arrays of constants are lists of None before 0.21.
  check(std::type_identity<burn::ConvTranspose2d>(), "conv_transpose2d.full.mpk");
  // It held a GroupNorm through 0.13.
  check(std::type_identity<burn::InstanceNorm>(), "instance_norm.full.mpk");
  // They have no activations before 0.20 and 0.21.
  check(std::type_identity<burn::Lstm>(), "lstm.full.mpk");
  check(std::type_identity<burn::Gru>(), "gru.full.mpk");
  check(std::type_identity<burn::TransformerEncoder>(), "transformer_encoder.full.mpk");
}

TEST_CASE("an array of nothing may be left out of the type, as nothing may") {
  struct Item {
    burn::Linear fc = linear();
  };
  const ss::SaveOptions options{.format = ss::formats::burn(), .type = &ss::type_info<Item>};
  const auto with_stride = [](ss::Value stride) {
    return ss::Value::dict({{"fc", ss::Value::from(linear())}, {"stride", std::move(stride)}});
  };
  const std::vector<std::byte> bytes = ss::save(Item(), {.format = options.format});
  CHECK(ss::save(with_stride({}), options) == bytes);
  CHECK(ss::save(with_stride(ss::Value::list({{}, {}})), options) == bytes);
  CHECK(error_of([&] {
          return ss::save(with_stride(ss::Value::list({{}, 2})), options);
        }).starts_with("unknown_field: at /stride: the type lacks a member"));
}
