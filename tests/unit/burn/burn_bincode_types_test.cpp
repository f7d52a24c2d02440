/// \file
/// Records in bincode, of which nothing but the C++ type says what they hold: what a type is read
/// as, and what is said of one that does not fit.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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
using ss::test::bincode_record;
using ss::test::error_of_void;
using ss::test::linear;
using ss::test::quarters;
using ss::test::text_of;
using ss::test::view_of;
using namespace std::string_literals;

namespace {

constexpr burn::Encoding encodings[] = {burn::Encoding::messagepack, burn::Encoding::bincode,
                                        burn::Encoding::json};

enum class Colour : std::uint8_t { red, green };

/// A user's own struct for a module, without a field of it.
struct HalfNorm {
  burn::Param<> gamma;
};
/// The same with a field that is always there.
struct WholeNorm {
  burn::Param<> gamma;
  burn::Param<> beta;
};

template <class T>
struct Holder {
  T v;
};

/// Returns the call that loads the bytes as the only field, `v`, of a struct.
template <class T>
std::function<std::string(std::string_view)> as() {
  return [](std::string_view bytes) {
    return error_of_void([&] { static_cast<void>(ss::load<Holder<T>>(view_of(bytes))); });
  };
}

std::string at(std::size_t offset, std::string_view version = "0.21.0") {
  return " (byte " + std::to_string(bincode_record("", version).size() + offset) + ")";
}

}  // namespace

template <>
struct ss::Rules<HalfNorm> {
  static constexpr std::string_view name = "burn.LayerNorm";
};
template <>
struct ss::Rules<WholeNorm> {
  static constexpr std::string_view name = "burn.LayerNorm";
};

