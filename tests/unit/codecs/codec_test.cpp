/// \file
/// Encoder and Decoder: where a failure happened, how deep they go, what is shared, who wins.
#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <safestructures/data/codec.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::Decoder;
using ss::Encoder;
using ss::Value;
using ss::test::error_of;

namespace {

/// A tree with a codec that stands as it is.
struct Tree {
  int number = 0;
  std::vector<Tree> parts = {};
};

/// A type with a name, whose codec fails as told.
struct Fragile {
  std::string how = {};
};

/// A holder of Fragile two steps down.
struct Outer {
  Fragile inner = {};
};

/// Nested in itself without steps.
struct Onion {
  int layers = 0;
};

/// Data that several owners share.
struct Shared {
  std::vector<float> data = {1, 2, 3};
  Shared* next = nullptr;
};

struct Weights {
  ss::Tensor tensor = {};
};

/// Catches what a part throws and then fails itself.
struct Catcher {};

/// Thrown by plugins.
struct NotAnException {};

[[noreturn]] void fail_as(const std::string& how) {
  if (how == "runtime_error") throw std::runtime_error("broken wing");
  if (how == "bad_alloc") throw std::bad_alloc();
  if (how == "int") throw NotAnException();
  throw ss::Error(ss::ErrorCode::out_of_range, "too steep");
}

template <class Call>
std::string nested_error_of(const Call& call) {
  try {
    call();
  } catch (const ss::Error& error) {
    try {
      std::rethrow_if_nested(error);
    } catch (const std::exception& nested) {
      return std::string(error.what()) + " <- " + nested.what();
    } catch (const NotAnException&) {
      return std::string(error.what()) + " <- NotAnException";
    }
    return std::string(error.what()) + " <- nothing";
  }
  return "no error";
}

}  // namespace

template <>
struct ss::Codec<Tree> {
  static Value encode(const Tree& tree, Encoder& encoder) {
    Value list = Value::list({tree.number});
    for (std::size_t i = 0; i < tree.parts.size(); ++i)
      list.push_back(encoder.encode_at(i, tree.parts[i]));
    return list;
  }
  static Tree decode(const Value& value, Decoder& decoder) {
    if (value.kind() != Kind::list || value.size() == 0) decoder.mismatch("a tree", value);
    if (!value[0].as_int64()) decoder.mismatch("a small number", value[0]);
    Tree tree{static_cast<int>(*value[0].as_int64()), {}};
    for (std::size_t i = 1; i < value.size(); ++i)
      tree.parts.push_back(decoder.decode_at<Tree>(i - 1, value[i]));
    return tree;
  }
};

template <>
struct ss::Codec<Fragile> {
  static constexpr std::string_view type_name = "acme.Fragile";
  static Value encode(const Fragile& fragile, Encoder&) {
    if (fragile.how.empty()) return Value("whole");
    fail_as(fragile.how);
  }
  static Fragile decode(const Value& value, Decoder&) {
    if (value.as_string() == "whole") return {};
    fail_as(value.as_string());
  }
};

template <>
struct ss::Codec<Outer> {
  static Value encode(const Outer& outer, Encoder& encoder) {
    const Encoder::Step step(encoder, "part");
    return Value::list({encoder.encode_at(2, outer.inner)});
  }
  static Outer decode(const Value& value, Decoder& decoder) {
    const Decoder::Step step(decoder, "part");
    return {decoder.decode_at<Fragile>(2, value[0])};
  }
};

template <>
struct ss::Codec<Onion> {
  static constexpr std::string_view type_name = "acme.Onion";
  static Value encode(const Onion& onion, Encoder& encoder) {
    if (onion.layers == 0) return Value("core");
    return encoder.encode(Onion{onion.layers - 1});
  }
  static Onion decode(const Value& value, Decoder& decoder) {
    if (value.kind() == Kind::string) return {};
    return {decoder.decode<Onion>(value).layers + 1};
  }
};

template <>
struct ss::Codec<Shared> {
  static Value encode(const Shared& shared, Encoder& encoder) {
    Value list = Value::list({Value(Tensor::of(std::span<const float>(shared.data)))});
    if (shared.next != nullptr) {
      const Encoder::Step step(encoder, "next");
      list.push_back(encoder.encode_shared(shared.next));
    }
    return list;
  }
};

template <>
struct ss::Codec<Weights> {
  static Value encode(const Weights& weights, Encoder&) { return Value(weights.tensor); }
  static Weights decode(const Value& value, Decoder&) { return {value.tensor()}; }
};

template <>
struct ss::Codec<Catcher> {
  static Value encode(const Catcher&, Encoder& encoder) {
    {
      const Encoder::Step step(encoder, "tried");
      try {
        static_cast<void>(encoder.encode_at("first", Fragile{"runtime_error"}));
      } catch (const Error&) {
      }
    }
    throw std::runtime_error("second try");
  }
};

