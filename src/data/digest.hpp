/// \file
/// A hash of values, used to find equal ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// Returns the digest of a string, as `Digester` does.
[[nodiscard]] std::uint64_t digest_of(std::string_view text) noexcept;

/// Hashes values, using the key of the process, so that equal ones (operator==) have the same
/// digest. Not recursive, and visits each part of a tree once: it uses a list instead of the stack,
/// at any depth.
///
/// One digest in 2^64 also belongs to another value, so equality has to be checked.
class Digester {
 public:
  enum class Memory : std::uint8_t {
    /// Neither uses nor stores digests in values, so that several threads may compare one.
    none,
    /// Uses digests stored in containers and tensors.
    read,
    /// Uses and stores digests: for values that nobody else can access, such as keys in their dict,
    /// or the members of a set that is being read.
    leave
  };
  /// The digests of nested sets, by address.
  using Sets = std::unordered_map<const Value*, std::uint64_t>;

  explicit Digester(Memory memory) noexcept : memory_(memory) {}
  /// Stores the digests of sets in `sets`, and uses those stored there.
  explicit Digester(Sets& sets) noexcept : sets_(&sets) {}

  [[nodiscard]] std::uint64_t operator()(const Value& value) {
    std::uint64_t digest = 0;
    return is_known(value, digest) || is_flat(value, digest) ? digest : digest_of_tree(value);
  }

 private:
  struct Frame {
    const Value* value;
    std::size_t next;   // The next child to visit.
    std::size_t first;  // The index of its children's first digest.
  };

  // Both set the digest if they return true.
  [[nodiscard]] bool is_known(const Value& value, std::uint64_t& digest) const;
  [[nodiscard]] bool is_flat(const Value& value, std::uint64_t& digest);
  [[nodiscard]] std::uint64_t digest_of_tree(const Value& root);
  void note(const Value& value, std::uint64_t digest);

  Memory memory_ = Memory::none;
  Sets* sets_ = nullptr;
  std::vector<Frame> frames_;
  std::vector<std::uint64_t> digests_;
};

}  // namespace safestructures::inline v0::detail