TEST_CASE("what bincode cannot be read as, or does not fit its type, is refused by its path") {
  const std::string advice =
      ". Check that the C++ type has the fields of the record, in its order.";
  const std::string no_type =
      "invalid_argument: at /v: bincode needs a C++ type that says what is stored: expected "
      "structs, sequences, maps, tensors and scalars, found ";
  const std::string load = ". Load it into an object, or save it as MessagePack (.mpk) in Burn.";
  const std::string tensor = "\x04\x02\0\0\0\x01\x01"s;  // Four bytes in the shape [1].
  struct Case {
    std::string what;
    std::function<std::string(std::string_view)> read;
    std::string bytes;
    std::string error;
  };
  const std::vector<Case> cases = {
      {"a Value", as<ss::Value>(), bincode_record("\0"s), no_type + "any" + at(0) + load},
      {"std::variant", as<std::variant<int, bool>>(), bincode_record("\0"s),
       "invalid_argument: at /v: a record of Burn names its variants, and std::variant does not: "
       "expected burn::Enum<burn::Case<\"Name\", T>, ...>, found i32 or bool" +
           at(0) + "."},
      {"a float of 8 bits", as<ss::float8_e4m3>(), bincode_record("\x01"),
       "unknown_dtype: at /v: Burn has no such number: expected f16, bf16, f32 or f64, found "
       "f8_e4m3" +
           at(0) + "."},
      {"a signed integer too large", as<std::int16_t>(), bincode_record("\xFC\0\0\x01\0"s),
       "out_of_range: at /v: an integer does not fit its type: expected i16, found 32768" + at(5) +
           "."},
      {"one too small", as<std::int16_t>(), bincode_record("\xFC\x01\0\x01\0"s),
       "out_of_range: at /v: an integer does not fit its type: expected i16, found -32769" + at(5) +
           "."},
      {"the largest", as<std::int16_t>(), bincode_record("\xFB\xFE\xFF"), "no error"},
      {"the smallest", as<std::int16_t>(), bincode_record("\xFB\xFF\xFF"), "no error"},
      {"an integer in a list", as<std::vector<std::uint16_t>>(),
       bincode_record("\x01\xFC\0\0\x01\0"s),
       "out_of_range: at /v: an integer does not fit its type: expected U16, found 65536" + at(6) +
           "."},
      {"a signed one in a list", as<std::vector<std::int16_t>>(),
       bincode_record("\x01\xFC\x01\0\x01\0"s),
       "out_of_range: at /v: an integer does not fit its type: expected I16, found -32769" + at(6) +
           "."},
      {"one in a tensor of 0.13", as<burn::Bare<std::vector<std::int32_t>>>(),
       bincode_record("\x01\xFD\0\0\0\0\x01\0\0\0\x01\x01"s, "0.13.2"),
       "out_of_range: at /v: an integer does not fit its type: expected I32, found 2147483648" +
           at(10, "0.13.2") + advice},
      {"a variant of an enum", as<Colour>(), bincode_record("\x02\0"s),
       "out_of_range: at /v: an enum has no such variant: expected enum Colour {red, green}, found "
       "number 2" +
           at(1) + "."},
      {"a variant of a Burn enum",
       as<burn::Enum<burn::Case<"Lin", burn::Linear>, burn::Case<"Act">>>(),
       bincode_record("\x02\0"s),
       "out_of_range: at /v: an enum has no such variant: expected dict {Lin: burn.Linear, Act: "
       "None}, found number 2" +
           at(1) + "."},
      {"an activation that came later", as<burn::Activation>(), bincode_record("\x10\0"s, "0.20.1"),
       "out_of_range: at /v: an enum has no such variant: expected " +
           to_string(ss::type_info<burn::Activation>()) + ", found number 16" + at(1, "0.20.1") +
           "."},
      {"a row of one", as<std::vector<std::array<std::int32_t, 2>>>(),
       bincode_record("\x01\x01\x02"s, "0.11.1"),
       "shape_mismatch: at /v: an array has another length than its type: expected tensor I32 [2], "
       "found 1 item" +
           at(2, "0.11.1") + advice},
      {"a module without a field of it", as<HalfNorm>(),
       bincode_record("\x0D" + "0123456789abc"s + "\0\x01\0\x01"s),
       "missing_field: at /v: a type that has the name of a module of Burn lacks its field: "
       "expected 'beta', found struct burn.LayerNorm {gamma: tensor}" +
           at(18) + "."},
      {"a bool of four bytes that is neither", as<burn::Bare<>>(),
       bincode_record(tensor + "\x0D\x02"),
       "out_of_range: at /v: a bool is neither true nor false: expected 0 or 1, found 2" + advice},
      {"a quantized tensor", as<burn::Bare<>>(), bincode_record(tensor + "\x0E"),
       "unknown_dtype: at /v: a tensor has an unknown dtype: expected a number that this version "
       "of Burn gives a dtype, found 14" +
           at(8) +
           ". Quantized tensors cannot be read from bincode: save them as MessagePack in Burn."},
      {"a tensor of no dtype", as<burn::Bare<>>(), bincode_record(tensor + "\x0F"),
       "unknown_dtype: at /v: a tensor has an unknown dtype: expected a number that this version "
       "of Burn gives a dtype, found 15" +
           at(8) + advice},
      {"a key twice", as<std::map<std::uint8_t, bool>>(), bincode_record("\x02\x07\x01\x07\x01"),
       "duplicate_name: at /v: a map contains a key twice: found '7'" + at(4) + "."},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    CHECK(one.read(one.bytes) == one.error);
  }
}

