/// \file
/// Adds the rows of paired records, node by node.
#pragma once

#include <string>

#include <safestructures/compare/rows.hpp>
#include <safestructures/recording/recording.hpp>
#include "compare/draft/draft.hpp"
#include "compare/draft/rules.hpp"
#include "compare/nodes/node_rows.hpp"
#include "compare/pairing/record_pairs.hpp"

namespace safestructures::inline v0::comparing {

/// Adds the rows of pairs of any records, or of a record that only one recording has.
class RecordRows {
 public:
  /// \param recordings must outlive this
  RecordRows(const PairedRecordings& recordings, Rules& rules, Draft& draft)
      : recordings_(recordings), rules_(rules), draft_(draft), node_rows_(rules, draft) {}

  void add(const RecordPair& pair);

 private:
  /// Adds a row for a record that only one recording has, or one for each selected part.
  /// \param side `only_a` or `only_b`
  void add_lone(const Record& record, const RecordPlace& place, Verdict side);
  /// Adds a row for records of which different parts were kept.
  void add_kept_otherwise(const Record& a, const Record& b, const RecordPlace& place);
  void add_nodes(const Record& a, const Record& b, const RecordPlace& place);
  /// Adds one row for all of a record.
  void add_whole(const RecordPlace& place, Verdict verdict, std::string detail);

  const PairedRecordings& recordings_;
  Rules& rules_;
  Draft& draft_;
  NodeRows node_rows_;
};

}  // namespace safestructures::inline v0::comparing
