/// \file
/// Codecs: how a C++ type becomes a Value and comes back.
///
/// `Codec<T>` is the only extension point. The library specialises it for the types in codecs/;
/// users specialise it for theirs:
///
///     template <> struct safestructures::Codec<Quaternion> {
///       static constexpr std::string_view type_name = "acme.Quaternion";
///       static Value encode(const Quaternion& q, Encoder& encoder);
///       static Quaternion decode(const Value& value, Decoder& decoder);
///     };
///
/// With a `type_name`, the encoded Value becomes the payload of a custom value of that name, and
/// `decode` gets the payload back; Python plugins read the same name. Without one, the Value stands
/// as it is. A full specialisation by the user wins over the library's own, which are all partial,
/// so any builtin type's codec can be overridden.
///
/// All that a codec may have; a codec needs `encode` or `decode` only:
///
/// - `static Value encode(const T&, Encoder&)`: T can be saved.
/// - `static T decode(const Value&, Decoder&)`: T can be loaded.
/// - `static constexpr std::string_view type_name`: it is a custom value of that name.
/// - `static constexpr KindSet kinds`: the kinds of Value that `encode` makes, by which a
///   std::variant tells its alternatives apart (kind_set.hpp).
/// - `static constexpr bool nullable = true`: T has an empty state that is saved as None, which a
///   holder of a T keeps apart from having none (holders.hpp).
/// - `static void describe_type(TypeDescriber&)`: what T is, without an object
///   (type_describer.hpp).
///
/// Codecs nest by `encoder.encode_at`, `decoder.decode_at`: one step further down the path, so that
/// errors name their place and the depth is limited. What many types share is a base to derive the
/// codec from: `HolderCodec` (holders.hpp), `ListCodec` and `Items` (sequences.hpp), `SetCodec` and
/// `MapCodec` (keyed.hpp), `TensorCodec` (tensor_like.hpp); for number types `BlockLayout`
/// (numbers.hpp). All of them are in codecs/. Nothing in namespace `detail` is for users.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/kind_set.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/registry.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/data/walker.hpp>

namespace safestructures::inline v0 {

/// How C++ objects become Values.
struct EncodeOptions {
  const Registry* registry = nullptr;  ///< Codecs found at run time; must outlive the call.
  Limits limits = {};                  ///< Of them `depth`, and `nodes` for what is shared.
  /// Whether every vector of plain numeric structs becomes columns, one tensor for each field,
  /// instead of a list, and not only those whose rules ask for it; see codecs/columns.hpp.
  bool columns = false;
};

/// How Values become C++ objects.
struct DecodeOptions {
  const Registry* registry = nullptr;  ///< Codecs found at run time; must outlive the call.
  Limits limits = {};                  ///< Of them `depth`.
  /// What to do with numbers that the target type cannot hold: an Error, or the nearest.
  Overflow overflow = Overflow::error;
  /// Refuse structure fields that the target struct does not have, instead of passing over them.
  bool refuse_unknown_fields = false;
};

class Encoder;
class Decoder;

/// Codec for T; see the head of this file. There is no general definition.
template <class T>
struct Codec;

/// A type that can be saved: it has a codec with `encode`.
template <class T>
concept Encodable = requires(const T& object, Encoder& encoder) {
  { Codec<T>::encode(object, encoder) } -> std::convertible_to<Value>;
};

/// A type that can be loaded: it has a codec with `decode`.
template <class T>
concept Decodable = requires(const Value& value, Decoder& decoder) {
  { Codec<T>::decode(value, decoder) } -> std::convertible_to<T>;
};

namespace detail {

template <class T>
inline constexpr bool always_false = false;

/// Tells values of other content or other tensors apart: 128 bits of a keyed hash.
using Fingerprint = std::array<std::uint64_t, 2>;

/// A value's fingerprint, in which a tensor counts by its name and its memory; and whether it holds
/// a tensor with elements.
struct Print {
  Fingerprint hash;
  bool has_tensor;
};
/// Those of containers, by address.
using Prints = std::unordered_map<const Value*, Print>;

/// The print of a value; those of it and of all containers below are added to `prints` if there.
[[nodiscard]] SAFESTRUCTURES_API Print print_of(const Value& value, Prints* prints);

}  // namespace detail

/// Turns C++ objects into Values; handed to `Codec<T>::encode`.
///
/// Tensors of the result borrow the memory of const objects, which must stay until all is saved.
/// Those of temporaries, and of variables that are not const, are copied. A codec may ask for
/// `path()`, `registry()` and `limits()`, and give up by `fail(code, problem, ...)`.
class SAFESTRUCTURES_API Encoder : public detail::Walker {
 public:
  /// At the root. The registry of the options must outlive it.
  explicit Encoder(const EncodeOptions& options = {})
      : Walker(options.registry, options.limits), columns_(options.columns) {}