TEST_CASE("bincode is read as its C++ type says") {
  const auto load = []<class T>(std::type_identity<T>, std::string_view item,
                                std::string_view version = "0.21.0") {
    return ss::load<T>(view_of(bincode_record(item, version)));
  };
  // No key of a map that this library writes is a number, but one of Burn's may be.
  CHECK(load(std::type_identity<std::map<std::uint8_t, bool>>(), "\x02\x07\x01\x08\0"s) ==
        std::map<std::uint8_t, bool>{{7, true}, {8, false}});
  // Through 0.11 an array has a length.
  using Texts = std::array<std::string, 2>;
  CHECK(load(std::type_identity<Texts>(),
             "\x02\x01"
             "a\x01"
             "b",
             "0.11.1") == Texts{"a", "b"});
  CHECK(load(std::type_identity<Texts>(),
             "\x01"
             "a\x01"
             "b") == Texts{"a", "b"});
  const auto bools =
      load(std::type_identity<burn::Bare<>>(), "\x08\x01\0\0\0\0\0\0\0\x01\x02\x0D\x02"s);
  CHECK(bools.value.dtype() == ss::DType::BOOL);
  CHECK(bools.value.to_vector<std::uint8_t>() == std::vector<std::uint8_t>{1, 0});
  // Until 0.20 a record has a bias in any case.
  const WholeNorm norm{{quarters({1}), "0123456789abc"}, {quarters({2}), "0123456789abd"}};
  for (const std::string version : {"0.17", "0.21"}) {
    const burn::BinBytesRecorder<> recorder({.burn_version = version});
    const std::vector<std::byte> bytes = recorder.record(burn::LayerNorm{norm.gamma, norm.beta});
    if (version == "0.17") CHECK(recorder.load<WholeNorm>(bytes).beta.value == norm.beta.value);
    CHECK(recorder.load<burn::LayerNorm>(bytes).beta->value == norm.beta.value);
  }
  // The last field of a Gru is its clip, which is a number that records do not hold.
  burn::Gru gru;
  for (burn::GateController* gate : {&gru.update_gate, &gru.reset_gate, &gru.new_gate})
    *gate = {linear(), linear()};
  const burn::BinBytesRecorder<> recorder;
  std::vector<std::byte> bytes = recorder.record(gru);
  bytes.back() = std::byte{1};
  bytes.push_back({});
  CHECK(recorder.load<burn::Gru>(bytes).new_gate.input_transform.weight.value == quarters({2, 3}));
}

TEST_CASE("sets, pointers and optionals of optionals come back from records") {
  const auto again = []<class T>(const T& object, burn::Encoding encoding) {
    const auto format = ss::formats::burn({.encoding = encoding});
    return ss::load<T>(ss::save(object, {.format = format}), {.format = format});
  };
  using Nested = std::optional<std::optional<std::tuple<int>>>;
  for (const burn::Encoding encoding : encodings) {
    CAPTURE(static_cast<int>(encoding));
    CHECK(again(std::set<std::string>{"a", "b"}, encoding) == std::set<std::string>{"a", "b"});
    CHECK(*again(std::make_shared<int>(5), encoding) == 5);
    CHECK(again(std::shared_ptr<int>(), encoding) == nullptr);
    CHECK(again(Nested(), encoding) == Nested());
    CHECK(again(Nested(std::tuple(4)), encoding) == Nested(std::tuple(4)));
  }
  // With names, nothing tells it from one without a value.
  const Nested held = std::optional<std::tuple<int>>();
  CHECK(again(held, burn::Encoding::bincode) == held);
}

TEST_CASE("numbers of every width come back from records, with their largest and smallest") {
  const auto check = []<class... T>(std::type_identity<T>...) {
    const auto one = []<class Number>(std::type_identity<Number>) {
      using Limits = std::numeric_limits<Number>;
      const std::vector<Number> numbers = {Limits::lowest(), 0, 1, Limits::max()};
      for (const burn::Encoding encoding : encodings)
        for (const std::string version : {"0.13", "0.21"}) {
          CAPTURE(static_cast<int>(encoding));
          const auto format = ss::formats::burn({.encoding = encoding, .burn_version = version});
          const std::vector<std::byte> bytes = ss::save(numbers, {.format = format});
          CHECK(ss::load<std::vector<Number>>(bytes, {.format = format}) == numbers);
          if (encoding != burn::Encoding::json) continue;
          CHECK(text_of(bytes).find("\"item\":[" + std::to_string(Limits::lowest()) + ",0,1," +
                                    std::to_string(Limits::max()) + "]") != std::string::npos);
        }
    };
    (one(std::type_identity<T>()), ...);
  };
  check(std::type_identity<std::int8_t>(), std::type_identity<std::int16_t>(),
        std::type_identity<std::int32_t>(), std::type_identity<std::int64_t>(),
        std::type_identity<std::uint8_t>(), std::type_identity<std::uint16_t>(),
        std::type_identity<std::uint32_t>(), std::type_identity<std::uint64_t>());
}
