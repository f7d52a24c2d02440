/// \file
/// The encoder, which is passed to codecs for saving: the current path, limits, and shared objects.
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

/// Options for encoding C++ objects as Values.
struct EncodeOptions {
  const Registry* registry = nullptr;  ///< Codecs found at run time; must outlive the call.
  Limits limits = {};                  ///< Only `depth` is used, and `nodes` for shared objects.
  /// Whether every vector of plain numeric structs becomes columns (one tensor per field instead of
  /// a list), not only those whose rules ask for it; see codecs/columns.hpp.
  bool columns = false;
};

/// Turns C++ objects into Values; passed to `Codec<T>::encode`.
///
/// Tensors in the result borrow the memory of const objects, which must stay alive until everything
/// is saved. Tensors of temporaries and of non-const variables are copied. A codec may use
/// `path()`, `registry()` and `limits()`, and report failure by `fail(code, problem, ...)`.
class SAFESTRUCTURES_API Encoder : public detail::Walker {
 public:
  /// Starts at the root. The registry in the options must outlive the encoder.
  explicit Encoder(const EncodeOptions& options = {})
      : Walker(options.registry, options.limits), columns_(options.columns) {}

  /// Returns a str that values of this encoder may share, such as the name of a field.
  [[nodiscard]] Value name(std::string_view text);

  /// Whether every vector of plain numeric structs becomes columns.
  [[nodiscard]] bool columns() const noexcept { return columns_; }

  /// Returns the Value of an object. \throws Error what its codec reports, with the path
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

  /// The same for a temporary: its tensors are copied, because its memory goes away.
  template <class T>
    requires(!std::is_reference_v<T>)
  [[nodiscard]] Value encode(T&& object) {
    Value value = encode(std::as_const(object));
    if constexpr (!std::is_arithmetic_v<std::remove_const_t<T>>) value.own();
    return value;
  }

  /// The same for a non-const variable: codecs receive const objects, so this must be a local
  /// variable of a codec, whose memory goes away too. Pass it through `std::as_const` to borrow it.
  template <class T>
    requires(!std::is_const_v<T> && !std::is_arithmetic_v<T> && !std::is_enum_v<T>)
  [[nodiscard]] Value encode(T& object) {
    return encode(std::move(object));
  }

  /// Returns the Value of a part of the current object, one step further down the path.
  template <class T>
  [[nodiscard]] Value encode_at(std::string_view name, T&& object) {
    const Step step(*this, name);
    return encode(std::forward<T>(object));
  }
  /// The same for an item, whose step is its index.
  template <class T>
  [[nodiscard]] Value encode_at(std::size_t index, T&& object) {
    const Step step(*this, index);
    return encode(std::forward<T>(object));
  }
  /// The same for an object whose type only `encode_object` knows.
  [[nodiscard]] Value encode_at(std::string_view name, const void* object,
                                Value (*encode_object)(const void* object, Encoder& encoder)) {
    const Step step(*this, name);
    return encode_object(object, *this);
  }

  /// Encodes an object as a registered type; for codecs of polymorphic and type-erased holders.
  [[nodiscard]] Value encode_registered(const Registry::Type& type, const void* object);

  /// Encodes an object with shared owners (`std::shared_ptr`) and remembers its address, so that
  /// its tensors get one name however often it occurs. The object must live until everything is
  /// encoded: see `keep`. \throws Error `cycle`
  template <class T>
  [[nodiscard]] Value encode_shared(const T* object) {
    return encode_shared(object, typeid(T), [&] { return encode(*object); });
  }
  /// The same for an object of that address and type, which `encode_object()` encodes.
  template <class Encode>
  [[nodiscard]] Value encode_shared(const void* object, std::type_index type,
                                    const Encode& encode_object) {
    const SharedScope scope(*this, object, type);
    if (const Value* known = scope.known()) return *known;
    return scope.remember(encode_object());
  }
  /// Keeps a shared object alive until everything is encoded. If only a codec's local variable
  /// owned it, its address could be reused by the next object, which would be mistaken for it.
  void keep(std::shared_ptr<const void> owner) { kept_.push_back(std::move(owner)); }

 private:
  bool columns_;

  struct Shared {
    Value value;
    std::uint64_t nodes = 0;  // In `value`.
    bool done = false;
  };
  using SharedKey = std::pair<const void*, std::type_index>;
  // Of the address alone: few objects share theirs, and a type is hashed by the letters of its
  // name.
  struct KeyHash {
    std::size_t operator()(const SharedKey& key) const noexcept {
      return std::hash<const void*>()(key.first);
    }
  };
  using SharedObjects = std::unordered_map<SharedKey, Shared, KeyHash>;
  class SAFESTRUCTURES_API SharedScope {
   public:
    SharedScope(Encoder& encoder, const void* object, std::type_index type);
    ~SharedScope();
    SharedScope(const SharedScope&) = delete;
    SharedScope& operator=(const SharedScope&) = delete;
    /// \throws Error `limit_exceeded` if all that is stored again exceeds `Limits::nodes`: objects
    /// that share others at every level would double the count at each.
    [[nodiscard]] const Value* known() const;
    [[nodiscard]] Value remember(Value value) const;

   private:
    Encoder& encoder_;
    SharedObjects::value_type* entry_;
    bool first_;
  };
  SharedObjects shared_;
  // Names of fields, most of which occur again and again.
  std::array<Value, 32> names_;
  std::uint64_t repeated_nodes_ = 0;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace safestructures::inline v0