  /// A str that values of this encoder may share, such as the name of a field.
  [[nodiscard]] Value name(std::string_view text);

  /// Whether every vector of plain numeric structs becomes columns.
  [[nodiscard]] bool columns() const noexcept { return columns_; }

  /// The object's Value. \throws Error what its codec finds wrong, with the path.
  template <class T>
  [[nodiscard]] Value encode(const T& object) {
    if (registry() != nullptr) {
      if (const Registry::Type* type = registry()->find(typeid(T)); type && type->overrides)
        return encode_registered(*type, std::addressof(object));
    }
    static_assert(
        Encodable<T>,
        "safestructures cannot save this type: it is neither a supported standard type nor a "
        "plain aggregate. Include <safestructures/safestructures.hpp> (or the header of its kind "
        "in codecs/, or its plugin's), list the members of a class in safestructures::Rules<T>, or "
        "specialise safestructures::Codec<T> (see docs/plugins.md)");
    if constexpr (Encodable<T>) {
      if constexpr (NamedCodec<T>) {
        const Nested level(*this);
        try {
          return Value::custom(std::string(Codec<T>::type_name), Codec<T>::encode(object, *this));
        } catch (...) {
          rethrow(Codec<T>::type_name);
        }
      } else {
        return Codec<T>::encode(object, *this);
      }
    }
  }

  /// The same for a temporary: its tensors are copied, since its memory will be gone.
  template <class T>
    requires(!std::is_reference_v<T>)
  [[nodiscard]] Value encode(T&& object) {
    Value value = encode(std::as_const(object));
    if constexpr (!std::is_arithmetic_v<std::remove_const_t<T>>) value.own();
    return value;
  }

  /// The same for a variable that is not const: codecs are given const objects, so it is one of
  /// their own, whose memory will be gone too. `std::as_const` has it borrowed.
  template <class T>
    requires(!std::is_const_v<T> && !std::is_arithmetic_v<T> && !std::is_enum_v<T>)
  [[nodiscard]] Value encode(T& object) {
    return encode(std::move(object));
  }

  /// The Value of a part of the current object, one step further down the path.
  template <class T>
  [[nodiscard]] Value encode_at(std::string_view name, T&& object) {
    const Step step(*this, name);
    return encode(std::forward<T>(object));
  }
  /// The same of an item, whose step is its index.
  template <class T>
  [[nodiscard]] Value encode_at(std::size_t index, T&& object) {
    const Step step(*this, index);
    return encode(std::forward<T>(object));
  }
  /// The same of an object whose type only `encode_object` knows.
  [[nodiscard]] Value encode_at(std::string_view name, const void* object,
                                Value (*encode_object)(const void* object, Encoder& encoder)) {
    const Step step(*this, name);
    return encode_object(object, *this);
  }

  /// Encodes through a type of the registry: for codecs of polymorphic and type-erased holders.
  [[nodiscard]] Value encode_registered(const Registry::Type& type, const void* object);

  /// For owners that share an object (`std::shared_ptr`): encodes it, remembering the address, so
  /// that its tensors get one name however often it is met. The object must stay until all is
  /// encoded: see `keep`. A cycle is an Error `cycle`.
  template <class T>
  [[nodiscard]] Value encode_shared(const T* object) {
    return encode_shared(object, typeid(T), [&] { return encode(*object); });
  }
  /// The same for an object of that address and type that `encode_object()` encodes.
  template <class Encode>
  [[nodiscard]] Value encode_shared(const void* object, std::type_index type,
                                    const Encode& encode_object) {
    const SharedScope scope(*this, object, type);
    if (const Value* known = scope.known()) return *known;
    return scope.remember(encode_object());
  }
  /// Keeps an object that is shared until all is encoded. One that a codec had in a variable alone
  /// would leave its address to the next, which would then be taken for it.
  void keep(std::shared_ptr<const void> owner) { kept_.push_back(std::move(owner)); }

 private:
  bool columns_;

  struct Shared {
    Value value;
    std::uint64_t nodes = 0;  // In `value`.
    bool done = false;
  };
  class SAFESTRUCTURES_API SharedScope {
   public:
    SharedScope(Encoder& encoder, const void* object, std::type_index type);
    ~SharedScope();
    SharedScope(const SharedScope&) = delete;
    SharedScope& operator=(const SharedScope&) = delete;
    /// \throws Error `limit_exceeded` when all that is stored again passes `Limits::nodes`: objects
    /// that share others at every level would double at each.
    [[nodiscard]] const Value* known() const;
    [[nodiscard]] Value remember(Value value) const;

