#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/tensor.hpp>
#include "data/children.hpp"
#include "platform/xxh3.hpp"

namespace safestructures::inline v0::detail {
namespace {

/// Drawn when the program starts, so that a file cannot contain values chosen to collide.
std::uint64_t seed() {
  static const std::uint64_t value = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32U) | device();
  }();
  return value;
}

/// Hashes everything that distinguishes two values except the bytes of tensors: bottom-up, with a
/// list instead of recursion.
class Hasher {
 public:
  explicit Hasher(Prints* prints) noexcept : prints_(prints) {}

  Print print_of(const Value& root) {
    open_.push_back({&root, 0, 0});
    for (;;) {
      Open& open = open_.back();
      const std::vector<Entry>& attributes = open.value->attributes();
      const std::size_t first = 2 * attributes.size();
      if (open.next < first + count_of_children(*open.value)) {
        const std::size_t index = open.next++;
        const Value& below =
            index < first ? part_of(attributes, index) : child_of(*open.value, index - first);
        open_.push_back({&below, 0, done_.size()});
        continue;
      }
      const Print print = close(open);
      if (prints_ != nullptr && open.next > 0) prints_->emplace(open.value, print);
      done_.resize(open.first);
      open_.pop_back();
      if (open_.empty()) return print;
      done_.push_back(print);
    }
  }

 private:
  struct Open {
    const Value* value;
    std::size_t next;   // The next attribute or child to visit.
    std::size_t first;  // The index of the first print of its attributes and children.
  };

  void add(const void* bytes, std::size_t size) {
    const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, size, seed());
    words_.insert(words_.end(), {hash.high64, hash.low64});
  }
  void add(std::string_view text) { add(text.data(), text.size()); }

  Print close(const Open& open) {
    const Value& value = *open.value;
    words_ = {static_cast<std::uint64_t>(value.kind()), value.attributes().size(), open.next};
    add(value.type_name());
    bool has_tensor = false;
    for (const Print& print : std::span(done_).subspan(open.first)) {
      words_.insert(words_.end(), print.hash.begin(), print.hash.end());
      has_tensor = has_tensor || print.has_tensor;
    }
    switch (value.kind()) {
      case Kind::boolean: words_.push_back(value.as_bool() ? 1 : 0); break;
      case Kind::integer: add(value.integer_text()); break;
      case Kind::floating: words_.push_back(std::bit_cast<std::uint64_t>(value.as_double())); break;
      case Kind::complex:
        words_.push_back(std::bit_cast<std::uint64_t>(value.as_complex().real()));
        words_.push_back(std::bit_cast<std::uint64_t>(value.as_complex().imag()));
        break;
      case Kind::string: add(value.as_string()); break;
      case Kind::bytes:
      case Kind::tensor: has_tensor = add_tensor(value) || has_tensor; break;
      default: break;
    }
    const XXH128_hash_t hash =
        XXH3_128bits_withSeed(words_.data(), words_.size() * sizeof words_[0], seed());
    return {{hash.high64, hash.low64}, has_tensor};
  }

  /// Returns whether it has elements.
  bool add_tensor(const Value& value) {
    const Tensor& tensor = value.tensor();
    words_.push_back(static_cast<std::uint64_t>(tensor.dtype()));
    words_.push_back(tensor.rank());
    words_.insert(words_.end(), tensor.shape().begin(), tensor.shape().end());
    add(value.tensor_name());
    // Without elements there is no memory to share.
    if (tensor.size() == 0) return false;
    words_.push_back(reinterpret_cast<std::uintptr_t>(tensor.identity()));
    return true;
  }

  Prints* prints_;
  std::vector<Open> open_;
  std::vector<Print> done_;
  std::vector<std::uint64_t> words_;
};

}  // namespace

Print print_of(const Value& value, Prints* prints) { return Hasher(prints).print_of(value); }

}  // namespace safestructures::inline v0::detail

namespace safestructures::inline v0 {

detail::Print Decoder::shared_print(const Value& value) {
  // Most values contain no shared ones: prints of what is below are recorded only for those that
  // do.
  if (shared_depth_ == 1) return detail::print_of(value, nullptr);
  if (shared_depth_ == 2) return detail::print_of(value, &prints_);
  const auto known = prints_.find(&value);
  // A value created by a codec is not kept long enough to be in `prints_`.
  return known != prints_.end() ? known->second : detail::print_of(value, nullptr);
}

}  // namespace safestructures::inline v0
