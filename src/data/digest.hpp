/// \file
/// A hash of values by which equal ones are found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// The digest of a string, as `Digester` gives it.
[[nodiscard]] std::uint64_t digest_of(std::string_view text) noexcept;

/// Hashes values so that equal ones (operator==) have one digest, with the key of the process.
/// Without recursion, and each part of a tree once: a list of what is open costs no stack, however
/// deep.
///
/// One digest in 2^64 is another value's as well: equality has the last word.
class Digester {
 public:
  enum class Memory : std::uint8_t {
    /// Takes no digest from a value and leaves none, so that many threads may compare it.
    none,
    /// Takes what was left in containers and tensors.
    read,
    /// Takes and leaves: for values that nobody else can see or change, as keys in their dict, or
    /// the members of a set that is being read.
    leave
  };
  /// The digests of sets that were met below others, by their address.
  using Sets = std::unordered_map<const Value*, std::uint64_t>;

  explicit Digester(Memory memory) noexcept : memory_(memory) {}
  /// Notes sets there, and takes from there what was noted.
  explicit Digester(Sets& sets) noexcept : sets_(&sets) {}

  [[nodiscard]] std::uint64_t operator()(const Value& value) {
    std::uint64_t digest = 0;
    return is_known(value, digest) || is_flat(value, digest) ? digest : digest_of_tree(value);
  }

 private:
  struct Frame {
    const Value* value;
    std::size_t next;   // The child to be looked at.
    std::size_t first;  // Where the digests of its children begin.
  };

  // Both set the digest where they return true.
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