   private:
    Encoder& encoder_;
    std::pair<const void*, std::type_index> key_;
    bool first_;
  };
  struct KeyHash {
    std::size_t operator()(const std::pair<const void*, std::type_index>& key) const noexcept {
      return std::hash<const void*>()(key.first) ^ (key.second.hash_code() * 31);
    }
  };
  std::unordered_map<std::pair<const void*, std::type_index>, Shared, KeyHash> shared_;
  // Names of fields, which are mostly the same ones again.
  std::array<Value, 32> names_;
  std::uint64_t repeated_nodes_ = 0;
  std::vector<std::shared_ptr<const void>> kept_;
};

/// Turns Values into C++ objects; handed to `Codec<T>::decode`. A codec may ask for `path()`,
/// `registry()` and `limits()`, and give up by `fail(code, problem, ...)` or `mismatch`.
class SAFESTRUCTURES_API Decoder : public detail::Walker {
 public:
  /// At the root. The registry of the options must outlive it.
  explicit Decoder(const DecodeOptions& options = {})
      : Walker(options.registry, options.limits),
        overflow_(options.overflow),
        refuse_unknown_fields_(options.refuse_unknown_fields) {}

  /// As the options say.
  /// @{
  [[nodiscard]] Overflow overflow() const noexcept { return overflow_; }
  [[nodiscard]] bool refuse_unknown_fields() const noexcept { return refuse_unknown_fields_; }
  /// @}

  /// The object that `value` describes. \throws Error what its codec finds wrong, with the path.
  template <class T>
  [[nodiscard]] T decode(const Value& value) {
    constexpr bool can_move = std::is_move_constructible_v<T>;
    static_assert(
        can_move,
        "safestructures cannot load this type, which cannot be moved: a const member that cannot "
        "be copied, a std::atomic or a std::mutex takes that away. Load a type that can be moved, "
        "and make this one of it");
    if (registry() != nullptr) {
      if (const Registry::Type* type = registry()->find(typeid(T)); type && type->overrides) {
        const std::shared_ptr<void> object = decode_registered(*type, value);
        return std::move(*static_cast<T*>(object.get()));
      }
    }
    static_assert(
        !can_move || Decodable<T> || !Encodable<T>,
        "safestructures can save this type, but not load it: nobody would own what it views. Load "
        "a std::vector in place of a std::span, a std::string in place of a std::string_view, or "
        "give the safestructures::Codec<T> a decode");
    static_assert(
        !can_move || Decodable<T> || Encodable<T>,
        "safestructures cannot load this type: it is neither a supported standard type nor a "
        "plain aggregate. Include <safestructures/safestructures.hpp> (or the header of its kind "
        "in codecs/, or its plugin's), list the members of a class in safestructures::Rules<T>, or "
        "specialise safestructures::Codec<T> (see docs/plugins.md)");
    if constexpr (Decodable<T>) {
      if constexpr (NamedCodec<T>) {
        const Value& payload = expect_custom(value, Codec<T>::type_name);
        const Nested level(*this);
        try {
          return Codec<T>::decode(payload, *this);
        } catch (...) {
          rethrow(Codec<T>::type_name);
        }
      } else if constexpr (SaysKinds<T>) {
        return Codec<T>::decode(inside(value, Codec<T>::kinds), *this);
      } else {
        return Codec<T>::decode(value, *this);
      }
    }
  }

  /// The object that a part of the current value describes, one step further down the path.
  /// @{
  template <class T>
  [[nodiscard]] T decode_at(std::string_view name, const Value& value) {
    const Step step(*this, name);
    return decode<T>(value);
  }
  template <class T>
  [[nodiscard]] T decode_at(std::size_t index, const Value& value) {
    const Step step(*this, index);
    return decode<T>(value);
  }
  /// @}

  /// Decodes through a type of the registry: for codecs of polymorphic and type-erased holders.
  [[nodiscard]] std::shared_ptr<void> decode_registered(const Registry::Type& type,
                                                        const Value& value);

  /// For owners that share an object: what `decode_object()` made, as a `std::shared_ptr<T>`, when
  /// it was last called for a value with the same content and the very same tensors, so that what
  /// was stored once is one object again. A value without tensors is always decoded anew.
  template <class T, class Decode>
  [[nodiscard]] std::shared_ptr<T> decode_shared(const Value& value, const Decode& decode_object) {
    // As a T before its type is forgotten: another's address may be another.
    return std::static_pointer_cast<T>(
        decode_shared(value, typeid(T), [&]() -> std::shared_ptr<T> { return decode_object(); }));
  }
  /// The same for an object of a type that is known at run time only.
  template <class Decode>
  [[nodiscard]] std::shared_ptr<void> decode_shared(const Value& value, std::type_index type,
                                                    const Decode& decode_object) {
    const SharedLevel level(*this);
    const detail::Print print = shared_print(value);
    if (!print.has_tensor) return decode_object();
    const SharedKey key{print.hash, type};
    if (const auto known = shared_.find(key); known != shared_.end()) return known->second;
    std::shared_ptr<void> object = decode_object();
    shared_.emplace(key, object);
    return object;
  }

