/// \file
/// The decoder, which is passed to codecs for loading: the current path, limits, and shared
/// objects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <safestructures/data/codable.hpp>
#include <safestructures/data/convert.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/kind_set.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/registry.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/data/walker.hpp>

namespace safestructures::inline v0 {

/// Options for decoding Values into C++ objects.
struct DecodeOptions {
  const Registry* registry = nullptr;  ///< Codecs found at run time; must outlive the call.
  Limits limits = {};                  ///< Only `depth` is used.
  /// How to handle numbers that the target type cannot hold: throw, or use the nearest.
  Overflow overflow = Overflow::error;
  /// Whether structure fields that the target struct does not have are refused instead of ignored.
  bool refuse_unknown_fields = false;
};

namespace detail {

/// Tells values with different content or different tensors apart: 128 bits of a keyed hash.
using Fingerprint = std::array<std::uint64_t, 2>;

/// A value's fingerprint, to which a tensor contributes its name and its memory; and whether the
/// value holds a tensor with elements.
struct Print {
  Fingerprint hash;
  bool has_tensor;
};
/// The prints of containers, by address.
using Prints = std::unordered_map<const Value*, Print>;

/// Returns the print of a value; adds it and those of all containers below to `prints` unless null.
[[nodiscard]] SAFESTRUCTURES_API Print print_of(const Value& value, Prints* prints);

}  // namespace detail

/// Turns Values into C++ objects; passed to `Codec<T>::decode`. A codec may use `path()`,
/// `registry()` and `limits()`, and report failure by `fail(code, problem, ...)` or `mismatch`.
class SAFESTRUCTURES_API Decoder : public detail::Walker {
 public:
  /// Starts at the root. The registry in the options must outlive the decoder.
  explicit Decoder(const DecodeOptions& options = {})
      : Walker(options.registry, options.limits),
        overflow_(options.overflow),
        refuse_unknown_fields_(options.refuse_unknown_fields) {}

  /// The settings of the options.
  /// @{
  [[nodiscard]] Overflow overflow() const noexcept { return overflow_; }
  [[nodiscard]] bool refuse_unknown_fields() const noexcept { return refuse_unknown_fields_; }
  /// @}

  /// Returns the object that `value` describes. \throws Error what its codec reports, with the path
  template <class T>
  [[nodiscard]] T decode(const Value& value) {
    constexpr bool can_move = std::is_move_constructible_v<T>;
    static_assert(
        can_move,
        "safestructures cannot load this type, which cannot be moved, for example because of a "
        "const member that cannot be copied, a std::atomic or a std::mutex. Load a type that can "
        "be moved, and make this one from it");
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

  /// Returns the object that a part of the current value describes, one step further down the path.
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

  /// Decodes an object as a registered type; for codecs of polymorphic and type-erased holders.
  [[nodiscard]] std::shared_ptr<void> decode_registered(const Registry::Type& type,
                                                        const Value& value);

  /// For owners that share an object: returns `decode_object()` as a `std::shared_ptr<T>`, or the
  /// result of an earlier call for a value with the same content and the very same tensors, so that
  /// an object that was stored once becomes one object again. A value without tensors is always
  /// decoded anew.
  template <class T, class Decode>
  [[nodiscard]] std::shared_ptr<T> decode_shared(const Value& value, const Decode& decode_object) {
    // Converted to T* before the type is erased: a pointer to another type may have another
    // address.
    return std::static_pointer_cast<T>(
        decode_shared(value, typeid(T), [&]() -> std::shared_ptr<T> { return decode_object(); }));
  }
  /// The same for an object whose type is only known at run time.
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

  /// Returns the tensor of a value in the dtype it had before it was saved: the tensor itself, or a
  /// converted copy, which all values with the same memory share.
  /// \throws Error as `restored_tensor`, with the path
  [[nodiscard]] Tensor restored(const Value& value);
  /// Gives every tensor in a tree its original dtype, including those in keys and attributes.
  /// Converts with several threads if that helps. After an Error the tree is unusable.
  /// \throws Error as `restored_tensor`; `duplicate_name` if two keys of a dict or members of a set
  /// become equal in their original dtypes; with the path
  void restore(Value& root);

  /// Returns the payload of a custom value with that type name.
  /// \throws Error `type_mismatch` for anything else
  [[nodiscard]] const Value& expect_custom(const Value& value, std::string_view type_name) const;

  /// Throws `type_mismatch` with `expected` in words and a short description of the value.
  [[noreturn]] void mismatch(std::string_view expected, const Value& value) const;

 private:
  using SharedKey = std::pair<detail::Fingerprint, std::type_index>;

  /// Counts nested shared objects. Prints are valid only while the value below which they were made
  /// exists, that of the second level.
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

  /// Returns the payload of a value whose type only the file knows (such as `enum.Enum` of Python)
  /// if the C++ type can be the payload but not a custom value; otherwise the value.
  static const Value& inside(const Value& value, KindSet kinds) {
    const bool steps_in = value.kind() == Kind::custom && !kinds.has(Kind::custom) &&
                          kinds.has(value.payload().kind());
    return steps_in ? value.payload() : value;
  }

  /// A converted tensor, and its source: holding that keeps its memory from being reused.
  struct Restored {
    Tensor stored;
    Tensor tensor;
  };
  /// A tensor that is still to be converted, and its target.
  struct Conversion {
    const Value* value;
    Tensor stored;
    Tensor target;
  };
  Tensor restored_here(const Value& value);
  /// Like `restored_here`, but leaves medium-sized tensors to `convert`.
  Tensor restored_later(const Value& value, std::vector<Conversion>& later);
  void convert(const std::vector<Conversion>& conversions, const Value& root) const;

  Overflow overflow_;
  bool refuse_unknown_fields_;
  std::map<SharedKey, std::shared_ptr<void>> shared_;
  detail::Prints prints_;
  std::unordered_map<const void*, std::vector<Restored>> restored_;
  unsigned shared_depth_ = 0;
};

/// Returns the tensor of a value in the dtype it had before it was saved: the tensor itself, or a
/// converted copy. F16's largest numbers, which BF16 rounds to 65,536, become 65,504.
/// \throws Error `type_mismatch` if the value is not a tensor, `unknown_dtype`, or as `Tensor::to`
[[nodiscard]] SAFESTRUCTURES_API Tensor restored_tensor(const Value& value,
                                                        Overflow overflow = Overflow::error);

/// Describes a value briefly for error messages: `int 300`, `tensor F32 [2, 3]`, `list of 4`.
SAFESTRUCTURES_API std::string describe(const Value& value);

}  // namespace safestructures::inline v0