TEST_CASE("an object becomes a Value and comes back") {
  const Tree tree{1, {{2, {}}, {3, {{4, {}}}}}};
  const Value value = Value::from(tree);
  CHECK(value == Value::list({1, Value::list({2}), Value::list({3, Value::list({4})})}));
  const Tree again = value.as<Tree>();
  CHECK(again.parts[1].parts[0].number == 4);
  CHECK(Value::from(Fragile{}) == Value::custom("acme.Fragile", "whole"));
  CHECK_NOTHROW(static_cast<void>(Value::from(Outer{}).as<Outer>()));
}

TEST_CASE("a failure names the place, from the root down") {
  Value value = Value::from(Tree{1, {{2, {{3, {}}}}}});
  value.items()[1].items()[1].items()[0] = "three";
  CHECK(
      error_of([&] { return value.as<Tree>(); }) ==
      "type_mismatch: at /0/0: a value has the wrong type: expected an int, found str \"three\".");
  value.items()[1].items()[1] = Value();
  CHECK(error_of([&] { return value.as<Tree>(); }) ==
        "type_mismatch: at /0/0: a value has the wrong type: expected a tree, found None.");
  CHECK(error_of([] { return Value(5).as<Tree>(); }) ==
        "type_mismatch: at /: a value has the wrong type: expected a tree, found int 5.");
  CHECK(error_of([] { return Value(5).as<Fragile>(); }) ==
        "type_mismatch: at /: a value has the wrong type: expected a value of type "
        "'acme.Fragile', found int 5.");
  CHECK(error_of([] { return Value::custom("acme.Other", 1).as<Fragile>(); }) ==
        "type_mismatch: at /: a value has the wrong type: expected a value of type "
        "'acme.Fragile', found custom acme.Other.");
}

TEST_CASE("what a plugin throws is nested in an Error that names the place and the codec") {
  CHECK(nested_error_of([] { static_cast<void>(Value::from(Outer{{"runtime_error"}})); }) ==
        "at /part/2: the codec of 'acme.Fragile' failed: found broken wing. <- broken wing");
  CHECK(nested_error_of([] { static_cast<void>(Value::from(Outer{{"int"}})); }) ==
        "at /part/2: the codec of 'acme.Fragile' failed: found an exception that is not a "
        "std::exception. <- "
        "NotAnException");
  CHECK(nested_error_of([] { static_cast<void>(Value::from(Outer{{"Error"}})); }) ==
        "at /part/2: too steep. <- nothing");
  CHECK_THROWS_AS(static_cast<void>(Value::from(Outer{{"bad_alloc"}})), std::bad_alloc);

  const auto stored = [](const char* how) {
    return Value::list({Value::custom("acme.Fragile", how)});
  };
  CHECK(nested_error_of([&] { static_cast<void>(stored("runtime_error").as<Outer>()); }) ==
        "at /part/2: the codec of 'acme.Fragile' failed: found broken wing. <- broken wing");
  CHECK(nested_error_of([&] { static_cast<void>(stored("Error").as<Outer>()); }) ==
        "at /part/2: too steep. <- nothing");
  CHECK_THROWS_AS(static_cast<void>(stored("bad_alloc").as<Outer>()), std::bad_alloc);
  CHECK(error_of([] { return Value::from(Fragile{"runtime_error"}); }) ==
        "plugin_failed: at /: the codec of 'acme.Fragile' failed: found broken wing.");
}

TEST_CASE("a failure that a codec got over does not lend its place to a later one") {
  CHECK(error_of([] { return Value::from(Catcher{}); }) ==
        "plugin_failed: at /: a codec failed: found second try.");
}

TEST_CASE("an object that is encoded while another exception is on its way is not disturbed") {
  struct Saver {
    Value* target;
    ~Saver() { *target = Value::from(Outer{}); }
  };
  Value saved;
  try {
    const Saver saver{&saved};
    throw 1;
  } catch (int) {
  }
  CHECK(saved.size() == 1);
}