  /// The tensor of a value in the dtype it had before it was saved: itself, or a converted copy,
  /// which all values with the same memory share.
  /// \throws Error as `restored_tensor`, with the path.
  [[nodiscard]] Tensor restored(const Value& value);
  /// Gives every tensor in a tree its own dtype, those in keys and attributes too. Several threads
  /// convert where that pays. After an Error the tree is of no use.
  /// \throws Error as `restored_tensor`, and `duplicate_name` where two keys of a dict or members
  /// of a set are one in their own dtypes; with the path.
  void restore(Value& root);

  /// The payload of a custom value of that type name.
  /// \throws Error `type_mismatch` when it is something else.
  [[nodiscard]] const Value& expect_custom(const Value& value, std::string_view type_name) const;

  /// Throws `type_mismatch`: `expected` in words, the value in short.
  [[noreturn]] void mismatch(std::string_view expected, const Value& value) const;

 private:
  using SharedKey = std::pair<detail::Fingerprint, std::type_index>;

  /// Shared objects in shared objects: prints are good as long as the value is there below which
  /// they were made, that of the second level.
  class SharedLevel {
   public:
    explicit SharedLevel(Decoder& decoder) noexcept : decoder_(decoder) { ++decoder.shared_depth_; }
    ~SharedLevel() {
      if (decoder_.shared_depth_-- == 2) decoder_.prints_ = {};
    }
    SharedLevel(const SharedLevel&) = delete;
    SharedLevel& operator=(const SharedLevel&) = delete;

   private:
    Decoder& decoder_;
  };
  [[nodiscard]] detail::Print shared_print(const Value& value);

  /// A value of a type that only the file knows, `enum.Enum` of Python say, is what it holds for a
  /// C++ type that can be that but not a custom value.
  static const Value& inside(const Value& value, KindSet kinds) {
    const bool steps_in = value.kind() == Kind::custom && !kinds.has(Kind::custom) &&
                          kinds.has(value.payload().kind());
    return steps_in ? value.payload() : value;
  }

  /// What was converted back, beside what it was: that keeps its memory from being another's.
  struct Restored {
    Tensor stored;
    Tensor tensor;
  };
  /// A tensor that has yet to be converted into the memory of another.
  struct Conversion {
    const Value* value;
    Tensor stored;
    Tensor target;
  };
  Tensor restored_here(const Value& value);
  /// As `restored_here`, but what is middle-sized is put off until `convert`.
  Tensor restored_later(const Value& value, std::vector<Conversion>& later);
  void convert(const std::vector<Conversion>& conversions, const Value& root) const;

  Overflow overflow_;
  bool refuse_unknown_fields_;
  std::map<SharedKey, std::shared_ptr<void>> shared_;
  detail::Prints prints_;
  std::unordered_map<const void*, std::vector<Restored>> restored_;
  unsigned shared_depth_ = 0;
};

/// The tensor of a value in the dtype it had before it was saved: itself, or a converted copy.
/// \throws Error `type_mismatch` when the value is no tensor, `unknown_dtype`, or as `Tensor::to`.
[[nodiscard]] SAFESTRUCTURES_API Tensor restored_tensor(const Value& value,
                                                        Overflow overflow = Overflow::error);

/// A value in a few words for error messages: `int 300`, `tensor F32 [2, 3]`, `list of 4`.
SAFESTRUCTURES_API std::string describe(const Value& value);

template <class T>
Value Value::from(T&& object, const EncodeOptions& options) {
  Encoder encoder(options);
  try {
    if constexpr (std::is_lvalue_reference_v<T>) return encoder.encode(std::as_const(object));
    else return encoder.encode(std::forward<T>(object));
  } catch (...) {
    encoder.rethrow();
  }
}
template <class T>
Value Value::from(T&& object) {
  return from(std::forward<T>(object), EncodeOptions{});
}
template <class T>
T Value::as(const DecodeOptions& options) const {
  Decoder decoder(options);
  try {
    return decoder.decode<T>(*this);
  } catch (...) {
    decoder.rethrow();
  }
}
template <class T>
T Value::as() const {
  return as<T>(DecodeOptions{});
}

}  // namespace safestructures::inline v0
