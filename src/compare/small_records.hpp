/// \file
/// Comparing records that share tensors with others, thousands at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include <safestructures/compare/options.hpp>
#include "compare/pairs.hpp"
#include "compare/record_pairs.hpp"
#include "recording/record_table.hpp"

namespace safestructures::inline v0::comparing {

/// Pairs of records that are rows of tensors of floats on both sides, which most small activations
/// are. Their values are never made; their rows are compact.
class SmallRecords {
 public:
  SmallRecords(const recording::RecordTable& a, const recording::RecordTable& b,
               const CompareOptions& options, Comparer& comparer);

  /// Adds the row of such a pair, if it is one. \returns false where it is none
  [[nodiscard]] bool add(const RecordPair& pair);
  /// Compares all that were added; what is not as usual in them is held by the comparer.
  /// \param pairs those of all records of the first recording, in their order
  void measure(std::span<const RecordPair> pairs);

 private:
  /// What the rows of a tensor are.
  struct Type {
    DType dtype = DType::F32;
    std::optional<DType> recorded;
    Shape shape;
    std::size_t count = 0;  // Numbers of a row.
    std::size_t size = 0;   // Bytes of a row.
  };
  static constexpr std::uint32_t none = UINT32_MAX;

  /// One of the recordings.
  struct Side {
    explicit Side(const recording::RecordTable& of) : table(of), cursor(of) {}

    const recording::RecordTable& table;
    recording::RecordCursor cursor;
    /// The types of the tensors of each part, by their places among its values.
    std::vector<std::vector<std::uint32_t>> types;
    const recording::RecordTable::Part* part = nullptr;  // Of the record that was looked at last.
    const std::uint32_t* types_of_part = nullptr;

    /// None where a record shares no tensor of floats.
    [[nodiscard]] std::uint32_t type_of(const recording::RecordTable::Place& place);
  };

  void find_types(Side& side);
  [[nodiscard]] std::uint32_t type_of(const Value& rows);
  [[nodiscard]] std::uint32_t make_kind(const std::string& name, const std::string& other,
                                        const Type& a, const Type& b);
  struct Worker;
  /// \returns the bytes that were compared
  std::uint64_t measure(std::span<const RecordPair> pairs, std::size_t begin, std::size_t count,
                        Worker& worker);

  const CompareOptions& options_;
  Comparer& comparer_;
  Side a_;
  Side b_;
  std::vector<Type> types_;
  std::map<std::tuple<DType, std::optional<DType>, std::vector<std::uint64_t>>, std::uint32_t>
      known_types_;
  /// Names in a and b, types in a and b.
  using Key = std::array<std::uint32_t, 4>;
  struct Known {
    Key key{none, none, none, none};
    std::uint32_t kind = none;
  };
  std::map<Key, std::uint32_t> kinds_;  // None: left out by the options.
  std::vector<Known> known_;            // By names in a, the last of each.
  std::uint64_t bytes_ = 0;             // Of all that are compared.
};

}  // namespace safestructures::inline v0::comparing
