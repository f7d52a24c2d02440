/// \file
/// Identifies pairs of records that are small float tensors on both sides, and how to compare them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "compare/draft/rules.hpp"
#include "compare/metrics/tensor_pair.hpp"
#include "compare/pairing/record_pairs.hpp"
#include "compare/rows/compact_rows.hpp"
#include "recording/record_table.hpp"

namespace safestructures::inline v0::comparing {

/// The kinds of pairs in two recordings, each created when first found.
class RowKinds {
 private:
  /// A type of small tensors: records of their own, or rows of one.
  struct Type {
    SideDType dtype;
    Shape shape;
    std::size_t count = 0;  // Numbers in each.
    std::size_t size = 0;   // Bytes of each.

    [[nodiscard]] bool is_of(const Value& value, bool is_row) const;
  };
  /// The names in a and b, and the types in a and b.
  struct Key {
    std::uint32_t name_a = none;
    std::uint32_t name_b = none;
    const Type* type_a = nullptr;
    const Type* type_b = nullptr;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// \param kinds where they are stored
  RowKinds(const PairedRecordings& recordings, const Rules& rules, std::deque<CompactKind>& kinds)
      : rules_(rules), kinds_(kinds), a_(recordings.table_a), b_(recordings.table_b) {}

  /// What is known about a pair.
  struct Found {
    std::uint32_t place = none;  ///< Index of the kind; `none` if the options exclude the pair.
    const CompactKind* kind = nullptr;  ///< Never null; its address is stable.
  };
  /// Finds the kinds of pairs, fastest if they follow each other. Each thread has its own.
  class Finder {
   public:
    explicit Finder(RowKinds& kinds)
        : kinds_(kinds), a_(kinds.a_), b_(kinds.b_), known_(kinds.a_.names().size()) {}
    /// Returns null if the pair is not of small tensors.
    [[nodiscard]] std::optional<Found> find(const RecordPair& pair);

   private:
    using Record = recording::StoredRecord;
    /// The last record seen with a name.
    struct Seen {
      const Value* rows = nullptr;  // The tensor that it was a row of, if any.
      const Type* type = nullptr;

      [[nodiscard]] bool is_of(const Record& record) const {
        return record.is_row() && record.value == rows;
      }
    };
    struct Known {
      Seen a;
      Seen b;
      Key key;  // The key of `found`.
      Found found;
    };

    [[nodiscard]] std::optional<Found> find(const Record& a, const Record& b, Known& known);
    /// Sets `seen` to the type of a record, or null. \param last the last record looked at, of any
    /// name
    void look(const Record& record, Seen& seen, Seen& last);

    RowKinds& kinds_;
    recording::RecordCursor a_;
    recording::RecordCursor b_;
    std::vector<Known> known_;  // Indexed by name in a: the last pair of each.
    Seen last_a_;
    Seen last_b_;
  };

 private:
  using TypeKey = std::tuple<DType, std::optional<DType>, std::vector<std::uint64_t>>;

  /// Returns null if the value is not a small float tensor, or has no such rows. This and `kind_of`
  /// may be called from several threads at once.
  [[nodiscard]] const Type* type_of(const Value& value, bool is_row);
  /// Returns null if the types do not match.
  [[nodiscard]] std::optional<Found> kind_of(const Key& key);
  [[nodiscard]] Found make_kind(const Key& key);

  const Rules& rules_;
  std::deque<CompactKind>& kinds_;
  const recording::RecordTable& a_;
  const recording::RecordTable& b_;
  std::mutex mutex_;
  std::map<TypeKey, Type> types_;  // Addresses are stable.
  std::map<Key, Found> known_;
};

}  // namespace safestructures::inline v0::comparing
