#include "data/digest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>

#include "data/box.hpp"
#include "data/children.hpp"
#include "data/keyed_hash.hpp"

namespace safestructures::inline v0::detail {
namespace {

std::uint64_t salt_of(Kind kind) noexcept { return static_cast<std::uint64_t>(kind); }

template <class T>
std::uint64_t digest_of_number(const T& number, Kind kind) noexcept {
  return keyed_hash(&number, sizeof number, salt_of(kind));
}

// All NaNs are equal, as for operator==.
std::uint64_t bits_of(double number) noexcept {
  return std::bit_cast<std::uint64_t>(number != number ? std::numeric_limits<double>::quiet_NaN()
                                                       : number);
}

std::uint64_t digest_of_tensor(const Value& value) {
  const Tensor& tensor = value.tensor();
  std::vector<std::uint64_t> head(tensor.shape().begin(), tensor.shape().end());
  head.push_back(static_cast<std::uint64_t>(tensor.dtype()));
  const std::uint64_t salt =
      keyed_hash(head.data(), head.size() * sizeof head[0], salt_of(value.kind()));
  if (tensor.size() == 0) return salt;
  const Tensor packed = tensor.contiguous();
  return keyed_hash(packed.bytes().data(), packed.bytes().size(), salt);
}

// For values that are neither containers nor tensors.
std::uint64_t digest_of_scalar(const Value& value) noexcept {
  const Kind kind = value.kind();
  switch (kind) {
    case Kind::boolean: return digest_of_number(value.as_bool(), kind);
    case Kind::integer:
      if (const auto number = value.as_int64()) return digest_of_number(*number, kind);
      return digest_of(value.integer_text());
    case Kind::floating: return digest_of_number(bits_of(value.as_double()), kind);
    case Kind::complex: {
      const std::uint64_t parts[] = {bits_of(value.as_complex().real()),
                                     bits_of(value.as_complex().imag())};
      return digest_of_number(parts, kind);
    }
    case Kind::string: return digest_of(value.as_string());
    default: return keyed_hash(nullptr, 0, salt_of(kind));
  }
}

bool has_class(const Value& value) noexcept {
  return value.kind() == Kind::structure || value.kind() == Kind::custom;
}

std::uint64_t digest_of_parts(Kind kind, std::span<std::uint64_t> parts) {
  if (kind == Kind::set) std::ranges::sort(parts);  // Sets are compared without order.
  return keyed_hash(parts.data(), parts.size_bytes(), salt_of(kind));
}

}  // namespace

std::uint64_t digest_of(std::string_view text) noexcept {
  return keyed_hash(text.data(), text.size(), salt_of(Kind::string));
}

bool Digester::is_known(const Value& value, std::uint64_t& digest) const {
  if (value.kind() <= Kind::string) {
    digest = digest_of_scalar(value);
    return true;
  }
  if (memory_ != Memory::none) digest = Box::left_digest(value);
  if (digest != 0) return true;
  if (value.has_tensor()) {
    digest = digest_of_tensor(value);
    if (memory_ == Memory::leave) Box::leave_digest(value, digest);
    return true;
  }
  if (sets_ == nullptr || value.kind() != Kind::set) return false;
  const auto noted = sets_->find(&value);
  if (noted == sets_->end()) return false;
  digest = noted->second;
  return true;
}

// For most keys that are not scalars: small tuples. They need no list.
bool Digester::is_flat(const Value& value, std::uint64_t& digest) {
  constexpr std::size_t most = 8;
  std::array<std::uint64_t, most + 1> parts;
  const std::size_t count = count_of_children(value);
  if (count > most) return false;
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = 0;
    if (!is_known(child_of(value, i), parts[i])) return false;
  }
  std::size_t used = count;
  if (has_class(value)) parts[used++] = digest_of(value.type_name());
  digest = digest_of_parts(value.kind(), std::span(parts).first(used));
  note(value, digest);
  return true;
}

std::uint64_t Digester::digest_of_tree(const Value& root) {
  frames_.clear();
  digests_.clear();
  frames_.push_back({&root, 0, 0});
  for (;;) {
    Frame& frame = frames_.back();
    const Value& value = *frame.value;
    if (frame.next < count_of_children(value)) {
      const Value& child = child_of(value, frame.next++);
      std::uint64_t digest = 0;
      if (is_known(child, digest)) digests_.push_back(digest);
      else frames_.push_back({&child, 0, digests_.size()});
      continue;
    }
    if (has_class(value)) digests_.push_back(digest_of(value.type_name()));
    const std::uint64_t digest =
        digest_of_parts(value.kind(), std::span(digests_).subspan(frame.first));
    note(value, digest);
    digests_.resize(frame.first);
    frames_.pop_back();
    if (frames_.empty()) return digest;
    digests_.push_back(digest);
  }
}

void Digester::note(const Value& value, std::uint64_t digest) {
  if (memory_ == Memory::leave) Box::leave_digest(value, digest);
  if (sets_ != nullptr && value.kind() == Kind::set) sets_->emplace(&value, digest);
}

}  // namespace safestructures::inline v0::detail