TEST_CASE("depth is limited alike by steps and by named types in each other") {
  const auto tree_of = [](int depth) {
    Tree tree;
    for (int i = 0; i < depth; ++i) {
      Tree parent;
      parent.parts.push_back(std::move(tree));
      tree = std::move(parent);
    }
    return tree;
  };
  CHECK_NOTHROW(static_cast<void>(Value::from(tree_of(500))));
  const std::string tree_error = error_of([&] { return Value::from(tree_of(501)); });
  CHECK(tree_error.starts_with("limit_exceeded: at /0/0/0"));
  CHECK(tree_error.ends_with(
      ": a structure is nested too deeply: expected at most 500 levels (Limits::depth)."));
  CHECK(error_of([&] { return Value::from(tree_of(3), {.limits = {.depth = 2}}); }) ==
        "limit_exceeded: at /0/0: a structure is nested too deeply: expected at most 2 levels "
        "(Limits::depth).");

  CHECK(Value::from(Onion{400}).as<Onion>().layers == 400);
  CHECK(error_of([] { return Value::from(Onion{100'000}); }) ==
        "limit_exceeded: at /: a structure is nested too deeply: expected at most 500 levels "
        "(Limits::depth).");
  Value onion("core");
  for (int i = 0; i < 1000; ++i) onion = Value::custom("acme.Onion", std::move(onion));
  CHECK(error_of([&] { return onion.as<Onion>(); }).starts_with("limit_exceeded"));
}

TEST_CASE("an object met twice is encoded once, with names for its tensors") {
  const Shared shared;
  Encoder encoder;
  const auto encode_at = [&](const char* name) {
    const Encoder::Step step(encoder, name);
    return encoder.encode_shared(&shared);
  };
  const Value first = encode_at("a");
  const Value second = encode_at("b");
  CHECK(first[0].tensor_name() == "a.0");
  CHECK(second[0].tensor_name() == "a.0");
  CHECK(second[0].tensor().origin() == first[0].tensor().origin());
}

TEST_CASE("a cycle is an error with its path") {
  Shared a;
  Shared b;
  a.next = &b;
  b.next = &a;
  Encoder encoder;
  CHECK(error_of([&] { return encoder.encode_shared(&a); }) ==
        "cycle: at /next/next: a structure contains itself. Break the cycle, for example with a "
        "std::weak_ptr or a skipped field.");
  b.next = nullptr;
  CHECK(encoder.encode_shared(&a).size() == 2);
}

TEST_CASE("values of the same tensors are one object again, others are not") {
  const std::array<float, 2> data = {1, 2};
  Value tensor(ss::Tensor::of(std::span<const float>(data)));
  tensor.set_tensor_name("w");
  Value other = tensor;
  other.set_tensor_name("v");
  Decoder decoder;
  int calls = 0;
  const auto decode = [&](const Value& value) {
    return decoder.decode_shared<int>(value, [&] { return std::make_shared<int>(++calls); });
  };
  CHECK(decode(tensor) == decode(tensor));
  CHECK(decode(other) != decode(tensor));
  CHECK(decode(Value(1)) != decode(Value(1)));
  CHECK(calls == 4);
}

TEST_CASE("a registered codec wins over the compiled one, wherever the type occurs") {
  ss::Registry registry;
  registry.add<Fragile>(
      "acme.Robust", [](const Fragile&, Encoder&) { return Value("taped"); },
      [](const Value& value, Decoder&) { return Fragile{value.as_string() + "!"}; });
  const Value value = Value::from(Outer{{"runtime_error"}}, {.registry = &registry});
  CHECK(value[0] == Value::custom("acme.Robust", "taped"));
  CHECK(value.as<Outer>({.registry = &registry}).inner.how == "taped!");
  CHECK(error_of([&] { return value.as<Outer>(); }) ==
        "type_mismatch: at /part/2: a value has the wrong type: expected a value of type "
        "'acme.Fragile', found custom acme.Robust.");
}

TEST_CASE("tensors of an lvalue are borrowed, those of a temporary are copied") {
  const std::array<float, 2> data = {1, 2};
  const Weights weights{ss::Tensor::of(std::span<const float>(data))};
  CHECK_FALSE(Value::from(weights).tensor().is_owned());
  CHECK(Value::from(Weights{weights}).tensor().is_owned());
}

TEST_CASE("a tensor that was stored in another dtype is given back in its own") {
  const std::array<float, 2> data = {1, 300};
  Value value(ss::Tensor::of(std::span<const float>(data)));
  CHECK(ss::restored_tensor(value).origin() == value.tensor().origin());
  value.set_attribute("dtype", "F64");
  CHECK(ss::restored_tensor(value).to_vector<double>() == std::vector<double>{1, 300});
  value.set_attribute("dtype", "U8");
  CHECK(error_of([&] { return ss::restored_tensor(value); }).starts_with("out_of_range"));
  value.set_attribute("dtype", "F33");
  CHECK(error_of([&] { return ss::restored_tensor(value); }) ==
        "unknown_dtype: a tensor's original dtype is not known: found str \"F33\".");
  value.set_attribute("dtype", 64);
  CHECK(error_of([&] { return ss::restored_tensor(value); }) ==
        "unknown_dtype: a tensor's original dtype is not known: found int 64.");
}
