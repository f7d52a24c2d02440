/// \file
/// Which pairs of records are small tensors of floats on both sides, and what they are compared by.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <safestructures/compare/options.hpp>
#include "compare/pairing/record_pairs.hpp"
#include "compare/pairs.hpp"
#include "compare/rows/compact_rows.hpp"
#include "recording/record_table.hpp"

namespace safestructures::inline v0::comparing {

/// The kinds of two recordings' pairs, each made when the first of them is found.
class RowKinds {
 private:
  /// What small tensors are: those of a record of its own, or the rows of one.
  struct Type {
    DType dtype = DType::F32;
    std::optional<DType> recorded;
    Shape shape;
    std::size_t count = 0;  // Numbers of each.
    std::size_t size = 0;   // Bytes of each.

    [[nodiscard]] bool is_of(const Value& value, bool is_row) const;
  };
  /// Names in a and b, types in a and b.
  struct Key {
    std::uint32_t name_a = none;
    std::uint32_t name_b = none;
    const Type* type_a = nullptr;
    const Type* type_b = nullptr;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  RowKinds(const recording::RecordTable& a, const recording::RecordTable& b,
           const CompareOptions& options, Comparer& comparer)
      : options_(options), comparer_(comparer), a_(a), b_(b) {}

  /// What is known of a pair.
  struct Found {
    std::uint32_t place = none;         ///< Of the kind. None: the options leave the pair out.
    const CompactKind* kind = nullptr;  ///< There; stays where it is.
  };
  /// Finds the kinds of pairs that follow each other, mostly. Each thread has one of its own.
  class Finder {
   public:
    explicit Finder(RowKinds& kinds)
        : kinds_(kinds), a_(kinds.a_), b_(kinds.b_), known_(kinds.a_.names().size()) {}
    /// Nothing for a pair that is none of small tensors.
    [[nodiscard]] std::optional<Found> find(const RecordPair& pair);

   private:
    using Record = recording::StoredRecord;
    /// What a record of a name was.
    struct Seen {
      const Value* rows = nullptr;  // Of which it was a row, if it was one.
      const Type* type = nullptr;

      [[nodiscard]] bool is_of(const Record& record) const {
        return record.is_row() && record.value == rows;
      }
    };
    struct Known {
      Seen a;
      Seen b;
      Key key;  // That `found` is of.
      Found found;
    };

    [[nodiscard]] std::optional<Found> find(const Record& a, const Record& b, Known& known);
    /// Has the type of a record, or null, in `seen`. \param last what was looked at, of any name
    void look(const Record& record, Seen& seen, Seen& last);

    RowKinds& kinds_;
    recording::RecordCursor a_;
    recording::RecordCursor b_;
    std::vector<Known> known_;  // By names in a, the last of each.
    Seen last_a_;
    Seen last_b_;
  };

 private:
  using TypeKey = std::tuple<DType, std::optional<DType>, std::vector<std::uint64_t>>;

  /// Null where it is no small tensor of floats, or has no such rows. May be called by several
  /// threads at once, as `kind_of` may.
  [[nodiscard]] const Type* type_of(const Value& value, bool is_row);
  /// Nothing where types do not go together.
  [[nodiscard]] std::optional<Found> kind_of(const Key& key);
  [[nodiscard]] Found make_kind(const Key& key);

  const CompareOptions& options_;
  Comparer& comparer_;
  const recording::RecordTable& a_;
  const recording::RecordTable& b_;
  std::mutex mutex_;
  std::map<TypeKey, Type> types_;  // Each stays where it is.
  std::map<Key, Found> kinds_;
};

}  // namespace safestructures::inline v0::comparing
