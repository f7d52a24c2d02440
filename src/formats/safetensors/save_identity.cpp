#include "formats/safetensors/save_identity.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include "platform/xxh3.hpp"

namespace safestructures::inline v0::safetensors::detail {
namespace {

constexpr std::size_t most_tensors = 65'536;
constexpr std::size_t windows = 4;
// A multiple of 8: ranges of packed elements begin and end at whole bytes.
constexpr std::uint64_t window_elements = 32;

class Hasher {
 public:
  Hasher() : state_(XXH3_createState()) {
    if (!state_) throw std::bad_alloc();
    XXH3_128bits_reset(state_.get());
  }

  void add(std::span<const std::byte> bytes) {
    XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  }
  /// Adds the length, too, so that two texts cannot be mistaken for two others.
  void add(std::string_view text) {
    add_number(text.size());
    add(std::as_bytes(std::span(text)));
  }
  void add_number(std::uint64_t number) {
    std::array<std::byte, 8> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(number >> 8 * i);
    add(bytes);
  }

  [[nodiscard]] std::string digits() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
    std::string text;
    for (const unsigned char byte : canonical.digest) {
      text += "0123456789abcdef"[byte >> 4U];
      text += "0123456789abcdef"[byte & 15U];
    }
    return text;
  }

 private:
  struct Release {
    void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Release> state_;
};

// Samples the tensor in its own dtype: what it is converted to follows from that and from the
// stored dtype.
void add_samples(Hasher& hasher, const Tensor& tensor) {
  std::array<std::byte, window_elements * 16> buffer;
  const auto add = [&](std::uint64_t first, std::uint64_t count) {
    const std::size_t size = static_cast<std::size_t>((count * bit_width(tensor.dtype()) + 7) / 8);
    const std::span<std::byte> sample = std::span(buffer).first(size);
    tensor.copy_elements(first, count, tensor.dtype(), sample, Overflow::error);
    hasher.add(sample);
  };
  const std::uint64_t size = tensor.size();
  if (size <= window_elements) return add(0, size);
  const std::uint64_t last = size - window_elements;
  std::uint64_t begin = 0;
  for (std::uint64_t i = 0; i < windows; ++i) {
    // At multiples of eight, except for the last window, which ends with the tensor.
    begin = last / (windows - 1) * i / 8 * 8;
    if (i + 1 == windows) begin = (last + 7) / 8 * 8;
    add(begin, std::min(window_elements, size - begin));
  }
}

}  // namespace

std::string save_identity(std::string_view index, const Metadata& metadata,
                          std::span<const Item> items) {
  Hasher hasher;
  hasher.add(index);
  hasher.add_number(metadata.size());
  for (const auto& [key, value] : metadata) {
    hasher.add(key);
    hasher.add(value);
  }
  const std::size_t step = items.size() / most_tensors + 1;
  for (std::size_t i = 0; i < items.size(); i += step) {
    hasher.add(to_string(items[i].dtype));
    hasher.add(to_string(items[i].tensor->dtype()));
    hasher.add_number(items[i].tensor->size());
    add_samples(hasher, *items[i].tensor);
  }
  return hasher.digits();
}

}  // namespace safestructures::inline v0::safetensors::detail
