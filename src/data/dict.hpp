/// \file
/// The entries of a dict or structure, with a hash index.
#pragma once

#include <cstddef>
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

/// Stores entries in insertion order and finds them by key in constant time.
///
/// The hash key is drawn when the program starts, so that a file cannot contain keys chosen to
/// collide.
class Dict {
 public:
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] std::vector<Entry>& entries() noexcept { return entries_; }
  void reserve(std::size_t count);
  /// Returns the position of an entry, or `npos`.
  [[nodiscard]] std::size_t find(const Value& key) const;
  [[nodiscard]] std::size_t find(std::string_view key) const noexcept;
  /// Adds an entry. Returns false if the key exists already; then nothing is changed or moved from.
  /// \throws Error `invalid_argument` for a key that is not hashable.
  bool insert(Value& key, Value& value);
  /// Adds entries as `insert` does, up to the first whose key exists already.
  /// \returns how many were added
  std::size_t insert_all(std::span<Entry> entries);
  /// Indexes entries that were put into `entries()`. Their keys must be those of `other`, in order.
  void index_as(const Dict& other) { slots_ = other.slots_; }
  void erase(std::size_t position);
  /// Returns a dict with as many entries, each to be given the key and value of the one here: it
  /// has an index without hashing again.
  [[nodiscard]] Dict shell() const;
  /// Takes all entries, leaving none.
  [[nodiscard]] std::vector<Entry> take() noexcept;

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

 private:
  /// Up to this many entries a scan is faster than hashing.
  static constexpr std::size_t scan_limit = 8;

  /// Whether a key is looked up by its digest: in a large dict, or if the key itself is large.
  [[nodiscard]] bool needs_hash(const Value& key) const noexcept {
    return !slots_.empty() || key.kind() > Kind::string;
  }
  // `hash` is the key's digest if `needs_hash`.
  [[nodiscard]] std::size_t find(const Value& key, std::uint64_t hash) const;
  [[nodiscard]] std::size_t find(std::string_view key, std::uint64_t hash) const noexcept;
  [[nodiscard]] bool has_among_few(std::string_view key) const noexcept;
  /// Moves an entry to the end, leaving both arguments none.
  void add(Value& key, Value& value);
  template <class Equal>
  [[nodiscard]] std::size_t scan_or_probe(std::uint64_t hash, const Equal& equal) const;
  void rebuild(std::size_t capacity);
  void place(std::uint64_t hash, std::size_t position) noexcept;

  struct Slot {
    std::uint32_t hash;      // The upper half, compared before the key is accessed.
    std::uint32_t position;  // The entry's position plus one; 0 if free.
  };
  std::vector<Entry> entries_;
  std::vector<Slot>
      slots_;  // Empty up to scan_limit entries; else a power of two, at most half full.
};

/// Whether Python can hash a key: all but lists, dicts, sets, tensors, and tuples that contain any
/// of these.
[[nodiscard]] bool is_hashable(const Value& key) noexcept;

/// Returns the position of the first item that equals an earlier one, or `Dict::npos`. Items may be
/// of any kind. Stores digests in them, so that nested sets cost no more: nobody else may access
/// the items.
[[nodiscard]] std::size_t find_repeated(const std::vector<Value>& items);
/// The same with the caller's digester, for items that others may access.
[[nodiscard]] std::size_t find_repeated(const std::vector<Value>& items, Digester& digest);

/// Returns the error that a set has a repeated item. \param position from `find_repeated`
/// \param trace the set's place \param offset the byte in the file
[[nodiscard]] Error repeated_item(const std::vector<Value>& items, std::size_t position,
                                  const Trace* trace, std::optional<std::uint64_t> offset = {});

}  // namespace safestructures::inline v0::detail
