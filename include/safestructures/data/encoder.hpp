/// \file
/// What codecs are handed to encode by: the place, the limits, and what is shared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <safestructures/data/codable.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/kind_set.hpp>
#include <safestructures/data/limits.hpp>
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

}  // namespace safestructures::inline v0
