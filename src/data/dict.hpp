/// \file
/// The entries of a dict or structure with a hash index.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

class Digester;

/// Entries in insertion order, found by key in constant time.
///
/// The hash is keyed by a number drawn when the program starts, so that a file cannot hold keys
/// that were chosen to collide.
class Dict {
 public:
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] std::vector<Entry>& entries() noexcept { return entries_; }
  void reserve(std::size_t count);
  /// The position of the entry, or `npos`.
  [[nodiscard]] std::size_t find(const Value& key) const;
  [[nodiscard]] std::size_t find(std::string_view key) const noexcept;
  /// Adds an entry; false when the key is there already (then nothing is changed or moved from).
  /// \throws Error `invalid_argument` for a key that is not hashable.
  bool insert(Value& key, Value& value);
  /// Adds entries as `insert` does, up to the first whose key is there already.
  /// \returns how many were added
  std::size_t insert_all(std::span<Entry> entries);
  /// Finds entries that were put into `entries()`: their keys are those of another dict, in order.
  void index_as(const Dict& other) { slots_ = other.slots_; }
  void erase(std::size_t position);
  /// As many entries as this has, each to be given the key and the value of the one here: an index
  /// for them without hashing.
  [[nodiscard]] Dict shell() const;
  /// All entries; none are left.
  [[nodiscard]] std::vector<Entry> take() noexcept;

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

 private:
  /// Below this many entries a scan is faster than hashing.
  static constexpr std::size_t scan_limit = 8;

  /// Whether a key is looked up by its digest: in a large dict, and a key that is large itself.
  [[nodiscard]] bool needs_hash(const Value& key) const noexcept {
    return !slots_.empty() || key.kind() > Kind::string;
  }
  // `hash` is the key's digest where it is needed.
  [[nodiscard]] std::size_t find(const Value& key, std::uint64_t hash) const;
  [[nodiscard]] std::size_t find(std::string_view key, std::uint64_t hash) const noexcept;
  [[nodiscard]] bool has_among_few(std::string_view key) const noexcept;
  /// Moves an entry to the end; both are none then.
  void add(Value& key, Value& value);
  template <class Equal>
  [[nodiscard]] std::size_t scan_or_probe(std::uint64_t hash, const Equal& equal) const;
  void rebuild(std::size_t capacity);
  void place(std::uint64_t hash, std::size_t position) noexcept;

  struct Slot {
    std::uint32_t hash;      // The upper half, to compare before the key is touched.
    std::uint32_t position;  // One more than the entry's position; 0: free.
  };
  std::vector<Entry> entries_;
  std::vector<Slot>
      slots_;  // Empty up to scan_limit entries; else a power of two, at most half full.
};

/// True for kinds that Python can hash: all but lists, dicts, sets, tensors, and tuples with such.
[[nodiscard]] bool is_hashable(const Value& key) noexcept;

/// The position of the first item that equals one before it, or `Dict::npos`. Items may be of any
/// kind. Leaves digests in them, so that sets in sets cost no more: nobody else may see the items.
[[nodiscard]] std::size_t find_repeated(const std::vector<Value>& items);
/// The same with a digester of the caller's, for items that others may see.
[[nodiscard]] std::size_t find_repeated(const std::vector<Value>& items, Digester& digest);

/// The error that a set has an item twice. \param position what `find_repeated` gave
/// \param trace where the set is \param offset the byte in the file
[[nodiscard]] Error repeated_item(const std::vector<Value>& items, std::size_t position,
                                  const Trace* trace, std::optional<std::uint64_t> offset = {});

}  // namespace safestructures::inline v0::detail
