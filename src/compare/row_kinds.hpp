/// \file
/// Which pairs of records are rows of tensors of floats on both sides, and what they are compared
/// by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <safestructures/compare/options.hpp>
#include "compare/compact_rows.hpp"
#include "compare/pairs.hpp"
#include "compare/record_pairs.hpp"
#include "recording/record_table.hpp"

namespace safestructures::inline v0::comparing {

/// The kinds of two recordings' pairs, each made when the first of them is found.
class RowKinds {
 private:
  /// What the rows of a tensor are.
  struct Type {
    DType dtype = DType::F32;
    std::optional<DType> recorded;
    Shape shape;
    std::size_t count = 0;  // Numbers of a row.
    std::size_t size = 0;   // Bytes of a row.
  };
  struct Side {
    const recording::RecordTable& table;
    /// Types of the tensors of each part, by their places among its values.
    std::vector<std::vector<std::uint32_t>> types;
  };
  /// Names in a and b, types in a and b.
  using Key = std::array<std::uint32_t, 4>;

 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  RowKinds(const recording::RecordTable& a, const recording::RecordTable& b,
           const CompareOptions& options, Comparer& comparer);

  /// What is known of a pair.
  struct Found {
    std::uint32_t kind = none;  ///< None: the options leave it out.
    std::size_t size = 0;       ///< Bytes of both records.
  };
  /// Finds the kinds of pairs that follow each other, mostly. Each thread has one of its own.
  class Finder {
   public:
    explicit Finder(RowKinds& kinds)
        : kinds_(kinds), a_(kinds.a_), b_(kinds.b_), known_(kinds.a_.table.names().size()) {}
    /// Nothing for a pair that is none of rows.
    [[nodiscard]] std::optional<Found> find(const RecordPair& pair);

   private:
    struct Looker {
      explicit Looker(const Side& of) : side(of), cursor(of.table) {}
      const Side& side;
      recording::RecordCursor cursor;
      const recording::RecordTable::Part* part = nullptr;  // Of the record looked at last.
      const std::uint32_t* types = nullptr;                // Of that.

      [[nodiscard]] std::uint32_t type_of(const recording::RecordTable::Place& place);
    };
    struct Known {
      Key key{none, none, none, none};
      Found found;
    };

    RowKinds& kinds_;
    Looker a_;
    Looker b_;
    std::vector<Known> known_;  // By names in a, the last of each.
  };

 private:
  void find_types(Side& side);
  [[nodiscard]] std::uint32_t type_of(const Value& rows);
  /// Nothing where types do not go together. May be called by several threads at once.
  [[nodiscard]] std::optional<Found> kind_of(const Key& key);
  [[nodiscard]] std::uint32_t make_kind(const std::string& name, const std::string& other,
                                        const Type& a, const Type& b);

  const CompareOptions& options_;
  Comparer& comparer_;
  Side a_;
  Side b_;
  std::vector<Type> types_;
  std::map<std::tuple<DType, std::optional<DType>, std::vector<std::uint64_t>>, std::uint32_t>
      known_types_;
  std::mutex mutex_;
  std::map<Key, std::uint32_t> kinds_;
};

}  // namespace safestructures::inline v0::comparing
