#include <memory>
#include <new>
#include <random>
#include <string>
#include <string_view>

#include <xxhash.h>

#include <safestructures/data/codec.hpp>

namespace safestructures::detail {
namespace {

/// Hashes everything that tells two values apart, except the bytes of tensors.
class Hasher {
 public:
  Hasher(XXH3_state_t& state, std::uint32_t depth) : state_(state), depth_left_(depth) {}

  [[nodiscard]] bool has_tensor() const noexcept { return has_tensor_; }

  /// False when the value is nested too deep.
  bool add(const Value& value) {
    if (depth_left_ == 0) return false;
    --depth_left_;
    const bool is_complete = add_content(value);
    ++depth_left_;
    return is_complete;
  }

 private:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void add_raw(const T& raw) {
    XXH3_128bits_update(&state_, &raw, sizeof raw);
  }
  void add_text(std::string_view text) {
    add_raw(text.size());
    XXH3_128bits_update(&state_, text.data(), text.size());
  }

  bool add_content(const Value& value) {
    add_raw(value.kind());
    add_text(value.type_name());
    for (const Entry& attribute : value.attributes())
      if (!add(attribute.key) || !add(attribute.value)) return false;
    switch (value.kind()) {
      case Kind::none: return true;
      case Kind::boolean: add_raw(value.as_bool()); return true;
      case Kind::integer: add_text(value.integer_text()); return true;
      case Kind::floating: add_raw(value.as_double()); return true;
      case Kind::complex: add_raw(value.as_complex()); return true;
      case Kind::string: add_text(value.as_string()); return true;
      case Kind::bytes:
      case Kind::tensor: return add_tensor(value);
      case Kind::list:
      case Kind::tuple:
      case Kind::set:
        add_raw(value.size());
        for (const Value& item : value.items())
          if (!add(item)) return false;
        return true;
      case Kind::dict:
      case Kind::structure:
        add_raw(value.size());
        for (const Entry& entry : value.entries())
          if (!add(entry.key) || !add(entry.value)) return false;
        return true;
      case Kind::custom: return add(value.payload());
    }
    return true;
  }

  bool add_tensor(const Value& value) {
    const Tensor& tensor = value.tensor();
    add_raw(tensor.dtype());
    add_raw(tensor.rank());
    for (const std::uint64_t dim : tensor.shape()) add_raw(dim);
    add_text(value.tensor_name());
    // Without elements there is no memory that could be shared.
    if (tensor.size() == 0) return true;
    add_raw(tensor.origin());
    has_tensor_ = true;
    return true;
  }

  XXH3_state_t& state_;
  std::uint32_t depth_left_;
  bool has_tensor_ = false;
};

/// Drawn when the program starts, so that a file cannot hold values that were chosen to collide.
std::uint64_t seed() {
  static const std::uint64_t value = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32U) | device();
  }();
  return value;
}

}  // namespace

std::optional<Fingerprint> fingerprint(const Value& value, const Limits& limits) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_128bits_reset_withSeed(state.get(), seed());
  Hasher hasher(*state, limits.depth);
  if (!hasher.add(value) || !hasher.has_tensor()) return std::nullopt;
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return Fingerprint{hash.high64, hash.low64};
}

}  // namespace safestructures::detail
